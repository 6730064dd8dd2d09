//! Attacks on our server, each beside a client that goes on calling: what they cost, and whom.
//!
//! The server is a process of its own with the default limits, so that its memory can be read. Each attack runs for
//! a few seconds; `cargo bench -p selvedge-tests --bench attack` prints the peak of the server's memory, the
//! longest that the honest client waited for one answer during the attack and after it, and what the server said.
//! It fails where a bound is broken: 256 MiB, a second during, 200 ms after, an answer that did not come, or a
//! session that was lost. `-- --smoke` shortens every attack and does not look at the times, which are those of a
//! release build; `-- WORD` runs the attacks whose names hold the word.

#![cfg_attr(target_os = "linux", expect(clippy::expect_used, reason = "a benchmark fails by panicking"))]

#[cfg(target_os = "linux")]
mod attacks;
#[cfg(target_os = "linux")]
mod honest;
#[cfg(target_os = "linux")]
mod server;

#[cfg(target_os = "linux")]
fn main() {
    use std::time::Duration;

    let (mut is_smoke, mut wanted) = (false, String::new());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--smoke" => is_smoke = true,
            "--serve" => return server::serve(),
            word if !word.starts_with('-') => word.clone_into(&mut wanted),
            _ => {}
        }
    }
    let span = Duration::from_secs(if is_smoke { 1 } else { 4 });
    println!("{:<44} {:>8} {:>10} {:>10}  bounds", "attack", "peak", "during", "after");
    let mut are_held = true;
    for attack in attacks::ALL.iter().filter(|attack| attack.name.contains(&wanted)) {
        are_held &= attack.run(span, is_smoke);
    }
    if !are_held {
        std::process::exit(1);
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("memory is read from /proc, and other addresses of the machine are those of Linux");
}
