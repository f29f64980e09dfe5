//! Lists of messages.

use dipmo_domain::{DedupeKey, InboxId, InboxStatus, StoreError, Timestamp};
use dipmo_store::admin::{MessageFilter, MessageLine};
use rusqlite::{Row, params_from_iter};

use super::aside::Aside;
use super::ids;
use crate::listing::{List, MOST_LOOKED_AT, MOST_READ_THROUGH, Range, as_json, first};
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{filters, rows};

/// `STATUS`, as `message_lines` has it.
const STATUS: &str = "coalesce(e.status, iif(d.id IS NULL, 'RECEIVED', 'PROCESSED'))";

/// Messages that fit a filter.
#[derive(Debug)]
pub(super) struct MessageList<'a> {
    filter: &'a MessageFilter,
    source: Source,
    range: Range,
}

/// Where the ids come from: what finds the fewest.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// The log.
    All,
    /// What is ready, or stands aside with one of these statuses.
    Open(Vec<&'static str>),
    /// What stands aside.
    Aside(Aside),
    /// The messages of an aggregate.
    Aggregate(String),
    /// One message.
    One(i64),
}

impl<'a> MessageList<'a> {
    /// What a filter wants.
    pub(super) fn of(tx: &Tx<'_>, filter: &'a MessageFilter) -> Result<Self, StoreError> {
        let first_at =
            |time: Timestamp| tx.one(&sql::message_since(), [time.as_micros()], |row| row.get(0));
        let range = Range::between(filter.since, filter.until, first_at)?;
        let source = match known(tx, filter)? {
            Some(id) => Source::One(id),
            None => Source::of(filter),
        };
        Ok(Self { filter, source, range })
    }
}

impl Source {
    fn of(filter: &MessageFilter) -> Self {
        let names = |statuses: &[InboxStatus]| statuses.iter().map(|it| it.as_str()).collect();
        let always_aside =
            |it: &InboxStatus| !matches!(it, InboxStatus::Received | InboxStatus::Processed);
        let status = &filter.status[..];
        if let Some(group) = filter.failure {
            Self::Aside(Aside::Failed(group))
        } else if let Some(aggregate) = &filter.aggregate {
            Self::Aggregate(aggregate.clone())
        } else if filter.waits.is_some() {
            Self::Aside(Aside::Statuses(names(&[InboxStatus::Received, InboxStatus::Retry])))
        } else if status.is_empty() {
            let failed = filter.error_code.is_some();
            if failed { Self::Aside(Aside::All) } else { Self::All }
        } else if filter.error_code.is_some() || status.iter().all(always_aside) {
            Self::Aside(Aside::Statuses(names(status)))
        } else if status.contains(&InboxStatus::Processed) {
            Self::All
        } else {
            Self::Open(names(status))
        }
    }
}

/// The message with an id of a source, by its dedupe id. `None` when there is none, or the id was too long for its
/// column.
fn known(tx: &Tx<'_>, filter: &MessageFilter) -> Result<Option<i64>, StoreError> {
    let (source, id) = (filter.source_system.as_deref(), filter.message_id.as_deref());
    let Some((source, id)) = source.zip(id) else { return Ok(None) };
    let key = DedupeKey::of(source, id);
    tx.one(&sql::inbox_duplicates(), [key.as_bytes()], |row| row.get(1))
}

impl List for MessageList<'_> {
    type Line = MessageLine;

    fn range(&self) -> Range {
        self.range
    }

    fn most(&self) -> usize {
        if self.filter.text.is_some() { MOST_READ_THROUGH } else { MOST_LOOKED_AT }
    }

    fn ids(&self, tx: &Tx<'_>, range: Range, limit: usize) -> Result<Vec<i64>, StoreError> {
        match &self.source {
            Source::All => ids::all(tx, Which::Inbox, range, limit),
            Source::Open(statuses) => ids::open(tx, Which::Inbox, statuses, range, limit),
            Source::Aside(aside) => aside.ids(tx, Which::Inbox, range, limit),
            Source::Aggregate(aggregate) => {
                let params = (range.from, range.before, limit, aggregate);
                tx.all(&sql::message_ids_by_aggregate(), params, |row| row.get(0))
            }
            Source::One(id) => Ok(range.has(*id).then_some(*id).into_iter().collect()),
        }
    }

    fn lines(
        &self,
        tx: &Tx<'_>,
        ids: &[i64],
        limit: usize,
    ) -> Result<Vec<MessageLine>, StoreError> {
        let filter = filters::messages(self.filter, STATUS);
        let sql = sql::message_lines(&filter.text());
        let params = [as_json(ids).into()].into_iter().chain(filter.params);
        first(tx, &sql, params_from_iter(params), limit, line)
    }

    fn id(line: &MessageLine) -> i64 {
        line.id.0
    }

    fn time(&self, tx: &Tx<'_>, id: i64) -> Result<Option<Timestamp>, StoreError> {
        tx.one(&sql::message_time(), [id], |row| rows::time(row, 0))
    }
}

fn line(row: &Row<'_>) -> rusqlite::Result<MessageLine> {
    Ok(MessageLine {
        id: InboxId(row.get(0)?),
        message_id: row.get(1)?,
        source_system: row.get(2)?,
        topic: row.get(3)?,
        partition: row.get(4)?,
        offset: row.get(5)?,
        aggregate_id: row.get(6)?,
        event_type: row.get(7)?,
        received_at: rows::time(row, 8)?,
        lane: rows::lane(row, 9)?,
        status: rows::parsed(row, 10)?,
        attempts: row.get(11)?,
        next_attempt_at: rows::maybe_time(row, 12)?,
        processed_at: rows::maybe_time(row, 13)?,
        outcome: rows::maybe_parsed(row, 14)?,
        parked: row.get(15)?,
        held_behind: row.get::<_, Option<i64>>(16)?.map(InboxId),
        error_stage: rows::maybe_parsed(row, 17)?,
        failure: rows::failure(row, 18)?,
    })
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Fingerprint;
    use dipmo_store::admin::Waits;

    use super::*;

    /// Whatever can be found by an index is.
    #[test]
    fn ids_come_from_where_they_are_few() {
        use InboxStatus::{Failed, Processed, Received, Retry};

        let of = |status: &[InboxStatus]| MessageFilter {
            status: status.to_vec(),
            ..MessageFilter::default()
        };
        let statuses = |names: &[&'static str]| Source::Aside(Aside::Statuses(names.to_vec()));
        let all = of(&[]);
        let code = Some("odd".to_owned());
        let aggregate = Some("a".to_owned());
        let group = Fingerprint(1);
        for (filter, source) in [
            (all.clone(), Source::All),
            (of(&[Failed, Retry]), statuses(&["FAILED", "RETRY"])),
            (of(&[Received, Failed]), Source::Open(vec!["RECEIVED", "FAILED"])),
            (of(&[Failed, Processed]), Source::All),
            (
                MessageFilter { error_code: code.clone(), ..of(&[Processed]) },
                statuses(&["PROCESSED"]),
            ),
            (MessageFilter { error_code: code, ..all.clone() }, Source::Aside(Aside::All)),
            (MessageFilter { waits: Some(Waits::Held), ..all }, statuses(&["RECEIVED", "RETRY"])),
            (MessageFilter { aggregate, ..of(&[Failed]) }, Source::Aggregate("a".to_owned())),
            (
                MessageFilter { failure: Some(group), ..of(&[Failed]) },
                Source::Aside(Aside::Failed(group)),
            ),
        ] {
            assert_eq!(Source::of(&filter), source, "{filter:?}");
        }
    }
}
