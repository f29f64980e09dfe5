//! What a part of an instance notes of itself.

use std::sync::Arc;

use tokio::time::Instant;

use super::pulse::Pulse;
use super::seen::{Progress, Trouble};

/// A part of an instance that is expected to run from now on.
#[derive(Clone)]
pub struct Part {
    pulse: Arc<Pulse>,
    name: Arc<str>,
}

impl Part {
    pub(super) fn new(pulse: Arc<Pulse>, name: &str) -> Self {
        Self { pulse, name: name.into() }
    }

    /// A task of it that begins.
    #[must_use = "it counts for as long as this lives"]
    pub fn task(&self) -> Alive {
        self.pulse.tasks(&self.name, |tasks| tasks + 1);
        Alive(self.clone())
    }

    /// Why it cannot work now; `None` once it can.
    pub fn trouble(&self, trouble: Option<Trouble>) {
        self.pulse.part_changed(&self.name, |part| part.trouble = trouble);
    }

    /// What is wrong with some of its work, while the rest goes on; `None` once nothing is.
    pub fn note(&self, note: Option<Trouble>) {
        self.pulse.part_changed(&self.name, |part| part.note = note);
    }

    /// How it gets on as of now. It grows older until it is told again.
    pub fn progress(&self, progress: Progress) {
        self.pulse.part_changed(&self.name, |part| part.progress = (progress, Instant::now()));
    }
}

/// A task that is counted for as long as it lives, however it ends.
pub struct Alive(Part);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.pulse.tasks(&self.0.name, |tasks| tasks.saturating_sub(1));
    }
}
