//! Notifications that a list has changed, kept from becoming a storm.

use core::time::Duration;

use super::Event;
use crate::{Tick, Violation};

/// The longest time between two changes of one list that are told.
const MAX_INTERVAL: Duration = Duration::from_mins(1);

/// After how many changes without a pause the server is told of: each of them doubled the interval.
const ENDLESS: u32 = 5;

/// One kind of list: its first change is told at once, further ones together when the interval is over.
///
/// A server that says at every listing that its list has changed would have it listed for ever. The interval
/// doubles with each change that comes before the list was left alone for as long as the interval.
#[derive(Debug, Default)]
struct Change {
    quiet_until: Tick,
    is_due: bool,
    /// How often the interval was doubled.
    doublings: u32,
}

impl Change {
    fn interval(&self, base: Duration) -> Duration {
        base.saturating_mul(1 << self.doublings.min(16)).min(MAX_INTERVAL.max(base))
    }

    /// Tells the change; what comes next waits for the interval.
    fn tell(&mut self, now: Tick, base: Duration) {
        self.is_due = false;
        self.quiet_until = now.after(self.interval(base));
    }

    /// Notes that the list changed again too soon, and returns whether that has become endless.
    const fn press(&mut self) -> bool {
        self.doublings += 1;
        self.doublings == ENDLESS
    }
}

/// The three kinds of lists.
#[derive(Debug, Default)]
pub(super) struct Changes {
    changes: [Change; 3],
}

/// What is to be told of a list.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) violation: Option<Violation>,
    pub(super) event: Option<Event>,
}

const METHODS: [&str; 3] = [
    "notifications/tools/list_changed",
    "notifications/resources/list_changed",
    "notifications/prompts/list_changed",
];

impl Changes {
    /// Returns whether a notification is about a list.
    pub(super) fn is_about(method: &str) -> bool {
        METHODS.contains(&method)
    }

    /// Takes a notification about a list and returns what is to be told at once.
    pub(super) fn notice(&mut self, now: Tick, method: &str, base: Duration) -> Told {
        let found = METHODS.iter().zip(&mut self.changes).enumerate().find(|(_, (own, _))| **own == method);
        let Some((at, (method, change))) = found else { return Told::default() };
        if now < change.quiet_until {
            let is_endless = !change.is_due && change.press();
            change.is_due = true;
            let interval = change.interval(base);
            let violation = is_endless.then_some(Violation::EndlessChanges { method, interval });
            return Told { violation, event: None };
        }
        // The interval is over and nothing was held back: calm for as long again ends the storm.
        if now >= change.quiet_until.after(change.interval(base)) {
            change.doublings = 0;
        }
        change.tell(now, base);
        Told { violation: None, event: Some(event(at)) }
    }

    /// Returns a change that was held back long enough.
    pub(super) fn expire(&mut self, now: Tick, base: Duration) -> Option<Event> {
        let at = self.changes.iter().position(|change| change.is_due && change.quiet_until <= now)?;
        self.changes.get_mut(at)?.tell(now, base);
        Some(event(at))
    }

    pub(super) fn poll_timeout(&self) -> Option<Tick> {
        self.changes.iter().filter(|change| change.is_due).map(|change| change.quiet_until).min()
    }
}

/// Returns what the method at a place among the three tells.
const fn event(at: usize) -> Event {
    match at {
        0 => Event::ToolsChanged,
        1 => Event::ResourcesChanged,
        _ => Event::PromptsChanged,
    }
}
