//! What the connections have: places, and bytes that wait for their clients; which of them end to make room.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::{sync::Notify, time::Instant};

/// Bytes that wait are only counted against a bound where a response has at least this many.
const SMALL: usize = 4 << 10;
/// What an answer takes besides its bytes is more.
const TINY: usize = 512;
/// A client that has taken nothing for this long may be ended for the sake of others.
const STALLED: Duration = Duration::from_secs(1);
/// How often the same trouble is told.
const TELL_EVERY: Duration = Duration::from_mins(1);

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Places {
    origin: Instant,
    bounds: Bounds,
    table: Mutex<Table>,
    /// What waits for all clients, in bytes.
    waiting: AtomicUsize,
    /// A connection has ended, or has nothing to do.
    pub(super) freed: Notify,
}

/// How much there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) connections: usize,
    pub(super) connections_per_address: usize,
    pub(super) waiting_bytes: usize,
}

#[derive(Debug, Default)]
struct Table {
    serial: u64,
    places: HashMap<u64, Arc<Place>>,
    addresses: HashMap<u64, Arc<Address>>,
    /// Responses that wait for their clients to take more.
    flows: HashMap<u64, (Arc<Place>, Arc<Pace>)>,
    told_at: Option<Instant>,
}

/// What the connections of one address have together.
#[derive(Debug, Default)]
struct Address {
    connections: AtomicUsize,
    waiting: AtomicUsize,
}

/// The place of one connection.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) number: u64,
    address: u64,
    group: Arc<Address>,
    all: Arc<Places>,
    /// Requests under way.
    active: AtomicUsize,
    /// Since when there are none, or the last one is where none was answered yet, in milliseconds.
    since: AtomicU64,
    is_established: AtomicBool,
    /// How many of its last calls took a thread for long. One may have been interrupted.
    slow_calls: AtomicUsize,
    /// Bytes that were not taken yet.
    waiting: AtomicUsize,
    /// When some were taken, in milliseconds.
    taken_at: AtomicU64,
    /// It was told to end for the sake of others: what waits for it will soon be gone.
    is_ending: AtomicBool,
    /// Has the connection end.
    pub(super) closed: Notify,
}

/// Why there is no place for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// There may be no more of its address.
    Address,
    /// There may be no more at all.
    All,
}

/// The right of a connection to its place, free again when it is dropped.
#[derive(Debug)]
pub(super) struct Seat(pub(super) Arc<Place>);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.all.remove(&self.0);
    }
}

/// A request under way, until it is dropped.
#[derive(Debug)]
pub(super) struct Active(Arc<Place>);

impl Drop for Active {
    fn drop(&mut self) {
        self.0.since.store(self.0.all.now(), Relaxed);
        if self.0.active.fetch_sub(1, Relaxed) == 1 {
            self.0.all.freed.notify_one();
        }
    }
}

/// Bytes for a client, counted for as long as they are kept anywhere.
struct Counted {
    bytes: Vec<u8>,
    place: Arc<Place>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let Self { bytes, place } = self;
        place.note_taken();
        place.waiting.fetch_sub(bytes.len(), Relaxed);
        place.group.waiting.fetch_sub(bytes.len(), Relaxed);
        place.all.waiting.fetch_sub(bytes.len(), Relaxed);
    }
}

/// A response that waits for its client to take more, until it is dropped.
#[derive(Debug)]
pub(super) struct Flow {
    number: u64,
    place: Arc<Place>,
    pace: Arc<Pace>,
}

/// How a client takes a response.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When it took something, or something came that it could take, in milliseconds.
    at: AtomicU64,
    /// There is something that it has not taken.
    is_waiting: AtomicBool,
}

impl Pace {
    /// There is something for the client.
    pub(super) fn wait(&self, place: &Place) {
        if !self.is_waiting.swap(true, Relaxed) {
            self.at.store(place.all.now(), Relaxed);
        }
    }

    fn is_late(&self, now: u64, patience: Duration) -> bool {
        self.is_waiting.load(Relaxed) && is_past(now, self.at.load(Relaxed), patience)
    }
}

impl Flow {
    pub(super) const fn pace(&self) -> &Arc<Pace> {
        &self.pace
    }

    /// The client has taken something, and there is more for it or not.
    pub(super) fn note_taken(&self, is_more: bool) {
        self.pace.at.store(self.place.note_taken(), Relaxed);
        self.pace.is_waiting.store(is_more, Relaxed);
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.place.all.lock().flows.remove(&self.number);
    }
}

impl Place {
    pub(super) fn is_established(&self) -> bool {
        self.is_established.load(Relaxed)
    }

