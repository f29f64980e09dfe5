//! What may be committed: for each partition the end of what is stored without a gap.
//!
//! Nothing here does I/O. A *range* is a run of records of one partition that travel together; it
//! is opened when they are handed over and closed when they are durable. **Invariants:** an offset
//! is committable only when every range before it is closed; nothing of a partition that was
//! revoked is ever committable, also when it is assigned again meanwhile.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dipmo_inbox::{SourceOffset, SourceRange};
pub use dipmo_kafka::Place;

/// A range that was handed over and is not durable yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) place: Place,
    /// Which topic of this name it is.
    pub(crate) life: u128,
    generation: u64,
    number: u64,
}

/// The partitions that are ours, and how far each is stored.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Counts changes of the assignment; a partition's generation is its value when it came.
    epoch: u64,
    held: BTreeMap<Place, Held>,
    /// The topics that were ever ours: a database that knows none of them has forgotten them.
    seen: BTreeSet<String>,
}

#[derive(Debug)]
struct Held {
    generation: u64,
    life: u128,
    /// The first offset that is not stored.
    next: i64,
    /// What was last committed, or is on its way to be.
    committed: i64,
    /// Ranges in the order in which they were read; one that is durable says where it ended.
    open: VecDeque<Option<i64>>,
    /// The number of the first of them.
    first: u64,
}

impl Ledger {
    /// How often the assignment changed.
    pub(crate) const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// A partition is ours, from an offset on.
    pub(crate) fn assign(&mut self, place: Place, begin: i64, life: u128) {
        self.epoch += 1;
        let held = Held {
            generation: self.epoch,
            life,
            next: begin,
            // Tells the broker the beginning as well: a group without offsets is shown as idle.
            committed: -1,
            open: VecDeque::new(),
            first: 0,
        };
        self.seen.insert(place.topic.clone());
        self.held.insert(place, held);
    }

    /// A partition is no longer ours.
    pub(crate) fn revoke(&mut self, place: &Place) {
        self.epoch += 1;
        self.held.remove(place);
    }

    /// No partition is ours any more.
    pub(crate) fn revoke_all(&mut self) {
        self.epoch += 1;
        self.held.clear();
    }

    /// Opens a range after the last one of its partition; `None` when the partition is not ours.
    pub(crate) fn open(&mut self, place: &Place) -> Option<Ticket> {
        let held = self.held.get_mut(place)?;
        held.open.push_back(None);
        let number = held.first + held.open.len() as u64 - 1;
        let Held { life, generation, .. } = *held;
        Some(Ticket { place: place.clone(), life, generation, number })
    }

    /// True while the partition is held as it was when this range was opened.
    pub(crate) fn is_ours(&self, ticket: &Ticket) -> bool {
        self.stored(ticket).is_some()
    }

    /// Where the database stands in the partition of a range; `None` when it is no longer held as it
    /// was when the range was opened.
    pub(crate) fn stored(&self, ticket: &Ticket) -> Option<i64> {
        let held = self.held.get(&ticket.place)?;
        (held.generation == ticket.generation).then_some(held.next)
    }

    /// Closes a range: everything of it is durable, and it ended before `next`. Changes nothing for
    /// a partition that is no longer ours.
    pub(crate) fn close(&mut self, ticket: &Ticket, next: i64) {
        let Some(held) = self.held.get_mut(&ticket.place) else { return };
        if held.generation != ticket.generation {
            return;
        }
        let place = ticket.number.checked_sub(held.first).and_then(|n| usize::try_from(n).ok());
        if let Some(range) = place.and_then(|place| held.open.get_mut(place)) {
            *range = Some(next);
        }
        while let Some(Some(next)) = held.open.front().copied() {
            held.next = held.next.max(next);
            held.open.pop_front();
            held.first += 1;
        }
    }

    /// The partitions with something to commit, and the first offset that is not stored.
    pub(crate) fn committable(&self) -> Vec<(Place, i64)> {
        let due = |held: &Held| held.next > held.committed;
        let held = self.held.iter().filter(|(_, held)| due(held));
        held.map(|(place, held)| (place.clone(), held.next)).collect()
    }

    /// These offsets were committed, or are on their way.
    pub(crate) fn committed(&mut self, offsets: &[(Place, i64)]) {
        for (place, offset) in offsets {
            if let Some(held) = self.held.get_mut(place) {
                held.committed = *offset;
            }
        }
    }

    /// What was committed is to be said again: nobody knows whether it arrived.
    pub(crate) fn say_again(&mut self) {
        self.held.values_mut().for_each(|held| held.committed = -1);
    }

    /// The first offset of a partition that is not stored, and whether ranges of it are open.
    pub(crate) fn position(&self, place: &Place) -> Option<(i64, bool)> {
        self.held.get(place).map(|held| (held.next, !held.open.is_empty()))
    }

