//! Listings: pages, cursors, entries that cannot be used.

use std::time::Duration;

use selvedge_core::{
    Violation,
    client::{Answer, AnswerFault, CallError, CallOptions, Event},
    protocol::{Listing, Tool},
};
use selvedge_tests::{World, line, world::changed};

fn tools(outcome: Result<Answer, CallError>) -> Listing<Tool> {
    match outcome {
        Ok(Answer::Tools(tools)) => tools,
        other => panic!("{other:?}"),
    }
}

fn page(tool: &str, cursor: &str) -> String {
    format!(r#"{{"tools":[{{"name":"{tool}","inputSchema":{{"type":"object"}}}}],"nextCursor":{cursor}}}"#)
}

fn answer(world: &mut World, id: u64, result: &str) {
    world.peer(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
}

#[test]
fn pages_are_asked_for_one_by_one_and_the_listing_is_whole() {
    let mut world = World::ready();
    let call = world.list_tools();
    assert_eq!(world.take_sent(), [line::request("7", "tools/list", "{}")]);
    answer(&mut world, 7, &page("a", r#""c\"1""#));
    assert_eq!(world.take_sent(), [line::request("8", "tools/list", r#"{"cursor":"c\"1"}"#)]);
    assert_eq!(world.take_events(), []);
    answer(&mut world, 8, &page("b", "null"));
    let listing = tools(world.outcome(call));
    assert_eq!(listing.items.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    world.assert_quiet();
    assert_eq!(world.client.calls_in_flight(), 0);
}

#[test]
fn a_repeated_cursor_is_an_error_and_never_a_partial_listing() {
    let mut world = World::ready();
    let call = world.list_tools();
    answer(&mut world, 7, &page("a", r#""A""#));
    answer(&mut world, 8, &page("b", r#""A""#));
    assert_eq!(world.failure(call), CallError::PaginationLoop { cursor: "A".to_owned() });
    assert_eq!(world.take_sent().len(), 2, "two pages were asked for");
    world.assert_lives();

    let call = world.list_tools();
    let first = call.as_u64();
    for (at, cursor) in [r#""A""#, r#""B""#, r#""A""#].into_iter().enumerate() {
        answer(&mut world, first + at as u64, &page("a", cursor));
    }
    assert_eq!(world.failure(call), CallError::PaginationLoop { cursor: "A".to_owned() });
}

#[test]
fn an_empty_or_absent_cursor_ends_a_listing() {
    for end in [r#""""#, "null"] {
        let mut world = World::ready();
        let call = world.list_tools();
        world.take_sent();
        answer(&mut world, 7, &page("a", end));
        assert_eq!(tools(world.outcome(call)).items.len(), 1, "{end}");
        world.assert_quiet();
    }
}

#[test]
fn a_cursor_that_is_no_string_ends_the_listing_with_a_diagnostic() {
    for cursor in ["5", "{}", "[\"A\"]", "true"] {
        let mut world = World::ready();
        let call = world.list_tools();
        world.take_sent();
        answer(&mut world, 7, &page("a", cursor));
        assert_eq!(tools(world.outcome(call)).items.len(), 1, "{cursor}");
        assert_eq!(world.take_events(), [Event::PeerViolated(Violation::BadCursor)], "{cursor}");
        world.assert_quiet();
        world.assert_lives();
    }
}

#[test]
fn more_pages_than_the_limit_are_an_error() {
    let mut world = World::ready();
    let call = world.list_tools();
    for at in 0..64 {
        assert_eq!(world.take_sent().len(), 1);
        answer(&mut world, 7 + at, &page(&format!("t{at}"), &format!("\"{at}\"")));
    }
    assert_eq!(world.failure(call), CallError::TooManyPages { limit: 64 });
    world.assert_quiet();

    let mut world = World::ready();
    let call = world.list_tools();
    for at in 0..63 {
        answer(&mut world, 7 + at, &page(&format!("t{at}"), &format!("\"{at}\"")));
    }
    answer(&mut world, 7 + 63, &page("last", "null"));
    assert_eq!(tools(world.outcome(call)).items.len(), 64);
}

#[test]
fn more_bytes_than_the_limit_are_an_error() {
    let mut world = World::ready_with(changed(|config| config.limits.max_listing_bytes = 150));
    let call = world.list_tools();
    answer(&mut world, 7, &page("a", "\"A\""));
    answer(&mut world, 8, &page("a", "\"B\""));
    answer(&mut world, 9, &page("a", "\"C\""));
    assert_eq!(world.failure(call), CallError::ListingTooLarge { limit: 150 });
}

#[test]
fn entries_that_cannot_be_used_are_put_aside_with_index_and_reason() {
    let entries = r#"[{"name":"a","inputSchema":{"type":"object"}},null,{"name":""},{"inputSchema":{}},
        {"name":"b","inputSchema":null},{"name":"c","inputSchema":{"type":"object","properties":null}},
        {"name":"d","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}},
        {"name":"e","inputSchema":"object"},{"name":"f","inputSchema":true},{"name":7,"inputSchema":{}},
        {"name":"g"}]"#
        .replace('\n', "");
    let mut world = World::ready();
    let call = world.list_tools();
    world.take_sent();
    answer(&mut world, 7, &format!(r#"{{"tools":{entries}}}"#));
    let listing = tools(world.outcome(call));
    let names: Vec<_> = listing.items.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "f"]);
    assert_eq!(listing.items[2].input_schema.as_str(), r#"{"type":"object","properties":null}"#);
    let aside: Vec<_> = listing
        .quarantined
        .iter()
        .map(|entry| (entry.index, entry.name.as_deref(), entry.reason.as_str()))
        .collect();
    assert_eq!(
        aside,
        [
            (1, None, "must be an object, not null"),
            (2, Some(""), "`name` is empty"),
            (3, None, "`name` is absent"),
            (7, Some("e"), "`inputSchema` must be a schema, not string"),
            (9, None, "`name` must be a string, not number"),
            (10, Some("g"), "`inputSchema` is absent"),
        ]
    );
    world.assert_quiet();
}

#[test]
fn a_deeply_nested_schema_spares_the_rest_of_the_listing() {
    let deep = format!("{}{}", r#"{"items":"#.repeat(200) + "{}", "}".repeat(200));
    let mut world = World::ready();
    let call = world.list_tools();
    let entries = format!(r#"{{"name":"a","inputSchema":{deep}}},{{"name":"b","inputSchema":{{}}}}"#);
    answer(&mut world, 7, &format!(r#"{{"tools":[{entries}]}}"#));
    let listing = tools(world.outcome(call));
    assert_eq!(listing.items.len(), 2);
    assert_eq!(listing.items[0].input_schema.as_str(), deep);
}

#[test]
fn names_of_all_kinds_are_listed_and_callable() {
    for name in ["constructor", "__proto__", "toString", "get/user", "получить", "a\u{202e}b", "a b"]
    {
        let mut world = World::ready();
        let call = world.list_tools();
        answer(&mut world, 7, &page(name, "null"));
        assert_eq!(tools(world.outcome(call)).items[0].name, name);
        world.take_sent();
        world.call(name, "{}");
        assert!(world.take_sent()[0].contains(&format!(r#""name":"{name}""#)));
    }
}

#[test]
fn a_page_of_the_wrong_shape_is_a_failure() {
    for result in ["{}", r#"{"tools":null}"#, r#"{"tools":{}}"#, "[]", "null"] {
        let mut world = World::ready();
        let call = world.list_tools();
        answer(&mut world, 7, result);
        let failure = world.failure(call);
        assert!(
            matches!(failure, CallError::Malformed { fault: AnswerFault::WrongShape(_), raw: Some(_) }),
            "{failure}"
        );
    }
}

#[test]
fn a_kind_that_was_never_declared_is_an_empty_list_where_the_method_is_unknown() {
    let welcome = line::welcome("2025-11-25", r#"{"tools":{}}"#);
    let mut world = World::ready_for(selvedge_core::ClientConfig::default(), &welcome);
    let call = world.must(|client, now| client.list_prompts(now, CallOptions::default()));
    world.peer(line::error(call, -32601, "Method not found"));
    assert!(matches!(world.outcome(call), Ok(Answer::Prompts(list)) if list.items.is_empty()));

    let call = world.must(|client, now| client.list_prompts(now, CallOptions::default()));
    world.peer(line::error(call, -32603, "boom"));
    assert!(matches!(world.failure(call), CallError::Refused(_)), "another error is a failure");
    let call = world.list_tools();
    world.peer(line::error(call, -32601, "Method not found"));
    assert!(matches!(world.failure(call), CallError::Refused(_)), "what was declared must be there");
}

#[test]
fn all_pages_share_one_total_time() {
    let mut world = World::ready();
    let patience = selvedge_core::Patience::exactly(Duration::from_secs(10));
    let options = CallOptions { patience: Some(patience), ..CallOptions::default() };
    let call = world.must(|client, now| client.list_tools(now, options));
    world.pass_millis(6_000);
    answer(&mut world, 7, &page("a", "\"A\""));
    world.take_sent();
    world.pass_millis(3_999);
    world.assert_quiet();
    world.pass_millis(1);
    assert!(matches!(world.failure(call), CallError::TimedOut { .. }));
    assert!(world.take_sent()[0].contains(r#""requestId":8"#));
}

#[test]
fn a_tool_that_nests_deep_is_listed_and_the_others_with_it() {
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let mut world = World::ready();
    let call = world.list_tools();
    world.take_sent();
    let deep = format!(r#"{{"name":"deep","inputSchema":{{"default":{nested}}}}}"#);
    let good = r#"{"name":"good","inputSchema":{"required":["a"]}}"#;
    answer(&mut world, 7, &format!(r#"{{"tools":[{deep},{good}]}}"#));
    let listing = tools(world.outcome(call));
    assert_eq!(listing.items.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["deep", "good"]);
    assert_eq!(listing.items[0].raw.as_str(), deep);
    let now = world.now;
    let misuse = world.client.call_tool(now, "good", "{}", CallOptions::default());
    assert!(matches!(misuse, Err(selvedge_core::Misuse::BadArguments { .. })), "{misuse:?}");
    let call = world.call("deep", &format!(r#"{{"a":{nested}}}"#));
    let told = world.take_events();
    assert!(told.iter().all(|event| matches!(event, Event::Unchecked(_))), "{}", told.len());
    world.peer(line::result(call, &format!(r#"{{"content":[],"structuredContent":{nested}}}"#)));
    assert!(matches!(world.outcome(call), Ok(Answer::Called(_))));
    world.assert_lives();
}

#[test]
fn of_entries_with_the_same_key_the_first_stays_and_the_others_are_told() {
    let tool = |title: &str| format!(r#"{{"name":"a","title":"{title}","inputSchema":{{}}}}"#);
    let escaped = r#"{"name":"\u0061","inputSchema":{}}"#;
    let mut world = World::ready();
    let call = world.list_tools();
    world.take_sent();
    answer(&mut world, 7, &format!(r#"{{"tools":[{},{escaped}],"nextCursor":"c"}}"#, tool("first")));
    answer(&mut world, 8, &format!(r#"{{"tools":[{}]}}"#, tool("third")));
    let listing = tools(world.outcome(call));
    let [kept] = &listing.items[..] else { panic!("{listing:?}") };
    assert_eq!(kept.title.as_deref(), Some("first"));
    assert_eq!(listing.quarantined.iter().map(|entry| entry.index).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(listing.quarantined[0].reason, "an earlier entry has the same `name`");
    let violation = Violation::RepeatedEntries { count: 2, list: "tools", key: "name" };
    assert!(world.take_events().contains(&Event::PeerViolated(violation)));

    let mut world = World::strict();
    let call = world.list_tools();
    answer(&mut world, 7, &format!(r#"{{"tools":[{},{escaped}]}}"#, tool("first")));
    let failure = world.failure(call);
    assert!(matches!(failure, CallError::Malformed { fault: AnswerFault::BadEntry { index: 1, .. }, .. }));
}
