//! Changing a job: one round trip, under the locks of all its lanes.

use dipmo_domain::StoreError;
use dipmo_outbox::{Job, JobId, JobMark, JobPhase, Lease};
use dipmo_store::JobChange;
use tokio_postgres::Row;

use crate::dispatch::columns;
use crate::jobs::job;
use crate::session::Session;
use crate::sql::{self, Call, Which, params};

/// How many held units the end of a job lets go in its own transaction.
const RELEASE_IN_END: i64 = 500;

/// Answers how the job stands then, and how many units its end let go.
pub(crate) async fn run(
    mut session: Session,
    id: JobId,
    leases: &[Lease],
    change: JobChange,
) -> Result<(Job, usize), StoreError> {
    let (destinations, lanes, epochs) = columns(leases);
    let from: Vec<&str> = allowing(&change).iter().map(|phase| phase.as_str()).collect();
    let ends = change == JobChange::Ended;
    let mut calls = vec![
        sql::begin().call(),
        sql::lease_check().with(params![destinations.clone(), lanes.clone(), epochs]),
        sql::job_check().with(params![destinations.clone(), lanes.clone(), id.0, from]),
    ];
    calls.extend(writes(id, change, &destinations, &lanes));
    calls.push(sql::commit().call());
    let answers = session.run(calls).await?;
    let told = |from_the_end: usize| answers.iter().rev().nth(from_the_end)?.first();
    let missing = || StoreError::Fenced { what: format!("job {id}") };
    let count = |row: &Row| usize::try_from(row.get::<_, i64>(0)).unwrap_or(0);
    let let_go = told(3).filter(|_| ends).map_or(0, count);
    Ok((job(told(1).ok_or_else(missing)?)?, let_go))
}

/// The phases that allow a change.
const fn allowing(change: &JobChange) -> &'static [JobPhase] {
    use JobPhase::{Given, Made, Sealed};
    match change {
        JobChange::Made { .. } => &[Sealed],
        JobChange::Afresh | JobChange::Given => &[Made],
        JobChange::Released { .. } | JobChange::Ended => &[Sealed, Made, Given],
    }
}

/// What is written; the last of it tells the job.
fn writes(id: JobId, change: JobChange, destinations: &[String], lanes: &[i16]) -> Vec<Call> {
    let phase = |to: JobPhase, remote: Option<String>| {
        sql::job_change().with(params![id.0, to.as_str(), remote])
    };
    let at = || (destinations.to_vec(), lanes.to_vec());
    match change {
        JobChange::Made { remote } => vec![phase(JobPhase::Made, Some(remote))],
        JobChange::Afresh => vec![phase(JobPhase::Sealed, None)],
        JobChange::Given => vec![phase(JobPhase::Given, None)],
        JobChange::Released { behind } => vec![
            // First: what leaves the job stays due if it was.
            sql::job_put_back().with(params![at().0, at().1, start(behind)]),
            sql::job_release().with(params![id.0, start(behind)]),
            sql::job_find().with(params![id.0]),
        ],
        JobChange::Ended => vec![
            sql::job_empty().with(params![id.0]),
            sql::job_free().with(params![at().0, at().1]),
            // What was held in these lanes had to wait for the job.
            sql::outbox_release().with(params![at().0, at().1, RELEASE_IN_END]),
            sql::block_lift(Which::Outbox).with(params![at().0, at().1]),
            phase(JobPhase::Ended, None),
        ],
    }
}

/// The place behind which units are meant.
pub(crate) fn start(behind: Option<JobMark>) -> i64 {
    behind.map_or(i64::MIN, |mark| mark.0.0)
}
