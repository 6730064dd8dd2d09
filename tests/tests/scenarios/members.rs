//! Members are read by what their names stand for; of two with one name a client takes the first, and a server
//! neither.

use std::fmt::Debug;

use selvedge_core::{
    Violation,
    client::{Effect, Event},
    json::View,
    server::ServerEvent,
};
use selvedge_tests::{
    World, line,
    spelling::{Doubled, doubled, escaped},
    world::changed,
};

use super::{
    server_gate::Desk,
    server_modern::{everything, modern},
};

/// What a server says in a session of the legacy era, in which calls 7 to 11 wait.
const SAID: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"ok"},{"type":"image","data":"","mimeType":"a/b"}],"structuredContent":{"a":[{"b":1}]},"isError":false}}"#,
    r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}"#,
    r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no","data":{"supported":["2025-06-18"]}}}"#,
    r#"{"jsonrpc":"2.0","id":8,"result":{"tools":[{"name":"t","title":"T","description":"d","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":7}]}}"#,
    r#"{"jsonrpc":"2.0","id":8,"result":{"tools":[],"nextCursor":"more"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"result":{"contents":[{"uri":"a:b","mimeType":"text/plain","text":"t","blob":"AA=="}]}}"#,
    r#"{"jsonrpc":"2.0","id":10,"result":{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"x"}}]}}"#,
    r#"{"jsonrpc":"2.0","id":11,"result":{"resources":[{"uri":"a:b","name":"n","title":"t","description":"d","mimeType":"m","size":7}],"nextCursor":null}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"l","data":{"a":1}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2,"message":"m"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
];

/// What a server asks in such a session.
const ASKED: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":"q","method":"ping","params":{"_meta":{"x":1}}}"#,
    r#"{"jsonrpc":"2.0","id":"q","method":"roots/list","params":{"_meta":{"progressToken":1}}}"#,
    r#"{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":10,"modelPreferences":{"hints":[{"name":"m"}]}}}"#,
    r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}"#,
];

/// What a server answers to the modern call 7.
const MODERN: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"ok"}],"structuredContent":{"a":1},"isError":false,"ttlMs":5,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"1"}}}}"#,
    r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list","params":{"_meta":{"x":1}}}},"requestState":"s"}}"#,
    r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","requestState":"s"}}"#,
];

fn offers() -> selvedge_core::ClientConfig {
    changed(|config| {
        config.offers.sampling = true;
        config.offers.elicitation = true;
        config.offers.roots = true;
    })
}

fn legacy() -> World {
    let mut world = World::ready_with(offers());
    let options = selvedge_core::client::CallOptions { progress: true, ..selvedge_tests::world::NORMAL };
    world.must(|client, now| client.call_tool(now, "t", "{}", options));
    world.must(|client, now| client.list_tools(now, options));
    world.must(|client, now| client.read_resource(now, "a:b", options));
    world.must(|client, now| client.get_prompt(now, "p", "{}", options));
    world.must(|client, now| client.list_resources(now, options));
    world.take_effects();
    world
}

fn modern_world() -> World {
    let mut world = World::modern_with(offers());
    world.call("t", "{}");
    world.take_effects();
    world
}