    /// A request of the connection was answered.
    pub(super) fn establish(&self) {
        self.is_established.store(true, Relaxed);
    }

    /// Returns whether the calls of the connection are known to take little time to begin.
    pub(super) fn is_quick(&self) -> bool {
        self.is_established() && self.slow_calls.load(Relaxed) < 2
    }

    /// A call of the connection has begun, which took a thread for long or not.
    pub(super) fn note_turn(&self, is_long: bool) {
        if is_long {
            self.slow_calls.fetch_add(1, Relaxed);
        } else {
            self.slow_calls.store(0, Relaxed);
        }
    }

    /// A request of the connection is under way.
    pub(super) fn begin(self: &Arc<Self>) -> Active {
        self.active.fetch_add(1, Relaxed);
        if !self.is_established() {
            self.since.store(self.all.now(), Relaxed);
        }
        Active(self.clone())
    }

    fn is_idle(&self) -> bool {
        self.active.load(Relaxed) == 0
    }

    fn note_taken(&self) -> u64 {
        let now = self.all.now();
        self.taken_at.store(now, Relaxed);
        now
    }

    /// Returns whether the client has taken nothing for so long of what waits for it.
    fn has_stalled(&self, now: u64, span: Duration) -> bool {
        self.waiting.load(Relaxed) > 0 && is_past(now, self.taken_at.load(Relaxed), span)
    }

    /// Returns whether a response of so many bytes may wait for the client: as much as is left for others then,
    /// and for all of its address three times that. Others that read nothing end first.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        if bytes < SMALL {
            return true;
        }
        let places = &self.all;
        let own = self.waiting.load(Relaxed) + bytes;
        let left =
            places.bounds.waiting_bytes.saturating_sub(places.waiting.load(Relaxed)).saturating_sub(bytes);
        let of_group = self.group.waiting.load(Relaxed) + bytes;
        own <= left && of_group <= left.saturating_mul(3) || places.end_stalled(self, own)
    }

    /// Counts what waits for the client from here on. What is shorter than the head that goes with it is not worth
    /// it.
    pub(super) fn count(self: &Arc<Self>, bytes: Vec<u8>, is_whole: bool) -> Bytes {
        if is_whole && bytes.len() < TINY {
            return bytes.into();
        }
        if self.waiting.fetch_add(bytes.len(), Relaxed) == 0 {
            self.note_taken();
        }
        self.group.waiting.fetch_add(bytes.len(), Relaxed);
        self.all.waiting.fetch_add(bytes.len(), Relaxed);
        Bytes::from_owner(Counted { bytes, place: self.clone() })
    }

    /// Watches a response whose client must take more in time.
    pub(super) fn watch(self: &Arc<Self>) -> Flow {
        let pace = Arc::new(Pace::default());
        pace.wait(self);
        let mut table = self.all.lock();
        table.serial += 1;
        let number = table.serial;
        table.flows.insert(number, (self.clone(), pace.clone()));
        drop(table);
        Flow { number, place: self.clone(), pace }
    }
}

fn is_past(now: u64, at: u64, span: Duration) -> bool {
    u128::from(now.saturating_sub(at)) >= span.as_millis()
}

