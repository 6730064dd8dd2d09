//! What a peer can make the engine keep is bounded, whatever it writes and however much of it.

#![cfg(test)]

use std::fmt::Write as _;

use selvedge_core::{
    Client, Server, ServerConfig, Tick, Violation,
    client::{CallError, CallOptions, Effect, Event},
    codegen::{Level, Listing, Options, Profile, generate},
    name::Language,
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
fn rounds_streams_and_kept_results_leave_no_more_behind_than_they_may() {
    let limit = 64 * KIB;
    let mut world = World::modern_with(changed(|config| {
        config.limits.max_cache_bytes = limit;
        config.offers.roots = true;
    }));
    // What checks the messages is made once.
    come_and_go(&mut world, 0);
    let ((), peak) = peak_of(|| {
        for at in 1..5_000 {
            come_and_go(&mut world, at);
        }
    });
    assert!(peak < limit + 32 * KIB, "{peak} bytes");
    assert_eq!((world.client.calls_in_flight(), world.client.poll_timeout()), (0, None));
}

/// A call that ends between two rounds, a result that is kept, and a stream that the server ends.
fn come_and_go(world: &mut World, at: usize) {
    let rounds = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}"#;
    let asking = world.call("t", "{}");
    world.peer(line::result(asking, rounds));
    world.cancel(asking);
    let read = world.must(|client, now| client.read_resource(now, &at.to_string(), CallOptions::default()));
    let text = "x".repeat(KIB);
    world.peer(line::result(
        read,
        &format!(r#"{{"contents":[{{"uri":"x","text":"{text}"}}],"ttlMs":99999999}}"#),
    ));
    let listen = world.must(|client, now| client.subscribe(now, "x:", CallOptions::default()));
    world.peer(line::acknowledged(listen.as_u64(), r#"{"resourceSubscriptions":["x:"]}"#));
    let ended = format!(r#"{{"requestId":{}}}"#, listen.as_u64());
    world.peer(line::notification("notifications/cancelled", &ended));
    world.take_effects();
}

#[test]
fn an_idle_client_of_the_modern_era_is_small() {
    drop(World::modern());
    let (world, held) = peak_of(World::modern);
    assert!(held < 16 * KIB, "{held} bytes");
    drop(world);
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

/// Returns the peak of a parse and a generation, and the bytes of the module and the surface if there are some.
fn generation(text: &str, options: &Options) -> (usize, Option<usize>) {
    let (made, peak) = peak_of(|| generate(&Listing::parse(text).unwrap(), options));
    (peak, made.ok().map(|made| made.source.len() + made.surface.text.len()))
}

fn bounded(language: Language, profile: Profile) -> Options {
    let mut options = options("notes", language, profile);
    options.level = Some(Level::TwoLine);
    options
}

fn unbounded(language: Language, profile: Profile) -> Options {
    let mut options = bounded(language, profile);
    options.max_tools = Some(usize::MAX);
    options.max_source_bytes = Some(usize::MAX);
    options.max_surface_bytes = usize::MAX;
    options
}

fn empty_tools(count: usize) -> String {
    let tools: Vec<_> =
        (0..count).map(|at| format!(r#"{{"name":"t{at}","inputSchema":{{"type":"object"}}}}"#)).collect();
    format!("[{}]", tools.join(","))
}

fn wide_tool() -> String {
    let names: Vec<_> = (0..22_000).map(|at| format!("\"parameter_{at}\"")).collect();
    let members: Vec<_> = names.iter().map(|name| format!("{name}:{{\"type\":\"string\"}}")).collect();
    format!(
        r#"[{{"name":"wide","inputSchema":{{"type":"object","properties":{{{}}},"required":[{}]}}}}]"#,
        members.join(","),
        names.join(",")
    )
}

#[test]
fn a_generation_holds_at_most_eight_times_its_listing() {
    let listings = [
        ("habitual", habitual_listing(850), true),
        ("one wide tool", wide_tool(), false),
        ("too many tools", empty_tools(20_000), false),
        ("empty schemas", format!("[{}0]", "{},".repeat(350_000)), false),
        ("zeros", format!("[{}0]", "0,".repeat(500_000)), false),
    ];
    for (name, text, is_unbounded) in listings {
        assert!(text.len() > 900_000, "{name}: {} bytes", text.len());
        for (backend, language, profile) in BACKENDS {
            let options =
                if is_unbounded { unbounded(language, profile) } else { bounded(language, profile) };
            let (peak, made) = generation(&text, &options);
            assert!(made.is_some() || !is_unbounded, "{name} in {backend}");
            assert!(peak <= 8 * text.len(), "{name} in {backend}: {peak} bytes of {}", text.len());
        }
    }
}

#[test]
fn a_module_beyond_its_listing_is_held_with_at_most_four_times_both() {
    for (name, text) in [("empty tools", empty_tools(2_000)), ("habitual", habitual_listing(100))] {
        for (backend, language, profile) in BACKENDS {
            let (peak, made) = generation(&text, &unbounded(language, profile));
            let both = text.len() + made.unwrap();
            assert!(peak <= 4 * both, "{name} in {backend}: {peak} bytes of {both}");
        }
    }
}

#[test]
fn a_long_name_is_not_repeated_with_every_loss_of_its_tool() {
    let members: Vec<_> = (0..900).map(|at| format!("\"p{at}\":{{\"minLength\":1}}")).collect();
    let name = "n".repeat(MIB / 4);
    let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, members.join(","));
    let text = format!(r#"[{{"name":"{name}","inputSchema":{schema}}}]"#);
    let mut options = bounded(Language::TypeScript, Profile::Typed);
    options.max_source_bytes = Some(usize::MAX);
    let (peak, made) = generation(&text, &options);
    assert!(made.is_some());
    assert!(peak <= 8 * text.len(), "{peak} bytes of {}", text.len());
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
