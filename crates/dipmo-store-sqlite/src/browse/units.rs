//! Lists of units: intents without records, and records.

use std::collections::HashMap;

use dipmo_domain::{InboxId, OutboxId, OutboxStatus, RecordKey, StoreError, Timestamp};
use dipmo_outbox::JobId;
use dipmo_store::admin::{UnitFilter, UnitLine, Waits};
use rusqlite::{Row, params_from_iter};

use super::aside::Aside;
use super::ids;
use crate::listing::{List, MOST_LOOKED_AT, MOST_READ_THROUGH, Range, as_json, first};
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{filters, rows};

/// `STATUS`, as `unit_lines` has it.
const STATUS: &str = "coalesce(e.status, iif(d.id IS NULL, 'PENDING', 'DISPATCHED'))";

/// Units that fit a filter.
#[derive(Debug)]
pub(super) struct UnitList<'a> {
    filter: &'a UnitFilter,
    source: Source,
    range: Range,
}

/// Where the ids come from: what finds the fewest.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// Both logs.
    All,
    /// What is ready, or stands aside with one of these statuses.
    Open(Vec<&'static str>),
    /// What stands aside.
    Aside(Aside),
    /// The intents of an aggregate.
    Aggregate(String),
    /// The intents that a message caused.
    Cause(InboxId),
    /// One intent.
    Intent(OutboxId),
}

impl<'a> UnitList<'a> {
    /// What a filter wants.
    pub(super) fn of(tx: &Tx<'_>, filter: &'a UnitFilter) -> Result<Self, StoreError> {
        let first_at =
            |time: Timestamp| tx.one(&sql::intent_since(), [time.as_micros()], |row| row.get(0));
        // Records have ids between that of their intent and that of the next one.
        let range = Range::between(filter.since, filter.until, first_at)?;
        let never = filter.waits == Some(Waits::Parked);
        let range = if never { Range::NONE } else { range };
        Ok(Self { filter, source: Source::of(filter), range })
    }
}

impl Source {
    fn of(filter: &UnitFilter) -> Self {
        let names = |statuses: &[OutboxStatus]| statuses.iter().map(|it| it.as_str()).collect();
        let status = &filter.status[..];
        if let Some(intent) = filter.intent {
            Self::Intent(intent)
        } else if let Some(group) = filter.failure {
            Self::Aside(Aside::Failed(group))
        } else if let Some(cause) = filter.cause {
            Self::Cause(cause)
        } else if let Some(aggregate) = &filter.aggregate {
            Self::Aggregate(aggregate.clone())
        } else if filter.waits.is_some() {
            Self::Aside(Aside::Statuses(names(&[OutboxStatus::Pending])))
        } else if status.is_empty() {
            let failed = filter.error_code.is_some();
            if failed { Self::Aside(Aside::All) } else { Self::All }
        } else if filter.error_code.is_some() || status == [OutboxStatus::Failed] {
            Self::Aside(Aside::Statuses(names(status)))
        } else if status.contains(&OutboxStatus::Dispatched) {
            Self::All
        } else {
            Self::Open(names(status))
        }
    }
}

impl List for UnitList<'_> {
    type Line = UnitLine;

    fn range(&self) -> Range {
        self.range
    }

    fn most(&self) -> usize {
        if self.filter.text.is_some() { MOST_READ_THROUGH } else { MOST_LOOKED_AT }
    }

    fn ids(&self, tx: &Tx<'_>, range: Range, limit: usize) -> Result<Vec<i64>, StoreError> {
        let before = range.before;
        let intents = match &self.source {
            Source::All => return ids::all(tx, Which::Outbox, range, limit),
            Source::Open(statuses) => {
                return ids::open(tx, Which::Outbox, statuses, range, limit);
            }
            Source::Aside(aside) => return aside.ids(tx, Which::Outbox, range, limit),
            Source::Intent(intent) => vec![intent.0],
            Source::Cause(cause) => {
                tx.all(&sql::intent_ids_by_cause(), (before, limit, cause.0), |row| row.get(0))?
            }
            Source::Aggregate(aggregate) => of_aggregate(tx, aggregate, before, limit)?,
        };
        units_of(tx, &intents, range, limit)
    }

    fn lines(&self, tx: &Tx<'_>, ids: &[i64], limit: usize) -> Result<Vec<UnitLine>, StoreError> {
        let filter = filters::units(self.filter, STATUS);
        let sql = sql::unit_lines(&filter.text());
        let params = [as_json(ids).into()].into_iter().chain(filter.params);
        first(tx, &sql, params_from_iter(params), limit, line)
    }

    fn id(line: &UnitLine) -> i64 {
        line.id.0
    }

    fn time(&self, tx: &Tx<'_>, id: i64) -> Result<Option<Timestamp>, StoreError> {
        tx.one(&sql::unit_time(), [id], |row| rows::time(row, 0))
    }
}

