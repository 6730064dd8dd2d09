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

const KINDS: [(&str, Event); 3] = [
    ("notifications/tools/list_changed", Event::ToolsChanged),
    ("notifications/resources/list_changed", Event::ResourcesChanged),
    ("notifications/prompts/list_changed", Event::PromptsChanged),
];

impl Changes {
    /// Returns whether a notification is about a list.
    pub(super) fn is_about(method: &str) -> bool {
        KINDS.iter().any(|(own, _)| *own == method)
    }

    /// Takes a notification about a list and returns what is to be told at once.
    pub(super) fn notice(&mut self, now: Tick, method: &str, interval: Duration) -> Option<Event> {
        let (change, (_, event)) = self.changes.iter_mut().zip(KINDS).find(|(_, (own, _))| *own == method)?;
        if now < change.quiet_until {
            change.is_due = true;
            return None;
        }
        change.quiet_until = now.after(interval);
        Some(event)
    }

    /// Returns a change that was held back long enough.
    pub(super) fn expire(&mut self, now: Tick, interval: Duration) -> Option<Event> {
        let (change, (_, event)) = self
            .changes
            .iter_mut()
            .zip(KINDS)
            .find(|(change, _)| change.is_due && change.quiet_until <= now)?;
        change.is_due = false;
        change.quiet_until = now.after(interval);
        Some(event)
    }

    pub(super) fn poll_timeout(&self) -> Option<Tick> {
        self.changes.iter().filter(|change| change.is_due).map(|change| change.quiet_until).min()
    }
}
