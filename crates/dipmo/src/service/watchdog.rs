//! Keeps systemd informed: ready once it is, alive for as long as it is.
//!
//! That this runs at all is a sign that the event loop turns: it is a task like any other.

use std::time::Duration;

use dipmo_processing::health::Verdict;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::health::Health;
use super::notify::Notify;

/// How often to look. Readiness is told soon, and looking costs a lock.
const LOOK: Duration = Duration::from_millis(250);

/// Tells the manager how the instance is.
#[derive(Debug)]
pub struct Watchdog {
    notify: Notify,
    health: Health,
    is_ready: bool,
    status: String,
}

impl Watchdog {
    /// Tells `notify` how `health` is.
    #[must_use]
    pub const fn new(notify: Notify, health: Health) -> Self {
        Self { notify, health, is_ready: false, status: String::new() }
    }

    /// Tells until everything has ended. `stop` is what stops the others; while they end it goes on,
    /// because ending may take longer than the manager waits for a sign of life.
    pub async fn run(mut self, stop: CancellationToken) {
        let pause = self.notify.watchdog().map_or(LOOK, |within| LOOK.min(within / 3));
        let mut is_stopping = false;
        loop {
            if stop.is_cancelled() && !is_stopping {
                is_stopping = true;
                self.health.pulse.stopping();
                self.notify.stopping();
            }
            self.look();
            tokio::select! {
                biased;
                () = stop.cancelled(), if !is_stopping => {}
                () = sleep(pause) => {}
            }
        }
    }

    fn look(&mut self) {
        let verdict = self.health.verdict();
        if verdict.is_live() && self.notify.watchdog().is_some() {
            self.notify.alive();
        }
        if verdict.is_ready() && !self.is_ready {
            self.is_ready = true;
            self.notify.ready();
        }
        let status = status(&verdict);
        if status != self.status {
            // Only what changed is told: the same trouble once a look would fill the log.
            match (verdict.is_live(), verdict.is_ready()) {
                (false, _) => tracing::error!(status, "this instance does not go on by itself"),
                (true, false) => tracing::warn!(status, "this instance is not ready"),
                (true, true) => tracing::info!(status, "this instance is ready"),
            }
            self.notify.status(&status);
            self.status = status;
        }
    }
}

/// What and whom, without figures that change each time.
fn status(verdict: &Verdict) -> String {
    if verdict.reasons.is_empty() {
        return "well".to_owned();
    }
    let shown = verdict.reasons.iter().map(|reason| format!("{} ({})", reason.name, reason.about));
    shown.collect::<Vec<_>>().join(", ")
}
