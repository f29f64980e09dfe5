//! Who went on without earlier ones of its key that failed.

use dipmo_domain::{OrderKey, StoreError};

use crate::sql::{self, Which};
use crate::tx::Tx;

/// Those of a transaction that went on.
#[derive(Debug)]
pub(crate) struct Overtaking {
    which: Which,
    went_on: Vec<(String, OrderKey, i64)>,
}

impl Overtaking {
    pub(crate) const fn new(which: Which) -> Self {
        Self { which, went_on: Vec::new() }
    }

    pub(crate) fn went_on(&mut self, queue: &str, key: &OrderKey, id: i64) {
        self.went_on.push((queue.to_owned(), key.clone(), id));
    }

    /// Notes it for those that failed. Mostly nothing did, and then nothing is looked for.
    pub(crate) fn apply(mut self, tx: &Tx<'_>) -> Result<(), StoreError> {
        if self.went_on.is_empty()
            || tx.one(&sql::failed_any(self.which), (), |_| Ok(()))?.is_none()
        {
            return Ok(());
        }
        // The first of each key counts.
        self.went_on.sort_unstable_by_key(|(_, _, id)| *id);
        let overtake = sql::overtake(self.which);
        self.went_on
            .iter()
            .try_for_each(|(queue, key, id)| tx.run(&overtake, (queue, key.as_str(), id)).map(drop))
    }
}
