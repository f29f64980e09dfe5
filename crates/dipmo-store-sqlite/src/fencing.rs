//! Whether a settlement may still be written.

use std::collections::{BTreeMap, HashSet};

use dipmo_domain::StoreError;
use dipmo_outbox::{Attempt, Lease, UnitResult};

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
                if matches!(unit.result, UnitResult::InJob(_)) {
                    let place = (&unit.at.queue, unit.at.lane.index(), chunk.0.0);
                    stays(&unit.result, tx.one(&sql::job_stay(), place, |row| row.get(0))?)?;
                }
                let (_, ids) = chunks.entry(chunk.0.0).or_insert((unit.at.clone(), Vec::new()));
                ids.push(unit.id.0);
            }
            Attempt::Again { attempts, retried } => {
                let row = again(tx, unit.id.0, &unit.at, *retried)?;
                *attempts = row.attempts;
                stays(&unit.result, row.job)?;
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

/// Fails unless what is to stay in a job is in it: else it would be in none that holds its lane.
fn stays(result: &UnitResult, job: Option<i64>) -> Result<(), StoreError> {
    match result {
        UnitResult::InJob(stays) if job != Some(stays.0) => {
            Err(lost(format!("a unit of job {stays}")))
        }
        _ => Ok(()),
    }
}

/// A unit with a row of its own.
struct Again {
    attempts: u32,
    job: Option<i64>,
}

/// A unit that waits for another attempt in this lane, and that no operator retried since it was
/// read.
fn again(tx: &Tx<'_>, id: i64, at: &LaneOf, retried: u32) -> Result<Again, StoreError> {
    let found = tx.one(&sql::again_find(), [id], |row| {
        let place = LaneOf { queue: row.get(0)?, lane: rows::lane(row, 1)? };
        Ok((place, row.get::<_, u32>(3)?, Again { attempts: row.get(2)?, job: row.get(4)? }))
    })?;
    match found {
        Some((place, now, again)) if place == *at && now == retried => Ok(again),
        _ => Err(lost(format!("unit #{id}"))),
    }
}

fn lost(what: String) -> StoreError {
    StoreError::Fenced { what }
}
