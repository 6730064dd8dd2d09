//! Commands, from their arguments to the exit code. Nothing is left of a server when one ends.

mod args;
mod arguments;
mod call;
mod content;
mod demo;
mod failure;
mod files;
mod generate;
mod inspect;
mod json;
mod list;
mod log;
mod meter;
mod output;
mod ping;
mod prompt;
mod read;
mod serve;
mod session;
mod signals;
mod table;
mod text;

use std::process::ExitCode;

use selvedge::Connection;

pub(crate) use args::Cli;

use args::{Command, Global};
use arguments::Given;
use failure::{Exit, Failure};
use output::{Output, Printed};
use session::{Plan, Session};
use signals::Signals;

/// Does what the command line asks for.
pub(crate) async fn run(cli: Cli) -> ExitCode {
    let Cli { global, command } = cli;
    if let Err(error) = log::start() {
        anstream::eprintln!("error: {error}");
        return code(Exit::Usage);
    }
    let (output, printed) = match Output::new(&global) {
        Ok(pair) => pair,
        Err(error) => {
            anstream::eprintln!("error: {error}");
            return code(Exit::Usage);
        }
    };
    if let Command::Serve(command) = &command {
        let result = serve::serve(command, &output).await;
        return finish(result, output, printed).await;
    }
    if let Some(result) = offline(&command, &output) {
        return finish(result, output, printed).await;
    }
    // Input is read before signals are caught, so that the user can leave.
    let plan = arguments::given(&command).and_then(|given| Ok((given, Plan::new(&global, &command)?)));
    match plan {
        Ok((given, plan)) => drive(&command, given, plan, output, printed).await,
        Err(failure) => finish(Err(failure), output, printed).await,
    }
}

/// Does what needs no server; `None` where the command needs one.
fn offline(command: &Command, output: &Output) -> Option<Result<Exit, Failure>> {
    match command {
        Command::Generate(command) => {
            let listing = generate::Tools::read(&command.source, command.source.listing.as_ref()?);
            Some(listing.and_then(|listing| generate::generate_from(output, command, listing)))
        }
        Command::Surface(command) => {
            let listing = generate::Tools::read(&command.source, command.source.listing.as_ref()?);
            Some(listing.and_then(|listing| generate::surface_from(output, command, listing)))
        }
        _ => None,
    }
}

/// Ends a command that has no server.
async fn finish(result: Result<Exit, Failure>, output: Output, printed: Printed) -> ExitCode {
    let exit = result.unwrap_or_else(|failure| {
        failure.tell(&output);
        failure.exit
    });
    drop(output);
    let _ = printed.await;
    code(exit)
}

/// Runs one command with its server, and ends the server whatever happens.
async fn drive(
    command: &Command,
    given: Given<'_>,
    plan: Plan,
    output: Output,
    printed: Printed,
) -> ExitCode {
    let mut signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            anstream::eprintln!("error: signals cannot be caught: {error}");
            return code(Exit::Usage);
        }
    };
    let Plan { server, options, seen } = plan;
    let prepared = Connection::prepare(server.clone(), options);
    let connection = prepared.handle();
    let work = async {
        let session = Session::connect(prepared, &server, seen, &output).await?;
        perform(command, given, &session).await
    };
    let worked = tokio::select! {
        biased;
        signal = signals.next() => Err(signal),
        result = work => Ok(result),
    };
    if worked.is_err() {
        output.note("interrupted: the server is being shut down; once more kills it");
    }
    // A failure is told last: only a server that is gone has said all it had to say.
    let end = async {
        let retirement = connection.shutdown().await;
        if let Err(error) = &retirement {
            output.warn(&error.to_string());
        }
        match connection.stragglers() {
            Some(count @ 1..) if !matches!(command, Command::Inspect(_)) => {
                let count = inspect::processes(count);
                output.note(&format!(
                    "{count} that the server had put outside its process group ended with it; `--leave-detached` leaves them"
                ));
            }
            _ => {}
        }
        let exit = match worked {
            Ok(Ok(exit)) => code(exit),
            Ok(Err(failure)) => {
                let failure = failure.with_end(&connection, &retirement);
                failure.tell(&output);
                code(failure.exit)
            }
            Err(signal) => signal,
        };
        drop(output);
        match printed.await {
            Ok(Err(error)) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                anstream::eprintln!("error: the output cannot be written: {error}");
                code(Exit::Usage)
            }
            _ => exit,
        }
    };
    tokio::select! {
        biased;
        exit = end => exit,
        // What runs still ends with the runtime, which kills the server's whole group.
        signal = signals.next() => signal,
    }
}

async fn perform(command: &Command, given: Given<'_>, session: &Session<'_>) -> Result<Exit, Failure> {
    match command {
        Command::Tools(_) => list::tools(session).await,
        Command::Resources(_) => list::resources(session).await,
        Command::Prompts(_) => list::prompts(session).await,
        Command::Call(call) => call::call(session, call, given).await,
        Command::Read(read) => read::read(session, &read.uri).await,
        Command::Prompt(prompt) => prompt::prompt(session, &prompt.name, given).await,
        Command::Ping(ping) => ping::ping(session, ping.count).await,
        Command::Inspect(_) => inspect::inspect(session).await,
        Command::Generate(command) => generate::generate(session, command).await,
        Command::Surface(command) => generate::surface(session, command).await,
        Command::Demo => demo::demo(session).await,
        Command::Serve(_) => Ok(Exit::Done),
    }
}

fn code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}
