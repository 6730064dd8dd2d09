//! What clients do to harm a server, or each other.

use selvedge_core::server::ServerEvent;
use selvedge_tests::{
    Web,
    memory::peak_of,
    web::{Sent, call, initialize},
};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

fn modern_call(id: &str) -> Sent {
    Sent::modern(id, "tools/call", r#""name":"t","arguments":{}"#)
}

/// Asserts that a client is served.
fn assert_served(web: &mut Web, client: u64) {
    let exchange = web.send(&modern_call("\"x\"").by(client));
    let call = web.take_calls().pop().expect("the call runs at once").0;
    web.answer(call, "42");
    assert!(web.response(exchange).text().contains("42"));
}

#[test]
fn giant_heads_are_refused_and_cost_nothing() {
    let mut web = Web::new(|_| {});
    let long = "x".repeat(MIB);
    let many = (0..500).fold(Sent::new("GET", ""), |sent, at| sent.with(&format!("h{at}"), "v"));
    let cases = [
        (Sent::new("GET", "").at(&format!("/{long}")), 414),
        (Sent::new("GET", "").with("Cookie", &long), 431),
        (Sent::new("GET", "").with(&long, "v"), 431),
        (Sent::new("POST", "").with("Mcp-Session-Id", &long), 431),
        (many, 431),
    ];
    for (sent, status) in cases {
        let (response, peak) = peak_of(|| web.ask(&sent));
        assert_eq!(response.status(), status);
        assert!(peak < 64 * KIB, "{peak} bytes");
    }
    let mut fitting = Sent::modern("1", "server/discover", "");
    for at in 0..150 {
        fitting = fitting.with(&format!("Mcp-Param-{at}"), &"v".repeat(100));
    }
    assert_eq!(web.ask(&fitting).status(), 200);
    assert_eq!(web.endpoint.exchanges(), 0);
}

#[test]
fn ten_thousand_requests_of_one_client_leave_room_for_others() {
    let mut web = Web::new(|_| {});
    let mut refused = 0;
    let sent = modern_call("1");
    let exchanges: Vec<_> = (0..10_000).map(|_| web.send(&sent)).collect();
    for exchange in &exchanges {
        refused += usize::from(web.response(*exchange).status() == 503);
    }
    // What is beyond the queue of the client is answered at once, and makes room.
    assert_eq!(web.endpoint.hub().calls_in_flight(), 32 + 1_024);
    assert_eq!(refused + web.endpoint.exchanges() + answered(&web), 10_000);
    web.take_calls();
    assert_served(&mut web, 2);
    for exchange in exchanges {
        if !web.response(exchange).is_finished {
            web.disconnect(exchange);
        }
    }
    assert_eq!((web.endpoint.exchanges(), web.endpoint.hub().calls_in_flight()), (0, 0));
    assert_served(&mut web, 1);
}

fn answered(web: &Web) -> usize {
    web.responses.values().filter(|response| response.is_finished && response.status() == 200).count()
}

#[test]
fn bodies_that_never_end_leave_room_for_others() {
    let mut web = Web::new(|config| {
        config.limits.max_exchanges_per_client = 100;
        config.limits.max_bodies_bytes = MIB;
    });
    let slow: Vec<_> = (0..100).map(|_| web.begin(&modern_call("1"))).collect();
    let refused = web.ask(&modern_call("1"));
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("1")));
    assert_served(&mut web, 2);
    let chunk = vec![b' '; 64 * KIB];
    for exchange in &slow {
        web.endpoint.handle_body(web.now, *exchange, &chunk);
    }
    let given_up = slow.iter().filter(|exchange| web.response(**exchange).status() == 503).count();
    assert_eq!(given_up, 100 - 16, "all bodies together are bounded");
    web.pass_millis(30_000);
    assert!(slow.iter().all(|exchange| matches!(web.response(*exchange).status(), 408 | 503)));
    assert_eq!(web.endpoint.exchanges(), 0);
    assert_served(&mut web, 1);
}

#[test]
fn a_lying_length_reserves_nothing() {
    let mut web = Web::new(|_| {});
    let sent = Sent::new("POST", "").with("Content-Length", "16000000");
    let (_, peak) = peak_of(|| (0..100).map(|_| web.begin(&sent)).collect::<Vec<_>>());
    assert!(peak < 200 * KIB, "{peak} bytes");
}

#[test]
fn an_idle_session_is_small() {
    let mut web = Web::new(|_| {});
    web.session("2025-11-25");
    let sessions = 1_000;
    let mut made = Vec::with_capacity(sessions);
    let ((), held) = peak_of(|| {
        for at in 0..sessions {
            let session = web.session_of("2025-11-25", |sent| sent.by(at as u64 % 7));
            let exchange = web.send(&Sent::post(&session, &call("2")));
            let own = web.take_call();
            web.answer(own, "42");
            web.responses.remove(&exchange);
            web.responses.clear();
            made.push(session);
        }
    });
    let each = held / sessions;
    println!("{each} bytes for an idle session");
    assert_eq!(web.endpoint.sessions(), sessions + 1);
    assert!(each <= 8 * KIB, "{each} bytes");
}

