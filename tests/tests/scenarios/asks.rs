//! What a server asks of the application, where it was offered.

use selvedge_core::{
    Misuse, Violation,
    client::{AskId, Event, Offered, Reason},
    json::RawJson,
    jsonrpc::RpcError,
};
use selvedge_tests::{World, line, world::changed};

fn world() -> World {
    World::ready_with(changed(|config| {
        config.offers.sampling = true;
        config.offers.elicitation = true;
        config.offers.roots = true;
    }))
}

fn asked(world: &mut World, id: &str, method: &str, params: &str) -> AskId {
    world.peer(line::request(id, method, params));
    let events = world.take_events();
    let [Event::Asked { ask, params: own, .. }] = &events[..] else { panic!("{events:?}") };
    assert_eq!(own.as_str(), params);
    ask.clone()
}

fn json(text: &str) -> RawJson {
    RawJson::new(text).unwrap()
}

#[test]
fn an_offered_question_is_asked_and_its_answer_goes_back_as_given() {
    let cases = [
        ("sampling/createMessage", Offered::Sampling),
        ("elicitation/create", Offered::Elicitation),
        ("roots/list", Offered::Roots),
    ];
    for (method, what) in cases {
        let mut world = world();
        world.peer(line::request("\"q\"", method, r#"{"x":1.10}"#));
        let events = world.take_events();
        let [Event::Asked { ask, what: own, params }] = &events[..] else { panic!("{events:?}") };
        assert_eq!((*own, params.as_str()), (what, r#"{"x":1.10}"#));
        assert_eq!(world.take_sent(), [""; 0], "the answer is the application's");
        world.client.answer_ask(world.now, ask, Ok(&json("{\n\"a\": 1.50\n}"))).unwrap();
        assert_eq!(world.take_sent(), [r#"{"jsonrpc":"2.0","id":"q","result":{"a": 1.50}}"#]);
        assert_eq!(world.client.answer_ask(world.now, ask, Ok(&json("{}"))), Err(Misuse::UnknownAsk));
        world.assert_quiet();
    }
}

#[test]
fn a_refusal_goes_back_with_its_code_and_data() {
    let mut world = world();
    let ask = asked(&mut world, "0", "elicitation/create", "{}");
    let refusal = RpcError::new(-1, "the user \"declined\"").with_data(json("[1,\n2]"));
    world.client.answer_ask(world.now, &ask, Err(&refusal)).unwrap();
    let expected =
        r#"{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"the user \"declined\"","data":[1,2]}}"#;
    assert_eq!(world.take_sent(), [expected]);
}

#[test]
fn an_answer_must_be_an_object_and_the_question_stays_open() {
    let mut world = world();
    let ask = asked(&mut world, "1", "roots/list", "{}");
    assert_eq!(
        world.client.answer_ask(world.now, &ask, Ok(&json("[]"))),
        Err(Misuse::NotAnObject { what: "the answer" })
    );
    world.assert_quiet();
    assert_eq!(world.client.answer_ask(world.now, &ask, Ok(&json("{}"))), Ok(()));
}

#[test]
fn a_question_without_parameters_has_empty_ones() {
    let mut world = world();
    world.peer(r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#);
    assert!(matches!(&world.take_events()[..], [Event::Asked { params, .. }] if params.as_str() == "{}"));
}

#[test]
fn pings_are_answered_while_a_question_waits_and_a_call_runs() {
    let mut world = world();
    let call = world.call("t", "{}");
    let ask = asked(&mut world, "\"human\"", "elicitation/create", "{}");
    world.take_sent();
    for at in 0..100 {
        world.pass_millis(100);
        world.peer(line::request(&at.to_string(), "ping", "{}"));
        assert_eq!(world.take_sent().len(), 1);
    }
    world.client.answer_ask(world.now, &ask, Ok(&json(r#"{"action":"cancel"}"#))).unwrap();
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn an_id_that_is_under_way_is_refused_and_the_first_question_stays() {
    let mut world = world();
    let ask = asked(&mut world, "5", "roots/list", "{}");
    world.peer(line::request("5", "sampling/createMessage", "{}"));
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::IdInUse)]);
    let sent = world.take_sent();
    assert!(sent[0].contains(r#""id":5,"error":{"code":-32600,"#), "{sent:?}");
    assert_eq!(world.client.answer_ask(world.now, &ask, Ok(&json("{}"))), Ok(()));
    let again = asked(&mut world, "5", "roots/list", "{}");
    assert_eq!(world.client.answer_ask(world.now, &again, Ok(&json("{}"))), Ok(()));
}

#[test]
fn one_and_its_string_are_two_ids() {
    let mut world = world();
    let number = asked(&mut world, "1", "roots/list", "{}");
    let string = asked(&mut world, "\"1\"", "roots/list", "{}");
    assert_ne!(number, string);
}

#[test]
fn more_questions_than_the_limit_are_refused() {
    let mut world = world();
    for at in 0..64 {
        asked(&mut world, &at.to_string(), "roots/list", "{}");
    }
    world.take_effects();
    world.peer(line::request("64", "roots/list", "{}"));
    assert_eq!(world.take_events(), [Event::PeerViolated(Violation::TooManyAsks { limit: 64 })]);
    assert!(world.take_sent()[0].contains(r#""id":64,"error":{"code":-32603,"#));
    world.peer(line::request("65", "ping", "{}"));
    assert_eq!(world.take_sent().len(), 1, "a ping is no question");
}

#[test]
fn the_end_of_the_session_withdraws_every_question() {
    let mut world = world();
    let asks = [asked(&mut world, "1", "roots/list", "{}"), asked(&mut world, "2", "roots/list", "{}")];
    world.shut_down();
    let events = world.take_events();
    let [one, two] = asks;
    assert_eq!(
        events,
        [
            Event::AskWithdrawn { ask: one.clone() },
            Event::AskWithdrawn { ask: two },
            Event::Closed(Reason::ShutDown)
        ]
    );
    assert_eq!(world.client.answer_ask(world.now, &one, Ok(&json("{}"))), Err(Misuse::UnknownAsk));
    assert_eq!(world.take_sent(), [""; 0]);
}