impl Places {
    pub(super) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self {
            origin: Instant::now(),
            bounds,
            table: Mutex::default(),
            waiting: AtomicUsize::new(0),
            freed: Notify::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Takes a place for a connection. Where there is none, an idle connection ends: of the same address if that
    /// has all it may have, or else of the one that has most.
    pub(super) fn take(self: &Arc<Self>, address: u64) -> Result<Seat, Full> {
        let now = self.now();
        let mut table = self.lock();
        let (is_full, of_address) = (table.places.len() >= self.bounds.connections, table.of(address));
        let is_greedy = of_address >= self.bounds.connections_per_address;
        let has_room =
            if is_greedy { table.make_room(address, now).is_some() } else { !is_full || table.end_idle(now) };
        if !has_room {
            return Err(if is_full { Full::All } else { Full::Address });
        }
        let group = table.addresses.entry(address).or_default().clone();
        table.serial += 1;
        let place = Arc::new(Place {
            number: table.serial,
            address,
            group: group.clone(),
            all: self.clone(),
            active: AtomicUsize::new(0),
            since: AtomicU64::new(now),
            is_established: AtomicBool::new(false),
            slow_calls: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            taken_at: AtomicU64::new(now),
            is_ending: AtomicBool::new(false),
            closed: Notify::new(),
        });
        group.connections.fetch_add(1, Relaxed);
        table.places.insert(place.number, place.clone());
        drop(table);
        if is_greedy {
            self.tell(
                "one address has all the connections that it may have: those that are idle end for new ones",
            );
        } else if is_full {
            self.tell("there are no more connections: those that are idle end for new ones");
        }
        Ok(Seat(place))
    }

    /// Ends an idle connection of the address that has most, because the system gives no more.
    pub(super) fn end_idle(&self) -> bool {
        self.lock().end_idle(self.now())
    }

    fn remove(&self, place: &Place) {
        let mut table = self.lock();
        table.remove(place);
        drop(table);
        self.freed.notify_one();
    }

    /// Ends the connection for which most bytes wait and whose client takes none of them, for the sake of one
    /// that has less; returns whether there was one.
    fn end_stalled(&self, own: &Place, bytes: usize) -> bool {
        let now = self.now();
        // What has been told to end still takes its room for a moment.
        if self.waiting.load(Relaxed).saturating_add(bytes) > self.bounds.waiting_bytes.saturating_mul(3) / 2
        {
            return false;
        }
        let table = self.lock();
        let others = table.places.values().filter(|place| place.number != own.number);
        let stalled =
            others.filter(|place| place.has_stalled(now, STALLED) && !place.is_ending.load(Relaxed));
        let most = stalled.max_by_key(|place| place.waiting.load(Relaxed));
        let most = most.filter(|place| place.waiting.load(Relaxed) >= bytes).cloned();
        if let Some(place) = &most {
            place.is_ending.store(true, Relaxed);
        }
        drop(table);
        let Some(place) = most else { return false };
        self.tell("responses that are not read take all the room there is for them: the slowest one ends");
        place.closed.notify_one();
        true
    }

    /// Ends the connections that have had no request under way for so long, and those whose clients have taken
    /// nothing for so long of what waits for them.
    pub(super) fn end_late(&self, idle: Duration, patience: Duration) {
        let now = self.now();
        let table = self.lock();
        let late = table.flows.values().filter(|(_, pace)| pace.is_late(now, patience));
        let late = late.map(|(place, _)| place);
        let others = table.places.values().filter(|place| {
            let is_idle = place.is_idle() && is_past(now, place.since.load(Relaxed), idle);
            is_idle || place.has_stalled(now, patience)
        });
        for place in late.chain(others) {
            place.closed.notify_one();
        }
    }

    /// Tells of trouble, once in a while.
    pub(super) fn tell(&self, what: &str) {
        let mut table = self.lock();
        if table.told_at.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            table.told_at = Some(Instant::now());
            let connections = table.places.len();
            drop(table);
            tracing::error!(connections, limit = self.bounds.connections, "{what}");
        }
    }
}

impl Table {
    fn remove(&mut self, place: &Place) {
        if self.places.remove(&place.number).is_some() && place.group.connections.fetch_sub(1, Relaxed) == 1 {
            self.addresses.remove(&place.address);
        }
    }

    /// Ends an idle connection of the address that has most, or else of any.
    fn end_idle(&mut self, now: u64) -> bool {
        let most = self.addresses.iter().max_by_key(|(_, group)| group.connections.load(Relaxed));
        let most = most.map(|(address, _)| *address);
        most.is_some_and(|address| self.make_room(address, now).is_some())
            || self.end_first(now, |_| true).is_some()
    }

    fn make_room(&mut self, address: u64, now: u64) -> Option<()> {
        self.end_first(now, |place| place.address == address)
    }

    /// Ends the connection that has been idle for longest: one that has never been answered before one that has,
    /// and one that has waited long for its first answer where none is idle.
    fn end_first(&mut self, now: u64, is_meant: impl Fn(&Place) -> bool) -> Option<()> {
        let place = self.first(now, is_meant)?;
        self.remove(&place);
        place.closed.notify_one();
        Some(())
    }

    /// Returns how many connections an address has.
    fn of(&self, address: u64) -> usize {
        self.addresses.get(&address).map_or(0, |group| group.connections.load(Relaxed))
    }

    fn first(&self, now: u64, is_meant: impl Fn(&Place) -> bool) -> Option<Arc<Place>> {
        let age = |place: &Place| now.saturating_sub(place.since.load(Relaxed));
        let rank = |place: &Arc<Place>| match (place.is_idle(), place.is_established()) {
            (true, is_established) => Some((u8::from(!is_established) + 1, age(place))),
            (false, false) if is_past(now, place.since.load(Relaxed), 5 * STALLED) => Some((0, age(place))),
            (false, _) => None,
        };
        let meant = self.places.values().filter(|place| is_meant(place));
        let (_, place) =
            meant.filter_map(|place| Some((rank(place)?, place))).max_by_key(|(rank, _)| *rank)?;
        Some(place.clone())
    }
}
