//! Both directions of requests: ids, deadlines, cancelling and progress. The one place where a call is
//! settled, exactly once.

use core::time::Duration;

use crate::{
    Tick,
    jsonrpc::Id,
    map::{BTreeMap, BTreeSet},
};

/// How long a request of ours may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The time without an answer, or since the last progress, after which the request is given up.
    pub idle: Duration,
    /// The time after which it is given up whatever progress is made.
    pub total: Duration,
}

impl Patience {
    /// Waits for ever.
    pub const UNBOUNDED: Self = Self { idle: Duration::MAX, total: Duration::MAX };

    /// Waits this long, with or without progress.
    #[must_use]
    pub const fn exactly(time: Duration) -> Self {
        Self { idle: time, total: time }
    }
}

/// A request of ours that waits for its answer.
#[derive(Debug)]
pub(crate) struct Waiting<T> {
    pub(crate) tag: T,
    due: Tick,
    last: Tick,
    patience: Patience,
}

impl<T> Waiting<T> {
    /// Returns the time that ran out, if the request is given up now.
    pub(crate) fn spent(&self) -> Duration {
        if self.due == self.last { self.patience.total } else { self.patience.idle }
    }

    /// Returns how long the call may take that this request was made for.
    pub(crate) const fn lease(&self) -> Lease {
        Lease { patience: self.patience, last: self.last }
    }

    /// Returns what is left of the total time for a request that continues this one.
    pub(crate) fn rest(&self, now: Tick) -> Patience {
        let total = self.last.since(now);
        Patience { idle: self.patience.idle.min(total), total }
    }
}

/// How long a call may take that makes several requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lease {
    patience: Patience,
    last: Tick,
}

/// The requests of both directions that are under way.
#[derive(Debug)]
pub(crate) struct Requests<T, A, K = Id> {
    last_id: u64,
    waiting: BTreeMap<u64, Waiting<T>>,
    deadlines: BTreeSet<(Tick, u64)>,
    asked: BTreeMap<K, A>,
}

impl<T, A, K: Ord> Requests<T, A, K> {
    pub(crate) const fn new() -> Self {
        Self { last_id: 0, waiting: BTreeMap::new(), deadlines: BTreeSet::new(), asked: BTreeMap::new() }
    }

    /// Mints the next id: one never used before in this session, whatever happened to the earlier ones.
    pub(crate) const fn mint(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    pub(crate) fn wait(&mut self, now: Tick, id: u64, patience: Patience, tag: T) {
        self.resume(now, id, Lease { patience, last: now.after(patience.total) }, tag);
    }

    /// Waits for the answer to a further request of a call: its idle time starts anew, its total time does not.
    pub(crate) fn resume(&mut self, now: Tick, id: u64, lease: Lease, tag: T) {
        let due = now.after(lease.patience.idle).min(lease.last);
        self.insert(id, due, lease, tag);
    }

    /// Holds a call whose next request is not made yet: only its total time runs.
    pub(crate) fn hold(&mut self, id: u64, lease: Lease, tag: T) {
        self.insert(id, lease.last, lease, tag);
    }

    fn insert(&mut self, id: u64, due: Tick, lease: Lease, tag: T) {
        if due < Tick::from_millis(u64::MAX) {
            self.deadlines.insert((due, id));
        }
        let Lease { patience, last } = lease;
        self.waiting.insert(id, Waiting { tag, due, last, patience });
    }

    /// Ends the wait for an answer: whoever takes the request settles it.
    pub(crate) fn take(&mut self, id: u64) -> Option<Waiting<T>> {
        let waiting = self.waiting.remove(&id)?;
        self.deadlines.remove(&(waiting.due, id));
        Some(waiting)
    }

    pub(crate) fn get(&self, id: u64) -> Option<&T> {
        self.waiting.get(&id).map(|waiting| &waiting.tag)
    }

    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        self.waiting.get_mut(&id).map(|waiting| &mut waiting.tag)
    }

