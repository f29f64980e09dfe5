//! The units of a job, page by page.

use dipmo_domain::{OutboxId, StoreError};
use dipmo_outbox::{JobId, JobMark, JobPage};

use crate::deliveries::complete;
use crate::job_change::start;
use crate::session::Session;
use crate::sql::{self, params};
use crate::units;

pub(crate) async fn page(
    mut session: Session,
    job: JobId,
    behind: Option<JobMark>,
    limit: u32,
) -> Result<JobPage, StoreError> {
    let page = read(&mut session, job, start(behind), i64::from(limit.max(1))).await;
    session.finish(page).await
}

async fn read(
    session: &mut Session,
    job: JobId,
    behind: i64,
    limit: i64,
) -> Result<JobPage, StoreError> {
    // All reads see one moment, as when lanes are read.
    let reach = sql::job_page().with(params![job.0, behind, limit]);
    let answers = session.run(vec![sql::begin_read().call(), reach]).await?;
    let reach = &answers[1][0];
    let (last, more): (Option<i64>, Option<bool>) = (reach.get(0), reach.get(1));
    let last = last.unwrap_or(behind);
    let reads = [sql::job_read(), sql::job_read_due()];
    let reads = reads.map(|read| read.with(params![job.0, behind, last]));
    let answers = session.run(reads.into()).await?;
    let units = complete(session, units::of(&answers[0], &answers[1])?, true).await?;
    let next = more.unwrap_or(false).then_some(JobMark(OutboxId(last)));
    Ok(JobPage { units, next })
}
