//! What a server offers: its lists, what each revision sees of them, what is refused before the application is
//! asked, and who is told of changes.

use selvedge_core::{
    Misuse, Tick,
    server::{Request, ServerEvent},
};
use selvedge_tests::line;

use super::{
    server_gate::Desk,
    server_modern::{asked, error, everything, json, modern, view},
};

#[test]
fn a_long_list_comes_in_pages_and_each_entry_once() {
    let names: Vec<_> = (0..7).map(|at| format!("t{at}")).collect();
    let mut desk = Desk::ready_with("2025-11-25", |config| {
        config.tools = names.iter().map(|name| json(&format!(r#"{{"name":"{name}"}}"#))).collect();
        config.page_entries = 3;
    });
    let (mut seen, mut pages, mut cursor) = (Vec::new(), 0, None::<String>);
    loop {
        let params = cursor.as_ref().map_or("{}".to_owned(), |cursor| format!(r#"{{"cursor":"{cursor}"}}"#));
        desk.client(line::request("1", "tools/list", &params));
        let reply = desk.reply();
        let result = view(&reply).get("result").unwrap();
        let tools = result.get("tools").unwrap();
        seen.extend(tools.elements().map(|tool| tool.get("name").unwrap().to_text().unwrap()));
        pages += 1;
        cursor = result.get("nextCursor").map(|cursor| cursor.to_text().unwrap());
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((seen, pages), (names, 3));

    desk.client(line::request("1", "tools/list", "{}"));
    let reply = desk.reply();
    let cursor = view(&reply).get("result").unwrap().get("nextCursor").unwrap().to_text().unwrap();
    desk.server.hub().set_tools(Tick::ZERO, vec![json(r#"{"name":"new"}"#)]).unwrap();
    for cursor in [format!("\"{cursor}\""), "\"\"".to_owned(), "\"x-1\"".to_owned(), "7".to_owned()] {
        desk.client(line::request("1", "tools/list", &format!(r#"{{"cursor":{cursor}}}"#)));
        assert_eq!(error(&desk.reply()), (-32602, r#"{"path":"/params/cursor"}"#.to_owned()), "{cursor}");
    }
    assert!(desk.take_sent().is_empty(), "a server that said it would not change tells nobody that it did");
}

#[test]
fn each_revision_sees_of_a_tool_what_it_knows() {
    let tool = r#"{"name":"t","title":"T","description":"d","icons":[],"inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{},"_meta":{},"execution":{}}"#;
    let expected = [
        ("2024-11-05", r#"{"name":"t","description":"d","inputSchema":{"type":"object"}}"#),
        ("2025-03-26", r#"{"name":"t","description":"d","inputSchema":{"type":"object"},"annotations":{}}"#),
        (
            "2025-06-18",
            r#"{"name":"t","title":"T","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{},"_meta":{}}"#,
        ),
        ("2025-11-25", tool),
    ];
    for (revision, seen) in expected {
        let mut desk = Desk::ready_with(revision, |config| config.tools = vec![json(tool)]);
        desk.client(line::request("1", "tools/list", "{}"));
        assert_eq!(desk.reply(), format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{seen}]}}}}"#));
    }
    let odd = r#"{"name":"t","outputSchema":{"type":"array"}}"#;
    let mut desk = Desk::ready_with("2025-11-25", |config| config.tools = vec![json(odd)]);
    desk.client(line::request("1", "tools/list", "{}"));
    assert!(desk.reply().contains(r#""tools":[{"name":"t"}]"#));
    desk.client(modern("2", "tools/list", "{}", ""));
    assert!(desk.reply().contains(odd), "the modern era knows any schema");
}

#[test]
fn each_revision_gets_a_result_in_words_it_knows() {
    let result = r#"{"content":[{"type":"audio","mimeType":"audio/wav","data":"QQ=="},{"type":"resource_link","uri":"a:b","name":"n"},{"type":"text","text":"t"}],"structuredContent":[1],"ttlMs":5}"#;
    let audio = r#"{"type":"audio","mimeType":"audio/wav","data":"QQ=="}"#;
    let link = r#"{"type":"resource_link","uri":"a:b","name":"n"}"#;
    let text = r#"{"type":"text","text":"t"}"#;
    let old_audio =
        r#"{"type":"resource","resource":{"uri":"content:audio","mimeType":"audio/wav","blob":"QQ=="}}"#;
    let old_link = r#"{"type":"text","text":"a:b"}"#;
    for (revision, blocks) in [
        ("2024-11-05", [old_audio, old_link, text]),
        ("2025-03-26", [audio, old_link, text]),
        ("2025-06-18", [audio, link, text]),
        ("2025-11-25", [audio, link, text]),
    ] {
        let mut desk = Desk::ready(revision);
        let call = desk.called("1");
        desk.answer(call, result).unwrap();
        let expected = format!(r#"{{"content":[{}]}}"#, blocks.join(","));
        assert_eq!(desk.reply(), format!(r#"{{"jsonrpc":"2.0","id":1,"result":{expected}}}"#), "{revision}");
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused_as_the_revision_says() {
    let tool = r#"{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}}"#;
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut desk = Desk::ready_with(revision, |config| config.tools = vec![json(tool)]);
        desk.client(line::request("1", "tools/call", r#"{"name":"add","arguments":{"a":"x"}}"#));
        let reply = desk.reply();
        assert!(reply.contains("expected a number"), "{reply}");
        if revision == "2025-11-25" {
            assert!(reply.contains(r#""isError":true"#), "{reply}");
        } else {
            let data = r#"{"tool":"add","path":"/params/arguments/a"}"#;
            assert_eq!(error(&reply), (-32602, data.to_owned()));
        }
        desk.client(line::request("1", "tools/call", r#"{"name":"ad","arguments":{}}"#));
        let reply = desk.reply();
        assert!(reply.contains("did you mean `add`?"), "{reply}");
        assert_eq!(error(&reply), (-32602, r#"{"tool":"ad"}"#.to_owned()));
        assert!(desk.take_events().is_empty(), "the application is not asked");
    }
}

#[test]
fn a_destructive_tool_is_called_only_where_it_was_allowed() {
    let tools = [
        r#"{"name":"rm","annotations":{"destructiveHint":true}}"#,
        r#"{"name":"ls","annotations":{"destructiveHint":true,"readOnlyHint":true}}"#,
        r#"{"name":"any"}"#,
    ];
    let mut desk = Desk::ready_with("2024-11-05", |config| {
        config.tools = tools.map(json).into();
        config.destructive_hint = "start it with --allow-destructive".to_owned();
    });
    desk.client(line::request("1", "tools/call", r#"{"name":"rm"}"#));
    let reply = desk.reply();
    assert!(reply.contains(r#""isError":true"#) && reply.contains("--allow-destructive"), "{reply}");
    assert!(desk.take_events().is_empty());
    for name in ["ls", "any"] {
        desk.client(line::request("2", "tools/call", &format!(r#"{{"name":"{name}"}}"#)));
        let (call, ..) = asked(&mut desk);
        desk.answer(call, "{}").unwrap();
    }
    let mut desk = Desk::ready_with("2024-11-05", |config| {
        config.tools = tools.map(json).into();
        config.allows_destructive = true;
    });
    desk.client(line::request("1", "tools/call", r#"{"name":"rm"}"#));
    asked(&mut desk);
}

#[test]
fn a_prompt_is_asked_for_only_with_what_it_needs() {
    let mut desk = Desk::ready_with("2025-06-18", everything);
    for (params, data) in [
        (r#"{"name":"p"}"#, r#"{"path":"/params/arguments/who"}"#),
        (r#"{"name":"q"}"#, r#"{"prompt":"q"}"#),
        (r#"{"name":"p","arguments":7}"#, r#"{"path":"/params/arguments"}"#),
    ] {
        desk.client(line::request("1", "prompts/get", params));
        assert_eq!(error(&desk.reply()), (-32602, data.to_owned()));
    }
    desk.client(line::request("1", "prompts/get", r#"{"name":"p","arguments":{"who":"me"}}"#));
    let (_, request, _) = asked(&mut desk);
    assert!(
        matches!(request, Request::GetPrompt { name, arguments } if name == "p" && arguments.as_str() == r#"{"who":"me"}"#)
    );
    desk.client(line::request("2", "completion/complete", r#"{"ref":{"type":"ref/prompt","name":"p"}}"#));
    assert_eq!(error(&desk.reply()), (-32602, r#"{"path":"/params/argument"}"#.to_owned()));
}

#[test]
fn a_change_is_told_to_whoever_wants_to_know_and_to_nobody_else() {
    let mut desk = Desk::ready_with("2025-11-25", everything);
    let wanted = r#""notifications":{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["a:b"],"x":1}"#;
    desk.client(modern("\"l\"", "subscriptions/listen", "{}", wanted));
    let id = r#""_meta":{"io.modelcontextprotocol/subscriptionId":"l"}"#;
    let honoured =
        format!(r#"{{{id},"notifications":{{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}}}}"#);
    assert_eq!(desk.reply(), line::notification("notifications/subscriptions/acknowledged", &honoured));
    assert_eq!(desk.take_events(), [ServerEvent::Watched { uri: "a:b".to_owned() }]);

    desk.server.hub().set_tools(Tick::ZERO, vec![json(r#"{"name":"new"}"#)]).unwrap();
    desk.server.hub().set_tools(Tick::ZERO, vec![json(r#"{"name":"new"}"#)]).unwrap();
    let method = "notifications/tools/list_changed";
    let told = [line::notification(method, "{}"), line::notification(method, &format!("{{{id}}}"))];
    assert_eq!(desk.take_sent(), told, "once: the second list is the same");
    desk.server.hub().set_prompts(Tick::ZERO, Vec::new()).unwrap();
    assert_eq!(desk.take_sent(), [line::notification("notifications/prompts/list_changed", "{}")]);
    let twice = vec![json(r#"{"name":"a"}"#), json(r#"{"name":"a"}"#)];
    let misuse = desk.server.hub().set_tools(Tick::ZERO, twice);
    assert!(matches!(misuse, Err(Misuse::UnusableEntry { .. })));

    desk.client(line::request("2", "resources/subscribe", r#"{"uri":"a:b"}"#));
    desk.client(line::request("3", "resources/subscribe", r#"{"uri":"c:d"}"#));
    desk.take_sent();
    assert_eq!(desk.take_events(), [ServerEvent::Watched { uri: "c:d".to_owned() }]);
    desk.server.hub().resource_updated(Tick::ZERO, "a:b");
    let method = "notifications/resources/updated";
    let modern_one = format!(r#"{{{id},"uri":"a:b"}}"#);
    assert_eq!(
        desk.take_sent(),
        [line::notification(method, r#"{"uri":"a:b"}"#), line::notification(method, &modern_one)]
    );

    desk.client(line::notification("notifications/cancelled", r#"{"requestId":"l"}"#));
    desk.client(line::request("4", "resources/unsubscribe", r#"{"uri":"a:b"}"#));
    desk.take_sent();
    assert_eq!(desk.take_events(), [ServerEvent::Unwatched { uri: "a:b".to_owned() }]);
    desk.server.hub().resource_updated(Tick::ZERO, "a:b");
    assert!(desk.take_sent().is_empty());
}

#[test]
fn a_client_watches_only_so_much() {
    let mut desk = Desk::ready_with("2025-11-25", |config| {
        everything(config);
        (config.limits.max_uri_bytes, config.limits.max_subscriptions) = (10, 2);
    });
    let subscribe = |desk: &mut Desk, uri: &str| {
        desk.client(line::request("1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#)));
        desk.reply()
    };
    assert!(subscribe(&mut desk, "a:12345678").contains("result"));
    assert!(subscribe(&mut desk, "a:123456789").contains("`uri` exceeds 10 bytes"));
    assert!(subscribe(&mut desk, "b:").contains("result"));
    assert!(subscribe(&mut desk, "b:").contains("result"), "once more is not one more");
    assert!(subscribe(&mut desk, "c:").contains("more than 2 subscriptions"));
    let wanted = r#""notifications":{"resourceSubscriptions":["a:123456789"]}"#;
    desk.client(modern("2", "subscriptions/listen", "{}", wanted));
    assert!(desk.reply().contains("`notifications/resourceSubscriptions` exceeds 10 bytes"));
}

#[test]
fn a_server_that_stops_ends_the_streams_with_their_results() {
    let mut desk = Desk::new(everything);
    desk.client(modern("7", "subscriptions/listen", "{}", r#""notifications":{}"#));
    desk.take_sent();
    desk.server.hub().end_subscriptions(Tick::ZERO);
    let reply = desk.reply();
    assert!(reply.starts_with(r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete""#), "{reply}");
    assert!(reply.contains(r#""io.modelcontextprotocol/subscriptionId":7"#), "{reply}");
}
