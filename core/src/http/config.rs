//! How an endpoint behaves, and what bounds it.

use alloc::{string::String, vec::Vec};
use core::{fmt, time::Duration};

use super::head::is_origin;
use crate::ServerConfig;

/// The names that lead to this machine and to no other.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// How an endpoint behaves.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndpointConfig {
    /// The server behind the endpoint. The longest body is its `limits.max_message_bytes`.
    pub server: ServerConfig,
    /// Where messages are posted. Default `/mcp`.
    pub path: String,
    /// Where clients of 2024-11-05 open their stream and post their messages; `None` turns that transport off.
    /// Default `/sse`.
    pub sse_path: Option<String>,
    /// Where a load balancer sees whether the server is there. Default `/health`.
    pub health_path: Option<String>,
    /// The values of `Host` that are served; one without a port allows any port, `*` any host. Default: the
    /// names of this machine. Anything else is how a foreign page reaches a local server (DNS rebinding).
    pub allowed_hosts: Vec<String>,
    /// The values of `Origin` that are served, as `scheme://host`; one without a port allows any port, `*` any
    /// origin. Default: pages of this machine. Requests without the header come from no page and are served.
    pub allowed_origins: Vec<String>,
    /// 32 random bytes, others at every start: session ids are made from them.
    pub seed: [u8; 32],
    /// The time that a client has to send the body of a request. Default 30 s.
    pub body_timeout: Duration,
    /// The time after which a response without an answer becomes a stream, so that it can be kept alive.
    /// Default 1 s.
    pub stream_after: Duration,
    /// The time after which a silent stream carries a comment. Default 15 s.
    pub keep_alive: Duration,
    /// How long a client should wait before it comes back to a stream that the server closed (2025-11-25).
    /// Default 1 s.
    pub retry: Duration,
    /// How long a stream of a session can be resumed after its last message. Default 5 min.
    pub resume_window: Duration,
    /// The time after which the calls of a session are given up whose client is gone: it reads no stream and
    /// posts nothing. Default 30 s.
    pub abandon_after: Duration,
    /// The time after which a session that nobody uses ends. Default 30 min.
    pub session_idle: Duration,
    /// Bounds on what clients can make the endpoint keep, beside those of the server.
    pub limits: EndpointLimits,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        let origins = LOOPBACK.iter().flat_map(|host| ["http://", "https://"].map(|scheme| (scheme, host)));
        Self {
            server: ServerConfig::default(),
            path: "/mcp".into(),
            sse_path: Some("/sse".into()),
            health_path: Some("/health".into()),
            allowed_hosts: LOOPBACK.map(String::from).into_iter().collect(),
            allowed_origins: origins.map(|(scheme, host)| alloc::format!("{scheme}{host}")).collect(),
            seed: [0; 32],
            body_timeout: Duration::from_secs(30),
            stream_after: Duration::from_secs(1),
            keep_alive: Duration::from_secs(15),
            retry: Duration::from_secs(1),
            resume_window: Duration::from_mins(5),
            abandon_after: Duration::from_secs(30),
            session_idle: Duration::from_mins(30),
            limits: EndpointLimits::default(),
        }
    }
}

impl EndpointConfig {
    /// Returns whether pages of this origin are served.
    #[must_use]
    pub fn allows_origin(&self, origin: &str) -> bool {
        self.allowed_origins.iter().any(|allowed| is_origin(allowed, origin))
    }
}

impl fmt::Debug for EndpointConfig {
    /// Leaves out the seed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointConfig")
            .field("path", &self.path)
            .field("sse_path", &self.sse_path)
            .field("allowed_hosts", &self.allowed_hosts)
            .field("allowed_origins", &self.allowed_origins)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Bounds on what clients can make an endpoint keep.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndpointLimits {
    /// The names and values of a request's headers with its target, in bytes. Default 64 KiB.
    pub max_head_bytes: usize,
    /// The headers of a request. Default 200.
    pub max_headers: usize,
    /// The target of a request, in bytes. Default 8 KiB.
    pub max_target_bytes: usize,
    /// Requests under way, streams included. Default 16,384.
    ///
    /// Worst case kept: less than 1 KiB for each, bodies apart.
    pub max_exchanges: usize,
    /// Those of all connections of one client. Default 12,288.
    ///
    /// A client has at most three times what is left then, and a connection three times what is left to its
    /// client.
    pub max_exchanges_per_client: usize,
    /// The bodies of all requests that are not complete, in bytes. Default 64 MiB.
    ///
    /// A client has at most three times what is left then, and a connection as much as is left to its client; a
    /// 65,536th is anybody's.
    pub max_bodies_bytes: usize,
    /// A request that shakes hands, in bytes: what it declares is kept with its session. Default 32 KiB.
    pub max_handshake_bytes: usize,
    /// Sessions (legacy era). Default 10,000.
    ///
    /// A session more ends one without calls of the client that has most: of the connection that opened 16 or
    /// more of them, or else the one that was used least and that nobody listens to, which was so for longest.
    ///
    /// Worst case kept: less than 8 KiB for each that is idle and watches nothing, and what it declares of itself.
    pub max_sessions: usize,
    /// Those of one client. Default 1,024.
    pub max_sessions_per_client: usize,
    /// Streams of one session, open ones and those that can be resumed. Default 256.
    pub max_streams_per_session: usize,
    /// Messages of one session that are kept to be resumed. Default 256.
    pub max_events_per_session: usize,
    /// Those messages in bytes. Default 1 MiB.
    pub max_event_bytes_per_session: usize,
    /// Those messages of all sessions, in bytes. Default 64 MiB.
    pub max_event_bytes: usize,
    /// Messages of one session that wait for a stream to be opened for them. Default 32.
    pub max_waiting_events: usize,
}

impl Default for EndpointLimits {
    fn default() -> Self {
        Self {
            max_head_bytes: 64 << 10,
            max_headers: 200,
            max_target_bytes: 8 << 10,
            max_exchanges: 16_384,
            max_exchanges_per_client: 12_288,
            max_bodies_bytes: 64 << 20,
            max_handshake_bytes: 32 << 10,
            max_sessions: 10_000,
            max_sessions_per_client: 1_024,
            max_streams_per_session: 256,
            max_events_per_session: 256,
            max_event_bytes_per_session: 1 << 20,
            max_event_bytes: 64 << 20,
            max_waiting_events: 32,
        }
    }
}
