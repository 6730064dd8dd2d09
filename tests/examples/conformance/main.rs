//! The server that the official conformance suite and the clients of others are held against: every fixture
//! that the suite names, upon the same trait as any other server.
//!
//! `conformance --stdio` serves one client on standard input and output, `conformance --http ADDRESS` any
//! number; it prints its URL.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a fixture fails by panicking"
)]

mod service;

use clap::Parser;
use selvedge::{HttpOptions, serve_http, serve_stdio};
use tokio::runtime::Builder;

use service::Conformance;

/// The server of the conformance suite.
#[derive(Parser)]
struct Arguments {
    /// Serve on standard input and output
    #[arg(long, conflicts_with = "http", required_unless_present = "http")]
    stdio: bool,
    /// Serve over HTTP
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
}

fn main() {
    let arguments = Arguments::parse();
    let runtime = Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let Some(address) = arguments.http else {
            return serve_stdio(Conformance::default()).await.expect("standard input and output");
        };
        let mut options = HttpOptions::default();
        options.address = address.parse().expect("an address such as 127.0.0.1:0");
        let mut server = serve_http(Conformance::default(), options).await.expect("a free address");
        println!("{}", server.url());
        server.wait().await.expect("signals");
    });
    runtime.shutdown_background();
}
