//! The units of a job, page by page.

use std::ops::ControlFlow;

use dipmo_domain::{Lane, OutboxId, StoreError};
use dipmo_outbox::{Attempt, ChunkRef, JobId, JobMark, JobPage};

use crate::deliveries::unit;
use crate::delivery::{Composer, Unit};
use crate::job_change::start;
use crate::jobs::find;
use crate::tx::Tx;
use crate::{rows, sql};

/// A chunk, or a unit with a row of its own: what is settled as a whole.
struct Part {
    /// Its last unit, by which it stands in the job.
    last: i64,
    lane: Lane,
    units: Vec<Unit>,
}

/// Whole parts behind a mark, until they have so many units.
pub(crate) fn page(
    tx: &Tx<'_>,
    id: JobId,
    behind: Option<JobMark>,
    limit: usize,
) -> Result<JobPage, StoreError> {
    let mut parts = chunks(tx, id, start(behind), limit)?;
    parts.extend(own_rows(tx, id, start(behind), limit)?);
    parts.sort_unstable_by_key(|part| part.last);
    if parts.is_empty() {
        return Ok(JobPage::default());
    }
    let destination = find(tx, id)?.destination;
    let (mut composer, mut page) = (Composer::default(), JobPage::default());
    let mut parts = parts.into_iter().peekable();
    while let Some(Part { last, lane, units }) = parts.next() {
        for unit in units {
            page.units.push(composer.delivery(tx, unit, (&destination, lane))?);
        }
        if page.units.len() >= limit {
            page.next = parts.peek().map(|_| JobMark(OutboxId(last)));
            break;
        }
    }
    page.units.sort_unstable_by_key(|delivery| delivery.unit);
    Ok(page)
}

/// Chunks until they have so many units, and the beginning of one more.
fn chunks(tx: &Tx<'_>, id: JobId, behind: i64, limit: usize) -> Result<Vec<Part>, StoreError> {
    let (mut parts, mut units): (Vec<Part>, usize) = (Vec::new(), 0);
    tx.some(&sql::job_read(), (id.0, behind), |row| {
        let (lane, last) = (rows::lane(row, 3)?, row.get(5)?);
        let attempt = Attempt::First(ChunkRef(OutboxId(row.get(4)?)));
        let unit = unit(row, attempt)?;
        if let Some(part) = parts.last_mut().filter(|part| part.last == last) {
            part.units.push(unit);
            units += 1;
            return Ok(ControlFlow::Continue(()));
        }
        let enough = units >= limit;
        parts.push(Part { last, lane, units: vec![unit] });
        units += 1;
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(parts)
}

/// Units with rows of their own: so many, and one more.
fn own_rows(tx: &Tx<'_>, id: JobId, behind: i64, limit: usize) -> Result<Vec<Part>, StoreError> {
    tx.all(&sql::job_read_due(), (id.0, behind, limit.saturating_add(1)), |row| {
        let attempt = Attempt::Again { attempts: row.get(3)?, retried: row.get(4)? };
        let unit = unit(row, attempt)?;
        Ok(Part { last: unit.id.0, lane: rows::lane(row, 5)?, units: vec![unit] })
    })
}
