//! What failed alike: groups, and the notes of changes that are not yet put together.

use async_trait::async_trait;
use dipmo_domain::{ErrorStage, Fingerprint, StoreError, Timestamp};
use dipmo_store::Side;
use dipmo_store::admin::{FailureGroup, Failures};
use tokio_postgres::Row;

use crate::failure_groups::Groups;
use crate::rows;
use crate::session::Session;
use crate::sql::{self, Which, params};
use crate::store::PostgresStore;
use crate::types::PgTime;

#[async_trait]
impl Failures for PostgresStore {
    async fn failure_groups(&self, limit: u32) -> Result<Vec<FailureGroup>, StoreError> {
        let call = sql::failure_groups().with(params![i64::from(limit)]);
        let rows = self.report().await?.run(vec![call]).await?.remove(0);
        rows.iter().map(group).collect()
    }

    async fn fold_failures(&self, limit: u32) -> Result<u64, StoreError> {
        let mut session = self.report().await?;
        let mut folded = 0;
        for side in Side::ALL {
            let named = name(&mut session, Which::of(side), limit).await;
            folded += session.unless_failed(named, false).await?;
        }
        let fold = sql::failure_fold().with(params![i64::from(limit)]);
        let rows = session.run(vec![fold]).await?;
        Ok(folded + rows::count(&rows[0][0], 0))
    }

    async fn forget_failures(&self, before: Timestamp) -> Result<u64, StoreError> {
        let calls = vec![
            sql::begin().call(),
            sql::failure_lock().call(),
            sql::failure_forget().with(params![PgTime(before)]),
            sql::commit().call(),
        ];
        let rows = self.report().await?.run(calls).await?;
        Ok(rows::count(&rows[2][0], 0))
    }
}

/// Gives failures a group that have none: those of before there were groups, and of an older version that
/// is still at work beside us. Answers how many.
async fn name(session: &mut Session, which: Which, limit: u32) -> Result<u64, StoreError> {
    let find = sql::failure_unnamed(which).with(params![i64::from(limit)]);
    let rows = session.run(vec![sql::begin().call(), find]).await?.remove(1);
    let mut groups = Groups::default();
    let (mut ids, mut fingerprints) = (Vec::new(), Vec::new());
    for row in &rows {
        let Some(failure) = rows::failure(row, 2) else { continue };
        let fingerprint = groups.add(which, stage(row.get(1))?, &failure, row.get(0));
        ids.push(row.get::<_, i64>(0));
        fingerprints.push(fingerprint.0);
    }
    let named = ids.len() as u64;
    let mut calls = Vec::new();
    if !ids.is_empty() {
        calls.push(sql::failure_name(which).with(params![ids, fingerprints]));
    }
    calls.extend(groups.call());
    calls.push(sql::commit().call());
    session.run(calls).await?;
    Ok(named)
}

fn group(row: &Row) -> Result<FailureGroup, StoreError> {
    Ok(FailureGroup {
        fingerprint: Fingerprint(row.get(0)),
        side: rows::name(row.get(1))?,
        stage: stage(row.get(2))?,
        code: row.get(3),
        pattern: row.get(4),
        failed: rows::count(row, 5),
        retrying: rows::count(row, 6),
        first_seen: row.get::<_, PgTime>(7).0,
        last_seen: row.get::<_, PgTime>(8).0,
        sample: row.get(9),
    })
}

fn stage(name: Option<&str>) -> Result<Option<ErrorStage>, StoreError> {
    name.map(rows::name).transpose()
}
