//! Serves any number of clients over HTTP: sockets, connections and tasks around the endpoint of the core.

mod access;
mod connection;
mod descriptors;
mod exchange;
mod keeper;
mod outlet;
mod patient;
mod places;
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

use super::{Service, keyed, terminated};
use crate::random::random;

pub use access::{Access, ProtectedResource, TokenCheck, Verdict};
pub use tokens::{StaticTokens, TokenFileError};

use access::Gate;
use connection::Listener;
use places::Bounds;
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
    /// The time that a client has for the head of a request; a connection without requests ends after it too,
    /// over HTTP/2 as well. Default 30 s.
    pub head_timeout: Duration,
    /// The time after which a connection ends whose client reads nothing of a response that waits for it, over
    /// HTTP/2 whatever else it reads. Default 30 s.
    pub write_timeout: Duration,
    /// Connections at one time, as many as the process can have descriptors for at most: an eighth of those, 64
    /// at least, is left for other files. One more ends the connection that was idle for longest, of the address
    /// that has most; where none is idle it waits to be accepted. Default 8,192.
    pub max_connections: usize,
    /// Those from one address, or from one IPv6 network of 64 bits, three quarters of all at most. One more ends
    /// the one of them that was idle for longest; where none is idle it is closed at once. Default 2,048.
    pub max_connections_per_address: usize,
    /// Whether the process may have as many descriptors as the system lets it: its soft limit is raised to the
    /// hard one (`RLIMIT_NOFILE`, on Unix), for the whole process. Default no.
    pub raise_descriptor_limit: bool,
    /// Responses that were not sent yet, in bytes. A connection has at most as much as is left then, those of its
    /// address three times that; an answer that does not fit is refused with 503, unless one that is not read can
    /// be ended for it. Default 64 MiB.
    pub max_waiting_bytes: usize,
    /// The head of a request in bytes. Default 64 KiB.
    pub max_head_bytes: usize,
    /// The time that requests under way have once the server is told to stop. Default 10 s.
    pub grace: Duration,
}

impl HttpOptions {
    fn bounds(&self) -> Bounds {
        let descriptors = descriptors::limit().unwrap_or(usize::MAX);
        let connections =
            descriptors.saturating_sub((descriptors / 8).max(64)).max(1).min(self.max_connections);
        let connections_per_address = self.max_connections_per_address.min((connections * 3).div_ceil(4));
        Bounds { connections, connections_per_address, waiting_bytes: self.max_waiting_bytes }
    }
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
            max_connections_per_address: 2_048,
            raise_descriptor_limit: false,
            max_waiting_bytes: 64 << 20,
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
    if options.raise_descriptor_limit
        && let Err(error) = descriptors::raise()
    {
        tracing::warn!(%error, "the limit of descriptors stays as it is");
    }
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
