//! Whether a settlement may still be written.

use std::collections::{BTreeMap, HashSet};

use dipmo_domain::StoreError;
use dipmo_outbox::{Attempt, Lease};

use crate::chunks::LaneOf;
use crate::settle_units::Unit;
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{leases, rows};

/// Checks that the leases are ours and every unit is where it was read, and takes the chunks away.
/// Corrects the attempts of units that were tried before to what the database says.
pub(crate) fn check(tx: &Tx<'_>, given: &[Lease], units: &mut [Unit]) -> Result<(), StoreError> {
    leases::check(tx, given)?;
    let leased: HashSet<_> = given
        .iter()
        .map(|lease| LaneOf { queue: lease.destination.to_string(), lane: lease.lane })
        .collect();
    let mut chunks: BTreeMap<i64, (LaneOf, Vec<i64>)> = BTreeMap::new();
    let mut seen = HashSet::new();
    for unit in units {
        if !leased.contains(&unit.at) || !seen.insert(unit.id) {
            return Err(lost(format!("unit {}", unit.id)));
        }
        match &mut unit.attempt {
            Attempt::First(chunk) => {
                let (_, ids) = chunks.entry(chunk.0.0).or_insert((unit.at.clone(), Vec::new()));
                ids.push(unit.id.0);
            }
            Attempt::Again { attempts, retried } => {
                *attempts = attempts_of(tx, unit.id.0, &unit.at, *retried)?;
            }
        }
    }
    chunks.into_iter().try_for_each(|(chunk, (at, ids))| take(tx, chunk, &at, ids))
}

/// Takes a chunk away; it must have exactly these units.
fn take(tx: &Tx<'_>, chunk: i64, at: &LaneOf, mut ids: Vec<i64>) -> Result<(), StoreError> {
    let params = (&at.queue, at.lane.index(), chunk);
    let mut there: Vec<i64> =
        tx.all(&sql::chunk_settle(Which::Outbox), params, |row| row.get(0))?;
    there.sort_unstable();
    ids.sort_unstable();
    if there == ids { Ok(()) } else { Err(lost(format!("chunk #{chunk}"))) }
}

/// How often a unit was tried that waits for another attempt in this lane, and that no operator
/// retried since it was read.
fn attempts_of(tx: &Tx<'_>, id: i64, at: &LaneOf, retried: u32) -> Result<u32, StoreError> {
    let found = tx.one(&sql::again_find(), [id], |row| {
        let place = LaneOf { queue: row.get(0)?, lane: rows::lane(row, 1)? };
        Ok((place, row.get(2)?, row.get::<_, u32>(3)?))
    })?;
    match found {
        Some((place, attempts, now)) if place == *at && now == retried => Ok(attempts),
        _ => Err(lost(format!("unit #{id}"))),
    }
}

fn lost(what: String) -> StoreError {
    StoreError::Fenced { what }
}
