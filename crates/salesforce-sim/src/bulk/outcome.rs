//! What became of each row of a job, in a few bytes a row.

use crate::org::id::RecordId;

/// What became of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Outcome {
    #[default]
    Unprocessed,
    Created(RecordId),
    /// Updated or deleted: the record was there before.
    Changed(RecordId),
    /// Where its failure stands.
    Failed(u32),
}

/// Why a row failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The record, where the row names one that exists.
    pub(super) record: Option<RecordId>,
    /// The cell `sf__Error`.
    pub(super) error: Box<str>,
}

/// The outcomes of all rows of a job.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    rows: Vec<Outcome>,
    failures: Vec<Failure>,
    processed: u64,
}

impl Outcomes {
    /// For so many rows, none of them processed.
    pub(super) fn new(rows: usize) -> Self {
        Outcomes { rows: vec![Outcome::Unprocessed; rows], ..Outcomes::default() }
    }

    pub(super) fn succeed(&mut self, row: usize, outcome: Outcome) {
        self.settle(row, outcome);
    }

    pub(super) fn fail(&mut self, row: usize, failure: Failure) {
        let place = u32::try_from(self.failures.len()).unwrap_or(u32::MAX);
        self.failures.push(failure);
        self.settle(row, Outcome::Failed(place));
    }

    fn settle(&mut self, row: usize, outcome: Outcome) {
        if let Some(place) = self.rows.get_mut(row) {
            *place = outcome;
            self.processed += 1;
        }
    }

    /// Rows that were written or failed.
    pub(super) fn processed(&self) -> u64 {
        self.processed
    }

    pub(super) fn failed(&self) -> u64 {
        self.failures.len() as u64
    }

    /// What became of a row. A job that failed before its first row has no outcomes at all.
    pub(super) fn of(&self, row: usize) -> Outcome {
        self.rows.get(row).copied().unwrap_or_default()
    }

    pub(super) fn failure(&self, place: u32) -> Option<&Failure> {
        self.failures.get(place as usize)
    }
}
