//! Notifications that a list has changed, kept from becoming a storm.

use core::time::Duration;

use super::Event;
use crate::Tick;

/// One kind of list: its first change is told at once, further ones together when the interval is over.
#[derive(Debug, Default)]
struct Change {
    quiet_until: Tick,
    is_due: bool,
}

/// The three kinds of lists.
#[derive(Debug, Default)]
pub(super) struct Changes {
    changes: [Change; 3],
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
    pub(super) fn notice(&mut self, now: Tick, method: &str, interval: Duration) -> Option<Event> {
        let at = METHODS.iter().position(|own| *own == method)?;
        let change = self.changes.get_mut(at)?;
        if now < change.quiet_until {
            change.is_due = true;
            return None;
        }
        change.quiet_until = now.after(interval);
        Some(event(at))
    }

    /// Returns a change that was held back long enough.
    pub(super) fn expire(&mut self, now: Tick, interval: Duration) -> Option<Event> {
        let at = self.changes.iter().position(|change| change.is_due && change.quiet_until <= now)?;
        let change = self.changes.get_mut(at)?;
        change.is_due = false;
        change.quiet_until = now.after(interval);
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
