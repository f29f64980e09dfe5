//! Moving an instance of a process by hand.

use async_trait::async_trait;
use dipmo_domain::{ProcessKey, StoreError};
use dipmo_store::Tables;
use dipmo_store::admin::{Move, Moved, Steer, TimerLine};
use tokio_postgres::Row;

use crate::rows::count;
use crate::session::Session;
use crate::sql::{self, params};
use crate::store::PostgresStore;
use crate::types::PgTime;
use crate::{audit, states};

#[async_trait]
impl Steer for PostgresStore {
    async fn timers_of(&self, key: &ProcessKey, limit: u32) -> Result<Vec<TimerLine>, StoreError> {
        let ProcessKey { process, id } = key.clone();
        let rows =
            self.look(sql::timer_list().with(params![process, id, i64::from(limit)])).await?;
        let line = |row: &Row| TimerLine {
            name: row.get(0),
            event_type: row.get(1),
            due_at: row.get::<_, PgTime>(2).0,
        };
        Ok(rows.iter().map(line).collect())
    }

    async fn move_instance(&self, wish: &Move) -> Result<Moved, StoreError> {
        let mut session = self.report().await?;
        let moved = run(&mut session, &self.tables(), wish).await;
        match session.finish(moved).await {
            // A worker was quicker.
            Err(StoreError::VersionConflict { .. }) => Ok(Moved::Changed),
            moved => moved,
        }
    }
}

async fn run(session: &mut Session, tables: &Tables, wish: &Move) -> Result<Moved, StoreError> {
    let Move { key, version, entry, .. } = wish;
    let find = states::find(&states::table(tables, &key.process)?);
    let calls = vec![sql::begin().call(), find.with(params![vec![key.id.clone()]])];
    let rows = session.run(calls).await?.remove(1);
    let found = rows.first().map(|row| states::state(&key.process, row)).transpose()?;
    let row = match found {
        Some(row) if row.version == *version => row,
        other => {
            session.run(vec![sql::rollback().call()]).await?;
            return Ok(if other.is_some() { Moved::Changed } else { Moved::NotFound });
        }
    };
    let mut calls = states::writes(tables, vec![wish.write(row)])?;
    let drop = params![key.process.clone(), key.id.clone()];
    calls.extend([sql::timer_drop().with(drop), audit::insert(entry), sql::commit().call()]);
    let answers = session.run(calls).await?;
    Ok(Moved::Done { timers: count(&answers[1][0], 0) })
}
