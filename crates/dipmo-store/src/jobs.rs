//! The port of jobs: units that a destination takes in bulk and works through by itself.
//!
//! A job holds its lanes until it ends, whoever leases them meanwhile: its units are marked with it,
//! and nothing else of those lanes is leased but with the job. Its units are settled like any
//! others, by [`Dispatch::settle`](crate::Dispatch::settle) under the leases of its lanes.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{Job, JobId, JobMark, JobPage, Lease, Owner};

/// What a job is to be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeginJob<'a> {
    /// The lanes, all of one destination and none of them in a job.
    pub leases: &'a [Lease],
    /// No job is made when fewer units than this could be put into it.
    pub least: u32,
    /// Stop taking chunks once so many units are taken; the last chunk may go over.
    pub most: u32,
}

/// A job and the leases under which it is ours: those of all its lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedJob {
    /// The job.
    pub job: Job,
    /// Its lanes.
    pub leases: Vec<Lease>,
}

/// A change of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobChange {
    /// Sealed → Made, under this id at the destination.
    Made {
        /// What the destination calls it.
        remote: String,
    },
    /// Made → Sealed, with the id forgotten.
    Afresh,
    /// Made → Given.
    Given,
    /// Units behind the mark, or all of them, leave the job: what was ready is ready again, what
    /// was due is due. The phase stays.
    Released {
        /// See [`JobPage::next`].
        behind: Option<JobMark>,
    },
    /// Any phase → Ended; its lanes are no longer held. Refused with [`StoreError::RowRefused`]
    /// while a unit is left in it.
    Ended,
}

/// Jobs as a dispatcher sees them.
#[async_trait]
pub trait Jobs: Send + Sync {
    /// Makes a job of what is to be delivered now in leased lanes: units that are due and chunks,
    /// in their order, as [`Dispatch::read`](crate::Dispatch::read) would read them. It holds those
    /// of the lanes that it has units of; the other leases stay as they are. `None` when there are
    /// too few units.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when a lease is no longer ours: then nothing was written.
    async fn begin_job(&self, params: BeginJob<'_>) -> Result<Option<LeasedJob>, StoreError>;

    /// Takes the oldest job of a destination that has not ended and whose lanes nobody has leased;
    /// its lanes get new epochs. `None` when there is none.
    ///
    /// # Errors
    /// When nothing was leased.
    async fn take_job(
        &self,
        destination: &Destination,
        owner: &Owner,
        duration: Duration,
    ) -> Result<Option<LeasedJob>, StoreError>;

    /// Changes a job, and answers how it stands then.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when one of `leases` is no longer ours, they are not all the lanes of
    /// the job, or the job is not in a phase that allows the change: then nothing was written.
    async fn change_job(
        &self,
        job: JobId,
        leases: &[Lease],
        change: JobChange,
    ) -> Result<Job, StoreError>;

    /// Units of a job behind a mark, until about `limit` are read: at least one chunk or unit while
    /// any is left. Units whose order key waits for another have
    /// [`Delivery::blocked_by`](dipmo_outbox::Delivery::blocked_by), as in a read.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn job_units(
        &self,
        job: JobId,
        behind: Option<JobMark>,
        limit: u32,
    ) -> Result<JobPage, StoreError>;

    /// Jobs for people: those that have not ended, then the newest that have.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn jobs(&self, limit: u32) -> Result<Vec<Job>, StoreError>;
}
