//! Who may run: so many calls at once for each client, for those that share an address or a user, and for all;
//! the others in turn.

use alloc::collections::VecDeque;

use crate::{
    Limits,
    map::BTreeMap,
    share::{is_room, is_within_share},
};

/// The part of the permits that only clients get which have been answered before, one each.
const RESERVE: usize = 16;

/// What tells the clients of one address apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    /// A pipe, which has all there is.
    Pipe,
    Connection(u64),
    /// A session, over whatever connections it comes.
    Session(u64),
}

/// Whose a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Party {
    /// One number for all clients of one address, or of one user.
    pub(crate) group: u64,
    pub(crate) unit: Unit,
    /// An earlier request of the client was answered.
    pub(crate) is_established: bool,
}

/// The calls that run, and those that wait for a permit.
#[derive(Debug, Default)]
pub(super) struct Permits {
    groups: BTreeMap<u64, Group>,
    /// The groups with waiting calls, next one first.
    turns: VecDeque<u64>,
    all: Count,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    running: usize,
    waiting: usize,
    /// What is kept for calls, in bytes.
    bytes: usize,
}

/// Those that share an address or a user.
#[derive(Debug, Default)]
struct Group {
    units: BTreeMap<Unit, Line>,
    /// The clients with waiting calls, next one first.
    turns: VecDeque<Unit>,
    count: Count,
}

/// The calls of one client.
#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<u64>,
    count: Count,
    is_established: bool,
}

/// What becomes of a call that wants to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Run,
    Wait,
    /// So many calls wait already that no more of this client may: at most this many ever do.
    Refuse(usize),
    /// The calls under way keep so many bytes that this one's do not fit: at most this many ever do.
    TooLarge(usize),
}

/// Returns whether one more may run: of everybody, of its group, of its client.
fn may_run(limits: &Limits, all: &Count, group: &Count, own: &Line, unit: Unit) -> bool {
    let running = own.count.running;
    if running >= limits.max_running_per_client || all.running >= limits.max_running {
        return false;
    }
    let common = limits.max_running - limits.max_running / RESERVE;
    let is_first = own.is_established && running == 0;
    unit == Unit::Pipe || is_first || is_within_share(common, all.running, group.running, running)
}

/// Returns whether one more may wait.
fn may_wait(limits: &Limits, all: &Count, group: &Count, own: &Count, unit: Unit) -> bool {
    let bound = limits.max_queued;
    match unit {
        Unit::Pipe => all.waiting < bound,
        _ => is_within_share(bound, all.waiting, group.waiting, own.waiting),
    }
}

/// Returns whether so many bytes more may be kept.
fn may_keep(limits: &Limits, all: &Count, group: &Count, own: &Count, unit: Unit, bytes: usize) -> bool {
    let bound = limits.max_call_bytes;
    match unit {
        Unit::Pipe => all.bytes.saturating_add(bytes) <= bound,
        _ => is_room(bound, all.bytes, group.bytes, own.bytes, bytes),
    }
}

impl Permits {
    /// Admits a call that keeps so many bytes, or lets it wait behind the others of its client.
    pub(super) fn ask(&mut self, limits: &Limits, party: Party, call: u64, bytes: usize) -> Admission {
        let all = &mut self.all;
        let group = self.groups.entry(party.group).or_default();
        let own = group.units.entry(party.unit).or_default();
        own.is_established |= party.is_established;
        let unit = party.unit;
        let admission = if !may_keep(limits, all, &group.count, &own.count, unit, bytes) {
            Admission::TooLarge(limits.max_call_bytes)
        } else if own.waiting.is_empty() && may_run(limits, all, &group.count, own, unit) {
            Admission::Run
        } else if own.count.waiting >= limits.max_queued_per_client {
            Admission::Refuse(limits.max_queued_per_client)
        } else if !may_wait(limits, all, &group.count, &own.count, unit) {
            Admission::Refuse(limits.max_queued)
        } else {
            Admission::Wait
        };
        if admission == Admission::Wait {
            if own.waiting.is_empty() {
                group.turns.push_back(party.unit);
            }
            if group.count.waiting == 0 {
                self.turns.push_back(party.group);
            }
            own.waiting.push_back(call);
        }
        self.count(party, |count| match admission {
            Admission::Run => {
                count.running += 1;
                count.bytes += bytes;
            }
            Admission::Wait => {
                count.waiting += 1;
                count.bytes += bytes;
            }
            Admission::Refuse(_) | Admission::TooLarge(_) => {}
        });
        admission
    }

