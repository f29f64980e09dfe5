//! Ids of what left the straight path, by the indexes that its rows have.

use dipmo_domain::{Fingerprint, StoreError};

use super::ids::newest;
use crate::listing::Range;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// Which of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Aside {
    /// All.
    All,
    /// Those that have one of these statuses.
    Statuses(Vec<&'static str>),
    /// Those whose last failure is of a group.
    Failed(Fingerprint),
}

impl Aside {
    /// The newest ids of a range.
    pub(crate) fn ids(
        &self,
        tx: &Tx<'_>,
        which: Which,
        Range { from, before }: Range,
        limit: usize,
    ) -> Result<Vec<i64>, StoreError> {
        match self {
            Self::All => tx.all(&sql::aside_ids(which), (from, before, limit), |row| row.get(0)),
            Self::Failed(Fingerprint(group)) => {
                let params = (from, before, limit, group);
                tx.all(&sql::aside_ids_by_failure(which), params, |row| row.get(0))
            }
            Self::Statuses(statuses) => {
                // Each by itself: an index that is entered at several places does not give an order.
                let mut ids = Vec::new();
                for status in statuses {
                    let params = (from, before, limit, status);
                    let sql = sql::aside_ids_by_status(which);
                    ids.extend(tx.all(&sql, params, |row| row.get::<_, i64>(0))?);
                }
                Ok(newest(ids, limit))
            }
        }
    }
}
