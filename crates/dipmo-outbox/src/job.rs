//! Jobs: many units that a destination takes at once and works through by itself.
//!
//! ```text
//!  Sealed ──► Made ──► Given ──► Ended
//!    ▲         │
//!    └─afresh──┘ what exists there was given up before it could take effect
//! ```
//!
//! **A job holds its lanes.** While it is not ended nothing else of them is read, so that a unit in a
//! job takes no other way and nothing overtakes it. It needs no fencing of its own: who holds the
//! leases of its lanes goes on with it, from the phase that it reached. No job is begun twice
//! because somebody died.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, OutboxId, StoreError, Timestamp};

use crate::{Delivery, Ending, Published};

/// `OUTBOX_JOB.ID`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub i64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobPhase {
    /// Its units are known; the destination knows nothing of it yet.
    Sealed,
    /// It exists at the destination, which has not been told to begin: nothing of it takes effect.
    Made,
    /// The units that are left in it are just those that the destination got, and it may have begun.
    /// Only the destination knows what becomes of them.
    Given,
    /// No unit is left in it, and its lanes are free.
    Ended,
}

impl JobPhase {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Sealed, "SEALED"),
        (Self::Made, "MADE"),
        (Self::Given, "GIVEN"),
        (Self::Ended, "ENDED"),
    ];

    /// As stores write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(phase, _)| *phase == self).map_or("", |(_, name)| name)
    }

    /// As stores read it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, text)| *text == name).map(|(phase, _)| *phase)
    }
}

/// A job as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// `ID`.
    pub id: JobId,
    /// `DESTINATION`.
    pub destination: Destination,
    /// `PHASE`.
    pub phase: JobPhase,
    /// `REMOTE_ID`: what the destination calls it, in [`JobPhase::Made`] and later.
    pub remote: Option<String>,
    /// `UNITS`: how many it was sealed with.
    pub units: u32,
    /// `CREATED_AT`.
    pub created_at: Timestamp,
    /// `PHASE_AT`: since when it is in its phase.
    pub phase_at: Timestamp,
}

/// A place among the units of a job: those behind this unit come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobMark(pub OutboxId);

/// Some units of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobPage {
    /// The units, those of one order key in their order, whole chunks only.
    pub units: Vec<Delivery>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<JobMark>,
}

/// What a publisher wants jobs to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobPlan {
    /// A job is begun when at least so many units wait; fewer go out in slices.
    pub least: u32,
    /// About so many units are in a job at most.
    pub most: u32,
    /// So many of the 64 lanes a job takes at most: half of them allow two jobs at once.
    pub lanes: u8,
    /// So long a job waits for more before it is sealed.
    pub gather: Duration,
    /// With so many units it waits for no more.
    pub enough: u32,
}

/// What is to be done about a job after a publisher has gone on with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobStep {
    /// Every unit was answered for or released.
    Ended,
    /// The destination works on it, or cannot be asked now: go on after so long.
    Wait(Duration),
}

/// A job in the hands of a publisher: see [`Publisher::run_job`](crate::Publisher::run_job).
///
/// Every call fails with [`StoreError::Fenced`] once the lanes are somebody else's: then stop at
/// once.
#[async_trait]
pub trait JobWork: Send + Sync {
    /// As it stands now.
    fn job(&self) -> Job;

    /// The end of the engine. Once it has begun, no further call is made; when it is due, no answer is
    /// waited for any more: a run that returns leaves its lanes to whoever goes on with the job, one
    /// that does not is dropped, and the job stands still until its leases have run out.
    fn ending(&self) -> Ending {
        Ending::default()
    }

    /// It exists at the destination, under this id. To be called before anything is uploaded.
    ///
    /// # Errors
    /// When nothing was written.
    async fn made(&self, remote: &str) -> Result<(), StoreError>;

    /// What exists at the destination was given up and can never take effect: back to
    /// [`JobPhase::Sealed`].
    ///
    /// # Errors
    /// When nothing was written.
    async fn afresh(&self) -> Result<(), StoreError>;

    /// All of it was uploaded, and every unit that is not part of the upload was answered for or
    /// released. To be called before the destination is told to begin.
    ///
    /// # Errors
    /// When nothing was written.
    async fn given(&self) -> Result<(), StoreError>;

    /// Units of the job behind a mark, about so many; what was answered for is gone. Those with
    /// [`Delivery::blocked_by`] are not to be sent: they are answered with
    /// [`Published::NotTried`] before the job is given.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn units(&self, behind: Option<JobMark>, limit: u32) -> Result<JobPage, StoreError>;

    /// Answers for units of a page, in their places; `None` stays in the job.
    ///
    /// # Errors
    /// When nothing was written.
    async fn answer(
        &self,
        page: Vec<Delivery>,
        answers: Vec<Option<Published>>,
    ) -> Result<(), StoreError>;

    /// Units behind a mark, or all, leave the job as if they had never been in it.
    ///
    /// # Errors
    /// When nothing was written.
    async fn release(&self, behind: Option<JobMark>) -> Result<(), StoreError>;
}
