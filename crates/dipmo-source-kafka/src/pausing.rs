//! Back-pressure: reading pauses when the inbox is too deep or too old, and goes on by itself.

use dipmo_inbox::InboxLoad;
pub use dipmo_inbox::PressureLimits;
use tokio::sync::watch;

/// The load that is told now. Who told it and is gone tells none: the last word would hold for ever.
pub(crate) fn told(load: &watch::Receiver<InboxLoad>) -> InboxLoad {
    if load.has_changed().is_err() { InboxLoad::default() } else { *load.borrow() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_gone_tells_no_load() {
        let deep = InboxLoad { depth: 7, ..InboxLoad::default() };
        let (tell, load) = watch::channel(deep);
        assert_eq!(told(&load), deep);
        tell.send(deep).unwrap();
        assert_eq!(told(&load), deep);
        drop(tell);
        assert_eq!(told(&load), InboxLoad::default());
    }
}
