//! What the head of a request decides by itself.

use std::time::Duration;

use selvedge_tests::{
    Web,
    web::{Sent, initialize},
};

use crate::code;

fn status(web: &mut Web, sent: &Sent) -> u16 {
    let response = web.ask(sent);
    assert!(response.is_finished || response.is_stream(), "{sent:?}");
    response.status()
}

fn discover() -> Sent {
    Sent::modern("1", "server/discover", "")
}

#[test]
fn only_the_names_of_this_machine_are_served_by_default() {
    let mut web = Web::new(|_| {});
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]", "[::1]:80", "localhost:"] {
        assert_eq!(status(&mut web, &discover().but("Host", host)), 200, "{host}");
    }
    let foreign = [
        "evil.example",
        "localhost.evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "127.0.0.1:80@evil.example",
        "[::1]evil",
        "[::1",
        "",
        ":80",
    ];
    for host in foreign {
        assert_eq!(status(&mut web, &discover().but("Host", host)), 403, "{host}");
    }
    assert_eq!(status(&mut web, &discover().without("Host")), 400);
    assert_eq!(status(&mut web, &discover().with("host", "localhost")), 400, "two hosts");
}

#[test]
fn only_pages_of_this_machine_may_ask_by_default() {
    let mut web = Web::new(|config| config.allowed_origins.push("https://app.example:8443".to_owned()));
    for origin in ["http://localhost:5173", "https://127.0.0.1", "HTTP://[::1]:9", "https://app.example:8443"]
    {
        let response = web.ask(&discover().with("Origin", origin));
        assert_eq!(response.status(), 200, "{origin}");
        assert_eq!(response.header("access-control-allow-origin"), Some(origin));
        let exposed = response.header("access-control-expose-headers").unwrap();
        assert!(exposed.contains("mcp-session-id"));
        assert_eq!(response.header("vary"), Some("origin"));
    }
    for origin in [
        "http://evil.example",
        "null",
        "http://localhost.evil.example",
        "https://app.example",
        "ftp://localhost",
        "",
    ] {
        let response = web.ask(&discover().with("Origin", origin));
        assert_eq!(response.status(), 403, "{origin}");
        assert_eq!(response.header("access-control-allow-origin"), None);
    }
    assert_eq!(web.ask(&discover()).header("access-control-allow-origin"), None);
}

#[test]
fn any_host_and_any_origin_are_served_where_that_is_wanted() {
    let mut web = Web::new(|config| {
        config.allowed_hosts = vec!["*".to_owned()];
        config.allowed_origins = vec!["*".to_owned()];
    });
    let sent = discover().but("Host", "api.example").with("Origin", "null");
    assert_eq!(status(&mut web, &sent), 200);
    let mut exact = Web::new(|config| config.allowed_hosts = vec!["api.example:443".to_owned()]);
    assert_eq!(status(&mut exact, &discover().but("Host", "api.example:443")), 200);
    assert_eq!(status(&mut exact, &discover().but("Host", "api.example")), 403);
}

#[test]
fn a_preflight_names_what_a_page_may_send() {
    let mut web = Web::new(|_| {});
    let sent = Sent::new("OPTIONS", "")
        .with("Origin", "http://localhost:5173")
        .with("Access-Control-Request-Method", "POST")
        .with(
            "Access-Control-Request-Headers",
            "content-type, mcp-param-region,Mcp-Session-Id, x-evil, bad header",
        );
    let response = web.ask(&sent);
    assert_eq!((response.status(), response.is_finished, response.text()), (204, true, ""));
    assert_eq!(
        response.header("access-control-allow-headers"),
        Some("content-type, mcp-param-region, mcp-session-id")
    );
    assert_eq!(response.header("access-control-allow-methods"), Some("GET, POST, DELETE, OPTIONS"));
    assert_eq!(response.header("access-control-allow-origin"), Some("http://localhost:5173"));
    assert_eq!(web.ask(&sent.but("Origin", "http://evil.example")).status(), 403);
    assert_eq!(web.ask(&Sent::new("OPTIONS", "")).header("allow"), Some("GET, POST, DELETE, OPTIONS"));
}

