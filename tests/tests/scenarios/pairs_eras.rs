//! A real client and a real server in both eras: their applications see the same.

use std::time::Duration;

use selvedge_core::{
    client::{Answer, CallId, EraPolicy, Event, Offered, State},
    json::RawJson,
    protocol::Revision,
    server::{Answer as ServerAnswer, Input, Question, StateKey},
};
use selvedge_tests::{
    Pair,
    pair::Wire,
    world::{NORMAL, changed},
};

const SECOND: Duration = Duration::from_secs(1);

/// What is tried, and what comes of it with a server of both eras.
const ERAS: [(EraPolicy, Revision); 4] = [
    (EraPolicy::LegacyFirst, Revision::V2025_11_25),
    (EraPolicy::ModernFirst, Revision::V2026_07_28),
    (EraPolicy::Pinned(Revision::V2026_07_28), Revision::V2026_07_28),
    (EraPolicy::Pinned(Revision::V2025_06_18), Revision::V2025_06_18),
];

fn json(text: &str) -> RawJson {
    RawJson::new(text).unwrap()
}

fn tool(name: &str) -> RawJson {
    json(&format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#))
}

fn meet(era: EraPolicy, max_chunk: usize) -> Pair {
    let wire = Wire { max_chunk, ..Wire::default() };
    let client = changed(|config| {
        config.era = era;
        config.offers.elicitation = true;
        config.offers.roots = true;
    });
    let mut pair = Pair::with(wire, client, |server| {
        server.changes = true;
        server.watches = true;
        server.has_resources = true;
        server.cache_ttl = Duration::from_hours(1);
        server.state_key = Some(StateKey::new([7; 32]));
    });
    pair.pass(SECOND);
    assert_eq!(pair.client.state(), State::Ready, "{era:?}");
    pair
}

fn done(pair: &mut Pair, call: CallId) -> Answer {
    pair.pass(SECOND);
    pair.outcome(call).unwrap()
}

fn assert_no_violations(pair: &Pair) {
    let violations: Vec<_> =
        pair.events.iter().filter(|event| matches!(event, Event::PeerViolated(_))).collect();
    assert!(violations.is_empty(), "{violations:?}");
}

/// Takes the events that an application acts upon.
fn told(pair: &mut Pair) -> Vec<Event> {
    assert_no_violations(pair);
    pair.events.drain(..).filter(|event| !matches!(event, Event::Ready(_))).collect()
}

#[test]
fn both_sides_meet_in_the_era_that_is_wanted_and_call_in_it() {
    for (era, revision) in ERAS {
        for max_chunk in [1, 7, usize::MAX] {
            let mut pair = meet(era, max_chunk);
            assert_eq!(pair.client.handshake().unwrap().revision, revision, "{era:?}");
            let call = pair.call("echo", r#"{"n":1.10,"s":"é\ud83d"}"#);
            let Answer::Called(result) = done(&mut pair, call) else { panic!() };
            assert_eq!(result.structured_content().unwrap().as_str(), r#"{"n":1.10,"s":"é\ud83d"}"#);
            assert_eq!(told(&mut pair), [], "{era:?}");
        }
    }
}

#[test]
fn a_server_that_asks_is_answered_in_both_eras_and_goes_on_with_its_state() {
    for (era, _) in ERAS {
        let mut pair = meet(era, usize::MAX);
        let call = pair.call("wait", r#"{"x":1}"#);
        pair.pass(SECOND);
        let (served, ..) = pair.called.remove(0);
        let question = |key: &str, what, params| Question { key: key.to_owned(), what, params: json(params) };
        let form = r#"{"message":"Name?","requestedSchema":{"type":"object","properties":{}}}"#;
        let input = Input {
            questions: vec![
                question("name", Offered::Elicitation, form),
                question("roots", Offered::Roots, "{}"),
            ],
            state: Some("half way".to_owned()),
        };
        pair.server.answer(pair.now, served, ServerAnswer::Input(input)).unwrap();
        pair.pass(SECOND);
        let asked = told(&mut pair);
        assert_eq!(asked.len(), 2, "{era:?}: {asked:?}");
        for event in &asked {
            let Event::Asked { ask, what, params } = event else { panic!("{event:?}") };
            let answer = match what {
                Offered::Elicitation => {
                    assert!(params.as_str().contains("Name?"));
                    r#"{"action":"accept","content":{"name":"x"}}"#
                }
                _ => r#"{"roots":[]}"#,
            };
            pair.client.answer_ask(pair.now, ask, Ok(&json(answer))).unwrap();
        }
        pair.pass(SECOND);
        let (served, name, arguments) = pair.called.remove(0);
        assert_eq!((name.as_str(), arguments.as_str()), ("wait", r#"{"x":1}"#), "{era:?}");
        pair.answer(&served, &json(r#"{"content":[{"type":"text","text":"done"}]}"#));
        let Answer::Called(result) = done(&mut pair, call) else { panic!() };
        assert_eq!(result.text(), "done");
        assert_eq!(told(&mut pair), []);
    }
}

#[test]
fn a_change_of_tools_is_told_in_both_eras_and_the_new_list_is_seen() {
    for (era, _) in ERAS {
        let mut pair = meet(era, usize::MAX);
        let names = |pair: &mut Pair| -> Vec<String> {
            let now = pair.now;
            let call = pair.client.list_tools(now, NORMAL).unwrap();
            let Answer::Tools(listing) = done(pair, call) else { panic!() };
            listing.items.into_iter().map(|tool| tool.name).collect()
        };
        assert_eq!(names(&mut pair), ["echo", "wait"]);
        assert_eq!(names(&mut pair), ["echo", "wait"]);
        let now = pair.now;
        pair.server.hub().set_tools(now, vec![tool("new")]).unwrap();
        pair.pass(SECOND);
        assert_eq!(told(&mut pair), [Event::ToolsChanged], "{era:?}");
        assert_eq!(names(&mut pair), ["new"], "{era:?}");
    }
}

#[test]
fn a_resource_is_followed_in_both_eras_as_long_as_it_is_wanted() {
    for (era, _) in ERAS {
        let mut pair = meet(era, usize::MAX);
        let now = pair.now;
        let call = pair.client.subscribe(now, "x:/a", NORMAL).unwrap();
        assert_eq!(done(&mut pair, call), Answer::Done, "{era:?}");
        let now = pair.now;
        pair.server.hub().resource_updated(now, "x:/a");
        pair.server.hub().resource_updated(now, "x:/b");
        pair.pass(SECOND);
        assert_eq!(told(&mut pair), [Event::ResourceUpdated { uri: "x:/a".to_owned() }], "{era:?}");
        let now = pair.now;
        let call = pair.client.unsubscribe(now, "x:/a", NORMAL).unwrap();
        assert_eq!(done(&mut pair, call), Answer::Done);
        let now = pair.now;
        pair.server.hub().resource_updated(now, "x:/a");
        pair.pass(SECOND);
        assert_eq!(told(&mut pair), [], "{era:?}");
    }
}
