//! Moving an instance of a process by hand.

use async_trait::async_trait;
use dipmo_domain::{ProcessKey, StoreError};
use dipmo_store::admin::{Move, Moved, Steer, TimerLine};

use crate::history::as_count;
use crate::tx::Tx;
use crate::{SqliteStore, audit, rows, sql, states};

#[async_trait]
impl Steer for SqliteStore {
    async fn timers_of(&self, key: &ProcessKey, limit: u32) -> Result<Vec<TimerLine>, StoreError> {
        let ProcessKey { process, id } = key.clone();
        self.read(move |tx| {
            tx.all(&sql::timer_list(), (process, id, limit), |row| {
                let due_at = rows::time(row, 2)?;
                Ok(TimerLine { name: row.get(0)?, event_type: row.get(1)?, due_at })
            })
        })
        .await
    }

    async fn move_instance(&self, wish: &Move) -> Result<Moved, StoreError> {
        let wish = wish.clone();
        self.write(move |tx| run(tx, &wish)).await
    }
}

fn run(tx: &Tx<'_>, wish: &Move) -> Result<Moved, StoreError> {
    let Some(row) = states::find(tx, &wish.key)? else { return Ok(Moved::NotFound) };
    if row.version != wish.version {
        return Ok(Moved::Changed);
    }
    states::write(tx, &[wish.write(row)])?;
    let timers = tx.run(&sql::timer_drop(), (&wish.key.process, &wish.key.id))?;
    audit::write(tx, &wish.entry)?;
    Ok(Moved::Done { timers: as_count(timers) })
}
