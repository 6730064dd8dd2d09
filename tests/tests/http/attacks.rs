//! What clients do to harm a server, or each other.

use selvedge_core::server::ServerEvent;
use selvedge_tests::{
    Web, line,
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
    assert_eq!(given_up, 100 - 6, "all bodies of one connection leave as much to others");
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
fn calls_of_one_session_leave_permits_to_other_programs_of_the_machine() {
    let mut web = Web::new(|_| {});
    let flood = web.session("2025-11-25");
    for id in 0..200 {
        web.send(&Sent::post(&flood, &call(&id.to_string())));
    }
    assert_eq!(web.take_calls().len(), 32);
    let other = web.session("2025-11-25");
    let exchange = web.send(&Sent::post(&other, &call("1")));
    let own = web.take_call();
    web.answer(own, "42");
    assert!(web.response(exchange).text().contains("42"));
    let exchange = web.send(&modern_call("1").over(9));
    let own = web.take_call();
    web.answer(own, "43");
    assert!(web.response(exchange).text().contains("43"));
}

#[test]
fn addresses_that_take_all_they_can_leave_permits_to_others() {
    let mut web = Web::new(|_| {});
    for client in 10..26 {
        for id in 0..40 {
            web.send(&modern_call(&id.to_string()).by(client).over(client));
        }
    }
    let running = web.take_calls().len();
    assert!((400..480).contains(&running), "{running}");
    assert_served(&mut web, 1);
    // Whoever was answered before is served even where strangers have taken all they can.
    for connection in 100..1_000 {
        web.send(&modern_call("1").by(1).over(connection));
    }
    web.take_calls();
    web.send(&modern_call("2").by(1).over(2_000));
    assert_eq!(web.take_calls(), []);
    web.send(&modern_call("3").by(1).over(2_001).established());
    web.take_call();
}

#[test]
fn calls_whose_client_is_gone_and_silent_are_given_up_and_the_client_is_told() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-11-25");
    let post = web.send(&Sent::post(&session, &call("5")));
    let own = web.take_call();
    web.progress(own, 1.0);
    let id = web.response(post).last_id();
    web.disconnect(post);
    web.pass_millis(29_000);
    web.ask(&Sent::post(&session, &line::notification("notifications/x", "{}")));
    web.pass_millis(29_999);
    assert_eq!(web.take_events(), [], "whoever says something is there");
    web.pass_millis(1);
    assert_eq!(web.take_events(), [ServerEvent::Cancelled { call: own }]);
    let back = web.ask(&Sent::get(&session).with("Last-Event-ID", &id));
    assert!(back.text().contains("make it again") && back.text().contains("\"id\":5"), "{}", back.text());
}

#[test]
fn a_session_that_was_used_outlives_a_flood_of_others() {
    let mut web = Web::new(|_| {});
    let honest = web.session_of("2025-11-25", |sent| sent.over(7));
    let ping = Sent::post(&honest, &line::request("9", "ping", "{}"));
    assert_eq!(web.ask(&ping).status(), 200);
    web.pass_millis(60_000);
    for at in 0..3_000 {
        web.session_of("2025-11-25", |sent| sent.over(100 + at));
        web.responses.clear();
    }
    assert_eq!(web.endpoint.sessions(), 1_024);
    assert_eq!(web.ask(&ping).status(), 200);
    // Sessions that one connection opens end before those of others, however much they are used.
    for _ in 0..1_100 {
        let flood = web.session_of("2025-11-25", |sent| sent.over(8));
        for _ in 0..8 {
            web.ask(&Sent::post(&flood, &line::request("9", "ping", "{}")));
        }
        web.responses.clear();
    }
    assert_eq!(web.ask(&ping).status(), 200);
}

#[test]
fn sessions_whose_callers_are_gone_end_before_one_that_was_used() {
    let mut web = Web::new(|_| {});
    let honest = web.session_of("2025-11-25", |sent| sent.over(7));
    let ping = Sent::post(&honest, &line::request("9", "ping", "{}"));
    assert_eq!(web.ask(&ping).status(), 200);
    for at in 0..1_500 {
        let flood = web.session_of("2025-11-25", |sent| sent.over(100 + at));
        for id in 0..3 {
            let exchange = web.send(&Sent::post(&flood, &call(&id.to_string())).over(100 + at));
            web.disconnect(exchange);
        }
        web.responses.clear();
        web.take_events();
    }
    assert_eq!(web.endpoint.sessions(), 1_024);
    assert_eq!(web.ask(&ping).status(), 200);
    web.session_of("2025-11-25", |sent| sent.over(8));
}