    /// A call does not run any more; it still keeps what it kept.
    pub(super) fn pause(&mut self, party: Party) {
        self.count(party, |count| count.running -= 1);
    }

    /// A call that has run is over.
    pub(super) fn release(&mut self, party: Party, bytes: usize) {
        self.count(party, |count| {
            count.running -= 1;
            count.bytes -= bytes;
        });
    }

    /// A call does not wait any more and is over.
    pub(super) fn withdraw(&mut self, party: Party, call: u64, bytes: usize) {
        let Some(group) = self.groups.get_mut(&party.group) else { return };
        let Some(own) = group.units.get_mut(&party.unit) else { return };
        let Some(at) = own.waiting.iter().position(|waiting| *waiting == call) else { return };
        own.waiting.remove(at);
        if own.waiting.is_empty() {
            group.turns.retain(|unit| *unit != party.unit);
        }
        if group.turns.is_empty() {
            self.turns.retain(|group| *group != party.group);
        }
        self.count(party, |count| {
            count.waiting -= 1;
            count.bytes -= bytes;
        });
    }

    /// Admits the next waiting call, if one may run: the groups take turns, and in each its clients.
    pub(super) fn admit(&mut self, limits: &Limits) -> Option<u64> {
        for _ in 0..self.turns.len() {
            if self.all.running >= limits.max_running {
                return None;
            }
            let number = self.turns.pop_front()?;
            let Some(group) = self.groups.get_mut(&number) else { continue };
            let admitted = group.next(limits, &self.all);
            if !group.turns.is_empty() {
                self.turns.push_back(number);
            }
            if let Some((unit, call)) = admitted {
                let party = Party { group: number, unit, is_established: false };
                self.count(party, |count| {
                    count.running += 1;
                    count.waiting -= 1;
                });
                return Some(call);
            }
        }
        None
    }

    /// Keeps so many bytes more for a client; `false` where they are more than its share.
    pub(super) fn keep(&mut self, limits: &Limits, party: Party, bytes: usize) -> bool {
        let group = self.groups.entry(party.group).or_default();
        let own = group.units.entry(party.unit).or_default();
        let may_keep = may_keep(limits, &self.all, &group.count, &own.count, party.unit, bytes);
        self.count(party, |count| count.bytes += if may_keep { bytes } else { 0 });
        may_keep
    }

    /// So many bytes are not kept any more.
    pub(super) fn free(&mut self, party: Party, bytes: usize) {
        self.count(party, |count| count.bytes -= bytes);
    }

    /// Counts something for all, for a group and for a client; those that have nothing are forgotten.
    fn count(&mut self, party: Party, change: impl Fn(&mut Count)) {
        let Some(group) = self.groups.get_mut(&party.group) else { return };
        let Some(own) = group.units.get_mut(&party.unit) else { return };
        change(&mut own.count);
        change(&mut group.count);
        change(&mut self.all);
        if own.count == Count::default() {
            group.units.remove(&party.unit);
        }
        if group.units.is_empty() {
            self.groups.remove(&party.group);
        }
    }
}

