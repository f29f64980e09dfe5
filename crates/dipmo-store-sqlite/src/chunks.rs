//! Which chunks a claim or a read takes: whole ones, oldest first, until there are enough.

use std::ops::ControlFlow;

use dipmo_domain::{Lane, StoreError};

use crate::sql::{self, Which};
use crate::tx::Tx;

/// A lane of the inbox, or of a destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LaneOf {
    /// The destination; empty in the inbox.
    pub(crate) queue: String,
    pub(crate) lane: Lane,
}

/// What to take of a lane.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    pub(crate) of: &'a LaneOf,
    /// The chunks, by their first ids.
    pub(crate) chunks: Vec<i64>,
    /// How many rows they have.
    pub(crate) rows: usize,
    /// The first id of what stays: what was decoded only now must not come before it.
    pub(crate) stays: i64,
}

/// Picks chunks of these lanes until `limit` rows are picked; the last chunk may go over.
///
/// The oldest chunk of all lanes comes first: a lane with a long queue does not keep the others
/// waiting.
pub(crate) fn pick<'a>(
    tx: &Tx<'_>,
    which: Which,
    lanes: &'a [LaneOf],
    limit: usize,
    passed_over: &[i64],
) -> Result<Vec<Share<'a>>, StoreError> {
    let mut found = Vec::new();
    for (at, of) in lanes.iter().enumerate() {
        let chunks = list(tx, which, of, limit, passed_over)?;
        found.extend(chunks.into_iter().map(|(chunk, size)| (chunk, size, at)));
    }
    found.sort_unstable();
    let mut shares: Vec<_> =
        lanes.iter().map(|of| Share { of, chunks: Vec::new(), rows: 0, stays: i64::MAX }).collect();
    let mut picked = 0;
    for (chunk, size, at) in found {
        if picked < limit {
            shares[at].chunks.push(chunk);
            shares[at].rows += size;
            picked += size;
        } else {
            shares[at].stays = shares[at].stays.min(chunk);
        }
    }
    Ok(shares)
}

/// The first chunks of a lane: enough for `limit` rows, and one more.
fn list(
    tx: &Tx<'_>,
    which: Which,
    of: &LaneOf,
    limit: usize,
    passed_over: &[i64],
) -> Result<Vec<(i64, usize)>, StoreError> {
    let (mut chunks, mut rows) = (Vec::new(), 0);
    tx.some(&sql::chunk_list(which), (&of.queue, of.lane.index()), |row| {
        let (chunk, size) = (row.get(0)?, row.get::<_, usize>(1)?);
        if passed_over.contains(&chunk) {
            return Ok(ControlFlow::Continue(()));
        }
        let enough = rows >= limit;
        chunks.push((chunk, size));
        rows += size;
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(chunks)
}
