//! The last stretch: what the book promises of each record, against the outbox and the org.
//!
//! A write that the sender could not know of, because its answer was lost, may be followed by the
//! same write again: that is a redelivery and no fault. Nor is it one when such a write comes late,
//! as long as the record ends with its newest version.

use std::collections::{BTreeSet, HashMap};

use dipmo_domain::OutboxStatus;
use serde::Serialize;

use super::{Complaint, Kind};
use crate::demo::book::{Book, RecordPromise};
use crate::demo::facts::{Facts, RecordFact};
use crate::demo::org::Write;

/// Figures of what went to Salesforce.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct SalesforceFigures {
    /// Intents of the outbox, each with one record or many.
    pub(crate) intents: u64,
    /// Records of intents: what was asked for.
    pub(crate) asked: u64,
    /// Different records that the book promises.
    pub(crate) records: u64,
    /// Those that ended with their newest version.
    pub(crate) newest: u64,
    /// Those that Salesforce refused, as promised and with its code.
    pub(crate) refused: u64,
    /// What Salesforce wrote.
    pub(crate) writes: u64,
    /// What was asked for and needed no write of its own.
    pub(crate) coalesced: u64,
    /// Writes that were done again because their answer was lost.
    pub(crate) redelivered: u64,
    /// Calls that came to Salesforce, if it tells.
    pub(crate) calls: u64,
    /// Bulk jobs.
    pub(crate) jobs: u64,
    /// Faults that calls met.
    pub(crate) faults: u64,
}

type Key<'a> = (&'a str, &'a str);

/// Compares all records.
pub(super) fn judge(book: &Book, facts: &Facts) -> (SalesforceFigures, Vec<Complaint>) {
    let org = &facts.org;
    let mut figures = SalesforceFigures {
        calls: org.calls,
        jobs: org.jobs,
        faults: org.faults,
        ..SalesforceFigures::default()
    };
    let mut asked: HashMap<Key<'_>, Vec<&RecordFact>> = HashMap::new();
    for intent in &facts.outbox {
        let Some(object) = intent.object() else { continue };
        figures.intents += 1;
        figures.asked += intent.records.len() as u64;
        for record in &intent.records {
            asked.entry((object, &record.key)).or_default().push(record);
        }
    }
    let mut written: HashMap<Key<'_>, &[Write]> =
        org.writes.iter().map(|((object, key), all)| ((*object, key.as_str()), &all[..])).collect();
    let mut rows: HashMap<Key<'_>, i64> =
        facts.rows.iter().map(|((object, key), at)| ((*object, key.as_str()), *at)).collect();
    let mut complaints = Vec::new();
    for promise in book.promises.iter().flat_map(|promise| &promise.endings[0].records) {
        let key = (promise.object, promise.key.as_str());
        let record = Record {
            promise,
            row: rows.remove(&key),
            asked: asked.remove(&key).unwrap_or_default(),
            writes: written.remove(&key).unwrap_or_default(),
        };
        record.count(&mut figures);
        complaints.extend(record.complaints());
    }
    let strangers: BTreeSet<Key<'_>> =
        asked.into_keys().chain(written.into_keys()).chain(rows.into_keys()).collect();
    let text = |(object, key)| format!("{object} {key} is in no book");
    complaints.extend(
        strangers.into_iter().map(|it| Complaint { kind: Kind::Unexpected, text: text(it) }),
    );
    (figures, complaints)
}

/// One record: what was promised, and what there is of it.
struct Record<'a> {
    promise: &'a RecordPromise,
    row: Option<i64>,
    asked: Vec<&'a RecordFact>,
    writes: &'a [Write],
}

