//! Calls that are checked against what the server listed, before they are sent and when they are answered.

use selvedge_core::{
    ClientConfig, Misuse,
    client::{Answer, CallError, CallId, CallOptions, Event, Side},
};
use selvedge_tests::{World, line, world::changed};

const SLUG: &str = r#"{"name":"t","inputSchema":{"type":"object","properties":{"organizationSlug":{"type":"string"},"limit":{"type":"integer","maximum":100}},"required":["organizationSlug"],"additionalProperties":false}}"#;
const SUM: &str = r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}}"#;
const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

/// Lists these tools.
fn list(world: &mut World, tools: &str) {
    let call = world.list_tools();
    world.peer(line::result(call, &format!(r#"{{"tools":[{tools}]}}"#)));
    assert!(matches!(world.outcome(call), Ok(Answer::Tools(_))));
    world.take_effects();
}

fn listed(tools: &str) -> World {
    let mut world = World::ready();
    list(&mut world, tools);
    world
}

fn try_call(world: &mut World, arguments: &str) -> Result<CallId, Misuse> {
    world.client.call_tool(world.now, "t", arguments, CallOptions::default())
}

/// Makes a call that must be sent.
fn sent(world: &mut World, arguments: &str) -> CallId {
    let call = world.call("t", arguments);
    assert_eq!(world.take_sent().len(), 1, "{arguments}");
    call
}

/// Makes a call that must be refused with nothing sent, and returns what is said.
fn refused(world: &mut World, arguments: &str) -> String {
    let Err(misuse) = try_call(world, arguments) else { panic!("{arguments} was let through") };
    world.assert_quiet();
    assert_eq!(world.client.calls_in_flight(), 0);
    misuse.to_string()
}

fn skipped(world: &mut World) -> Vec<(Side, String)> {
    let events = world.take_events().into_iter();
    let unchecked = events.filter_map(|event| match event {
        Event::Unchecked(unchecked) => Some(unchecked),
        _ => None,
    });
    unchecked
        .flat_map(|unchecked| {
            let side = unchecked.side;
            unchecked.reasons.into_iter().map(move |reason| (side, reason.to_string()))
        })
        .collect()
}

#[test]
fn arguments_that_do_not_fit_are_refused_and_nothing_is_sent() {
    let mut world = listed(SLUG);
    for (arguments, message) in [
        (
            r#"{"organization_slug":"acme"}"#,
            "`t` does not take these arguments: at /organization_slug: expected no properties but `limit`, \
             `organizationSlug`, found a string under an unknown name; did you mean `organizationSlug`?",
        ),
        (
            r#"{"organizationSlug":"acme","limit":"20"}"#,
            "`t` does not take these arguments: at /limit: expected an integer, found the string \"20\"; \
             send a number, not a string",
        ),
    ] {
        assert_eq!(refused(&mut world, arguments), message);
    }
    let call = sent(&mut world, r#"{"organizationSlug":"acme","limit":1e2}"#);
    assert_eq!(call.as_u64(), 8, "a refused call takes no id");
}

#[test]
fn what_a_refused_call_says_is_there_for_programs_too() {
    let mut world = listed(SLUG);
    let Err(Misuse::BadArguments { tool, mismatch }) =
        try_call(&mut world, r#"{"organizationSlug":"a","limit":101}"#)
    else {
        panic!("the limit is broken")
    };
    assert_eq!((tool.as_str(), mismatch.pointer.as_str()), ("t", "/limit"));
    assert_eq!(mismatch.found, "the number 101");
}

#[test]
fn text_that_is_no_object_is_the_same_misuse_with_and_without_a_schema() {
    for arguments in ["[1]", "{\"a\":}", "", "1", "{\"organizationSlug\":\"a\"} x"] {
        let with = try_call(&mut listed(SLUG), arguments).unwrap_err();
        let without = try_call(&mut World::ready(), arguments).unwrap_err();
        assert_eq!(with, without, "{arguments}");
    }
}

#[test]
fn what_was_not_listed_is_not_checked() {
    sent(&mut World::ready(), r#"{"organization_slug":1}"#);
    let mut world = listed(&SLUG.replace("\"t\"", "\"other\""));
    sent(&mut world, r#"{"organization_slug":1}"#);
    assert_eq!(world.take_events(), []);
}

#[test]
fn the_newest_listing_counts() {
    let mut world = listed(SLUG);
    refused(&mut world, "{}");
    list(&mut world, r#"{"name":"t","inputSchema":{"required":["b"]}}"#);
    sent(&mut world, r#"{"b":1}"#);
    list(&mut world, r#"{"name":"u","inputSchema":{}}"#);
    sent(&mut world, "{}");
}

#[test]
fn a_listing_that_fails_leaves_what_was_known() {
    let mut world = listed(SLUG);
    let call = world.list_tools();
    world.peer(line::result(call, r#"{"tools":5}"#));
    world.take_effects();
    refused(&mut world, "{}");
}

#[test]
fn once_the_tools_have_changed_nothing_is_checked_until_they_are_listed_again() {
    let mut world = listed(SLUG);
    world.peer(CHANGED);
    assert_eq!(world.take_events(), [Event::ToolsChanged]);
    let call = sent(&mut world, "{}");
    world.peer(line::ok(call));
    world.take_events();
    list(&mut world, SLUG);
    refused(&mut world, "{}");
}

#[test]
fn a_listing_that_the_tools_changed_under_is_not_relied_on() {
    let page = |tool: &str, cursor: &str| format!(r#"{{"tools":[{tool}],"nextCursor":{cursor}}}"#);
    for (changes_after, is_checked) in [(0, true), (1, false)] {
        let mut world = World::ready();
        let call = world.list_tools();
        for at in 0..2 {
            if at == changes_after {
                world.peer(CHANGED);
            }
            let (tool, cursor) =
                if at == 0 { (SLUG, "\"A\"") } else { (r#"{"name":"u","inputSchema":{}}"#, "null") };
            let id = call.as_u64() + at;
            world.peer(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, page(tool, cursor)));
        }
        assert!(matches!(world.outcome(call), Ok(Answer::Tools(listing)) if listing.items.len() == 2));
        assert_eq!(try_call(&mut world, "{}").is_err(), is_checked, "changed before page {changes_after}");
    }
}

#[test]
fn of_two_tools_of_one_name_the_first_is_the_one_that_is_checked() {
    let mut world = listed(&format!(r#"{SLUG},{{"name":"t","inputSchema":{{"required":["b"]}}}},{SLUG}"#));
    refused(&mut world, r#"{"b":1}"#);
}

#[test]
fn checks_are_left_out_where_that_is_asked_for() {
    let both = format!(r#"{},"outputSchema":{{"type":"object"}}}}"#, &SLUG[..SLUG.len() - 1]);
    let never = changed(|config| (config.checks.arguments, config.checks.results) = (false, false));
    let mut world = World::ready_with(never);
    list(&mut world, &both);
    let call = sent(&mut world, "{}");
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");

    let mut world = listed(&both);
    refused(&mut world, "{}");
    let options = CallOptions { unchecked: true, ..CallOptions::default() };
    let call = world.call_with("t", "{}", options);
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");

    let only_arguments = changed(|config| config.checks.results = false);
    let mut world = World::ready_with(only_arguments);
    list(&mut world, &both);
    refused(&mut world, "{}");
    let call = sent(&mut world, r#"{"organizationSlug":"a"}"#);
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn a_result_that_breaks_its_promise_is_an_error_with_the_result_in_it() {
    for (content, message) in [
        (
            r#","structuredContent":{"sum":"3"}"#,
            "at /sum: expected a number, found the string \"3\"; send a number, not a string",
        ),
        (r#","structuredContent":{}"#, "expected property `sum`, found an object without it"),
        (r#","structuredContent":null"#, "expected an object, found null"),
        ("", "expected `structuredContent`, found a result without it"),
    ] {
        let mut world = listed(SUM);
        let call = sent(&mut world, "{}");
        let result = format!(r#"{{"content":[{{"type":"text","text":"3"}}]{content}}}"#);
        world.peer(line::result(call, &result));
        let failure = world.failure(call);
        let said = failure.to_string();
        assert!(said.starts_with("the result is not what the tool promises: "), "{said}");
        assert!(said.contains(message), "{said}");
        let CallError::BadResult(bad) = failure else { panic!("{said}") };
        let kept = bad.result;
        assert_eq!((kept.raw().as_str(), kept.text().as_str()), (result.as_str(), "3"));
        world.assert_quiet();
    }
}

#[test]
fn a_result_that_keeps_its_promise_is_an_answer() {
    let mut world = listed(SUM);
    let call = sent(&mut world, "{}");
    world.peer(line::result(call, r#"{"content":[],"structuredContent":{"sum":3,"more":[]}}"#));
    assert!(matches!(world.outcome(call), Ok(Answer::Called(_))));
    world.assert_quiet();
}

#[test]
fn a_tool_that_failed_has_promised_nothing() {
    let mut world = listed(SUM);
    let call = sent(&mut world, "{}");
    world.peer(line::result(call, r#"{"content":[],"structuredContent":{"sum":"no"},"isError":true}"#));
    assert!(matches!(world.failure(call), CallError::ToolFailed(_)));
}

#[test]
fn a_result_is_held_against_the_promise_at_the_time_of_its_call() {
    let mut world = listed(SUM);
    let call = sent(&mut world, "{}");
    list(&mut world, r#"{"name":"t","inputSchema":{}}"#);
    world.peer(line::ok(call));
    assert!(matches!(world.failure(call), CallError::BadResult(_)));
    let call = sent(&mut world, "{}");
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn revisions_without_structured_content_cannot_break_the_promise_of_it() {
    let welcome = line::welcome("2025-03-26", r#"{"tools":{}}"#);
    let mut world = World::ready_for(ClientConfig::default(), &welcome);
    list(&mut world, SUM);
    let call = sent(&mut world, "{}");
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn what_cannot_be_checked_is_said_once_and_stands_in_no_way() {
    let tool = r#"{"name":"t","inputSchema":{"properties":{"a":{"pattern":"(?=x)y"},"b":{"type":"string"}}},"outputSchema":{"$ref":"https://example.com/schema.json"}}"#;
    let mut world = listed(tool);
    let call = world.call("t", r#"{"a":"z"}"#);
    let said = skipped(&mut world);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].0 == Side::Arguments && said[0].1.starts_with("/properties/a/pattern: "), "{said:?}");
    assert!(said[1].0 == Side::Result && said[1].1.starts_with("/$ref: "), "{said:?}");
    world.peer(line::result(call, r#"{"structuredContent":{"any":1}}"#));
    assert!(matches!(world.outcome(call), Ok(Answer::Called(_))));
    world.take_effects();
    sent(&mut world, r#"{"a":"z"}"#);
    assert_eq!(world.take_events(), [], "it was said before");
    refused(&mut world_with_call_over(tool), r#"{"b":1}"#);
}

/// Lists a tool and makes one call of it, so that all has been said.
fn world_with_call_over(tool: &str) -> World {
    let mut world = listed(tool);
    let call = world.call("t", "{}");
    world.peer(line::result(call, r#"{"structuredContent":{}}"#));
    world.take_effects();
    world
}

#[test]
fn arguments_too_deep_to_be_checked_are_sent_and_that_is_said() {
    let mut world = listed(SLUG);
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(1_000), "]".repeat(1_000));
    sent(&mut world, &deep);
    assert_eq!(
        skipped(&mut world),
        [(Side::Arguments, "/: the arguments nest too deep to be checked".to_owned())]
    );
    let broken = format!("{{\"a\":{}{}}}", "[".repeat(1_000), "]".repeat(999));
    assert!(matches!(try_call(&mut world, &broken), Err(Misuse::NotJson { .. })));
}

#[test]
fn a_check_that_takes_too_long_gives_up_and_says_so() {
    let mut all_of = r#"{"type":"object"}"#.to_owned();
    for _ in 0..24 {
        all_of = format!(r#"{{"anyOf":[{{"allOf":[{all_of},{{"minProperties":9}}]}},true]}}"#);
    }
    let schema = format!(r#"{{"items":{{"uniqueItems":true}},"additionalProperties":{{"items":{all_of}}}}}"#);
    let mut world = listed(&format!(r#"{{"name":"t","inputSchema":{schema}}}"#));
    let many = format!("{{\"a\":[{}{{}}]}}", "{},".repeat(50_000));
    sent(&mut world, &many);
    assert_eq!(skipped(&mut world), [(Side::Arguments, "/: the check takes too many steps".to_owned())]);
}

#[test]
fn schemas_beyond_the_limit_are_not_kept_and_that_is_said() {
    let config = changed(|config| config.limits.max_schema_bytes = 2_000);
    let mut world = World::ready_with(config);
    list(
        &mut world,
        &format!("{},{SLUG}", SLUG.replace("\"t\"", "\"first\"").replace("100", &"1".repeat(500))),
    );
    sent(&mut world, "{}");
    assert_eq!(
        skipped(&mut world),
        [(Side::Arguments, "/: the schemas of all tools exceed 2000 bytes".to_owned())]
    );
    let first = world.client.call_tool(world.now, "first", "{}", CallOptions::default());
    assert!(matches!(first, Err(Misuse::BadArguments { .. })), "what was kept is checked");
}
