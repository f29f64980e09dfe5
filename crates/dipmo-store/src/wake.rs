//! The port that wakes workers and dispatchers, and the channels that stores implement it with.

use dipmo_domain::UnknownName;
use tokio::sync::watch;

/// Which of the two boxes something became ready in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Messages for the worker.
    Inbox,
    /// Units for the dispatcher.
    Outbox,
}

impl Side {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Inbox, Self::Outbox];

    /// The name in the database: `inbox` or `outbox`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Outbox => "outbox",
        }
    }
}

impl std::str::FromStr for Side {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName { kind: "side", name: name.to_owned() };
        Self::ALL.into_iter().find(|side| side.as_str() == name).ok_or_else(unknown)
    }
}

/// Tells that work arrived, so that nobody has to poll for it.
///
/// A hint, not a promise: it may come late or for nothing, and be lost with a connection or with a
/// call that was dropped. Whoever listens polls as well, if seldom.
pub trait Wake: Send + Sync {
    /// Changes whenever something may have become ready on this side, stored by any instance.
    ///
    /// A receiver that was made before a commit sees a change after it: look for work, wait for a
    /// change, look again, and nothing is passed over. What only becomes due by the clock is not
    /// told. Waiting fails when the store is gone.
    fn arrivals(&self, side: Side) -> watch::Receiver<u64>;
}

/// The channels of a store, one for each side.
#[derive(Debug, Default)]
pub struct Arrivals {
    inbox: watch::Sender<u64>,
    outbox: watch::Sender<u64>,
}

impl Arrivals {
    /// Somebody who wants to be told.
    #[must_use]
    pub fn of(&self, side: Side) -> watch::Receiver<u64> {
        self.channel(side).subscribe()
    }

    /// Tells everybody; called after the commit, once for each call of the store.
    pub fn tell(&self, side: Side) {
        self.channel(side).send_modify(|count| *count = count.wrapping_add(1));
    }

    const fn channel(&self, side: Side) -> &watch::Sender<u64> {
        match side {
            Side::Inbox => &self.inbox,
            Side::Outbox => &self.outbox,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_hears_of_its_own() {
        let arrivals = Arrivals::default();
        let (inbox, outbox) = (arrivals.of(Side::Inbox), arrivals.of(Side::Outbox));
        arrivals.tell(Side::Outbox);
        assert!(!inbox.has_changed().unwrap() && outbox.has_changed().unwrap());
        drop(arrivals);
        assert!(inbox.has_changed().is_err(), "the store is gone");
    }
}
