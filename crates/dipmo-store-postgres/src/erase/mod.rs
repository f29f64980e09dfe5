//! Erasing what an aggregate left: it is found, nothing of it may wait, and then it is blanked and counted.
//!
//! Rows of a lot that is on its way stand aside in tables of their own, which are read and blanked like the logs.
//!
//! **Invariant:** each statement sees what was committed before it, and workers go on beside it. So all is found twice, before
//! and after it is blanked, and it is committed only if nothing new was found: of what has ended nothing new can come.

mod blank;
mod find;
mod restored;

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_store::Tables;
use dipmo_store::admin::{Blanked, Erase, Erased, Erasure, Lot, MOST_LOTS, Proof};

use self::blank::Rows;
use self::find::{Found, Logs};
use crate::session::Session;
use crate::sql::{self, params};
use crate::store::PostgresStore;
use crate::{archive, audit, states};

pub(crate) use restored::blank as blank_restored;

#[async_trait]
impl Erasure for PostgresStore {
    async fn erase(&self, wish: &Erase, dry_run: bool) -> Result<Erased, StoreError> {
        let mut session = self.report().await?;
        let erased = run(&mut session, &self.tables(), wish, dry_run).await;
        session.finish(erased).await
    }
}

async fn run(
    session: &mut Session,
    tables: &Tables,
    wish: &Erase,
    dry_run: bool,
) -> Result<Erased, StoreError> {
    let calls = vec![sql::begin().call(), sql::erase_alone().call(), sql::erase_hold().call()];
    session.run(calls).await?;
    let logs = Logs::of(archive::on_its_way(session).await?.as_ref());
    let found = Found::of(session, &logs, wish).await?;
    let waiting = found.waiting(session, wish).await?;
    if !waiting.is_empty() {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok(Erased::Waits(waiting));
    }
    let mut counts = blank_instances(session, tables, &found, dry_run).await?;
    let rows = Rows::of(&found, Some(&wish.aggregate));
    counts.extend(rows.blank(session, &logs, dry_run).await?);
    let proof = Proof { tables: counts, instances: found.keys(), lots: lots(session).await? };
    if dry_run {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok(Erased::Done(proof));
    }
    let logs_then = Logs::of(archive::on_its_way(session).await?.as_ref());
    let then = Found::of(session, &logs_then, wish).await?;
    if logs_then != logs || !then.is_within(&found) {
        let problem = "something of the aggregate came or moved meanwhile".to_owned();
        return Err(StoreError::Busy { statement: "erase", problem });
    }
    if proof.left() > 0 {
        let problem = format!("{} rows are not blank after all", proof.left());
        return Err(StoreError::Unexpected { statement: "erase", problem });
    }
    let note = sql::erase_note().with(params![wish.aggregate.clone(), wish.entry.actor.clone()]);
    session.run(vec![note, audit::insert(&wish.entry(&proof)), sql::commit().call()]).await?;
    Ok(Erased::Done(proof))
}

async fn lots(session: &mut Session) -> Result<Vec<Lot>, StoreError> {
    let list = sql::lot_list().with(params![i64::MAX, i64::from(MOST_LOTS)]);
    session.run(vec![list]).await?[0].iter().map(archive::lot).collect()
}

/// Blanks the instances, which have ended; tells of each table how many, and how many are not blank then.
async fn blank_instances(
    session: &mut Session,
    tables: &Tables,
    found: &Found,
    dry_run: bool,
) -> Result<Vec<Blanked>, StoreError> {
    let mut counts = Vec::new();
    for table in &tables.processes {
        let of_it = || found.instances.iter().filter(|row| row.key.process == table.process);
        let open: Vec<_> = of_it().filter(|row| !row.is_blank()).cloned().collect();
        let ids: Vec<String> = of_it().map(|row| row.key.id.clone()).collect();
        let blanked = if dry_run { 0 } else { open.len() as u64 };
        if !dry_run && !open.is_empty() {
            let writes = open.into_iter().map(|row| row.blanked(table)).collect();
            session.run(states::writes(tables, writes)?).await?;
        }
        let mut left = 0;
        if !ids.is_empty() {
            let rows = find::read(session, &table.table_name(), ids).await?;
            left = rows.iter().filter(|row| !row.is_blank()).count() as u64;
        }
        counts.push(Blanked { table: table.table_name(), blanked, left });
    }
    Ok(counts)
}
