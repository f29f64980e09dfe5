//! Keeps systemd informed: ready once it is, alive for as long as it is.
//!
//! That this runs at all is a sign that the event loop turns: it is a task like any other.

use std::time::Duration;

use dipmo_processing::health::Verdict;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::health::Health;
use super::notify::Notify;

/// How often to look. Readiness is told soon, and looking costs a lock.
const LOOK: Duration = Duration::from_millis(250);

/// An instance that is not ready after so long has something in its way.
const STARTING: Duration = Duration::from_secs(60);

/// While it starts the manager is asked for so much time, again and again: a migration takes as long as it
/// takes, and one that is killed half-way begins anew.
const EXTENSION: Duration = Duration::from_secs(60);

/// Tells the manager how the instance is.
#[derive(Debug)]
pub struct Watchdog {
    notify: Notify,
    health: Health,
    began: Instant,
    /// When the manager was last asked for more time.
    extended: Option<Instant>,
    was_ready: bool,
    is_stopping: bool,
    /// How it was when something was last told.
    status: String,
}

impl Watchdog {
    /// Tells `notify` how `health` is.
    #[must_use]
    pub fn new(notify: Notify, health: Health) -> Self {
        let (began, status) = (Instant::now(), String::new());
        let (was_ready, is_stopping) = (false, false);
        Self { notify, health, began, extended: None, was_ready, is_stopping, status }
    }

    /// Tells until everything has ended. `stop` is what stops the others; while they end it goes on,
    /// because ending may take longer than the manager waits for a sign of life.
    pub async fn run(mut self, stop: CancellationToken) {
        let pause = self.notify.watchdog().map_or(LOOK, |within| LOOK.min(within / 3));
        loop {
            if stop.is_cancelled() && !self.is_stopping {
                self.is_stopping = true;
                self.health.pulse.stopping();
                self.notify.stopping();
            }
            self.look();
            tokio::select! {
                biased;
                () = stop.cancelled(), if !self.is_stopping => {}
                () = sleep(pause) => {}
            }
        }
    }

    fn look(&mut self) {
        let verdict = self.health.verdict();
        let is_due = self.extended.is_none_or(|at| at.elapsed() > EXTENSION / 4);
        if is_due && self.health.is_starting() {
            self.extended = Some(Instant::now());
            self.notify.wait(EXTENSION);
        }
        if verdict.is_live() && self.notify.watchdog().is_some() {
            self.notify.alive();
        }
        if verdict.is_ready() && !self.was_ready {
            self.was_ready = true;
            self.notify.ready();
        }
        let is_on_its_way = self.is_stopping || !self.was_ready && self.began.elapsed() < STARTING;
        let mut status = status(&verdict);
        if !self.was_ready && !is_on_its_way {
            // So that it is told once more, and as what it is by now.
            status.push_str(", since it was started");
        }
        if status != self.status {
            // Only what changed is told: the same trouble once a look would fill the log.
            match (verdict.is_live(), verdict.is_ready()) {
                (false, _) => tracing::error!(status, "this instance does not go on by itself"),
                // For a moment that is as it should be.
                (true, false) if is_on_its_way => {
                    tracing::info!(status, "this instance is not ready");
                }
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
