//! What a server has outside its process group.

use std::{
    io,
    process::Command,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal};

use super::{
    Graces, Stragglers,
    descendants::{Found, Search, end},
    watcher::{HOST_BYTES, Watch},
};
use crate::random::random;

/// The variable that tells the processes of one server from all others. A host that is a server itself passes on
/// the marks that it carries, each of which ends with a semicolon.
pub(super) const VARIABLE: &str = "SELVEDGE_SERVER";

/// How many bytes of marks are passed on: hosts are nested two or three deep.
const MAX_INHERITED_BYTES: usize = 1 << 10;

/// The mark of a server, and the watcher that looks for it.
#[derive(Debug)]
pub(super) struct Mark {
    text: String,
    watch: Watch,
}

impl Mark {
    /// Makes the mark of one more server, and has the host watched as long as it exists.
    pub(super) fn new() -> io::Result<Self> {
        static SERVERS: AtomicU64 = AtomicU64::new(0);
        let host = host()?;
        let number = SERVERS.fetch_add(1, Ordering::Relaxed);
        let text = format!("{}{number};", String::from_utf8_lossy(&host));
        Ok(Self { text, watch: Watch::begin(host) })
    }

    /// Puts the mark into the environment of the server, which whatever it starts inherits.
    pub(super) fn apply(&self, command: &mut Command) {
        let mut value = std::env::var_os(VARIABLE)
            .filter(|inherited| inherited.len() <= MAX_INHERITED_BYTES)
            .unwrap_or_default();
        value.push(&self.text);
        command.env(VARIABLE, value);
    }
}

/// Returns what the marks of this host begin with: sixteen random bytes, and a hyphen.
fn host() -> io::Result<[u8; HOST_BYTES]> {
    static HOST: OnceLock<[u8; HOST_BYTES]> = OnceLock::new();
    if let Some(host) = HOST.get() {
        return Ok(*host);
    }
    let random: [u8; HOST_BYTES / 2] = random()?;
    let mut host = [b'-'; HOST_BYTES];
    for (byte, digits) in random.iter().zip(host.chunks_exact_mut(2)) {
        for (digit, shift) in digits.iter_mut().zip([4, 0]) {
            let digit_value = u32::from(byte >> shift & 0xf);
            *digit = char::from_digit(digit_value, 16).map_or(b'0', |digit| digit as u8);
        }
    }
    Ok(*HOST.get_or_init(|| host))
}

/// The processes of one server outside its group.
#[derive(Debug)]
pub(super) struct Outside {
    leader: Pid,
    /// What their environments carry; `None` where they are left alone.
    mark: Option<String>,
    watch: Mutex<Option<Watch>>,
    /// Those that were seen while their descent still told whose they are.
    known: Mutex<Found>,
}

impl Outside {
    pub(super) fn new(mark: Option<Mark>, leader: Pid) -> Self {
        let (mark, watch) = mark.map(|mark| (mark.text, mark.watch)).unzip();
        Self { leader, mark, watch: Mutex::new(watch), known: Mutex::default() }
    }

    fn search(&self) -> Option<Search<'_>> {
        let mark = self.mark.as_ref()?.as_bytes();
        Some(Search { mark, leader: Some(self.leader), deadline: None })
    }

    /// Keeps in mind what descends from the leader, which must not be reaped meanwhile; returns whether the time
    /// sufficed.
    pub(super) fn survey(&self, patience: Option<Duration>) -> bool {
        let Some(search) = self.search() else { return true };
        // Marks will still be there when the server is gone; reading them takes most of the time.
        let search =
            Search { mark: &[], deadline: patience.map(|patience| Instant::now() + patience), ..search };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).search(&search);
        !search.is_over()
    }

    /// Asks what there is to end. The leader must not be reaped meanwhile.
    pub(super) fn terminate(&self) {
        if let Some(search) = self.search() {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.search(&search);
            known.signal_outside(Signal::TERM);
        }
    }

    /// Ends what there is. The leader must not be reaped meanwhile.
    pub(super) fn end(&self, graces: Graces) -> Stragglers {
        let known = std::mem::take(&mut *self.known.lock().unwrap_or_else(PoisonError::into_inner));
        self.search().map_or_else(Stragglers::default, |search| end(&search, known, graces))
    }

    /// Tells the watcher that nothing is left.
    pub(super) fn release(&self) {
        drop(self.watch.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
