//! The lifecycle of a client as a table.

/// Where a client stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// Nothing has been opened yet.
    #[default]
    Parked,
    /// The server is being started.
    Opening,
    /// The handshake is under way.
    Negotiating,
    /// The server did not survive being asked what it speaks: it is retired, to be started anew.
    Reopening,
    /// Calls can be made.
    Ready,
    /// The session has ended; the server is being retired.
    Closing,
    /// Nothing is left of the server, or nothing that could be waited for.
    Retired,
}

/// What moves a client on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    /// The application connects.
    Connect,
    /// The host has started the server.
    Opened,
    /// Both sides agreed on a revision.
    Agreed,
    /// The server did not survive being asked what it speaks.
    Replace,
    /// The session ends, for whatever reason.
    End,
    /// The server is gone, or given up.
    Gone,
}

impl State {
    /// Returns the state that follows, `None` where the trigger means nothing.
    pub(super) const fn after(self, trigger: Trigger) -> Option<Self> {
        match (self, trigger) {
            // A server whose end was seen may be followed by another.
            (Self::Parked, Trigger::Connect) | (Self::Reopening, Trigger::Gone) => Some(Self::Opening),
            (Self::Opening, Trigger::Opened) => Some(Self::Negotiating),
            (Self::Negotiating, Trigger::Agreed) => Some(Self::Ready),
            (Self::Negotiating, Trigger::Replace) => Some(Self::Reopening),
            (Self::Opening | Self::Negotiating | Self::Reopening | Self::Ready, Trigger::End) => {
                Some(Self::Closing)
            }
            // Nothing was opened, so nothing is to be retired.
            (Self::Parked, Trigger::End) | (Self::Closing, Trigger::Gone) => Some(Self::Retired),
            _ => None,
        }
    }

    /// Returns the state's name in a sentence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parked => "parked",
            Self::Opening => "opening",
            Self::Negotiating => "negotiating",
            Self::Reopening => "reopening",
            Self::Ready => "ready",
            Self::Closing => "closing",
            Self::Retired => "retired",
        }
    }
}
