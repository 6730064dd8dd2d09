//! The endpoint behind its lock, and the calls that run for it.

use std::{
    any::Any,
    collections::{BTreeMap, HashMap},
    future::{Future, poll_fn},
    hash::{BuildHasher as _, RandomState},
    net::IpAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::Poll,
    time::Duration,
};

use selvedge_core::{
    Misuse, Tick,
    http::{Endpoint, EndpointConfig, Exchange, HttpEffect, RequestHead},
    jsonrpc::{RpcError, code},
    server::{Answer, Context, Request, ServedCall, ServerEvent},
};
use tokio::{
    runtime,
    sync::{Notify, Semaphore},
    task::{AbortHandle, yield_now},
    time::{Instant, timeout},
};
use tracing::Instrument as _;

use super::{
    super::{Command, Handle, Link, Service, link::Port},
    outlet::{Leave, Outlet, Ticket, Write},
    places::Place,
};

/// How long a call waits at most until it begins.
const MAX_TURN: Duration = Duration::from_secs(5);

/// What takes a thread for so long is not quick.
const LONG: Duration = Duration::from_millis(5);

/// A call of the service.
pub(super) type Work = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// A call that is to be made.
pub(super) struct Start {
    call: ServedCall,
    request: Request,
    context: Context,
}

/// What all connections and calls of one server share.
pub(super) struct Shared<S> {
    own: Weak<Self>,
    pub(super) service: S,
    origin: Instant,
    runtime: runtime::Handle,
    port: Port,
    hasher: RandomState,
    state: Mutex<State>,
    /// As many calls of clients that are not known to be quick may begin at one time as there are threads. A
    /// flood of those whose answers are made on the spot would otherwise stand before everybody else.
    turns: Semaphore,
    /// The same for calls that have waited already, or that come with others.
    later_turns: Semaphore,
    /// Wakes the keeper: something is due earlier, or there is something to tell.
    pub(super) due: Notify,
    /// The endpoint drains and has nothing in hand any more.
    pub(super) drained: Notify,
}

/// What the lock protects. It is held for one turn of the endpoint, and never while anything is waited for.
struct State {
    endpoint: Endpoint,
    outlets: HashMap<Exchange, Arc<Outlet>>,
    /// The calls under way, with their tasks where they have some.
    calls: HashMap<ServedCall, Option<AbortHandle>>,
    /// What is watched or not watched any more, and the service has not been told. An end takes its beginning
    /// back, so there is never more of it than is watched.
    watches: BTreeMap<String, bool>,
    wakes_at: Option<Tick>,
}

