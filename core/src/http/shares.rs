//! What each connection, and each client with all its connections, has under way.

use alloc::collections::BTreeMap;

use super::EndpointLimits;
use crate::share::{is_room, is_within_share};

/// Who a request is counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) client: u64,
    pub(super) connection: u64,
}

/// What is under way.
#[derive(Debug, Default)]
pub(super) struct Shares {
    clients: BTreeMap<u64, Client>,
    all: Taken,
}

#[derive(Debug, Default)]
struct Client {
    connections: BTreeMap<u64, Taken>,
    all: Taken,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Taken {
    exchanges: usize,
    /// Of bodies.
    bytes: usize,
}

impl Shares {
    /// Counts an exchange; `false` where it is one more than its share allows.
    pub(super) fn begin(&mut self, limits: &EndpointLimits, account: Account) -> bool {
        let all = self.all.exchanges;
        let client = self.clients.entry(account.client).or_default();
        let own = client.connections.entry(account.connection).or_default();
        let group = client.all.exchanges;
        let is_allowed = group < limits.max_exchanges_per_client
            && is_within_share(limits.max_exchanges, all, group, own.exchanges);
        own.exchanges += 1;
        client.all.exchanges += 1;
        self.all.exchanges += 1;
        is_allowed
    }

    pub(super) fn end(&mut self, account: Account) {
        self.count(account, |taken| taken.exchanges -= 1);
    }

    /// Counts the bytes of a body; `false` where they are more than their share, and nothing is counted.
    pub(super) fn keep(&mut self, limits: &EndpointLimits, account: Account, bytes: usize) -> bool {
        let all = self.all.bytes;
        let (group, own) = self.of(account);
        let is_room = is_room(limits.max_bodies_bytes, all, group.bytes, own.bytes, bytes);
        if is_room && bytes > 0 {
            self.count(account, |taken| taken.bytes += bytes);
        }
        is_room
    }

    pub(super) fn free(&mut self, account: Account, bytes: usize) {
        if bytes > 0 {
            self.count(account, |taken| taken.bytes -= bytes);
        }
    }

    fn of(&self, account: Account) -> (Taken, Taken) {
        let client = self.clients.get(&account.client);
        let own = client.and_then(|client| client.connections.get(&account.connection));
        (client.map_or_else(Taken::default, |client| client.all), own.copied().unwrap_or_default())
    }

    /// Counts something for all, for a client and for a connection; those that have nothing are forgotten.
    fn count(&mut self, account: Account, change: impl Fn(&mut Taken)) {
        let client = self.clients.entry(account.client).or_default();
        let own = client.connections.entry(account.connection).or_default();
        change(own);
        change(&mut client.all);
        change(&mut self.all);
        if *own == Taken::default() {
            client.connections.remove(&account.connection);
        }
        if client.connections.is_empty() {
            self.clients.remove(&account.client);
        }
    }
}