impl Group {
    /// Takes the next call that may run from its line.
    fn next(&mut self, limits: &Limits, all: &Count) -> Option<(Unit, u64)> {
        for _ in 0..self.turns.len() {
            let unit = self.turns.pop_front()?;
            let Some(own) = self.units.get_mut(&unit) else { continue };
            let may_run = may_run(limits, all, &self.count, own, unit);
            let call = if may_run { own.waiting.pop_front() } else { None };
            if !own.waiting.is_empty() {
                self.turns.push_back(unit);
            }
            if let Some(call) = call {
                return Some((unit, call));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn party(group: u64) -> Party {
        Party { group, unit: Unit::Connection(group), is_established: false }
    }

    /// Asks for so many calls; returns how many of them run.
    fn ask(permits: &mut Permits, limits: &Limits, group: u64, calls: core::ops::Range<u64>) -> usize {
        let asked = calls.map(|call| permits.ask(limits, party(group), 100 * group + call, 7));
        asked.filter(|admission| *admission == Admission::Run).count()
    }

    #[test]
    fn groups_take_turns_however_many_calls_one_of_them_makes() {
        let (mut permits, mut limits) = (Permits::default(), Limits::default());
        (limits.max_running, limits.max_running_per_client, limits.max_queued_per_client) = (16, 8, 12);
        let ran = [(1, 20), (2, 8), (3, 2), (4, 1), (5, 1), (6, 1)];
        let ran = ran.map(|(group, calls)| ask(&mut permits, &limits, group, 0..calls));
        assert_eq!(ran, [8, 4, 1, 1, 1, 0], "the shares shrink, and one permit is for those that are known");
        assert_eq!(permits.ask(&limits, party(1), 20, 7), Admission::Refuse(12));
        let known = Party { is_established: true, ..party(7) };
        assert_eq!(permits.ask(&limits, known, 700, 7), Admission::Run);
        assert_eq!(permits.admit(&limits), None);

        for group in [7, 5, 4, 3] {
            permits.release(party(group), 7);
        }
        permits.withdraw(party(6), 600, 7);
        assert_eq!([permits.admit(&limits), permits.admit(&limits)], [Some(301), None]);
        for _ in 0..4 {
            permits.release(party(1), 7);
        }
        let admitted: [_; 3] = core::array::from_fn(|_| permits.admit(&limits));
        assert_eq!(admitted, [Some(108), Some(204), None], "one of each in its turn");
        for call in (109..120).chain(205..208) {
            permits.withdraw(party(call / 100), call, 7);
        }
        for group in [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3] {
            permits.release(party(group), 7);
        }
        assert_eq!((permits.groups.len(), permits.all, permits.turns.len()), (0, Count::default(), 0));
    }

    #[test]
    fn something_is_left_for_whoever_comes_next() {
        let limits = Limits::default();
        for (groups, units) in [(1, 1), (1, 12), (1, 300), (16, 1), (16, 20), (100, 3)] {
            let mut permits = Permits::default();
            for round in 0..40 * groups * units {
                let (group, unit) = (round % groups, round / groups % units);
                let party = Party { unit: Unit::Session(unit), ..party(group) };
                permits.ask(&limits, party, round, 0);
            }
            let case = (groups, units, permits.all.running);
            let unit = Unit::Connection(1_000);
            assert_eq!(permits.ask(&limits, Party { unit, ..party(0) }, 0, 0), Admission::Run, "{case:?}");
            assert_eq!(permits.ask(&limits, party(1_000), 0, 0), Admission::Run, "a new group: {case:?}");
            let is_alone = groups * units == 1;
            assert!(!is_alone || permits.all.running == 32 + 2, "{case:?}");
        }
    }

    #[test]
    fn a_client_that_was_answered_before_gets_a_permit_when_strangers_have_taken_theirs() {
        let (mut permits, limits) = (Permits::default(), Limits::default());
        for unit in 0..2_000 {
            permits.ask(&limits, Party { unit: Unit::Session(unit), ..party(1) }, unit, 0);
        }
        let stranger = Party { unit: Unit::Connection(5_000), ..party(1) };
        assert_eq!(permits.ask(&limits, stranger, 2_000, 0), Admission::Wait);
        let known = Party { unit: Unit::Connection(5_001), is_established: true, ..party(1) };
        assert_eq!(permits.ask(&limits, known, 2_001, 0), Admission::Run);
        assert_eq!(permits.ask(&limits, known, 2_002, 0), Admission::Wait, "one of each");
    }

    #[test]
    fn what_calls_keep_is_bounded_and_leaves_room_for_others() {
        let (mut permits, mut limits) = (Permits::default(), Limits::default());
        limits.max_call_bytes = 1_000;
        assert!(permits.keep(&limits, party(1), 375));
        assert!(!permits.keep(&limits, party(1), 1), "no more than what is left to the group");
        let unit = Unit::Session(1);
        assert!(permits.keep(&limits, Party { unit, ..party(1) }, 187));
        assert!(!permits.keep(&limits, Party { unit, ..party(1) }, 1), "nor for another of the group");
        assert!(permits.keep(&limits, party(2), 100));
        permits.free(party(1), 375);
        assert!(permits.keep(&limits, party(1), 100));
    }

    #[test]
    fn who_keeps_little_has_room_where_others_of_its_group_want_all() {
        let (mut permits, limits) = (Permits::default(), Limits::default());
        for unit in (0..40).map(Unit::Session) {
            for bytes in (0..25).rev() {
                while permits.keep(&limits, Party { unit, ..party(1) }, 1 << bytes) {}
            }
        }
        assert!(permits.all.bytes < limits.max_call_bytes / 4 * 3 + (40 << 10), "{}", permits.all.bytes);
        let unit = Unit::Session(100);
        assert!(permits.keep(&limits, Party { unit, ..party(1) }, 1_000));
        assert!(permits.keep(&limits, party(2), 4 << 20));
    }
}