impl Record<'_> {
    fn count(&self, figures: &mut SalesforceFigures) {
        figures.records += 1;
        figures.writes += self.writes.len() as u64;
        figures.redelivered += self.redelivered();
        figures.coalesced += self.dispatched().saturating_sub(self.effective());
        match self.promise.refused {
            Some(_) => figures.refused += u64::from(self.writes.is_empty()),
            None => {
                let last = self.writes.last().map(|write| write.version);
                figures.newest += u64::from(last == Some(self.promise.version));
            }
        }
    }

    fn complaints(&self) -> Vec<Complaint> {
        let wrong = [self.wrong_row(), self.wrong_end(), self.wrong_order(), self.too_often()];
        let wrong = wrong.into_iter().flatten().chain(self.wrong_units());
        let named = |(kind, text)| {
            let text = format!("{} {}: {text}", self.promise.object, self.promise.key);
            Complaint { kind, text }
        };
        wrong.map(named).collect()
    }

    /// The table that it is read from has its newest version, whatever Salesforce says.
    fn wrong_row(&self) -> Option<(Kind, String)> {
        let wanted = self.promise.version;
        let found = || self.row.map_or_else(|| "not there".to_owned(), |at| format!("at {at}"));
        (self.row != Some(wanted))
            .then(|| (Kind::Unexpected, format!("its row is {}, not at {wanted}", found())))
    }

    fn wrong_end(&self) -> Option<(Kind, String)> {
        let RecordPromise { version, refused, .. } = self.promise;
        match (refused, self.writes.last()) {
            (None, None) => Some((Kind::Lost, "was never written".to_owned())),
            (None, Some(last)) if last.version < *version => {
                Some((Kind::Lost, format!("ended at version {}, not {version}", last.version)))
            }
            (None, Some(last)) if last.version > *version => {
                Some((Kind::Unexpected, format!("ended at version {}", last.version)))
            }
            (Some(code), Some(_)) => {
                Some((Kind::Unexpected, format!("was written, and not refused with {code}")))
            }
            _ => None,
        }
    }

    /// An older version behind a newer one, though the sender knew of both.
    fn wrong_order(&self) -> Option<(Kind, String)> {
        let mut newest = i64::MIN;
        for write in self.writes {
            if write.version < newest && write.is_answered {
                let text = format!("version {} was written behind {newest}", write.version);
                return Some((Kind::Reordered, text));
            }
            newest = newest.max(write.version);
        }
        None
    }

    /// More writes than were asked for, and no lost answer that explains it.
    fn too_often(&self) -> Option<(Kind, String)> {
        let (writes, asked) = (self.effective(), self.dispatched());
        (writes > asked)
            .then(|| (Kind::Doubled, format!("was written {writes} times for {asked} intents")))
    }

    fn wrong_units(&self) -> impl Iterator<Item = (Kind, String)> {
        let units = self.asked.iter().filter(|unit| match self.promise.refused {
            None => unit.status != OutboxStatus::Dispatched,
            Some(code) => unit.status != OutboxStatus::Failed || unit.code.as_deref() != Some(code),
        });
        let wrong = |unit: &&&RecordFact| {
            let open = unit.status == OutboxStatus::Pending;
            let kind = if open { Kind::Lost } else { Kind::Unexpected };
            let code = unit.code.as_deref().unwrap_or_default();
            let wanted =
                self.promise.refused.map_or("DISPATCHED".to_owned(), |it| format!("FAILED {it}"));
            (kind, format!("{} {code}, not {wanted}", unit.status))
        };
        units.map(|unit| wrong(&unit)).collect::<Vec<_>>().into_iter()
    }

    fn dispatched(&self) -> u64 {
        let is_dispatched = |unit: &&&RecordFact| unit.status == OutboxStatus::Dispatched;
        self.asked.iter().filter(is_dispatched).count() as u64
    }

    /// Writes that the sender could not know of, and that were followed by another.
    fn redelivered(&self) -> u64 {
        let followed = self.writes.split_last().map_or(&[][..], |(_, before)| before);
        followed.iter().filter(|write| !write.is_answered).count() as u64
    }

    /// Writes that count.
    fn effective(&self) -> u64 {
        self.writes.len() as u64 - self.redelivered()
    }
}