/// The newest intents of an aggregate, of whatever type.
fn of_aggregate(
    tx: &Tx<'_>,
    aggregate: &str,
    before: i64,
    limit: usize,
) -> Result<Vec<i64>, StoreError> {
    let types: Vec<String> = tx.all(&sql::intent_types(), (), |row| row.get(0))?;
    let mut intents = Vec::new();
    for name in types {
        let params = (before, limit, name, aggregate);
        intents
            .extend(tx.all(&sql::intent_ids_by_aggregate(), params, |row| row.get::<_, i64>(0))?);
    }
    Ok(ids::newest(intents, limit))
}

/// The newest ids of intents and their records. An intent is the first of what is its own: the next intent follows
/// its last record.
fn units_of(
    tx: &Tx<'_>,
    intents: &[i64],
    range: Range,
    limit: usize,
) -> Result<Vec<i64>, StoreError> {
    let mut ids: Vec<i64> = Vec::new();
    for intent in intents {
        let params = (intent, range.from, range.before, limit - ids.len());
        ids.extend(tx.all(&sql::record_ids_of(), params, |row| row.get::<_, i64>(0))?);
        if ids.len() < limit && range.has(*intent) {
            ids.push(*intent);
        }
        if ids.len() == limit {
            break;
        }
    }
    Ok(ids)
}

/// Adds the jobs of units that are in one and were never tried: rows of their own tell theirs.
pub(super) fn find_jobs(tx: &Tx<'_>, lines: &mut [UnitLine]) -> Result<(), StoreError> {
    let waits = |line: &&UnitLine| line.status == OutboxStatus::Pending && line.job.is_none();
    let waiting: Vec<i64> = lines.iter().filter(waits).map(|line| line.id.0).collect();
    let (Some(newest), Some(oldest)) = (waiting.first(), waiting.last()) else { return Ok(()) };
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, JobId(row.get(1)?)));
    let jobs: HashMap<_, _> =
        tx.all(&sql::ready_jobs(), (oldest, newest), read)?.into_iter().collect();
    for line in lines {
        line.job = line.job.or_else(|| jobs.get(&line.id.0).copied());
    }
    Ok(())
}

fn line(row: &Row<'_>) -> rusqlite::Result<UnitLine> {
    Ok(UnitLine {
        id: OutboxId(row.get(0)?),
        intent: OutboxId(row.get(1)?),
        record: row.get::<_, Option<String>>(2)?.map(RecordKey),
        destination: rows::parsed(row, 3)?,
        aggregate_type: row.get(4)?,
        aggregate_id: row.get(5)?,
        event_type: row.get(6)?,
        cause: row.get::<_, Option<i64>>(7)?.map(InboxId),
        created_at: rows::time(row, 8)?,
        status: rows::parsed(row, 9)?,
        attempts: row.get(10)?,
        next_attempt_at: rows::maybe_time(row, 11)?,
        dispatched_at: rows::maybe_time(row, 12)?,
        external_ref: row.get(13)?,
        held_behind: rows::maybe_outbox_id(row, 14)?,
        job: row.get::<_, Option<i64>>(15)?.map(JobId),
        skipped: row.get(16)?,
        failure: rows::failure(row, 17)?,
        resend_of: rows::maybe_outbox_id(row, 19)?,
    })
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Fingerprint;

    use super::*;

    /// Whatever can be found by an index is.
    #[test]
    fn ids_come_from_where_they_are_few() {
        use OutboxStatus::{Dispatched, Failed, Pending};

        let of = |status: &[OutboxStatus]| UnitFilter {
            status: status.to_vec(),
            ..UnitFilter::default()
        };
        let statuses = |names: &[&'static str]| Source::Aside(Aside::Statuses(names.to_vec()));
        let all = of(&[]);
        let code = Some("odd".to_owned());
        let (intent, cause, group) = (OutboxId(1), InboxId(2), Fingerprint(3));
        let aggregate = UnitFilter { aggregate: Some("a".to_owned()), ..of(&[Failed]) };
        let caused = UnitFilter { cause: Some(cause), ..aggregate.clone() };
        let failed = UnitFilter { failure: Some(group), ..caused.clone() };
        let of_intent = UnitFilter { intent: Some(intent), ..failed.clone() };
        for (filter, source) in [
            (all.clone(), Source::All),
            (of(&[Failed]), statuses(&["FAILED"])),
            (of(&[Pending]), Source::Open(vec!["PENDING"])),
            (of(&[Failed, Dispatched]), Source::All),
            (UnitFilter { error_code: code.clone(), ..of(&[Pending]) }, statuses(&["PENDING"])),
            (UnitFilter { error_code: code, ..all.clone() }, Source::Aside(Aside::All)),
            (UnitFilter { waits: Some(Waits::Held), ..all }, statuses(&["PENDING"])),
            (aggregate, Source::Aggregate("a".to_owned())),
            (caused, Source::Cause(cause)),
            (failed, Source::Aside(Aside::Failed(group))),
            (of_intent, Source::Intent(intent)),
        ] {
            assert_eq!(Source::of(&filter), source, "{filter:?}");
        }
    }
}
