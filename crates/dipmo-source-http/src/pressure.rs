//! Back-pressure: while the inbox is too deep or too old, whoever posts is told to come back.

use std::sync::atomic::{AtomicBool, Ordering};

use dipmo_inbox::{InboxLoad, PressureLimits};
use tokio::sync::watch;

/// The load of the inbox, and whether it is too much.
#[derive(Debug)]
pub(crate) struct Pressure {
    limits: PressureLimits,
    load: watch::Receiver<InboxLoad>,
    pauses: AtomicBool,
}

impl Pressure {
    pub(crate) const fn new(limits: PressureLimits, load: watch::Receiver<InboxLoad>) -> Self {
        Self { limits, load, pauses: AtomicBool::new(false) }
    }

    /// Whether the inbox is too full now. Who told the load and is gone tells none: the last word
    /// would hold for ever.
    pub(crate) fn is_high(&self) -> bool {
        let gone = self.load.has_changed().is_err();
        let load = if gone { InboxLoad::default() } else { *self.load.borrow() };
        let pauses = self.limits.pauses(self.pauses.load(Ordering::Relaxed), load);
        self.pauses.store(pauses, Ordering::Relaxed);
        pauses
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_is_high_above_the_limit_until_half_of_it() {
        let limits = PressureLimits { depth: 100, oldest: Duration::from_secs(60) };
        let (tell, load) = watch::channel(InboxLoad::default());
        let pressure = Pressure::new(limits, load);
        let mut at = |depth| {
            tell.send_replace(InboxLoad { depth, ..InboxLoad::default() });
            pressure.is_high()
        };
        assert_eq!([100, 101, 51, 50, 101].map(&mut at), [false, true, true, false, true]);
        drop(tell);
        assert!(!pressure.is_high(), "who is gone tells no load");
    }
}
