//! Operators: lock a lane, look where things stand, change them, and go on with the next lane.

use async_trait::async_trait;
use dipmo_domain::{InboxId, InboxStatus, OutboxId, OutboxStatus, StoreError};
use dipmo_store::{
    Acted, Decoded, Failed, Operate, Operated, Reparsed, Side, Standing, check_count, judge,
};

use crate::lane_acts::{Act, Changed, change, lanes};
use crate::reparse;
use crate::session::Session;
use crate::sql::{self, Which};
use crate::standing::{Status, lock_and_look};
use crate::store::PostgresStore;

#[async_trait]
impl Operate for PostgresStore {
    async fn retry(
        &self,
        messages: &[InboxId],
        force: bool,
    ) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids = messages.iter().map(|id| id.0).collect();
        let rule = move |_, it: &Standing<InboxStatus>| it.retry(force);
        self.operate(Which::Inbox, Act::Retry, ids, rule).await
    }

    async fn retry_failed(&self, failed: &[Failed]) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(failed)?;
        let ids = failed.iter().map(|failed| failed.message.0).collect();
        let rule = |place: usize, it: &Standing<_>| it.retry_failed(failed[place].retried);
        self.operate(Which::Inbox, Act::Retry, ids, rule).await
    }

    async fn skip(&self, messages: &[InboxId]) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids = messages.iter().map(|id| id.0).collect();
        self.operate(Which::Inbox, Act::Skip, ids, |_, it: &Standing<InboxStatus>| it.skip()).await
    }

    async fn release_behind(
        &self,
        messages: &[InboxId],
    ) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids = messages.iter().map(|id| id.0).collect();
        let rule = |_, it: &Standing<InboxStatus>| it.release_behind();
        self.operate(Which::Inbox, Act::Release, ids, rule).await
    }

    async fn retry_units(
        &self,
        units: &[OutboxId],
        force: bool,
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids = units.iter().map(|id| id.0).collect();
        let rule = move |_, it: &Standing<OutboxStatus>| it.retry(force);
        self.operate(Which::Outbox, Act::Retry, ids, rule).await
    }

    async fn skip_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids = units.iter().map(|id| id.0).collect();
        self.operate(Which::Outbox, Act::Skip, ids, |_, it: &Standing<OutboxStatus>| it.skip())
            .await
    }

    async fn release_behind_units(
        &self,
        units: &[OutboxId],
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids = units.iter().map(|id| id.0).collect();
        let rule = |_, it: &Standing<OutboxStatus>| it.release_behind();
        self.operate(Which::Outbox, Act::Release, ids, rule).await
    }

    async fn reparse(
        &self,
        messages: &[Decoded],
        force: bool,
    ) -> Result<Vec<Reparsed>, StoreError> {
        check_count(messages)?;
        let mut session = self.hot().await?;
        let answers = reparse::run(&mut session, messages, force).await;
        let answers = session.finish(answers).await?;
        let done = answers.iter().filter(|answer| **answer == Reparsed::Done).count();
        self.waking(Side::Inbox, done);
        Ok(answers)
    }
}

impl PostgresStore {
    async fn operate<S: Status>(
        &self,
        which: Which,
        act: Act,
        ids: Vec<i64>,
        rule: impl Fn(usize, &Standing<S>) -> Acted<S> + Send + Sync,
    ) -> Result<Operated<S>, StoreError> {
        let mut session = self.hot().await?;
        let mut operated = Operated { acts: vec![Acted::NotFound; ids.len()], releasing: false };
        // One lane at a time: to wait for one while holding others would hold up all of them.
        for places in lanes(&mut session, which, &ids).await? {
            let of_lane: Vec<i64> = places.iter().map(|place| ids[*place]).collect();
            let in_call = |at: usize, it: &Standing<S>| rule(places[at], it);
            let done = run(&mut session, which, act, &of_lane, in_call).await;
            let (acts, changed) = session.unless_failed(done, false).await?;
            places.into_iter().zip(acts).for_each(|(place, act)| operated.acts[place] = act);
            operated.releasing |= changed.releasing;
            self.waking(which.side(), changed.claimable);
        }
        Ok(operated)
    }
}

async fn run<S: Status>(
    session: &mut Session,
    which: Which,
    act: Act,
    ids: &[i64],
    rule: impl Fn(usize, &Standing<S>) -> Acted<S> + Send,
) -> Result<(Vec<Acted<S>>, Changed), StoreError> {
    let looked = lock_and_look::<S>(session, which, ids).await?;
    let (acts, done) = judge(ids, &looked.standings, rule);
    if done.is_empty() {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok((acts, Changed::default()));
    }
    let (changed, _) = change(session, which, act, &looked, &done, Vec::new()).await?;
    Ok((acts, changed))
}