impl<S: Service> Shared<S> {
    pub(super) fn new(service: S, config: EndpointConfig) -> Arc<Self> {
        let state = State {
            endpoint: Endpoint::new(config),
            outlets: HashMap::new(),
            calls: HashMap::new(),
            watches: BTreeMap::new(),
            wakes_at: None,
        };
        let runtime = runtime::Handle::current();
        let shared = Arc::new_cyclic(|own: &Weak<Self>| {
            let shared = own.clone();
            // A server that is over has nobody to tell anything.
            let apply = move |command| {
                if let Some(shared) = shared.upgrade() {
                    shared.apply(command);
                }
            };
            Self {
                own: own.clone(),
                service,
                origin: Instant::now(),
                turns: Semaphore::new(runtime.metrics().num_workers()),
                later_turns: Semaphore::new(runtime.metrics().num_workers()),
                runtime,
                port: Port::Direct(Arc::new(apply)),
                hasher: RandomState::new(),
                state: Mutex::new(state),
                due: Notify::new(),
                drained: Notify::new(),
            }
        });
        shared.service.started(Handle::new(shared.port.clone()));
        shared
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn instant(&self, tick: Tick) -> Instant {
        self.origin + Duration::from_millis(tick.as_millis())
    }

    fn now(&self) -> Tick {
        Tick::from_millis(u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// Returns the number under which an address, or a user, has its bounds.
    pub(super) fn client_of(&self, address: IpAddr, principal: Option<&str>) -> u64 {
        match (principal, address) {
            (Some(principal), _) => self.hasher.hash_one(principal),
            (None, IpAddr::V4(address)) => self.hasher.hash_one(address.octets()),
            // Whoever has one address of such a network has all of them.
            (None, IpAddr::V6(address)) => self.hasher.hash_one(address.segments().first_chunk::<4>()),
        }
    }

    /// Takes one turn: something happens to the endpoint, and what follows is carried out, but for the calls
    /// that are to be made.
    fn turn<R>(&self, act: impl FnOnce(&mut State, Tick) -> R) -> (R, Vec<Start>) {
        let mut state = self.lock();
        let now = self.now();
        let result = act(&mut state, now);
        let Done { starts, outlets } = state.carry_out(now);
        let wakes_at = state.endpoint.poll_timeout();
        let is_earlier = wakes_at.is_some_and(|at| state.wakes_at.is_none_or(|armed| at < armed));
        let is_due = is_earlier || !state.watches.is_empty();
        if is_earlier {
            state.wakes_at = wakes_at;
        }
        let is_drained = state.endpoint.is_drained();
        drop(state);
        for outlet in outlets {
            outlet.publish();
        }
        if is_due {
            self.due.notify_one();
        }
        if is_drained {
            self.drained.notify_one();
        }
        (result, starts)
    }

    /// Takes a turn from which calls follow only by the way, as when one that waited gets its permit.
    fn turn_aside<R>(self: &Arc<Self>, act: impl FnOnce(&mut State, Tick) -> R) -> R {
        let (result, starts) = self.turn(act);
        self.spawn_all(starts);
        result
    }

    /// Takes a request up, with all of its body or as much as has come.
    pub(super) fn begin(
        self: &Arc<Self>,
        place: &Arc<Place>,
        head: &RequestHead<'_>,
        body: Option<&[u8]>,
        is_complete: bool,
    ) -> (Ticket, Vec<Start>) {
        let outlet = Arc::new(Outlet::new(place.clone()));
        let (exchange, starts) = self.turn(|state, now| {
            let exchange = state.endpoint.handle_request(now, head);
            state.outlets.insert(exchange, outlet.clone());
            if let Some(bytes) = body {
                state.endpoint.handle_body(now, exchange, bytes);
            }
            if is_complete {
                state.endpoint.handle_body_end(now, exchange);
            }
            exchange
        });
        (Ticket { exchange, outlet, shared: self.clone() }, starts)
    }

    /// Takes a further part of a body.
    pub(super) fn body(self: &Arc<Self>, exchange: Exchange, bytes: &[u8]) {
        self.turn_aside(|state, now| state.endpoint.handle_body(now, exchange, bytes));
    }

    /// Takes the end of a body.
    pub(super) fn body_end(&self, exchange: Exchange) -> Vec<Start> {
        self.turn(|state, now| state.endpoint.handle_body_end(now, exchange)).1
    }

    pub(super) fn drain(self: &Arc<Self>) {
        self.turn_aside(|state, now| state.endpoint.drain(now));
    }

    pub(super) fn is_drained(&self) -> bool {
        self.lock().endpoint.is_drained()
    }

    /// Does what is due, and returns what the service is to be told and when there is more to do.
    pub(super) fn tend(self: &Arc<Self>) -> (BTreeMap<String, bool>, Option<Tick>) {
        self.turn_aside(|state, now| state.endpoint.handle_timeout(now));
        let mut state = self.lock();
        state.wakes_at = state.endpoint.poll_timeout();
        (std::mem::take(&mut state.watches), state.wakes_at)
    }

    /// Ends the calls that have tasks.
    pub(super) fn abort_calls(&self) {
        let calls = std::mem::take(&mut self.lock().calls);
        calls.into_values().flatten().for_each(|task| task.abort());
    }

    fn apply(self: &Arc<Self>, command: Command) {
        self.turn_aside(|state, now| match command {
            // A client that cannot come back keeps its connection.
            Command::CloseStream { call } => drop(state.endpoint.close_stream(now, call)),
            command => command.apply(state.endpoint.hub(), now),
        });
    }

    /// Makes the calls of a request: the first one on the spot where that is its client's right, so that an answer
    /// that is there at once needs no other task.
    pub(super) async fn make(self: &Arc<Self>, place: &Place, starts: Vec<Start>) {
        let mut starts = starts.into_iter();
        let Some(first) = starts.next() else { return };
        self.spawn_all(starts);
        let (call, mut work) = self.work(first);
        let turn = if place.is_quick() { None } else { Some(self.turns.try_acquire()) };
        if matches!(turn, Some(Err(_))) {
            return self.spawn(call, work, Some(|shared| &shared.turns));
        }
        let began = Instant::now();
        let polled = poll_fn(|context| Poll::Ready(poll_caught(&mut work, context))).await;
        match polled {
            Poll::Ready(answer) => self.answer(call, answer),
            Poll::Pending => self.spawn(call, work, None),
        }
        let is_long = began.elapsed() >= LONG;
        place.note_turn(is_long);
        if is_long {
            yield_now().await;
        }
    }

    fn spawn_all(self: &Arc<Self>, starts: impl IntoIterator<Item = Start>) {
        for start in starts {
            let (call, work) = self.work(start);
            self.spawn(call, work, Some(|shared| &shared.later_turns));
        }
    }

    fn work(self: &Arc<Self>, Start { call, request, context }: Start) -> (ServedCall, Work) {
        let span = tracing::debug_span!("request", id = context.id, method = request.method());
        let (shared, link) = (self.clone(), Link::new(call, self.port.clone()));
        let work = async move { shared.service.serve(request, context, link).await };
        (call, Box::pin(work.instrument(span)))
    }

    /// Gives a call a task of its own; a new one waits for its turn where that is wanted.
    fn spawn(self: &Arc<Self>, call: ServedCall, mut work: Work, turns: Option<fn(&Self) -> &Semaphore>) {
        let shared = self.clone();
        let task = self.runtime.spawn(async move {
            if let Some(turns) = turns {
                // Calls that block for so long have no claim to the turns of others.
                let turn = timeout(MAX_TURN, turns(&shared).acquire()).await;
                let polled = poll_fn(|context| Poll::Ready(poll_caught(&mut work, context))).await;
                let is_over = polled.is_ready();
                if let Poll::Ready(answer) = polled {
                    shared.answer(call, answer);
                }
                // The runtime looks for what others have sent only when nothing is left to do, or seldom.
                yield_now().await;
                drop(turn);
                if is_over {
                    return;
                }
            }
            let answer = poll_fn(|context| poll_caught(&mut work, context)).await;
            shared.answer(call, answer);
        });
        match self.lock().calls.get_mut(&call) {
            Some(slot) => *slot = Some(task.abort_handle()),
            // It was cancelled before it began, or has ended already.
            None => task.abort(),
        }
    }

    fn answer(self: &Arc<Self>, call: ServedCall, answer: Answer) {
        self.turn_aside(|state, now| {
            state.calls.remove(&call);
            let hub = state.endpoint.hub();
            match hub.answer(now, call, answer) {
                Ok(()) | Err(Misuse::UnknownAsk) => {}
                Err(misuse) => {
                    tracing::error!(%misuse, "the service's answer cannot be passed on");
                    let error = RpcError::new(code::INTERNAL_ERROR, misuse.to_string());
                    // A call that nobody waits for needs no answer at all.
                    let _ = hub.answer(now, call, Answer::Failed(error));
                }
            }
        });
    }
}

impl<S: Service> Leave for Shared<S> {
    fn leave(&self, exchange: Exchange) {
        let Some(shared) = self.own.upgrade() else { return };
        shared.turn_aside(|state, now| {
            if state.outlets.remove(&exchange).is_some() {
                state.endpoint.handle_disconnect(now, exchange);
            }
        });
    }
}

impl State {
    /// Carries out what the endpoint asks for, as far as it can be done under the lock.
    fn carry_out(&mut self, now: Tick) -> Done {
        let mut done = Done::default();
        while let Some(effect) = self.endpoint.poll_effect() {
            match effect {
                HttpEffect::Respond { exchange, head } => {
                    let Some(outlet) = self.outlets.get(&exchange) else { continue };
                    outlet.respond(head);
                    done.outlets.push(outlet.clone());
                }
                HttpEffect::Write { exchange, bytes } => self.write(now, exchange, bytes, &mut done),
                HttpEffect::Finish { exchange } => {
                    let Some(outlet) = self.outlets.remove(&exchange) else { continue };
                    outlet.complete();
                    done.touch(outlet);
                }
                HttpEffect::Event(event) => done.starts.extend(self.event(event)),
            }
        }
        done
    }

    fn write(&mut self, now: Tick, exchange: Exchange, bytes: Vec<u8>, done: &mut Done) {
        let Some(outlet) = self.outlets.get(&exchange) else { return };
        match outlet.write(bytes) {
            Write::Taken => return done.touch(outlet.clone()),
            Write::Refused => {
                tracing::warn!("an answer does not fit beside those that clients do not read");
                return done.touch(outlet.clone());
            }
            Write::Broken => tracing::warn!("a client that does not read is disconnected"),
        }
        outlet.give_up();
        done.touch(outlet.clone());
        self.outlets.remove(&exchange);
        self.endpoint.handle_disconnect(now, exchange);
    }

    fn event(&mut self, event: ServerEvent) -> Option<Start> {
        match event {
            ServerEvent::Requested { call, request, context } => {
                self.calls.insert(call, None);
                return Some(Start { call, request, context });
            }
            ServerEvent::Cancelled { call } => {
                if let Some(task) = self.calls.remove(&call).flatten() {
                    task.abort();
                }
            }
            ServerEvent::Watched { uri } => self.watch(uri, true),
            ServerEvent::Unwatched { uri } => self.watch(uri, false),
            ServerEvent::PeerViolated { violation, .. } => {
                tracing::warn!(%violation, "protocol violation");
            }
            _ => {}
        }
        None
    }

    fn watch(&mut self, uri: String, is_watched: bool) {
        if self.watches.remove(&uri).is_none() {
            self.watches.insert(uri, is_watched);
        }
    }
}

/// What a turn leaves to be done without the lock.
#[derive(Default)]
struct Done {
    /// The calls that are to be made.
    starts: Vec<Start>,
    /// The responses that have grown.
    outlets: Vec<Arc<Outlet>>,
}

impl Done {
    fn touch(&mut self, outlet: Arc<Outlet>) {
        if self.outlets.last().is_none_or(|last| !Arc::ptr_eq(last, &outlet)) {
            self.outlets.push(outlet);
        }
    }
}

/// Polls a call; one that panics has crashed.
fn poll_caught(work: &mut Work, context: &mut std::task::Context<'_>) -> Poll<Answer> {
    // What a panic leaves behind is dropped unseen.
    match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(polled) => polled,
        Err(panic) => {
            tracing::error!(message = said(&*panic), "the service panicked");
            Poll::Ready(Answer::Crashed)
        }
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or_default()
}
