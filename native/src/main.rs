//! The command line of Selvedge.

mod cli;
mod demo;

use std::process::ExitCode;

use clap::Parser;
use tokio::runtime;

fn main() -> ExitCode {
    let protected = selvedge::protect_memory();
    let cli = cli::Cli::parse();
    if let Err(error) = protected {
        anstream::eprintln!("warning: servers can read the environment of this program: {error}");
    }
    let mut builder = if cli.serves_many() {
        runtime::Builder::new_multi_thread()
    } else {
        runtime::Builder::new_current_thread()
    };
    let runtime = match builder.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            anstream::eprintln!("error: the runtime cannot be started: {error}");
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(cli::run(cli));
    // A thread that is stuck in reading or writing a standard stream must not keep the program.
    runtime.shutdown_background();
    code
}