/// Shows effects without the spelling of names, the second members, and what says that a name is there twice.
fn shown(effects: &[impl Debug], names: &[&str]) -> String {
    let mut text = format!("{effects:#?}").replace("\\\\", "\\").replace("\\\"", "\"");
    while let Some(at) = text.find("\\u00") {
        let code = u8::from_str_radix(&text[at + 4..at + 6], 16).unwrap();
        text.replace_range(at..at + 6, &char::from(code).to_string());
    }
    for name in names {
        text = text.replace(&format!(r#","{name}":"the second""#), "");
    }
    // Where a member stands in its text is not what it says.
    let lines = text.lines().filter(|line| {
        let line = line.trim_start();
        !line.starts_with("start: ") && !line.starts_with("end: ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn said(mut world: World, line: &str) -> Vec<Effect> {
    world.peer(line);
    // A call that is to be made again is made again.
    world.pass_millis(5_000);
    world.take_effects()
}

fn is_about_duplicates(effect: &Effect) -> bool {
    match effect {
        Effect::Event(Event::PeerViolated(Violation::OddEnvelope(odd))) => odd.duplicate.is_some(),
        Effect::Event(Event::PeerViolated(Violation::DuplicateName { .. })) => true,
        _ => false,
    }
}

#[test]
fn names_with_escapes_mean_the_same_to_a_client() {
    for (world, lines) in [(legacy as fn() -> World, SAID), (legacy, ASKED), (modern_world, MODERN)] {
        for line in lines {
            let plain = said(world(), line);
            assert!(!plain.is_empty(), "{line}");
            assert_eq!(shown(&said(world(), &escaped(line)), &[]), shown(&plain, &[]), "{line}");
        }
    }
}

#[test]
fn of_two_members_with_one_name_the_first_one_counts_for_a_client() {
    for (world, lines) in [(legacy as fn() -> World, SAID), (modern_world, MODERN)] {
        for line in lines {
            let plain = said(world(), line);
            for Doubled { text, name, path } in doubled(line) {
                let mut effects = said(world(), &text);
                let told = effects.len();
                effects.retain(|effect| !is_about_duplicates(effect));
                let is_top = path.is_empty() || path == ["result"];
                if path.iter().any(|step| step == "inputRequests") {
                    // What the application is asked is never ambiguous: the call fails instead.
                    let shown = format!("{effects:?}");
                    assert!(!shown.contains("Asked") && shown.contains("Malformed"), "{text}: {shown}");
                    continue;
                }
                let is_known = ["jsonrpc", "id", "method", "params", "result", "error"].contains(&&*name);
                assert_eq!(told > effects.len(), is_top && (is_known || !path.is_empty()), "{text}");
                assert_eq!(shown(&effects, &[&name]), shown(&plain, &[&name]), "{text}");
            }
        }
    }
}

#[test]
fn a_server_that_asks_ambiguously_is_refused_with_the_name() {
    for line in ASKED {
        for Doubled { text, name, path } in doubled(line) {
            let effects = said(legacy(), &text);
            let sent = format!("{effects:?}").replace('\\', "");
            if path.is_empty() {
                assert!(effects.iter().any(is_about_duplicates), "{text}");
                continue;
            }
            let wrote: Vec<_> = effects.iter().filter(|e| matches!(e, Effect::Send(_))).collect();
            let [Effect::Send(bytes)] = &wrote[..] else { panic!("{text}: {sent}") };
            let reply = String::from_utf8_lossy(bytes);
            assert!(reply.contains("-32602") && reply.contains(&name), "{text}: {reply}");
            assert!(!sent.contains("Asked"), "{text}: {sent}");
        }
    }
}

/// What clients of the legacy era ask of a server.
fn requests() -> Vec<String> {
    [
        ("tools/call", r#"{"name":"t","arguments":{"a":{"b":[{"c":1}]}},"_meta":{"progressToken":"p"}}"#),
        ("tools/list", r#"{"cursor":"x"}"#),
        ("prompts/get", r#"{"name":"p","arguments":{"who":"me"}}"#),
        ("resources/read", r#"{"uri":"a:b"}"#),
        ("resources/subscribe", r#"{"uri":"a:b"}"#),
        ("logging/setLevel", r#"{"level":"debug"}"#),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"who","value":"m"},"context":{"arguments":{"x":"y"}}}"#,
        ),
    ]
    .map(|(method, params)| line::request("5", method, params))
    .into()
}

fn modern_requests() -> Vec<String> {
    let capabilities = r#"{"roots":{},"elicitation":{"form":{}}}"#;
    [
        ("tools/call", r#""name":"t","arguments":{"a":{"b":[{"c":1}]}},"inputResponses":{"k":{"roots":[]}}"#),
        ("resources/read", r#""uri":"a:b""#),
        ("server/discover", ""),
        (
            "subscriptions/listen",
            r#""notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}"#,
        ),
    ]
    .map(|(method, members)| modern("5", method, capabilities, members))
    .into()
}

/// Returns what a server does about a line; in a revision with batches, as a part of one where that is wanted.
fn served(line: &str, in_batch: bool) -> (Vec<String>, Vec<ServerEvent>) {
    let mut desk = Desk::ready_with(if in_batch { "2025-03-26" } else { "2025-11-25" }, everything);
    desk.client(if in_batch { format!("[{line}]") } else { line.to_owned() });
    (desk.take_sent(), desk.take_events())
}

#[test]
fn names_with_escapes_mean_the_same_to_a_server() {
    for line in requests().iter().chain(&modern_requests()) {
        let (sent, events) = served(line, false);
        let (escaped_sent, escaped_events) = served(&escaped(line), false);
        assert_eq!(escaped_sent, sent, "{line}");
        assert_eq!(shown(&escaped_events, &[]), shown(&events, &[]), "{line}");
        assert!(
            sent.iter().all(|sent| !sent.contains("-3260")) || line.contains("cursor"),
            "{line}: {sent:?}"
        );
    }
}

#[test]
fn a_server_refuses_what_says_a_name_twice_and_names_it() {
    for (lines, in_batch) in [(requests(), false), (requests(), true), (modern_requests(), false)] {
        for Doubled { text, name, path } in lines.iter().flat_map(|line| doubled(line)) {
            let (sent, events) = served(&text, in_batch);
            let [reply] = &sent[..] else { panic!("{text}: {sent:?}") };
            let code = if path.is_empty() { "-32600" } else { "-32602" };
            assert!(reply.contains(code) && reply.contains("twice"), "{text}: {reply}");
            let shown_name = name.replace('/', "~1");
            assert!(reply.contains(&name) || reply.contains(&shown_name), "{text}: {reply}");
            let is_asked = |event: &ServerEvent| matches!(event, ServerEvent::Requested { .. });
            assert!(!events.iter().any(is_asked), "{text}: {events:?}");
            let id = if path.is_empty() && name == "id" { "\"id\":null" } else { "\"id\":5" };
            assert!(reply.contains(id), "{text}: {reply}");
        }
    }
}

#[test]
fn the_tool_that_a_header_names_is_the_tool_that_runs() {
    let params = r#"{"n\u0061me":"a","name":"b","arguments":{}}"#;
    let (sent, events) = served(&line::request("5", "tools/call", params), false);
    assert!(sent[0].contains("`/params/name` stands there twice"), "{sent:?}");
    assert!(!format!("{events:?}").contains("Requested"), "{events:?}");
    let id = View::new(&sent[0]).unwrap().get("id").unwrap();
    assert_eq!(id.as_i64(), Some(5));
}

#[test]
fn a_client_that_answers_ambiguously_fails_the_call_that_asked() {
    use selvedge_core::{
        Tick,
        client::Offered,
        server::{Answer, Input, Question},
    };
    for (answer, why) in [
        (r#""result":{"roots":[],"roots":[{"uri":"file:///"}]}"#, "/result/roots"),
        (r#""result":{"roots":[{"uri":"file:///a","ur\u0069":"file:///b"}]}"#, "/result/roots/0/uri"),
        (r#""result":{"roots":[]},"result":{}"#, "`result` stands there twice"),
    ] {
        let mut desk = Desk::new(everything);
        let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}"#;
        desk.client(line::request("0", "initialize", hello));
        desk.take_sent();
        desk.take_events();
        desk.client(line::request("5", "tools/call", r#"{"name":"t"}"#));
        let events = desk.take_events();
        let [ServerEvent::Requested { call, .. }] = &events[..] else { panic!("{events:?}") };
        let params = selvedge_core::json::RawJson::new("{}").unwrap();
        let question = Question { key: "k".to_owned(), what: Offered::Roots, params };
        let input = Input { questions: vec![question], state: None };
        desk.server.answer(Tick::ZERO, *call, Answer::Input(input)).unwrap();
        let asked = desk.take_sent();
        let id = View::new(&asked[0]).unwrap().get("id").unwrap().as_str().to_owned();
        desk.client(format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#));
        let sent = desk.take_sent();
        let failed = sent.iter().find(|sent| sent.contains("\"id\":5")).unwrap_or_else(|| panic!("{sent:?}"));
        assert!(failed.contains("isError\":true") && failed.contains(why), "{failed}");
        assert_eq!(desk.server.calls_in_flight(), 0);
    }
}

// WebAssembly cannot read the sources.
#[cfg(not(target_family = "wasm"))]
#[test]
fn no_source_of_the_core_compares_a_name_as_it_is_spelled() {
    // A comparison with a quoted word: an arm of a match, or an operator beside it.
    let marks = ["\\\"\" =>", "\\\"\" |", "== \"\\\"", "!= \"\\\"", "(b\"\\\""];
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/src");
    let (mut folders, mut seen) = (vec![std::path::PathBuf::from(root)], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            // Emitters write quotes of other languages; what a test compares is what was written.
            let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
            if path.ends_with("tests.rs") || path.starts_with(format!("{root}/codegen/support")) {
                continue;
            }
            seen += 1;
            for line in shipped.lines() {
                assert!(!marks.iter().any(|mark| line.contains(mark)), "{}: {line}", path.display());
            }
        }
    }
    assert!(seen > 100, "{seen}");
}
