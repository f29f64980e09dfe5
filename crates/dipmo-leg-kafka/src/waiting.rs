//! Records of retry topics that are not due: each holds up its partition, and nothing else.
//!
//! The record itself is kept and its partition is paused, so that nothing is read twice. Who loses
//! the partition forgets the record: whoever gets it reads it again.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_kafka::Place;

/// What waits, by partition.
#[derive(Debug)]
pub(crate) struct Waiting<T>(BTreeMap<Place, (i64, T)>);

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Waiting<T> {
    /// Keeps the next record of a partition until it is due.
    pub(crate) fn hold(&mut self, place: Place, due_millis: i64, record: T) {
        self.0.insert(place, (due_millis, record));
    }

    /// Forgets what waits in a partition; false when nothing does.
    pub(crate) fn forget(&mut self, place: &Place) -> bool {
        self.0.remove(place).is_some()
    }

    /// One that is due at a moment.
    pub(crate) fn take_due(&mut self, now_millis: i64) -> Option<(Place, T)> {
        let due = self.0.iter().find(|(_, (due, _))| *due <= now_millis);
        let place = due.map(|(place, _)| place.clone())?;
        let (_, record) = self.0.remove(&place)?;
        Some((place, record))
    }

    /// How long it takes until the next is due.
    pub(crate) fn next_in(&self, now_millis: i64) -> Option<Duration> {
        let next = self.0.values().map(|(due, _)| *due).min()?;
        Some(Duration::from_millis(u64::try_from(next - now_millis).unwrap_or(0)))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_partition_waits_for_itself() {
        let (a, b) = (Place::new("t-retry-1", 0), Place::new("t-retry-2", 0));
        let mut waiting = Waiting::default();
        waiting.hold(a.clone(), 5_000, "a");
        waiting.hold(b.clone(), 2_000, "b");
        assert_eq!(waiting.next_in(500), Some(Duration::from_millis(1_500)));
        assert_eq!(waiting.take_due(1_999), None);
        assert_eq!(waiting.take_due(2_000), Some((b.clone(), "b")));
        assert!(waiting.forget(&a) && !waiting.forget(&b));
        assert_eq!((waiting.len(), waiting.next_in(0)), (0, None));
    }
}
