//! A terminal between client and server (`docker run -t`, `ssh -t`) repeats what is written to it.

use alloc::collections::VecDeque;

/// How many of the newest messages are known again.
const MAX_KNOWN: usize = 64;

/// The methods that servers serve and never call (all revisions).
const CLIENTS_ONLY: [&str; 5] =
    ["initialize", "server/discover", "subscriptions/listen", "completion/complete", "logging/setLevel"];
const CLIENTS_ONLY_UNDER: [&str; 3] = ["tools/", "resources/", "prompts/"];

/// Returns whether only clients make requests of this method.
pub(super) fn is_clients(method: &str) -> bool {
    CLIENTS_ONLY.contains(&method) || CLIENTS_ONLY_UNDER.iter().any(|start| method.starts_with(start))
}

/// What the client wrote, once it is known that it comes back: the first message of a session is a request that no
/// server makes, so that sessions without an echo pay nothing.
#[derive(Debug, Default)]
pub(super) struct Echo {
    is_known: bool,
    /// The digests of the newest messages that have not come back.
    written: VecDeque<u64>,
}

impl Echo {
    pub(super) const fn is_known(&self) -> bool {
        self.is_known
    }

    pub(super) const fn found(&mut self) {
        self.is_known = true;
    }

    /// Notes what is written.
    pub(super) fn wrote(&mut self, message: &str) {
        if self.is_known {
            if self.written.len() == MAX_KNOWN {
                self.written.pop_front();
            }
            self.written.push_back(digest(message));
        }
    }

    /// Takes a line that was written before.
    pub(super) fn takes(&mut self, line: &str) -> bool {
        let own = digest(line.trim_ascii());
        let found = self.written.iter().position(|known| *known == own);
        found.and_then(|at| self.written.remove(at)).is_some()
    }
}

/// FNV-1a: whoever could find a collision could leave its line out as well.
fn digest(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}
