//! `selvedge serve`: a server of one's own.

use std::{io, net::SocketAddr, path::Path, sync::Arc};

use selvedge::{
    Access, App, HttpOptions, StaticTokens,
    core::protocol::Implementation,
    project::{self, Project, ProjectOptions},
    serve_http, serve_stdio,
};
use serde::Serialize;

use super::{Exit, Failure, Signals, args::Serve, output::Output};
use crate::demo::demo;

#[derive(Serialize)]
struct Document<'a> {
    url: &'a str,
}

/// Serves until there is nobody left to serve, or until it is told to stop.
pub(super) async fn serve(command: &Serve, output: &Output) -> Result<Exit, Failure> {
    let service = service(command)?;
    let Some(address) = &command.http else {
        return match serve_stdio(service).await {
            Ok(()) => Ok(Exit::Done),
            Err(error) => Err(Failure::serving("standard input or output", &error)),
        };
    };
    let options = options(command, address).await?;
    let listening = serve_http(service, options).await;
    let mut server = listening.map_err(|error| refused(address, &error))?;
    let url = server.url();
    if output.is_json {
        output.document(&Document { url: &url })?;
    } else {
        output.print(format!("{url}\n"))?;
    }
    output.note("serving over HTTP; Ctrl-C ends it, once more ends it at once");
    let mut signals = Signals::new().map_err(|error| Failure::serving("signals", &error))?;
    let ended = tokio::select! {
        ended = server.wait() => Some(ended),
        _ = signals.next() => None,
    };
    let ended = if let Some(ended) = ended {
        ended
    } else {
        server.shutdown();
        output.note("stopping: requests under way have ten seconds");
        tokio::select! {
            ended = server.wait() => ended,
            _ = signals.next() => Ok(()),
        }
    };
    ended.map(|()| Exit::Done).map_err(|error| Failure::serving(address, &error))
}

/// Puts together what is served.
fn service(command: &Serve) -> Result<App, Failure> {
    let mut app = match &command.project {
        Some(folder) => project(folder)?,
        None => demo().map_err(|error| Failure::serving("the demo", &io::Error::other(error)))?,
    };
    let config = app.config();
    config.allows_destructive = command.allow_destructive;
    config.destructive_hint = "`selvedge serve --allow-destructive` allows it".into();
    Ok(app)
}

fn project(folder: &Path) -> Result<App, Failure> {
    let opened = Project::open(folder, ProjectOptions::default());
    let project = Arc::new(
        opened.map_err(|error| Failure::usage(format!("cannot serve {}: {error}", folder.display())))?,
    );
    let tools = project::tools(&project)
        .map_err(|error| Failure::serving("the project", &io::Error::other(error)))?;
    let mut app = App::new(Implementation::new("selvedge-project", env!("CARGO_PKG_VERSION")))
        .with_tools(tools)
        .with_resources(Arc::new(project));
    app.config().instructions = Some(
        "Files of one folder. Read `selvedge://project/structure` first; paths are relative to the folder. Credentials in \
         texts are hidden."
            .to_owned(),
    );
    Ok(app)
}

async fn options(command: &Serve, address: &str) -> Result<HttpOptions, Failure> {
    let mut options = HttpOptions::default();
    options.address = resolve(address).await?;
    options.raise_descriptor_limit = true;
    options.endpoint.allowed_hosts.extend(command.allow_host.iter().cloned());
    if let Some(path) = &command.token_file {
        let tokens = StaticTokens::read(path)
            .map_err(|error| Failure::usage(format!("token file {}: {error}", path.display())))?;
        options.access = Some(Access::new(tokens));
    }
    Ok(options)
}

/// Reads an address; a port alone is one of this machine.
async fn resolve(address: &str) -> Result<SocketAddr, Failure> {
    let is_port = !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_digit());
    let whole = if is_port { format!("127.0.0.1:{address}") } else { address.to_owned() };
    if whole.parse::<SocketAddr>().is_err() && whole.rsplit_once(':').is_none_or(|(host, _)| host.is_empty())
    {
        let failure = Failure::usage(format!("`{address}` is no address to listen on"));
        return Err(
            failure.hint("`--http 127.0.0.1:8080` names one, `--http 127.0.0.1:0` takes any free port")
        );
    }
    let found = tokio::net::lookup_host(&whole).await;
    let found = found.map_err(|error| Failure::usage(format!("`{address}` cannot be found: {error}")))?;
    // Where a name has several, the one that clients try first is of the older kind.
    found.min_by_key(SocketAddr::is_ipv6).ok_or_else(|| Failure::usage(format!("`{address}` has no address")))
}

fn refused(address: &str, error: &io::Error) -> Failure {
    let (why, hint) = match error.kind() {
        io::ErrorKind::AddrInUse => {
            ("another program listens there".to_owned(), "port 0 takes a free one, and its number is printed")
        }
        io::ErrorKind::PermissionDenied => {
            ("that is not permitted".to_owned(), "ports below 1024 are the administrator's")
        }
        io::ErrorKind::AddrNotAvailable => (
            "this machine has no such address".to_owned(),
            "`127.0.0.1` serves this machine only, `0.0.0.0` everyone who reaches it",
        ),
        _ => (error.to_string(), "`--http 127.0.0.1:0` takes any free port of this machine"),
    };
    Failure::usage(format!("cannot listen on {address}: {why}")).hint(hint)
}
