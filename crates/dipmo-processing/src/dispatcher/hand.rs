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

    /// Takes more lanes. One that is there already had run out and is ours again, under a new epoch.
    pub(super) fn add(&mut self, more: Vec<Lease>) {
        let lanes: HashSet<Lane> = more.iter().map(|lease| lease.lane).collect();
        self.leases.retain(|lease| !lanes.contains(&lease.lane));
        self.leases.extend(more);
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

    fn lease(lane: i64, epoch: i64) -> Lease {
        let lane = Lane::from_index(lane).unwrap();
        Lease { destination: Destination::internal(), lane, epoch: Epoch(epoch) }
    }

    #[test]
    fn a_lane_that_ran_out_and_came_back_is_there_once() {
        let mut hand = Hand::new(vec![lease(0, 1), lease(1, 1)], Instant::now());
        hand.add(vec![lease(0, 2), lease(2, 1)]);
        assert_eq!(hand.leases, [lease(1, 1), lease(0, 2), lease(2, 1)]);
    }

    #[test]
    fn lanes_that_were_served_come_last_and_are_the_first_to_go() {
        let lane = |lane| lease(lane, 1);
        let mut hand = Hand::new((0..4).map(lane).collect(), Instant::now());
        hand.served(&HashSet::from([lane(0).lane, lane(2).lane]));
        assert_eq!(hand.leases, [1, 3, 0, 2].map(lane));
        assert_eq!(hand.surplus(2), [0, 2].map(lane));
        assert_eq!(hand.leases, [1, 3].map(lane));
        assert!(hand.surplus(3).is_empty());
    }
}
