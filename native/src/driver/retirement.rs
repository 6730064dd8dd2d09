//! The end of a session: what the server started is ended, and whoever waits is told.

use selvedge_core::client::{Event, RetirementError};

use super::Driver;
use crate::process::{Graces, Stragglers};

impl Driver {
    /// Ends what is left of the process, in the background.
    pub(super) fn retire_process(&mut self) {
        if let Some(process) = self.streams.process.take() {
            let config = self.client.config();
            let graces = Graces { terminate: config.terminate_grace, kill: config.kill_grace };
            self.retiring.push(process.group.retire(graces));
        }
    }

    /// Settles what is left once the server is gone, and says so to whoever waits for it.
    pub(super) async fn retire(mut self) {
        self.drain_errors();
        self.retire_process();
        let mut stragglers = Stragglers::default();
        for retiring in std::mem::take(&mut self.retiring) {
            // A thread that could not be started has found nothing.
            let Stragglers { ended, left } = retiring.await.unwrap_or_default();
            stragglers.ended += ended;
            stragglers.left += left;
        }
        self.tell_retirement(stragglers);
        self.shared.finish(self.client.stderr_tail());
        // What was ordered meanwhile is answered like any call that comes too late.
        self.inbox.commands.close();
        self.inbox.orders.close();
        let now = self.now();
        while let Ok(command) = self.inbox.commands.try_recv() {
            self.command(Some(command), now);
        }
        for (_, order) in std::mem::take(&mut self.held) {
            self.order(order, now);
        }
        while let Ok(order) = self.inbox.orders.try_recv() {
            self.order(order, now);
        }
        self.carry_out(now);
    }

    /// Says what became of the server: an end is certain only where nothing is left.
    fn tell_retirement(&mut self, stragglers: Stragglers) {
        let Some(mut retirement) = self.retirement.take() else { return };
        if retirement.is_ok() && stragglers.left > 0 {
            retirement = Err(RetirementError::StragglersLeft { count: stragglers.left });
        }
        if let Some(on_event) = &self.on_event {
            on_event(&Event::Retired(retirement));
        }
        self.shared.retire(retirement, stragglers.ended);
    }
}
