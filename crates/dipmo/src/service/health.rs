//! Health as it is asked for: by probes, by systemd, by people.

use std::sync::Arc;

use dipmo_processing::Pulse;
use dipmo_processing::health::{Limits, Verdict, judge};

/// The notes of an instance, and what counts as wrong.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// The notes.
    pub pulse: Arc<Pulse>,
    /// What counts as wrong.
    pub limits: Limits,
}

impl Health {
    /// With the limits that suit most.
    #[must_use]
    pub fn new(pulse: Arc<Pulse>) -> Self {
        Self { pulse, limits: Limits::default() }
    }

    /// True before anything of the instance runs.
    #[must_use]
    pub fn is_starting(&self) -> bool {
        self.pulse.look().starting.is_some()
    }

    /// How the instance is now. It costs a lock and asks nobody.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        judge(&self.pulse.look(), &self.limits)
    }
}
