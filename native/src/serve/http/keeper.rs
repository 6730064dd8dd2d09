//! The task that keeps the time of a server, and tells its service what is watched.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use tokio::time::sleep_until;

use super::{super::Service, shared::Shared};

/// Does what is due, for ever.
pub(super) async fn keep<S: Service>(shared: Arc<Shared<S>>) {
    loop {
        let (watches, wakes_at) = shared.tend();
        for (uri, is_watched) in watches {
            // A service that breaks down over it breaks nothing else.
            if catch_unwind(AssertUnwindSafe(|| shared.service.watched(&uri, is_watched))).is_err() {
                tracing::error!(uri, "the service panicked over what is watched");
            }
        }
        let Some(at) = wakes_at else {
            shared.due.notified().await;
            continue;
        };
        tokio::select! {
            () = sleep_until(shared.instant(at)) => {}
            () = shared.due.notified() => {}
        }
    }
}
