//! The units of a job as pages of CSV, of which one is in memory at a time.

use std::collections::HashSet;
use std::fmt;

use bytes::Bytes;
use dipmo_domain::{OutboxId, StoreError};
use dipmo_outbox::{Delivery, JobMark, JobPage, Published};
use dipmo_salesforce::CsvWriter;
use tokio::time::Instant;

use super::call::Run;
use super::fates::{self, Fate, Unit, Want};
use super::keys::{KeyHash, Keys, RowState};
use super::{cells, settle};
use crate::error::SinkError;
use crate::mapping::{Source, key_of};
use crate::shaping::{Shape, Shaped};
use crate::slice::by_parent;

/// The pages of a job that are not written yet.
pub(super) struct Pages<'a> {
    run: &'a Run<'a>,
    columns: Vec<&'a str>,
    writer: CsvWriter,
    keys: Keys,
    /// What is sent by itself.
    aside: HashSet<OutboxId>,
    /// Where the next page begins; `None` after the last.
    next: Option<Option<JobMark>>,
    /// From then on the job counts as full.
    full_at: Option<Instant>,
    /// Whether somebody took the last page and asked for more.
    drained: bool,
    /// What they broke off for.
    broken: Option<Broken>,
}

/// How pages ended.
#[derive(Debug)]
pub(super) enum End {
    /// All were written, and these units are to be sent by themselves.
    Complete { aside: HashSet<OutboxId> },
    /// Nobody asked for the rest.
    Early,
    /// They could not be made.
    Broken(Broken),
}

/// Why there are no more pages although there are more units.
#[derive(Debug)]
pub(super) enum Broken {
    /// The database failed, or the job is somebody else's.
    Store(StoreError),
    /// The table that the records come from is not as the mapping says.
    Shape(SinkError),
}

/// There are no more pages: [`Pages::end`] tells why.
#[derive(Debug)]
pub(super) struct BrokenOff;

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the rows could not be made")
    }
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<SinkError> for Broken {
    fn from(error: SinkError) -> Self {
        match error {
            SinkError::HydrationFailed { source, .. } if source.is_transient() => {
                Self::Store(source)
            }
            other => Self::Shape(other),
        }
    }
}

impl<'a> Pages<'a> {
    pub(super) fn new(run: &'a Run<'a>) -> Self {
        let columns = run.org.mapping.columns();
        let writer = CsvWriter::new(&columns);
        Self {
            run,
            columns,
            writer,
            keys: Keys::default(),
            aside: HashSet::new(),
            next: Some(None),
            full_at: None,
            drained: false,
            broken: None,
        }
    }

    /// No page is begun after that: what is left then is left to the next job.
    pub(super) fn full_at(&mut self, at: Instant) {
        self.full_at = Some(at);
    }

    /// The next rows; `None` after the last, when every unit has left the job that neither has a row
    /// nor is to be sent by itself.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, BrokenOff> {
        self.try_next().await.map_err(|broken| {
            self.broken = Some(broken);
            BrokenOff
        })
    }

    /// How they ended.
    pub(super) fn end(self) -> End {
        match self.broken {
            Some(broken) => End::Broken(broken),
            None if self.drained => End::Complete { aside: self.aside },
            None => End::Early,
        }
    }

    async fn try_next(&mut self) -> Result<Option<Bytes>, Broken> {
        while let Some(behind) = self.next {
            if let Some(mark) = behind
                && self.full_at.is_some_and(|at| at <= Instant::now())
            {
                self.run.work.release(Some(mark)).await?;
                self.next = None;
                break;
            }
            let JobPage { units, next } =
                self.run.work.units(behind, self.run.org.bulk.page).await?;
            let rows = self.writer.rows();
            let all = self.page(units).await?;
            if let (false, Some(mark)) = (all, next) {
                self.run.work.release(Some(mark)).await?;
            }
            self.next = next.map(Some).filter(|_| all);
            if self.writer.rows() > rows {
                return Ok(Some(self.writer.take()));
            }
        }
        self.drained = true;
        Ok(None)
    }

    /// Writes what is to be written of a page, and answers for what is not. False once the job is
    /// full.
    async fn page(&mut self, units: Vec<Delivery>) -> Result<bool, Broken> {
        let shapes = self.run.org.shaper.shape(&self.run.org.mapping, &units).await?;
        let wants = units.iter().zip(&shapes);
        let wants: Vec<Unit<'_>> = wants.map(|(unit, shape)| self.unit(unit, shape)).collect();
        let fates = fates::decide(&wants, &mut self.keys);
        let written = self.write(&fates, &shapes);
        let aside = units.iter().zip(&fates).filter(|(_, fate)| **fate == Fate::Aside);
        self.aside.extend(aside.map(|(unit, _)| unit.unit));
        let all = fates.iter().all(|fate| !matches!(fate, Fate::RowOf(head) if !written[*head]));
        let answers = fates.into_iter().map(|fate| match fate {
            Fate::RowOf(head) if written[head] => None,
            Fate::Covered | Fate::Aside => None,
            // What does not fit is left to the next job.
            Fate::RowOf(_) => Some(Published::NotTried),
            Fate::Answer(answer) => Some(answer),
        });
        settle::page(self.run, units, answers.collect()).await?;
        Ok(all)
    }

    fn unit<'u>(&self, unit: &'u Delivery, shape: &Shape) -> Unit<'u> {
        let want = match shape {
            _ if unit.blocked_by.is_some() => Want::Blocked,
            Shape::Answer(answer) => Want::Nothing(answer.clone()),
            Shape::Delete { .. } => Want::Delete,
            Shape::Record(record) if cells::cells(&self.columns, record).is_none() => {
                Want::Aside { full: record.full }
            }
            Shape::Record(record) => self.row(unit, record),
        };
        Unit { key: key_of(unit), want }
    }

    fn row(&self, unit: &Delivery, record: &Shaped) -> Want {
        let mapping = &self.run.org.mapping;
        let read = matches!(mapping.source, Source::Table { .. }) && !mapping.reads_event();
        let state = if read { RowState::Read(record.version) } else { RowState::Event };
        // Only compared with a row of an earlier page, and its payload has to be read for it. One that
        // cannot be read was refused before it became a record.
        let seen = self.keys.of(KeyHash::folded(key_of(unit))).is_some();
        let announced = seen.then(|| mapping.announced(unit).unwrap_or_default()).flatten();
        Want::Row { state, announced, full: record.full }
    }

    /// Writes the rows of a page, those of one parent next to each other, and tells which were
    /// written: as many as fit.
    fn write(&mut self, fates: &[Fate], shapes: &[Shape]) -> Vec<bool> {
        let mapping = &self.run.org.mapping;
        let mut heads: Vec<(usize, &Shaped)> = Vec::new();
        for (place, (fate, shape)) in fates.iter().zip(shapes).enumerate() {
            if let (Fate::RowOf(head), Shape::Record(record)) = (fate, shape)
                && *head == place
            {
                heads.push((place, record));
            }
        }
        heads.sort_by_key(|(_, record)| by_parent(mapping, record));
        let mut written = vec![false; fates.len()];
        for (place, record) in heads {
            let Some(cells) = cells::cells(&self.columns, record) else { continue };
            let most = self.writer.bytes_written() + cells::most_bytes(&cells);
            if most > self.run.org.bulk.most_bytes && self.writer.rows() > 0 {
                break;
            }
            written[place] = self.writer.row(&cells).is_ok();
        }
        written
    }
}
