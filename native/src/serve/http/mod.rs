//! Serves any number of clients over HTTP: sockets, connections and tasks around the endpoint of the core.

mod access;
mod connection;
mod exchange;
mod keeper;
mod outlet;
mod patient;
mod shared;
mod tokens;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use selvedge_core::{ServerConfig, http::EndpointConfig};
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};

use super::{Service, keyed, random, terminated};

pub use access::{Access, ProtectedResource, TokenCheck, Verdict};
pub use tokens::{StaticTokens, TokenFileError};

use access::Gate;
use connection::Listener;
use shared::Shared;

/// How a server listens.
#[derive(Debug)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Where. Port 0 takes a free one, which [`HttpServer::local_addr`] tells. Default `127.0.0.1:0`.
    pub address: SocketAddr,
    /// Paths, hosts, times and bounds. What is served is the service's own configuration, and the seed is made
    /// from the randomness of the operating system, so both are passed over here. Where the address is one by
    /// which clients reach the server, it is an allowed host.
    pub endpoint: EndpointConfig,
    /// Who is let in. Default: everybody.
    pub access: Option<Access>,
    /// The time that a client has for the head of a request; a connection without requests ends after it too.
    /// Default 30 s.
    pub head_timeout: Duration,
    /// The time after which a connection ends whose client reads nothing of what waits for it. Default 30 s.
    pub write_timeout: Duration,
    /// Connections at one time; further ones wait to be accepted. Default 8,192.
    pub max_connections: usize,
    /// Those from one address, or from one IPv6 network of 64 bits; further ones are closed at once. Default
    /// 4,096. Behind a proxy, where all come from one address, it should be `max_connections`.
    pub max_connections_per_address: usize,
    /// The head of a request in bytes. Default 64 KiB.
    pub max_head_bytes: usize,
    /// The time that requests under way have once the server is told to stop. Default 10 s.
    pub grace: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            endpoint: EndpointConfig::default(),
            access: None,
            head_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            max_connections: 8_192,
            max_connections_per_address: 4_096,
            max_head_bytes: 64 << 10,
            grace: Duration::from_secs(10),
        }
    }
}

/// A server that listens. Dropping it ends it at once.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    path: String,
    stop: Arc<Notify>,
    task: JoinHandle<()>,
}

/// Serves over HTTP, in both eras and on the old transport, until it is told to stop.
///
/// # Errors
///
/// The address cannot be listened on, or the operating system has no randomness.
pub async fn serve_http(service: impl Service, mut options: HttpOptions) -> io::Result<HttpServer> {
    let socket = TcpListener::bind(options.address).await?;
    let address = socket.local_addr()?;
    let config = endpoint_of(service.config(), &mut options, address)?;
    let path = config.path.clone();
    let gate = options.access.take().map(|access| Arc::new(Gate::new(access, &config, address)));
    let stop = Arc::new(Notify::new());
    let shared = Shared::new(service, config);
    let listener = Listener { shared, socket, gate, options };
    let task = tokio::spawn(listener.run(stop.clone()));
    Ok(HttpServer { address, path, stop, task })
}

fn endpoint_of(
    server: ServerConfig,
    options: &mut HttpOptions,
    address: SocketAddr,
) -> io::Result<EndpointConfig> {
    let mut config = options.endpoint.clone();
    config.seed = random()?;
    config.server = keyed(server)?;
    // No name leads here, so no foreign page comes by it (DNS rebinding).
    if !address.ip().is_unspecified() {
        let host = SocketAddr::new(address.ip(), 0).to_string();
        config.allowed_hosts.push(host.trim_end_matches(":0").to_owned());
    }
    config.limits.max_head_bytes = config.limits.max_head_bytes.min(options.max_head_bytes);
    Ok(config)
}

impl HttpServer {
    /// Returns where the server listens.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL that clients connect to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    /// Has the server stop: it takes no further requests, ends the streams that belong to no request, and gives
    /// the requests under way their time.
    pub fn shutdown(&self) {
        self.stop.notify_one();
    }

    /// Waits until the server has stopped; SIGTERM has it stop too.
    ///
    /// # Errors
    ///
    /// The signal cannot be waited for.
    pub async fn wait(&mut self) -> io::Result<()> {
        let terminated = terminated()?;
        tokio::select! {
            _ = &mut self.task => return Ok(()),
            () = terminated => self.shutdown(),
        }
        // It can only have been aborted, which ends it as well.
        let _ = (&mut self.task).await;
        Ok(())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
