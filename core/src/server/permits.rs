//! Who may run: so many calls at once for each group of clients and for all, the others in turn.

use alloc::collections::VecDeque;

use crate::{Limits, map::BTreeMap};

/// The calls that run, and those that wait for a permit.
#[derive(Debug, Default)]
pub(super) struct Permits {
    groups: BTreeMap<u64, Group>,
    /// The groups with waiting calls that may run, next one first.
    turns: VecDeque<u64>,
    running: usize,
    waiting: usize,
}

#[derive(Debug, Default)]
struct Group {
    running: usize,
    waiting: VecDeque<u64>,
    /// It stands in `turns`.
    is_in_turn: bool,
}

/// What becomes of a call that wants to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Run,
    Wait,
    /// This many calls wait already.
    Refuse(usize),
}

impl Permits {
    /// Admits a call, or lets it wait behind the others of its group.
    pub(super) fn ask(&mut self, limits: &Limits, group: u64, call: u64) -> Admission {
        let own = self.groups.entry(group).or_default();
        let is_free = own.waiting.is_empty()
            && own.running < limits.max_running_per_client
            && self.running < limits.max_running;
        if is_free {
            own.running += 1;
            self.running += 1;
            return Admission::Run;
        }
        if own.waiting.len() >= limits.max_queued_per_client {
            return Admission::Refuse(limits.max_queued_per_client);
        }
        if self.waiting >= limits.max_queued {
            self.forget_if_idle(group);
            return Admission::Refuse(limits.max_queued);
        }
        own.waiting.push_back(call);
        self.waiting += 1;
        self.queue_up(limits, group);
        Admission::Wait
    }

    /// A call does not run any more.
    pub(super) fn release(&mut self, limits: &Limits, group: u64) {
        let Some(own) = self.groups.get_mut(&group) else { return };
        own.running -= 1;
        self.running -= 1;
        self.queue_up(limits, group);
        self.forget_if_idle(group);
    }

    /// A call does not wait any more.
    pub(super) fn withdraw(&mut self, group: u64, call: u64) {
        let Some(own) = self.groups.get_mut(&group) else { return };
        if let Some(at) = own.waiting.iter().position(|waiting| *waiting == call) {
            own.waiting.remove(at);
            self.waiting -= 1;
        }
        self.forget_if_idle(group);
    }

    /// Admits the next waiting call, if one may run: the groups take turns.
    pub(super) fn admit(&mut self, limits: &Limits) -> Option<u64> {
        while self.running < limits.max_running {
            let group = self.turns.pop_front()?;
            let Some(own) = self.groups.get_mut(&group) else { continue };
            own.is_in_turn = false;
            if own.running >= limits.max_running_per_client {
                continue;
            }
            let Some(call) = own.waiting.pop_front() else {
                self.forget_if_idle(group);
                continue;
            };
            own.running += 1;
            self.running += 1;
            self.waiting -= 1;
            self.queue_up(limits, group);
            return Some(call);
        }
        None
    }

    fn queue_up(&mut self, limits: &Limits, group: u64) {
        let Some(own) = self.groups.get_mut(&group) else { return };
        let may_run = !own.waiting.is_empty() && own.running < limits.max_running_per_client;
        if may_run && !own.is_in_turn {
            own.is_in_turn = true;
            self.turns.push_back(group);
        }
    }

    fn forget_if_idle(&mut self, group: u64) {
        let is_idle = |own: &Group| own.running == 0 && own.waiting.is_empty() && !own.is_in_turn;
        if self.groups.get(&group).is_some_and(is_idle) {
            self.groups.remove(&group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        let mut limits = Limits::default();
        (limits.max_running, limits.max_running_per_client) = (3, 2);
        (limits.max_queued, limits.max_queued_per_client) = (5, 4);
        limits
    }

    #[test]
    fn groups_take_turns_however_many_calls_one_of_them_makes() {
        let (mut permits, limits) = (Permits::default(), limits());
        let asked: [_; 6] = core::array::from_fn(|call| permits.ask(&limits, 1, call as u64));
        assert_eq!(
            asked,
            [
                Admission::Run,
                Admission::Run,
                Admission::Wait,
                Admission::Wait,
                Admission::Wait,
                Admission::Wait
            ]
        );
        assert_eq!(permits.ask(&limits, 1, 6), Admission::Refuse(4));
        assert_eq!(permits.ask(&limits, 2, 10), Admission::Run, "a busy group leaves room");
        assert_eq!(permits.ask(&limits, 2, 11), Admission::Wait);
        assert_eq!(permits.ask(&limits, 3, 20), Admission::Refuse(5));
        assert_eq!(permits.admit(&limits), None);

        permits.release(&limits, 1);
        assert_eq!(permits.admit(&limits), Some(11));
        assert_eq!(permits.admit(&limits), None);
        permits.release(&limits, 2);
        assert_eq!(permits.admit(&limits), Some(2));
        permits.withdraw(1, 3);
        permits.release(&limits, 2);
        permits.release(&limits, 1);
        assert_eq!([permits.admit(&limits), permits.admit(&limits)], [Some(4), None]);
        permits.release(&limits, 1);
        assert_eq!(permits.admit(&limits), Some(5));
        permits.release(&limits, 1);
        permits.release(&limits, 1);
        assert_eq!((permits.groups.len(), permits.running, permits.waiting), (0, 0, 0));
    }
}
