//! Calls that a server completes in several rounds.

use std::time::Duration;

use selvedge_core::{
    Misuse, Patience, Violation,
    client::{Answer, AnswerFault, AskId, CallError, CallId, CallOptions, Event, Offered, Reason},
    jsonrpc::RpcError,
};
use selvedge_tests::{World, line, world::changed};

use super::{NORMAL, json, member};

const FORM: &str = r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#;
const ACCEPT: &str = r#"{"action":"accept","content":{"a":1}}"#;

fn world() -> World {
    World::modern_with(changed(|config| {
        config.offers.sampling = true;
        config.offers.elicitation = true;
        config.offers.roots = true;
    }))
}

fn elicit(key: &str) -> String {
    format!(
        r#"{{"resultType":"input_required","inputRequests":{{{key}:{{"method":"elicitation/create","params":{FORM}}}}},"requestState":"opaque"}}"#
    )
}

/// The peer answers a request with this, and nothing but questions is told.
fn asks(world: &mut World, id: u64, result: &str) -> Vec<(AskId, Offered, String)> {
    world.peer(line::result_of(id, result));
    let told = |event| match event {
        Event::Asked { ask, what, params } => (ask, what, params.as_str().to_owned()),
        other => panic!("{other:?}"),
    };
    world.take_events().into_iter().map(told).collect()
}

fn answer(world: &mut World, ask: &AskId, result: &str) {
    assert_eq!(world.client.answer_ask(world.now, ask, Ok(&json(result))), Ok(()));
}

/// The client has made one request; returns its id and its message.
fn made(world: &mut World) -> (u64, String) {
    let sent = world.take_sent();
    let [message] = &sent[..] else { panic!("{sent:?}") };
    (member(message, &["id"]).unwrap().parse().unwrap(), message.clone())
}

fn params(message: &str) -> String {
    member(message, &["params"]).unwrap()
}