#[test]
fn paths_and_methods_that_are_not_served_say_so() {
    let mut web = Web::new(|_| {});
    for target in ["/", "/mc", "/mcp/x", "//mcp", "*", "", "/%6dcp", "/mcp%2f"] {
        assert_eq!(status(&mut web, &discover().at(target)), 404, "{target}");
    }
    for target in ["/mcp", "/mcp/", "/mcp?x=1", "http://127.0.0.1:8080/mcp?y"] {
        assert_eq!(status(&mut web, &discover().at(target)), 200, "{target}");
    }
    for method in ["PUT", "PATCH", "HEAD", "get", "BREW", ""] {
        let response = web.ask(&Sent::new(method, ""));
        assert_eq!((response.status(), response.header("allow")), (405, Some("GET, POST, DELETE, OPTIONS")));
    }
}

#[test]
fn a_target_that_names_another_host_than_the_header_is_refused() {
    let mut web = Web::new(|config| config.allowed_hosts.push("*".to_owned()));
    for target in
        ["http://evil.example/mcp", "http://127.0.0.1/mcp", "http://x@127.0.0.1:8080/mcp", "http:///mcp"]
    {
        let response = web.ask(&discover().at(target));
        assert_eq!(response.status(), 400, "{target}");
        assert!(response.text().contains("`127.0.0.1:8080`"), "{}", response.text());
    }
    assert_eq!(status(&mut web, &discover().at("HTTP://127.0.0.1:8080/mcp")), 200);
    assert_eq!(status(&mut web, &Sent::new("GET", "").at("/health").without("Host")), 400);
}

