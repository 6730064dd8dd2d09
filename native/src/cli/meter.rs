//! A sign of life on standard error, where that is a terminal.

use std::{pin::pin, sync::Arc, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use selvedge::core::client::Progress;

use super::{output::Output, text};

/// What is shorter than this needs no sign of life.
const PATIENCE: Duration = Duration::from_secs(1);
/// The finest step of a bar.
const STEPS: u64 = 1_000;
const MAX_MESSAGE_COLUMNS: usize = 60;

/// Shows that something goes on, and how far it is where that is known.
#[derive(Clone, Debug)]
pub(super) struct Meter(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bar: ProgressBar,
    is_allowed: bool,
}

impl Meter {
    pub(super) fn new(output: &Output, what: String) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style(if Output::has_colored_notes() {
            "{spinner} {prefix} {elapsed:.dim} {msg}"
        } else {
            "{spinner} {prefix} {elapsed} {msg}"
        }));
        bar.set_prefix(what);
        Self(Arc::new(Inner { bar, is_allowed: output.has_meter() }))
    }

    /// Waits for a future; a meter is shown once that takes long.
    pub(super) async fn watch<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let result = tokio::select! {
            biased;
            result = &mut future => return result,
            () = tokio::time::sleep(PATIENCE) => {
                self.show();
                future.await
            }
        };
        self.0.bar.finish_and_clear();
        result
    }

    /// Shows how far a call is.
    pub(super) fn progress(&self, progress: &Progress) {
        let bar = &self.0.bar;
        self.show();
        let mut message = progress.progress.to_string();
        if let Some(share) = progress.share() {
            if bar.length().is_none() {
                bar.set_length(STEPS);
                bar.set_style(style("{spinner} {prefix} [{bar:24}] {msg}"));
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the share is from 0 to 1"
            )]
            bar.set_position((share * 1_000.0) as u64);
        }
        if let Some(total) = &progress.total {
            message = format!("{message}/{total}");
        }
        if let Some(own) = &progress.message {
            message = format!("{message} {}", text::one_line(own));
        }
        bar.set_message(text::cut(&message, MAX_MESSAGE_COLUMNS).into_owned());
    }

    fn show(&self) {
        let Inner { bar, is_allowed } = &*self.0;
        if *is_allowed && bar.is_hidden() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(120));
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