#[test]
fn a_thousand_idle_streams_are_small() {
    let mut web = Web::new(|_| {});
    let sessions: Vec<_> = (0..1_000).map(|_| web.session("2025-11-25")).collect();
    web.responses.clear();
    let ((), held) = peak_of(|| {
        for session in &sessions {
            web.send(&Sent::get(session));
            web.responses.clear();
        }
    });
    let legacy = held / sessions.len();
    let mut web = Web::new(|_| {});
    let listen = Sent::modern("7", "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#);
    let ((), held) = peak_of(|| {
        for _ in 0..1_000 {
            web.send(&listen);
            web.responses.clear();
        }
    });
    let modern = held / 1_000;
    println!("{legacy} bytes for a stream of a session, {modern} for one of the modern era");
    assert!(legacy <= 4 * KIB && modern <= 4 * KIB);
    let mut web = Web::new(|_| {});
    for _ in 0..1_000 {
        web.send(&listen);
    }
    assert_eq!(web.endpoint.exchanges(), 1_000);
    for response in web.responses.values_mut() {
        response.body.clear();
    }
    web.pass_millis(60_000);
    assert!(web.responses.values().all(|response| response.body == b":\n\n".repeat(4)));
}

#[test]
fn a_page_that_rebinds_a_name_gets_nothing() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let evil = |sent: Sent| sent.but("Host", "evil.example:8080").with("Origin", "http://evil.example:8080");
    for sent in [
        evil(modern_call("1")),
        evil(Sent::post(&session, &call("2"))),
        evil(Sent::get(&session)),
        evil(Sent::new("DELETE", "").with("Mcp-Session-Id", &session)),
        evil(Sent::new("GET", "").at("/sse")),
        evil(Sent::new("OPTIONS", "")),
        modern_call("1").with("Origin", "http://evil.example:8080"),
    ] {
        let response = web.ask(&sent);
        assert_eq!((response.status(), response.is_finished), (403, true));
        assert_eq!(response.header("access-control-allow-origin"), None);
    }
    assert_eq!((web.take_events(), web.endpoint.sessions()), (vec![], 1));
}

#[test]
fn events_of_another_session_or_another_stream_are_never_replayed() {
    let mut web = Web::new(|_| {});
    let (own, other) = (web.session("2025-11-25"), web.session("2025-11-25"));
    let mut ids = Vec::new();
    for (session, secret) in [(&own, "first"), (&own, "second"), (&other, "foreign")] {
        let exchange = web.send(&Sent::post(session, &call("2")));
        let call = web.take_call();
        web.progress(call, 1.0);
        web.answer(call, secret);
        ids.push(web.response(exchange).events()[0].1.clone());
    }
    let resume = |session: &str, id: &str| Sent::get(session).with("Last-Event-ID", id);
    let first = web.ask(&resume(&own, &ids[0]));
    assert!(first.text().contains("first") && !first.text().contains("second"), "{}", first.text());
    let foreign = web.ask(&resume(&own, &ids[2]));
    assert!(!foreign.text().contains("foreign"), "{}", foreign.text());
    for stream in 0..10 {
        for number in 0..4 {
            let exchange = web.send(&resume(&other, &format!("{stream}-{number}")));
            let text = web.response(exchange).text().to_owned();
            assert!(!text.contains("first") && !text.contains("second"), "{text}");
        }
    }
}

#[test]
fn a_flood_of_lost_calls_is_bounded_and_their_client_hears_of_it() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let mut turned_away = 0;
    for id in 0..2_000 {
        let exchange = web.send(&Sent::post(&session, &call(&id.to_string())));
        turned_away += usize::from(web.response(exchange).status() == 429);
        if !web.response(exchange).is_finished {
            web.disconnect(exchange);
        }
    }
    assert_eq!((web.endpoint.hub().calls_in_flight(), turned_away), (256, 2_000 - 256));
    assert_served(&mut web, 2);
    web.ask(&Sent::new("DELETE", "").with("Mcp-Session-Id", &session));
    let cancelled = web.take_events();
    assert!(cancelled.iter().any(|event| matches!(event, ServerEvent::Closed { .. })));
    assert_eq!(web.endpoint.hub().calls_in_flight(), 0);
}

#[test]
fn what_is_kept_for_coming_back_is_bounded_over_all_sessions() {
    let mut web = Web::new(|config| config.limits.max_event_bytes = MIB);
    let text = "x".repeat(100 * KIB);
    let sessions: Vec<_> = (0..50).map(|_| web.session("2025-11-25")).collect();
    let ((), held) = peak_of(|| {
        for session in &sessions {
            let exchange = web.send(&Sent::post(session, &call("2")));
            let own = web.take_call();
            web.progress(own, 1.0);
            web.answer(own, &text);
            assert!(web.response(exchange).is_finished);
            web.responses.clear();
        }
    });
    assert!(held < 3 * MIB, "{held} bytes");
}

#[test]
fn what_a_client_declares_of_itself_is_bounded() {
    let mut web = Web::new(|_| {});
    let big = initialize("2025-11-25")
        .replace("\"elicitation\":{}", &format!("\"x\":\"{}\"", "y".repeat(32 * KIB)));
    let response = web.ask(&Sent::new("POST", &big));
    assert_eq!((response.status(), web.endpoint.sessions()), (413, 0));
    let get = web.send(&Sent::new("GET", "").at("/sse"));
    let target = web.response(get).events()[0].2.clone();
    assert_eq!(web.ask(&Sent::new("POST", &big).at(&target)).status(), 413);
    web.session("2025-11-25");
}

#[test]
fn an_endpoint_can_go_to_another_thread() {
    const fn goes<T: Send>() {}
    goes::<selvedge_core::http::Endpoint>();
}
