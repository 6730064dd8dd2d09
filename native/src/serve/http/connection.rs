//! Accepts connections, and ends them in order.

use std::{
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::Arc,
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
    time::{Instant, interval, sleep, timeout},
};

use super::{
    super::Service,
    HttpOptions,
    access::Gate,
    exchange::serve,
    keeper::keep,
    outlet::Guarded,
    patient::Patient,
    places::{Full, Place, Places, Seat},
    shared::Shared,
};

/// How long nothing is accepted after that failed, as when there are no more descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// How often it is looked for clients that ask nothing, which hyper lets wait for ever before their first request and
/// over HTTP/2, or that read nothing.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
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
        let places = Places::new(options.bounds());
        let shortest = options.head_timeout.min(options.write_timeout) / 4;
        let mut sweep = interval(shortest.clamp(Duration::from_millis(10), SWEEP_EVERY));
        let mut pause = pin!(sleep(Duration::ZERO));
        let mut is_paused = false;
        let mut held = None;
        let mut keeper = pin!(keep(shared.clone()));
        let door = Door {
            shared: shared.clone(),
            gate,
            places: places.clone(),
            builder: Arc::new(builder(&options)),
            stopped,
            write_timeout: options.write_timeout,
        };
        loop {
            if let Some((stream, peer)) = held.take() {
                held = door.admit(stream, peer, &mut connections);
            }
            tokio::select! {
                biased;
                () = stop.notified() => break,
                () = &mut keeper => {}
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                _ = sweep.tick() => places.end_late(options.head_timeout, options.write_timeout),
                () = &mut pause, if is_paused => is_paused = false,
                () = places.freed.notified(), if held.is_some() => {}
                accepted = socket.accept(), if held.is_none() && !is_paused => match accepted {
                    Ok(accepted) => held = Some(accepted),
                    Err(error) => {
                        places.tell(&format!("a connection cannot be accepted: {error}"));
                        // There may be a descriptor once an idle connection has ended.
                        places.end_idle();
                        pause.as_mut().reset(Instant::now() + PAUSE);
                        is_paused = true;
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
                    _ = sweep.tick() => places.end_late(options.head_timeout, options.write_timeout),
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

/// What connections come in by.
struct Door<S> {
    shared: Arc<Shared<S>>,
    gate: Option<Arc<Gate>>,
    places: Arc<Places>,
    builder: Arc<auto::Builder<TokioExecutor>>,
    stopped: watch::Receiver<bool>,
    write_timeout: Duration,
}

impl<S: Service> Door<S> {
    /// Has a connection served, or refuses it; returns it where there is no place for it yet.
    fn admit(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        connections: &mut JoinSet<()>,
    ) -> Option<(TcpStream, SocketAddr)> {
        let seat = match self.places.take(self.shared.client_of(peer.ip(), None)) {
            Ok(seat) => seat,
            Err(Full::Address) => {
                self.places.tell("a connection is refused: all of its address have requests under way");
                return None;
            }
            Err(Full::All) => {
                self.places.tell("no more connections are accepted: all have requests under way");
                return Some((stream, peer));
            }
        };
        let connection = Connection {
            shared: self.shared.clone(),
            gate: self.gate.clone(),
            peer,
            write_timeout: self.write_timeout,
            seat,
        };
        connections.spawn(connection.run(stream, self.builder.clone(), self.stopped.clone()));
        None
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

/// A connection of one client.
pub(super) struct Connection<S> {
    pub(super) shared: Arc<Shared<S>>,
    pub(super) gate: Option<Arc<Gate>>,
    peer: SocketAddr,
    write_timeout: Duration,
    seat: Seat,
}

impl<S: Service> Connection<S> {
    pub(super) const fn address(&self) -> IpAddr {
        self.peer.ip()
    }

    pub(super) const fn place(&self) -> &Arc<Place> {
        &self.seat.0
    }

    async fn run(
        self,
        stream: TcpStream,
        builder: Arc<auto::Builder<TokioExecutor>>,
        mut stopped: watch::Receiver<bool>,
    ) {
        // Answers are small and are waited for.
        let _ = stream.set_nodelay(true);
        let io = TokioIo::new(Patient::new(stream, self.write_timeout));
        let (peer, place) = (self.peer, self.place().clone());
        let own = Arc::new(self);
        let service = service_fn(move |request: Request<Incoming>| {
            let own = own.clone();
            async move {
                let active = own.place().begin();
                let response = serve(&own, request).await;
                response.map(|response| response.map(|content| Guarded::new(content, active)))
            }
        });
        let mut connection = pin!(builder.serve_connection(io, service));
        let mut is_stopping = false;
        loop {
            tokio::select! {
                biased;
                result = connection.as_mut() => {
                    if let Err(error) = result {
                        tracing::debug!(%peer, error, "connection ended");
                    }
                    return;
                }
                () = place.closed.notified() => {
                    tracing::debug!(%peer, "connection ended: it was idle, nothing was read, or others needed its room");
                    return;
                }
                _ = stopped.wait_for(|stopped| *stopped), if !is_stopping => {
                    is_stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}
