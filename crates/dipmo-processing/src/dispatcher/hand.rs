//! The lanes that a courier has in hand.

use std::collections::HashSet;

use dipmo_domain::Lane;
use dipmo_outbox::Lease;
use tokio::time::Instant;

/// Lanes that are ours, and until when we may count on that.
pub(super) struct Hand {
    pub(super) leases: Vec<Lease>,
    /// Counted from before the database was first asked: never later than the database's own end.
    pub(super) since: Instant,
    /// When the database was last asked for lanes.
    pub(super) asked: Instant,
}

impl Hand {
    pub(super) const fn new(leases: Vec<Lease>, asked: Instant) -> Self {
        Self { leases, since: asked, asked }
    }

    /// The lanes of a read come last in the next one: a store may read lane by lane, and a long one
    /// must not keep the others waiting.
    pub(super) fn served(&mut self, lanes: &HashSet<Lane>) {
        self.leases.sort_by_key(|lease| lanes.contains(&lease.lane));
    }

    /// Parts with what is beyond a share, those first that were served.
    pub(super) fn surplus(&mut self, share: usize) -> Vec<Lease> {
        self.leases.split_off(share.min(self.leases.len()))
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Destination;
    use dipmo_outbox::Epoch;

    use super::*;

    #[test]
    fn lanes_that_were_served_come_last_and_are_the_first_to_go() {
        let lane = |index| Lane::from_index(index).unwrap();
        let destination = Destination::internal();
        let lease =
            |index| Lease { destination: destination.clone(), lane: lane(index), epoch: Epoch(1) };
        let mut hand = Hand::new((0..4).map(lease).collect(), Instant::now());
        hand.served(&HashSet::from([lane(0), lane(2)]));
        assert_eq!(hand.leases, [1, 3, 0, 2].map(lease));
        assert_eq!(hand.surplus(2), [0, 2].map(lease));
        assert_eq!(hand.leases, [1, 3].map(lease));
        assert!(hand.surplus(3).is_empty());
    }
}