#[test]
fn sessions_with_calls_that_are_waited_for_do_not_end_one_that_was_used() {
    let mut web = Web::new(|config| config.limits.max_sessions_per_client = 20);
    let honest = web.session_of("2025-11-25", |sent| sent.over(7));
    let ping = Sent::post(&honest, &line::request("9", "ping", "{}"));
    assert_eq!(web.ask(&ping).status(), 200);
    for at in 0..19 {
        let busy = web.session_of("2025-11-25", |sent| sent.over(100 + at));
        web.send(&Sent::post(&busy, &call("1")).over(100 + at));
    }
    let one_more = web.ask(&Sent::new("POST", &initialize("2025-11-25")));
    assert_eq!((one_more.status(), one_more.header("retry-after")), (503, Some("5")));
    assert_eq!(web.ask(&ping).status(), 200);
}

#[test]
fn streams_of_the_old_transport_that_nobody_uses_make_room_for_sessions() {
    let mut web = Web::new(|_| {});
    let honest = web.session_of("2025-11-25", |sent| sent.over(7));
    for at in 0..1_500 {
        let stream = web.send(&Sent::new("GET", "").at("/sse").over(100 + at));
        assert_eq!(web.response(stream).status(), 200);
    }
    assert_eq!(web.endpoint.sessions(), 1_024);
    assert_eq!(web.ask(&Sent::post(&honest, &line::request("9", "ping", "{}"))).status(), 200);
    web.session_of("2025-11-25", |sent| sent.over(8));
}

#[test]
fn the_answer_of_a_batch_is_no_longer_than_a_message() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-03-26");
    let calls: Vec<_> = (0..200).map(|id| call(&id.to_string())).collect();
    let exchange = web.send(&Sent::post(&session, &format!("[{}]", calls.join(","))));
    web.pass_millis(10);
    let (text, mut made) = ("x".repeat(4 * MIB), 0);
    let ((), peak) = peak_of(|| {
        loop {
            let calls = web.take_calls();
            made += calls.len();
            if calls.is_empty() {
                break;
            }
            for (call, ..) in calls {
                web.answer(call, &text);
            }
        }
    });
    assert!(made <= 40, "{made} calls were made although there was no room for their answers");
    let response = web.response(exchange);
    assert!(response.body.len() <= 16 * MIB && peak < 80 * MIB, "{} and {peak} bytes", response.body.len());
    let answers: Vec<serde_json::Value> = serde_json::from_str(response.text()).unwrap();
    let good = answers.iter().filter(|answer| answer["result"].is_object()).count();
    let told = answers.iter().filter(|answer| answer["error"]["message"].to_string().contains("in another"));
    assert_eq!((answers.len(), good, told.count()), (200, 3, 197));
}

#[test]
fn a_long_batch_lets_others_have_their_turn() {
    let mut web = Web::new(|_| {});
    let session = web.session("2025-03-26");
    let pings: Vec<_> = (0..10_000).map(|id| line::request(&id.to_string(), "ping", "{}")).collect();
    let exchange = web.send(&Sent::post(&session, &format!("[{}]", pings.join(","))));
    assert_eq!(web.response(exchange).status(), 0, "one turn does not take all of it");
    assert_served(&mut web, 2);
    web.pass_millis(1_000);
    let answers: Vec<serde_json::Value> =
        serde_json::from_str(web.response(exchange).messages()[0].as_str()).unwrap();
    assert_eq!(answers.len(), 10_000);
}

#[test]
fn what_calls_keep_is_bounded_for_all_clients_together() {
    let mut web = Web::new(|_| {});
    let text = "y".repeat(8 * MIB);
    let ((), held) = peak_of(|| {
        for connection in 0..40 {
            let params = format!(r#""name":"t","arguments":{{"x":"{text}"}}"#);
            let sent = Sent::modern("1", "tools/call", &params).over(connection);
            web.send(&sent);
            web.take_events();
        }
    });
    assert!(held < 160 * MIB, "{held} bytes");
    let told = web.responses.values().filter(|response| response.text().contains("does not fit")).count();
    assert!(told >= 32, "{told}");
    assert_served(&mut web, 1);
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