    /// Returns the newest id that was minted.
    pub(crate) const fn last_id(&self) -> u64 {
        self.last_id
    }

    pub(crate) fn count(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn find(&self, mut wanted: impl FnMut(&T) -> bool) -> Option<u64> {
        self.waiting.iter().find(|(_, waiting)| wanted(&waiting.tag)).map(|(id, _)| *id)
    }

    /// Notes that the peer works on a request: its idle time starts anew, its total time does not.
    pub(crate) fn progressed(&mut self, now: Tick, id: u64) -> Option<&T> {
        let waiting = self.waiting.get_mut(&id)?;
        self.deadlines.remove(&(waiting.due, id));
        waiting.due = now.after(waiting.patience.idle).min(waiting.last);
        self.deadlines.insert((waiting.due, id));
        Some(&waiting.tag)
    }

    /// Ends the wait for the oldest request whose time is up.
    pub(crate) fn expire(&mut self, now: Tick) -> Option<(u64, Waiting<T>)> {
        let (due, id) = *self.deadlines.first()?;
        if due > now {
            return None;
        }
        self.take(id).map(|waiting| (id, waiting))
    }

    pub(crate) fn poll_timeout(&self) -> Option<Tick> {
        self.deadlines.first().map(|(due, _)| *due)
    }

    /// Ends the wait for any request, oldest first.
    pub(crate) fn take_first(&mut self) -> Option<(u64, Waiting<T>)> {
        let id = *self.waiting.first_key_value()?.0;
        self.take(id).map(|waiting| (id, waiting))
    }

    /// Notes a request of the peer; its id must not be under way already.
    pub(crate) fn ask(&mut self, id: K, ask: A) {
        self.asked.insert(id, ask);
    }

    pub(crate) fn asked(&self, id: &K) -> bool {
        self.asked.contains_key(id)
    }

    pub(crate) fn get_asked(&self, id: &K) -> Option<&A> {
        self.asked.get(id)
    }

    pub(crate) fn asks(&self) -> usize {
        self.asked.len()
    }

    /// Returns what was noted for the peer's requests in a range of ids.
    pub(crate) fn asked_in(&self, range: impl core::ops::RangeBounds<K>) -> impl Iterator<Item = &A> {
        self.asked.range(range).map(|(_, ask)| ask)
    }

    pub(crate) fn answer(&mut self, id: &K) -> Option<A> {
        self.asked.remove(id)
    }

    pub(crate) fn withdraw_first(&mut self) -> Option<(K, A)> {
        self.asked.pop_first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Tick {
        Tick::from_millis(millis)
    }

    #[test]
    fn progress_extends_a_request_only_up_to_its_hard_maximum() {
        let mut requests = Requests::<(), ()>::new();
        let id = requests.mint();
        let patience = Patience { idle: Duration::from_secs(30), total: Duration::from_mins(1) };
        requests.wait(at(0), id, patience, ());
        for second in (10..60).step_by(10) {
            assert!(requests.progressed(at(second * 1_000), id).is_some());
            assert!(requests.expire(at(second * 1_000)).is_none());
        }
        assert_eq!(requests.poll_timeout(), Some(at(60_000)));
        assert!(requests.expire(at(59_999)).is_none());
        let (expired, waiting) = requests.expire(at(60_000)).unwrap();
        assert_eq!((expired, waiting.spent()), (id, Duration::from_mins(1)));
        assert!(requests.take(id).is_none());
        assert_eq!(requests.poll_timeout(), None);
    }

    #[test]
    fn ids_are_never_used_twice() {
        let mut requests = Requests::<(), ()>::new();
        let first = requests.mint();
        requests.wait(at(0), first, Patience::exactly(Duration::ZERO), ());
        assert!(requests.expire(at(0)).is_some());
        assert_ne!(requests.mint(), first);
    }
}
