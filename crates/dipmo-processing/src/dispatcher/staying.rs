//! Which units of a job its publisher has seen and not answered for: they stay in it, and go before
//! all later ones of their order key.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use dipmo_domain::{OrderKey, OutboxId};

/// Units that stay, by a hash of their order key: a job may have hundreds of thousands. Where two
/// keys share one, a unit is put back once more than it had to be.
#[derive(Default)]
pub(super) struct Staying(BTreeSet<(u64, OutboxId)>);

impl Staying {
    /// A run of the publisher begins to read anew.
    pub(super) fn begin(&mut self) {
        self.0.clear();
    }

    /// A unit was read.
    pub(super) fn read(&mut self, key: &OrderKey, unit: OutboxId) {
        self.0.insert((hash(key), unit));
    }

    /// It leaves the job; true when an earlier one of its key stays.
    pub(super) fn leaves_before_another(&mut self, key: &OrderKey, unit: OutboxId) -> bool {
        let place = (hash(key), unit);
        self.0.remove(&place);
        self.0.range(..place).next_back().is_some_and(|(key, _)| *key == place.0)
    }
}

fn hash(key: &OrderKey) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_earlier_units_of_its_key_that_stay_count() {
        let [one, other] = ["A", "B"].map(OrderKey::new);
        let mut staying = Staying::default();
        for (key, unit) in [(&one, 1), (&other, 2), (&one, 3), (&one, 4)] {
            staying.read(key, OutboxId(unit));
        }
        let mut leaves = |key, unit| staying.leaves_before_another(key, OutboxId(unit));
        assert!(leaves(&one, 3), "1 stays");
        assert!(!leaves(&other, 2), "it is alone");
        assert!(!leaves(&one, 1), "it is the first");
        assert!(!leaves(&one, 4), "nobody is left before it");
        staying.read(&one, OutboxId(1));
        staying.begin();
        assert!(!staying.leaves_before_another(&one, OutboxId(5)));
    }
}