#[test]
fn health_is_told_to_those_that_are_served() {
    let mut web = Web::new(|config| config.allowed_hosts.push("10.0.0.7".to_owned()));
    let sent = Sent::new("GET", "").at("/health").but("Host", "10.0.0.7:80");
    assert_eq!(status(&mut web, &sent.clone().but("Host", "evil.example")), 403);
    assert_eq!(status(&mut web, &sent.clone().with("Origin", "http://evil.example")), 403);
    let response = web.ask(&sent);
    assert_eq!((response.status(), response.text()), (200, r#"{"status":"ok"}"#));
    assert_eq!(status(&mut web, &Sent::new("POST", "").at("/health")), 405);
    web.endpoint.drain(web.now);
    let response = web.ask(&sent);
    assert_eq!((response.status(), response.text()), (503, r#"{"status":"draining"}"#));
}

#[test]
fn the_kinds_of_content_must_fit() {
    let mut web = Web::new(|_| {});
    for accept in [
        "*/*",
        "application/json, text/event-stream",
        "text/event-stream;q=0.5,APPLICATION/JSON",
        "application/*, text/*",
    ] {
        assert_eq!(status(&mut web, &discover().but("Accept", accept)), 200, "{accept}");
    }
    let halves = discover().but("Accept", "application/json").with("Accept", "text/event-stream");
    assert_eq!(status(&mut web, &halves), 200);
    assert_eq!(status(&mut web, &discover().without("Accept")), 200);
    for accept in
        ["application/json", "text/event-stream", "text/html", "", "application/jsonx, text/event-stream"]
    {
        assert_eq!(status(&mut web, &discover().but("Accept", accept)), 406, "{accept}");
    }
    for kind in ["application/json", "Application/JSON; charset=utf-8"] {
        assert_eq!(status(&mut web, &discover().but("Content-Type", kind)), 200, "{kind}");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"] {
        assert_eq!(status(&mut web, &discover().but("Content-Type", kind)), 415, "{kind}");
    }
    assert_eq!(status(&mut web, &discover().without("Content-Type")), 415);
    assert_eq!(status(&mut web, &Sent::new("GET", "").but("Accept", "application/json")), 406);
}

#[test]
fn a_body_beyond_the_limit_is_refused_before_it_is_read() {
    let mut web = Web::new(|config| config.server.limits.max_message_bytes = 300);
    let exchange = web.begin(&discover().with("Content-Length", "301"));
    let response = web.response(exchange);
    assert_eq!((response.status(), response.is_finished), (413, true));
    for length in ["x", "-1", "99999999999999999999"] {
        assert_eq!(status(&mut web, &discover().with("Content-Length", length)), 400, "{length}");
    }
    let exchange = web.begin(&discover());
    web.endpoint.handle_body(web.now, exchange, &[b' '; 300]);
    assert_eq!(web.response(exchange).status(), 0);
    web.endpoint.handle_body(web.now, exchange, b" ");
    assert_eq!((web.response(exchange).status(), web.endpoint.exchanges()), (413, 0));
    web.endpoint.handle_body(web.now, exchange, b"more");
    web.endpoint.handle_body_end(web.now, exchange);
    web.drain();
    assert_eq!(status(&mut web, &discover()), 200);
}

#[test]
fn a_body_that_does_not_come_is_given_up() {
    let mut web = Web::new(|_| {});
    let exchange = web.begin(&discover());
    for _ in 0..29 {
        web.pass(Duration::from_secs(1));
        web.endpoint.handle_body(web.now, exchange, b" ");
    }
    web.pass_millis(999);
    assert_eq!(web.response(exchange).status(), 0);
    web.pass_millis(1);
    assert_eq!(web.response(exchange).status(), 408);
    assert_eq!((web.endpoint.exchanges(), web.endpoint.poll_timeout()), (0, None));
}

#[test]
fn a_body_that_is_no_message_gets_the_code_that_says_so() {
    let mut web = Web::new(|_| {});
    let cases = [("", -32700), ("{", -32700), ("\u{feff}[", -32700), ("5", -32600), ("{}", -32600)];
    for (body, expected) in cases {
        let legacy = web.ask(&Sent::new("POST", body));
        let modern = web.ask(&Sent::new("POST", body).with("MCP-Protocol-Version", "2026-07-28"));
        if expected == -32700 {
            assert_eq!(code(legacy.text()), expected, "{body}");
            assert!(legacy.text().contains(r#""id":null"#));
        }
        assert_eq!((legacy.status(), modern.status()), (400, 400), "{body}");
        assert_eq!(code(modern.text()), expected, "{body}");
        assert!(!modern.text().contains("\"id\""), "{}", modern.text());
    }
    let exchange = web.begin(&Sent::new("POST", ""));
    web.endpoint.handle_body(web.now, exchange, b"{\"a\":\"\xff\"}");
    web.endpoint.handle_body_end(web.now, exchange);
    assert_eq!(code(web.response(exchange).text()), -32700);
}

#[test]
fn a_body_means_the_same_wherever_it_is_cut() {
    let mut web = Web::new(|_| {});
    let whole = web.ask(&discover());
    let body = discover().body;
    for cut in 0..=body.len() {
        let exchange = web.begin(&discover());
        let (head, tail) = body.as_bytes().split_at(cut);
        web.endpoint.handle_body(web.now, exchange, head);
        web.endpoint.handle_body(web.now, exchange, tail);
        web.endpoint.handle_body_end(web.now, exchange);
        assert_eq!(web.response(exchange).text(), whole.text(), "cut at {cut}");
    }
}

#[test]
fn a_server_that_drains_takes_nothing_new_and_ends_what_it_has() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let get = web.send(&Sent::get(&session));
    let listen =
        web.send(&Sent::modern("5", "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#));
    let working = web.send(&Sent::post(&session, &selvedge_tests::web::call("2")));
    let call = web.take_call();
    assert!(!web.endpoint.is_drained());
    web.endpoint.drain(web.now);
    web.endpoint.drain(web.now);
    assert!(web.response(get).is_finished);
    let response = web.response(listen);
    assert!(
        response.is_finished && response.messages()[1].contains("\"id\":5,\"result\""),
        "{}",
        response.text()
    );
    let response = web.ask(&Sent::new("POST", &initialize("2025-11-25")));
    assert_eq!((response.status(), response.header("retry-after")), (503, Some("5")));
    assert!(!web.endpoint.is_drained(), "a call is under way");
    for sent in [
        Sent::post(&session, &selvedge_tests::web::call("3")),
        Sent::modern("4", "server/discover", ""),
        Sent::get(&session),
        Sent::new("GET", "").at("/sse"),
    ] {
        assert_eq!(web.ask(&sent).status(), 503, "{sent:?}");
    }
    // What lets the call end is still taken.
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(web.ask(&Sent::post(&session, answer)).status(), 202);
    web.pass_millis(1_000);
    let place = web.response(working).last_id();
    web.disconnect(working);
    let back = web.send(&Sent::get(&session).with("Last-Event-ID", &place));
    web.answer(call, "late");
    assert!(web.response(back).text().contains("late"));
    assert!(web.endpoint.is_drained());
}
