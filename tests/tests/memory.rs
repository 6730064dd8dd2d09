//! What a peer can make the engine keep is bounded, whatever it writes and however much of it.

#![cfg(test)]

use std::fmt::Write as _;

use selvedge_core::{
    Client, Server, ServerConfig, Tick, Violation,
    client::{CallError, CallOptions, Effect, Event},
    codegen::{Level, Listing, generate},
};
use selvedge_tests::{
    World,
    generator::{BACKENDS, habitual_listing, options},
    line,
    memory::{Counting, peak_of},
    world::changed,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Feeds a client with a chunk many times, its effects drained each time; returns what it held at the most.
fn flood(client: &mut Client, chunk: &[u8], times: usize, mut each: impl FnMut(Effect)) -> usize {
    let ((), peak) = peak_of(|| {
        for _ in 0..times {
            client.handle_bytes(Tick::ZERO, chunk);
            while let Some(effect) = client.poll_effect() {
                each(effect);
            }
        }
    });
    peak
}

#[test]
fn a_hundred_thousand_junk_lines_cost_their_samples_and_no_call() {
    let mut world = World::ready();
    let call = world.call("t", "{}");
    world.take_effects();
    let junk = format!("{}\n", "x".repeat(KIB - 1));
    let mut told = 0;
    let peak = flood(&mut world.client, junk.as_bytes(), 100_000, |effect| {
        assert!(!matches!(effect, Effect::Send(_)));
        told += 1;
    });
    assert!(peak < 256 * KIB, "{peak} bytes");
    assert_eq!((told, world.client.stray().lines()), (100_000, 100_000));
    world.peer(line::ok(call));
    assert_eq!(world.text(call), "ok");
}

#[test]
fn an_endless_line_costs_one_message_and_is_reported_once() {
    let mut world = World::ready();
    let chunk = vec![b'x'; 64 * KIB];
    let mut events = Vec::new();
    let peak = flood(&mut world.client, &chunk, 200 * 16, |effect| events.push(effect));
    let limit = 16 * MIB;
    assert_eq!(events, [Effect::Event(Event::PeerViolated(Violation::TooLarge { limit }))]);
    assert!(peak < 2 * limit + MIB, "{peak} bytes");
    world.peer_bytes("\n");
    world.assert_lives();
}

#[test]
fn one_byte_more_than_the_limit_costs_less_than_two_messages() {
    let limit = 16 * MIB;
    let mut world = World::ready();
    let call = world.call("t", "{}");
    let head = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":""#;
    let answer = format!("{head}{}\"}}]}}}}", "x".repeat(limit + 1 - head.len() - 5));
    assert_eq!(answer.len(), limit + 1);
    let ((), peak) = peak_of(|| {
        for chunk in answer.as_bytes().chunks(64 * KIB) {
            world.peer_bytes(chunk);
        }
        world.peer_bytes("\n");
    });
    assert!(peak < 2 * limit + MIB, "{peak} bytes");
    assert_eq!(world.failure(call), CallError::TooLarge { limit });
    world.assert_lives();
}

#[test]
fn a_large_result_is_held_once_beside_its_line() {
    let payload = "x".repeat(15 * MIB);
    let mut world = World::ready();
    let call = world.call("t", "{}");
    let answer = line::text(call, &payload);
    let ((), peak) = peak_of(|| {
        for chunk in answer.as_bytes().chunks(64 * KIB) {
            world.client.handle_bytes(world.now, chunk);
        }
        world.client.handle_bytes(world.now, b"\n");
    });
    // The buffer that grows doubles, and for a moment both are there.
    assert!(peak <= 3 * payload.len(), "{peak} bytes");
    assert_eq!(world.text(call).len(), payload.len());
}

#[test]
fn a_million_pings_cost_nothing() {
    let mut world = World::ready();
    let mut chunk = String::new();
    for id in 0..1_000 {
        let _ = writeln!(chunk, "{}", line::request(&id.to_string(), "ping", "{}"));
    }
    let mut answered = 0;
    let peak = flood(&mut world.client, chunk.as_bytes(), 1_000, |effect| {
        assert!(matches!(effect, Effect::Send(_)));
        answered += 1;
    });
    assert_eq!(answered, 1_000_000);
    // What one chunk of a thousand pings is answered with waits to be drained.
    assert!(peak < 512 * KIB, "{peak} bytes");
}

#[test]
fn a_batch_of_a_million_entries_costs_its_line() {
    let batch = format!("[{}1]\n", "1,".repeat(MIB));
    // A batch of this length is one stray line; where it may be this long, its entries are.
    for (messages, strays, ends) in [(10_000, 100_000, false), (usize::MAX, 100_000, true)] {
        let mut world = World::ready_with(changed(|config| {
            config.limits.max_batch_messages = messages;
            config.limits.max_stray_lines = strays;
        }));
        let ((), peak) = peak_of(|| world.client.handle_bytes(Tick::ZERO, batch.as_bytes()));
        assert!(peak < strays * 1_024 + MIB, "{peak} bytes");
        assert_eq!(world.client.reason().is_some(), ends);
    }
    let mut server = Server::new(ServerConfig::default());
    let ((), peak) = peak_of(|| server.handle_bytes(Tick::ZERO, batch.as_bytes()));
    assert!(peak < MIB, "{peak} bytes");
}

#[test]
fn late_answers_progress_logs_and_changes_leave_nothing_behind() {
    let mut world = World::ready();
    let lines = [
        r#"{"jsonrpc":"2.0","id":99,"result":{"x":[1,2,3]}}"#.to_owned(),
        line::notification("notifications/progress", r#"{"progressToken":99,"progress":1}"#),
        line::notification("notifications/message", r#"{"level":"info","data":"x"}"#),
        line::notification("notifications/tools/list_changed", "{}"),
        line::notification("notifications/cancelled", r#"{"requestId":"x"}"#),
        line::request("\"a\"", "roots/list", "{}"),
    ];
    let chunk = lines.join("\n") + "\n";
    let peak = flood(&mut world.client, chunk.as_bytes(), 50_000, drop);
    assert!(peak < 16 * KIB, "{peak} bytes");
}

#[test]
fn calls_that_come_and_go_leave_nothing_behind() {
    let mut world = World::ready();
    let ((), peak) = peak_of(|| {
        for _ in 0..50_000 {
            let call = world.call("t", "{}");
            world.peer(line::ok(call));
            world.take_effects();
        }
    });
    assert!(peak < 16 * KIB, "{peak} bytes");
    assert_eq!((world.client.calls_in_flight(), world.client.poll_timeout()), (0, None));
}

#[test]
fn questions_and_their_ids_are_bounded() {
    let mut world = World::ready_with(changed(|config| config.offers.roots = true));
    let mut id = 0;
    let ((), peak) = peak_of(|| {
        for _ in 0..10_000 {
            id += 1;
            world.peer(line::request(&format!("\"{id}{}\"", "i".repeat(900)), "roots/list", "{}"));
            world.take_effects();
        }
    });
    // Each of the 64 questions is kept with its id.
    assert!(peak < 64 * 2 * KIB + 32 * KIB, "{peak} bytes");
}

#[test]
fn the_diagnostic_stream_costs_what_is_kept_of_it() {
    let mut world = World::ready();
    let chunk = vec![b'e'; 64 * KIB];
    let ((), peak) = peak_of(|| {
        for _ in 0..100 * 16 {
            world.client.handle_stderr(&chunk);
        }
    });
    assert!(peak < 3 * 256 * KIB, "{peak} bytes");
    assert_eq!(world.client.stderr_tail().len(), 256 * KIB);
}

#[test]
fn an_endless_header_block_costs_nothing() {
    let mut world = World::ready();
    let chunk = "Content-Type: application/json\r\n".repeat(1_000);
    let peak = flood(&mut world.client, chunk.as_bytes(), 1_000, drop);
    assert!(peak < 16 * KIB, "{peak} bytes");
}

#[test]
fn an_idle_client_is_small() {
    let (world, held) = peak_of(World::ready);
    assert!(held < 16 * KIB, "{held} bytes");
    drop(world);
}

#[test]
#[ignore = "not reached: 7.7 to 10.0 times for a habitual listing, up to 45.7 for 20,000 empty tools"]
fn a_generation_holds_at_most_eight_times_its_listing() {
    let names: Vec<_> = (0..22_000).map(|at| format!("\"parameter_{at}\"")).collect();
    let members: Vec<_> = names.iter().map(|name| format!("{name}:{{\"type\":\"string\"}}")).collect();
    let wide = format!(
        r#"[{{"name":"wide","inputSchema":{{"type":"object","properties":{{{}}},"required":[{}]}}}}]"#,
        members.join(","),
        names.join(",")
    );
    let empty: Vec<_> =
        (0..20_000).map(|at| format!(r#"{{"name":"t{at}","inputSchema":{{"type":"object"}}}}"#)).collect();
    let listings = [
        ("habitual", habitual_listing(850)),
        ("one wide tool", wide),
        ("empty tools", format!("[{}]", empty.join(","))),
        ("empty schemas", format!("[{}0]", "{},".repeat(350_000))),
    ];
    let mut beyond = Vec::new();
    for (name, text) in listings {
        assert!(text.len() > 900_000, "{name}: {} bytes", text.len());
        for (backend, language, profile) in BACKENDS {
            let mut options = options("notes", language, profile);
            options.level = Some(Level::TwoLine);
            options.max_tools = Some(usize::MAX);
            options.max_source_bytes = Some(usize::MAX);
            options.max_surface_bytes = usize::MAX;
            let (is_made, peak) = peak_of(|| generate(&Listing::parse(&text).unwrap(), &options).is_ok());
            let tenths = peak * 10 / text.len();
            println!("{name} in {backend}: {}.{} times, made: {is_made}", tenths / 10, tenths % 10);
            if peak > 8 * text.len() {
                beyond.push(format!("{name} in {backend}: {peak} bytes of {}", text.len()));
            }
        }
    }
    assert_eq!(beyond, [""; 0]);
}

/// The worst schemas that are known, each of about so many bytes.
fn greedy_schemas(bytes: usize) -> Vec<(&'static str, String)> {
    let repeated = |head: &str, part: &str, tail: &str| {
        let times = bytes.saturating_sub(head.len() + tail.len()) / part.len();
        format!("{head}{}{tail}", part.repeat(times).trim_end_matches(','))
    };
    let mut named = String::from("{\"properties\":{");
    for at in 0..bytes / 10 {
        let _ = write!(named, "{}\"{at:x}\":{{}}", if at > 0 { "," } else { "" });
    }
    named.push_str("}}");
    vec![
        ("schemas", repeated("{\"allOf\":[", "{},", "]}")),
        ("rules", repeated("{\"allOf\":[", "{\"minimum\":0,\"maximum\":0,\"not\":{}},", "]}")),
        ("values", repeated("{\"enum\":[", "1,", "]}")),
        ("names", named),
        ("counted patterns", repeated("{\"allOf\":[", "{\"pattern\":\"a{1990}\"},", "]}")),
        ("dots", repeated("{\"allOf\":[", &format!("{{\"pattern\":\"{}\"}},", ".".repeat(1_990)), "]}")),
        ("classes", repeated("{\"allOf\":[", "{\"pattern\":\"[acegikmoqsuwy]\"},", "]}")),
        ("references", repeated("{\"allOf\":[", "{\"$ref\":\"#\"},", "]}")),
    ]
}

#[test]
fn compiled_schemas_are_bounded_by_what_may_be_kept_of_them() {
    let limit = 256 * KIB;
    for (kind, schema) in greedy_schemas(limit / 4) {
        let mut world = World::ready_with(changed(|config| config.limits.max_schema_bytes = limit));
        let tools: Vec<_> =
            (0..8).map(|at| format!(r#"{{"name":"t{at}","inputSchema":{schema}}}"#)).collect();
        let listing = format!(r#"{{"tools":[{}]}}"#, tools.join(","));
        let ((), peak) = peak_of(|| {
            let call = world.list_tools();
            world.peer(line::result(call, &listing));
            world.take_effects();
        });
        assert!(peak < 12 * listing.len(), "{kind}: {peak} bytes for a listing of {}", listing.len());
        let ((), peak) = peak_of(|| {
            for at in 0..8 {
                let _ = world.client.call_tool(Tick::ZERO, &format!("t{at}"), "{}", CallOptions::default());
                world.take_effects();
            }
        });
        assert!(peak < 30 * limit, "{kind}: {peak} bytes");
    }
}

#[test]
fn many_small_tools_with_large_patterns_are_bounded_too() {
    let limit = 256 * KIB;
    let mut world = World::ready_with(changed(|config| config.limits.max_schema_bytes = limit));
    let tools: Vec<_> = (0..1_000)
        .map(|at| format!(r#"{{"name":"t{at}","inputSchema":{{"pattern":"a{{990}}"}}}}"#))
        .collect();
    let call = world.list_tools();
    world.peer(line::result(call, &format!(r#"{{"tools":[{}]}}"#, tools.join(","))));
    world.take_effects();
    let ((), peak) = peak_of(|| {
        for at in 0..1_000 {
            let _ = world.client.call_tool(Tick::ZERO, &format!("t{at}"), "{}", CallOptions::default());
            world.take_effects();
        }
    });
    assert!(peak < 30 * limit, "{peak} bytes");
}