    /// Where the database stands in all partitions that are ours, as ranges of nothing.
    pub(crate) fn positions(&self, group: &str) -> Vec<SourceRange> {
        let position = |(place, held): (&Place, &Held)| SourceRange {
            from: held.next,
            to: source_offset(group, place, held.life, held.next),
        };
        self.held.iter().map(position).collect()
    }

    /// The topics that were ever ours.
    pub(crate) const fn seen(&self) -> &BTreeSet<String> {
        &self.seen
    }

    /// The partitions that are ours.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.held.keys()
    }
}

/// An offset as the inbox stores it.
pub(crate) fn source_offset(group: &str, place: &Place, life: u128, next: i64) -> SourceOffset {
    SourceOffset {
        group: group.to_owned(),
        topic: place.topic.clone(),
        partition: place.partition,
        topic_id: Some(life.to_be_bytes()),
        next_offset: next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn orders() -> Place {
        Place::new("orders", 0)
    }

    #[test]
    fn trap_9_a_gap_is_not_committed() {
        let mut ledger = Ledger::default();
        ledger.assign(orders(), 5, 0);
        let first = ledger.open(&orders()).unwrap();
        let second = ledger.open(&orders()).unwrap();
        ledger.close(&second, 20);
        assert_eq!(ledger.committable(), [(orders(), 5)]);
        ledger.close(&first, 10);
        assert_eq!(ledger.committable(), [(orders(), 20)]);
        ledger.committed(&[(orders(), 20)]);
        assert_eq!(ledger.committable(), []);
        ledger.say_again();
        assert_eq!(ledger.committable(), [(orders(), 20)]);
    }

    #[test]
    fn trap_9_a_range_of_an_earlier_assignment_counts_for_nothing() {
        let mut ledger = Ledger::default();
        ledger.assign(orders(), 0, 0);
        let old = ledger.open(&orders()).unwrap();
        ledger.revoke(&orders());
        assert_eq!(ledger.open(&orders()), None);
        ledger.assign(orders(), 50, 1);
        ledger.close(&old, 100);
        assert!(!ledger.is_ours(&old));
        assert_eq!(ledger.committable(), [(orders(), 50)]);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Assign(i32),
        Revoke(i32),
        Read(i32, i64),
        Store(usize),
        Commit,
        SayAgain,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0..3_i32).prop_map(Step::Assign),
            (0..3_i32).prop_map(Step::Revoke),
            ((0..3_i32), (1..5_i64))
                .prop_map(|(partition, records)| Step::Read(partition, records)),
            (0..8_usize).prop_map(Step::Store),
            Just(Step::Commit),
            Just(Step::SayAgain),
        ];
        prop::collection::vec(step, 0..200)
    }

    /// What is true in the world: which offsets a database holds, and who owns what.
    #[derive(Default)]
    struct World {
        ours: BTreeMap<i32, i64>,
        stored: BTreeMap<i32, Vec<bool>>,
        flying: Vec<(Ticket, i32, i64, i64)>,
    }

    proptest! {
        /// Ranges are stored in any order, and partitions come and go meanwhile.
        #[test]
        fn trap_9_only_what_is_stored_without_a_gap_and_ours_is_committed(steps in steps()) {
            let (mut ledger, mut world) = (Ledger::default(), World::default());
            for step in steps {
                match step {
                    Step::Assign(partition) => {
                        if let std::collections::btree_map::Entry::Vacant(free) = world.ours.entry(partition) {
                            // The database says where to begin: after what is there without a gap.
                            let stored = world.stored.entry(partition).or_default();
                            let begin = stored.iter().take_while(|is| **is).count();
                            free.insert(begin as i64);
                            ledger.assign(Place::new("t", partition), begin as i64, 0);
                        }
                    }
                    Step::Revoke(partition) => {
                        world.ours.remove(&partition);
                        ledger.revoke(&Place::new("t", partition));
                    }
                    Step::Read(partition, records) => {
                        let Some(position) = world.ours.get_mut(&partition) else {
                            prop_assert_eq!(ledger.open(&Place::new("t", partition)), None);
                            continue;
                        };
                        let first = *position;
                        *position += records;
                        let ticket = ledger.open(&Place::new("t", partition)).unwrap();
                        world.flying.push((ticket, partition, first, *position));
                    }
                    Step::Store(which) => {
                        if world.flying.is_empty() { continue }
                        let which = which % world.flying.len();
                        let (ticket, partition, first, next) = world.flying.remove(which);
                        let stored = world.stored.entry(partition).or_default();
                        stored.resize(stored.len().max(next as usize), false);
                        stored[first as usize..next as usize].fill(true);
                        ledger.close(&ticket, next);
                    }
                    Step::Commit => {
                        let offsets = ledger.committable();
                        for (place, offset) in &offsets {
                            prop_assert!(world.ours.contains_key(&place.partition), "revoked: {place}");
                            let stored = &world.stored[&place.partition];
                            prop_assert!(stored[..*offset as usize].iter().all(|is| *is), "a gap below {offset}");
                        }
                        ledger.committed(&offsets);
                    }
                    Step::SayAgain => ledger.say_again(),
                }
            }
        }
    }
}