#[test]
fn a_call_is_made_again_with_the_answers_under_a_new_id_and_the_state_as_it_came() {
    let mut world = world();
    let options = CallOptions { progress: true, meta: Some(r#"{"a":1}"#), ..NORMAL };
    let call = world.call_with("t", r#"{ "x" : 1.10 }"#, options);
    let (_, first) = made(&mut world);
    let state = r#""a\u0041\/\"é\ud83d""#;
    let result = format!(
        r#"{{"requestState":{state},"resultType":"input_required","inputRequests":{{"k\u0031":{{"method":"elicitation/create","params":{FORM}}},"r":{{"method":"roots/list"}}}}}}"#
    );
    let asked = asks(&mut world, 7, &result);
    let [(form, Offered::Elicitation, own), (roots, Offered::Roots, none)] = &asked[..] else {
        panic!("{asked:?}")
    };
    assert_eq!((own.as_str(), none.as_str()), (FORM, "{}"));
    // The answers come in the other order.
    answer(&mut world, roots, r#"{"roots":[]}"#);
    world.assert_quiet();
    answer(&mut world, form, "{\"action\":\n\"accept\"}");
    let (id, again) = made(&mut world);
    assert!(id > 7);
    let expected = format!(
        r#"{{"name":"t","arguments":{{ "x" : 1.10 }},"inputResponses":{{"k\u0031":{{"action":"accept"}},"r":{{"roots":[]}}}},"requestState":{state},"_meta":"#
    );
    assert!(params(&again).starts_with(&expected), "{again}");
    let meta = |message: &str| member(message, &["params", "_meta"]).unwrap();
    let renamed = meta(&first).replace(r#""progressToken":7"#, &format!(r#""progressToken":{id}"#));
    assert_eq!(meta(&again), renamed, "what is said of the client is said again");
    world.peer(line::notification(
        "notifications/progress",
        &format!(r#"{{"progressToken":{id},"progress":1}}"#),
    ));
    assert!(matches!(&world.take_events()[..], [Event::Progressed { call: own, .. }] if *own == call));
    world.peer(line::result_of(id, r#"{"resultType":"complete","content":[{"type":"text","text":"done"}]}"#));
    assert_eq!(world.text(call), "done");
    world.assert_quiet();
    assert_eq!(world.client.poll_timeout(), None);
}

#[test]
fn each_round_carries_its_own_answers_and_state_only() {
    let mut world = world();
    let call = world.call("t", "{}");
    world.take_sent();
    let asked = asks(&mut world, 7, &elicit("\"one\""));
    answer(&mut world, &asked[0].0, ACCEPT);
    let (id, _) = made(&mut world);
    let second = elicit("\"two\"").replace(r#","requestState":"opaque""#, "");
    let asked = asks(&mut world, id, &second);
    answer(&mut world, &asked[0].0, r#"{"action":"decline"}"#);
    let (id, message) = made(&mut world);
    let expected = r#"{"name":"t","arguments":{},"inputResponses":{"two":{"action":"decline"}},"_meta""#;
    assert!(params(&message).starts_with(expected), "{message}");
    world.peer(line::result_of(id, r#"{"content":[]}"#));
    assert!(world.outcome(call).is_ok());
}

#[test]
fn prompts_and_resources_may_ask_and_nothing_else() {
    let mut world = world();
    let prompt = world.must(|client, now| client.get_prompt(now, "p", r#"{"a":"b"}"#, NORMAL));
    let read = world.must(|client, now| client.read_resource(now, "x:/y", NORMAL));
    world.take_sent();
    for (call, result) in [(prompt, r#"{"messages":[]}"#), (read, r#"{"contents":[]}"#)] {
        let asked = asks(&mut world, call.as_u64(), &elicit("\"k\""));
        answer(&mut world, &asked[0].0, ACCEPT);
        let (id, _) = made(&mut world);
        world.peer(line::result_of(id, result));
        assert!(world.outcome(call).is_ok());
    }
    let calls: [(CallId, &str); 3] = [
        (world.list_tools(), "tools/list"),
        (
            world.must(|client, now| {
                let reference = r#"{"type":"ref/prompt","name":"p"}"#;
                client.complete(now, reference, r#"{"name":"a","value":""}"#, NORMAL)
            }),
            "completion/complete",
        ),
        (world.must(|client, now| client.discover(now, NORMAL)), "server/discover"),
    ];
    world.take_sent();
    for (call, method) in calls {
        world.peer(line::result(call, &elicit("\"k\"")));
        let violation = Violation::QuestionsNotAllowed { method };
        let error = world.failure(call);
        assert!(
            matches!(&error, CallError::Malformed { fault: AnswerFault::Questions(own), .. } if *own == violation),
            "{error:?}"
        );
        assert_eq!(world.take_events(), [Event::PeerViolated(violation)]);
    }
    world.assert_quiet();
}

#[test]
fn a_state_without_questions_is_sent_back_after_a_pause() {
    let mut world = world();
    let call = world.call("t", "{}");
    world.take_sent();
    assert_eq!(asks(&mut world, 7, r#"{"resultType":"input_required","requestState":"s"}"#), []);
    world.pass_millis(249);
    world.assert_quiet();
    world.pass_millis(1);
    let (id, message) = made(&mut world);
    assert!(
        params(&message).starts_with(r#"{"name":"t","arguments":{},"requestState":"s","_meta""#),
        "{message}"
    );
    world.peer(line::result_of(id, r#"{"content":[]}"#));
    assert!(world.outcome(call).is_ok());
    assert_eq!(world.client.poll_timeout(), None);
}

#[test]
fn null_means_absent_where_a_server_says_what_it_needs() {
    let mut world = world();
    world.call("t", "{}");
    world.take_sent();
    let result = r#"{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list","params":null}},"requestState":null}"#;
    let asked = asks(&mut world, 7, result);
    answer(&mut world, &asked[0].0, r#"{"roots":[]}"#);
    let (_, message) = made(&mut world);
    assert!(!message.contains("requestState"), "{message}");
}

#[test]
fn no_questions_under_their_name_are_answered_with_none() {
    let mut world = world();
    world.call("t", "{}");
    world.take_sent();
    let result = r#"{"resultType":"input_required","inputRequests":{},"requestState":"s"}"#;
    assert_eq!(asks(&mut world, 7, result), []);
    world.pass_millis(250);
    let (_, message) = made(&mut world);
    assert!(params(&message).contains(r#""inputResponses":{},"requestState":"s""#), "{message}");
}

#[test]
fn a_server_that_asks_for_ever_is_given_ten_rounds() {
    for result in [elicit("\"k\""), r#"{"resultType":"input_required","requestState":"s"}"#.to_owned()] {
        let mut world = world();
        let call = world.call("t", "{}");
        let (mut id, _) = made(&mut world);
        let mut rounds = 0;
        loop {
            let asked = asks_or_nothing(&mut world, id, &result);
            if world.client.calls_in_flight() == 0 {
                break;
            }
            for ask in asked {
                answer(&mut world, &ask, ACCEPT);
            }
            world.pass_millis(250);
            rounds += 1;
            (id, _) = made(&mut world);
        }
        assert_eq!(rounds, 10);
        assert_eq!(world.failure(call), CallError::TooManyRounds { limit: 10 });
        world.assert_quiet();
    }
}

fn asks_or_nothing(world: &mut World, id: u64, result: &str) -> Vec<AskId> {
    world.peer(line::result_of(id, result));
    if world.client.calls_in_flight() == 0 {
        return Vec::new();
    }
    let ask = |event| match event {
        Event::Asked { ask, .. } => ask,
        other => panic!("{other:?}"),
    };
    world.take_events().into_iter().map(ask).collect()
}

#[test]
fn what_was_not_offered_is_a_violation_and_fails_the_call_without_a_word_to_the_application() {
    let sampling = r#"{"messages":[],"maxTokens":1"#;
    let cases = [
        ("sampling/createMessage", format!("{sampling}}}"), Violation::MethodNotOffered),
        ("roots/list", "{}".to_owned(), Violation::MethodNotOffered),
        ("tools/call", "{}".to_owned(), Violation::MethodNotOffered),
        (
            "elicitation/create",
            r#"{"mode":"url","message":"m","url":"x:"}"#.to_owned(),
            Violation::WayNotOffered,
        ),
    ];
    for (method, params, violation) in cases {
        let mut world = World::modern_with(changed(|config| config.offers.elicitation = true));
        let call = world.call("t", "{}");
        world.take_sent();
        // A question that was offered stands beside the other.
        let result = format!(
            r#"{{"resultType":"input_required","inputRequests":{{"a":{{"method":"elicitation/create","params":{FORM}}},"b":{{"method":"{method}","params":{params}}}}}}}"#
        );
        world.peer(line::result(call, &result));
        let error = world.failure(call);
        assert!(
            matches!(&error, CallError::Malformed { fault: AnswerFault::NotOffered(own), raw: Some(_) } if own == method),
            "{error:?}"
        );
        assert_eq!(world.take_events(), [Event::PeerViolated(violation)]);
        world.assert_quiet();
        world.assert_lives();
    }
    let mut world = world();
    let call = world.call("t", "{}");
    let tools = format!(
        r#"{{"resultType":"input_required","inputRequests":{{"a":{{"method":"sampling/createMessage","params":{sampling},"tools":[]}}}}}}}}"#
    );
    world.peer(line::result(call, &tools));
    assert!(matches!(world.failure(call), CallError::Malformed { fault: AnswerFault::NotOffered(_), .. }));
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::WayNotOffered)]);
}

#[test]
fn questions_that_are_none_fail_the_call() {
    for members in [
        "",
        r#","inputRequests":{}"#,
        r#","inputRequests":[]"#,
        r#","inputRequests":null"#,
        r#","requestState":7"#,
        r#","requestState":null"#,
        r#","inputRequests":{"a":7}"#,
        r#","inputRequests":{"a":{}}"#,
        r#","inputRequests":{"a":{"method":7}}"#,
        r#","inputRequests":{"a":{"method":"roots/list","params":[]}}"#,
        r#","inputRequests":{"a":{"method":"roots/list"},"\u0061":{"method":"roots/list"}}"#,
    ] {
        let mut world = world();
        let call = world.call("t", "{}");
        world.take_sent();
        world.peer(line::result(call, &format!(r#"{{"resultType":"input_required"{members}}}"#)));
        let error = world.failure(call);
        assert!(
            matches!(error, CallError::Malformed { fault: AnswerFault::WrongShape(_), .. }),
            "{members}: {error:?}"
        );
        world.assert_quiet();
    }
}

#[test]
fn an_error_of_the_application_ends_the_call_and_takes_the_other_questions_back() {
    let mut world = world();
    let call = world.call("t", "{}");
    world.take_sent();
    let result = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"roots/list"},"c":{"method":"roots/list"}}}"#;
    let asked = asks(&mut world, 7, result);
    answer(&mut world, &asked[0].0, r#"{"roots":[]}"#);
    let error = RpcError::new(-1, "no");
    assert_eq!(world.client.answer_ask(world.now, &asked[1].0, Err(&error)), Ok(()));
    assert_eq!(world.failure(call), CallError::AskRefused { what: Offered::Roots, error });
    assert_eq!(world.take_events(), [Event::AskWithdrawn { ask: asked[2].0.clone() }]);
    world.assert_quiet();
    let late = world.client.answer_ask(world.now, &asked[2].0, Ok(&json("{}")));
    assert_eq!(late, Err(Misuse::UnknownAsk));
    world.assert_lives();
}

#[test]
fn a_call_that_is_cancelled_between_two_rounds_is_over_for_both_sides() {
    let mut world = world();
    let call = world.call("t", "{}");
    world.take_sent();
    let asked = asks(&mut world, 7, &elicit("\"k\""));
    world.cancel(call);
    assert_eq!(world.failure(call), CallError::Cancelled);
    assert_eq!(world.take_events(), [Event::AskWithdrawn { ask: asked[0].0.clone() }]);
    assert_eq!(world.take_sent(), [""; 0], "the server has answered, so there is nothing to cancel");
    assert_eq!(world.client.answer_ask(world.now, &asked[0].0, Ok(&json(ACCEPT))), Err(Misuse::UnknownAsk));

    let paced = world.call("t", "{}");
    let (id, _) = made(&mut world);
    asks(&mut world, id, r#"{"resultType":"input_required","requestState":"s"}"#);
    world.cancel(paced);
    assert_eq!(world.failure(paced), CallError::Cancelled);
    world.pass_millis(10_000);
    world.assert_quiet();

    let again = world.call("t", "{}");
    let (id, _) = made(&mut world);
    let asked = asks(&mut world, id, &elicit("\"k\""));
    answer(&mut world, &asked[0].0, ACCEPT);
    let (id, _) = made(&mut world);
    world.cancel(again);
    let sent = world.take_sent();
    assert!(
        sent[0].contains(&format!(r#""requestId":{id},"#)),
        "the request under way is cancelled: {sent:?}"
    );
    assert_eq!(world.failure(again), CallError::Cancelled);
}

#[test]
fn the_total_time_of_a_call_spans_its_rounds_and_its_idle_time_is_the_servers() {
    let mut world = world();
    let patience = Patience { idle: Duration::from_secs(10), total: Duration::from_mins(1) };
    let options = CallOptions { patience: Some(patience), ..NORMAL };
    let call = world.call_with("t", "{}", options);
    world.take_sent();
    let asked = asks(&mut world, 7, &elicit("\"k\""));
    world.pass_millis(50_000);
    world.assert_quiet();
    answer(&mut world, &asked[0].0, ACCEPT);
    let (id, _) = made(&mut world);
    world.pass_millis(9_999);
    let asked = asks(&mut world, id, &elicit("\"k\""));
    world.pass_millis(1);
    let after = Duration::from_mins(1);
    assert_eq!(world.failure(call), CallError::TimedOut { after, hint: None });
    assert_eq!(world.take_events(), [Event::AskWithdrawn { ask: asked[0].0.clone() }]);
    assert_eq!(world.take_sent(), [""; 0], "the server does not have the call");

    let call = world.call_with("t", "{}", options);
    let (id, _) = made(&mut world);
    let asked = asks(&mut world, id, &elicit("\"k\""));
    world.pass_millis(20_000);
    answer(&mut world, &asked[0].0, ACCEPT);
    let (id, _) = made(&mut world);
    world.pass_millis(10_000);
    let after = Duration::from_secs(10);
    assert_eq!(world.failure(call), CallError::TimedOut { after, hint: None });
    assert!(world.take_sent()[0].contains(&format!(r#""requestId":{id},"#)));
}

#[test]
fn an_answer_under_the_id_of_a_request_that_was_not_made_yet_answers_nothing() {
    let mut world = world();
    let call = world.call("t", "{}");
    world.take_sent();
    let asked = asks(&mut world, 7, &elicit("\"k\""));
    let next = 8;
    for line in [
        line::result_of(next, r#"{"content":[]}"#),
        line::error(call, -1, "x").replace(r#""id":7"#, r#""id":8"#),
        format!(r#"{{"jsonrpc":"2.0","id":{next},"result":{{"a":NaN}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"{next}","result":{{}}}}"#),
    ] {
        world.peer(line);
        let events = world.take_events();
        assert!(matches!(events[..], [Event::PeerViolated(_)]), "{events:?}");
    }
    answer(&mut world, &asked[0].0, ACCEPT);
    let (id, _) = made(&mut world);
    assert_eq!(id, next);
    world.peer(line::result_of(id, r#"{"content":[]}"#));
    assert!(world.outcome(call).is_ok());
}

#[test]
fn the_end_of_the_session_settles_calls_between_rounds() {
    let mut world = world();
    let asking = world.call("t", "{}");
    let paced = world.call("t", "{}");
    world.take_sent();
    let asked = asks(&mut world, asking.as_u64(), &elicit("\"k\""));
    asks(&mut world, paced.as_u64(), r#"{"resultType":"input_required","requestState":"s"}"#);
    world.exit(1);
    world.eof();
    for call in [asking, paced] {
        assert!(matches!(world.failure(call), CallError::Unavailable(Reason::Exited(_))));
    }
    assert!(world.take_events().contains(&Event::AskWithdrawn { ask: asked[0].0.clone() }));
    world.pass_millis(60_000);
    assert_eq!(world.take_sent(), [""; 0]);
}

#[test]
fn more_questions_than_may_wait_fail_the_call() {
    let mut world = world();
    let call = world.call("t", "{}");
    world.take_sent();
    let many: Vec<_> = (0..65).map(|at| format!(r#""k{at}":{{"method":"roots/list"}}"#)).collect();
    let result = format!(r#"{{"resultType":"input_required","inputRequests":{{{}}}}}"#, many.join(","));
    world.peer(line::result(call, &result));
    assert!(matches!(world.failure(call), CallError::Malformed { fault: AnswerFault::Questions(_), .. }));
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::TooManyAsks { limit: 64 })]);
}

#[test]
fn calls_between_rounds_are_in_flight() {
    let mut world = World::modern_with(changed(|config| {
        config.offers.elicitation = true;
        config.limits.max_calls_in_flight = 1;
    }));
    let call = world.call("t", "{}");
    world.take_sent();
    let asked = asks(&mut world, 7, &elicit("\"k\""));
    let now = world.now;
    let refused = world.client.call_tool(now, "t", "{}", NORMAL);
    assert_eq!(refused, Err(Misuse::TooManyCalls { limit: 1 }));
    answer(&mut world, &asked[0].0, ACCEPT);
    let (id, _) = made(&mut world);
    world.peer(line::result_of(id, r#"{"content":[]}"#));
    assert!(matches!(world.outcome(call), Ok(Answer::Called(_))));
    world.assert_lives();
}

#[test]
fn two_calls_that_ask_at_once_keep_their_answers_apart() {
    let mut world = world();
    let (one, two) = (world.call("one", "{}"), world.call("two", "{}"));
    world.take_sent();
    let first = asks(&mut world, one.as_u64(), &elicit("\"k\""));
    let second = asks(&mut world, two.as_u64(), &elicit("\"k\"").replace("opaque", "other"));
    answer(&mut world, &second[0].0, r#"{"action":"decline"}"#);
    let (_, message) = made(&mut world);
    assert!(params(&message).contains(r#""two""#) && message.contains(r#""decline""#), "{message}");
    assert!(message.contains(r#""requestState":"other""#), "{message}");
    answer(&mut world, &first[0].0, r#"{"action":"cancel"}"#);
    let (_, message) = made(&mut world);
    assert!(params(&message).contains(r#""one""#) && message.contains(r#""cancel""#), "{message}");
}
