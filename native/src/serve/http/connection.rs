//! Accepts connections, and ends them in order.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Notify, watch},
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    super::Service, HttpOptions, access::Gate, exchange::serve, keeper::keep, patient::Patient,
    shared::Shared,
};

/// How long nothing is accepted after that failed, as when there are no more descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// Requests of one HTTP/2 connection at one time.
const MAX_STREAMS: u32 = 256;
/// How often an HTTP/2 connection is asked whether it is alive.
const PING_EVERY: Duration = Duration::from_secs(20);
/// What hyper needs of a connection's buffer besides a head.
const BUFFER_SLACK: usize = 8 << 10;

/// A server's socket, and all that its connections need.
pub(super) struct Listener<S> {
    pub(super) shared: Arc<Shared<S>>,
    pub(super) socket: TcpListener,
    pub(super) gate: Option<Arc<Gate>>,
    pub(super) options: HttpOptions,
}

/// Ends the calls that still run when the server is dropped.
struct Calls<S: Service>(Arc<Shared<S>>);

impl<S: Service> Drop for Calls<S> {
    fn drop(&mut self) {
        self.0.abort_calls();
    }
}

impl<S: Service> Listener<S> {
    /// Serves until it is told to stop and what is under way then has ended, or has had its time.
    pub(super) async fn run(self, stop: Arc<Notify>) {
        let Self { shared, socket, gate, options } = self;
        let _calls = Calls(shared.clone());
        let (stopping, stopped) = watch::channel(false);
        let mut connections = JoinSet::new();
        let places = Arc::new(Places::default());
        let mut keeper = pin!(keep(shared.clone()));
        let builder = Arc::new(builder(&options));
        loop {
            let has_room = connections.len() < options.max_connections;
            tokio::select! {
                biased;
                () = stop.notified() => break,
                () = &mut keeper => {}
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                accepted = socket.accept(), if has_room => match accepted {
                    Ok((stream, peer)) => {
                        let address = shared.client_of(peer.ip(), None);
                        let Some(place) = places.take(address, options.max_connections_per_address) else {
                            tracing::warn!(%peer, "too many connections from one address");
                            continue;
                        };
                        let connection = Connection {
                            shared: shared.clone(),
                            gate: gate.clone(),
                            peer,
                            patience: options.write_timeout,
                            head_timeout: options.head_timeout,
                            _place: place,
                        };
                        connections.spawn(connection.run(stream, builder.clone(), stopped.clone()));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection cannot be accepted");
                        sleep(PAUSE).await;
                    }
                },
            }
        }
        drop(socket);
        shared.drain();
        // Whoever hears nothing of it any more needs not.
        let _ = stopping.send(true);
        let ended = async {
            loop {
                if connections.is_empty() && shared.is_drained() {
                    return;
                }
                tokio::select! {
                    () = &mut keeper => {}
                    Some(_) = connections.join_next(), if !connections.is_empty() => {}
                    () = shared.drained.notified() => {}
                }
            }
        };
        if timeout(options.grace, ended).await.is_err() {
            tracing::warn!("requests are still under way and are given up");
        }
        connections.shutdown().await;
    }
}

fn builder(options: &HttpOptions) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    let max_head = u32::try_from(options.max_head_bytes).unwrap_or(u32::MAX);
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(options.head_timeout)
        .max_buf_size(options.max_head_bytes + BUFFER_SLACK);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(max_head)
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_EVERY);
    builder
}

/// How many connections each address has.
#[derive(Default)]
struct Places(Mutex<HashMap<u64, usize>>);

impl Places {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place for a connection, where its address has one left.
    fn take(self: &Arc<Self>, address: u64, limit: usize) -> Option<Place> {
        let mut places = self.lock();
        let taken = places.get(&address).copied().unwrap_or_default();
        if taken >= limit {
            return None;
        }
        places.insert(address, taken + 1);
        Some(Place { address, all: self.clone() })
    }
}

/// The place of one connection, free again when it is dropped.
struct Place {
    address: u64,
    all: Arc<Places>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.all.lock();
        if let Some(taken) = places.get_mut(&self.address) {
            *taken -= 1;
            if *taken == 0 {
                places.remove(&self.address);
            }
        }
    }
}

/// A connection of one client.
pub(super) struct Connection<S> {
    pub(super) shared: Arc<Shared<S>>,
    pub(super) gate: Option<Arc<Gate>>,
    peer: SocketAddr,
    patience: Duration,
    head_timeout: Duration,
    _place: Place,
}

impl<S: Service> Connection<S> {
    pub(super) const fn address(&self) -> IpAddr {
        self.peer.ip()
    }

    async fn run(
        self,
        stream: TcpStream,
        builder: Arc<auto::Builder<TokioExecutor>>,
        mut stopped: watch::Receiver<bool>,
    ) {
        // Answers are small and are waited for.
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(Patient::new(stream, self.patience));
        let patience = self.head_timeout;
        let peer = self.peer;
        let own = Arc::new((self, AtomicBool::new(false)));
        let service = {
            let own = own.clone();
            service_fn(move |request: Request<Incoming>| {
                own.1.store(true, Ordering::Relaxed);
                let own = own.clone();
                async move { serve(&own.0, request).await }
            })
        };
        let mut connection = pin!(builder.serve_connection(io, service));
        // hyper waits for ever to learn which version of HTTP is spoken.
        let mut first = pin!(sleep(patience));
        let (mut is_known, mut is_stopping) = (false, false);
        loop {
            tokio::select! {
                biased;
                result = connection.as_mut() => {
                    if let Err(error) = result {
                        tracing::debug!(%peer, error, "connection ended");
                    }
                    return;
                }
                _ = stopped.wait_for(|stopped| *stopped), if !is_stopping => {
                    is_stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
                () = &mut first, if !is_known => {
                    if !own.1.load(Ordering::Relaxed) {
                        return;
                    }
                    is_known = true;
                }
            }
        }
    }
}
