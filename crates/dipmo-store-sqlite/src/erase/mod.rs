//! Erasing what an aggregate left: it is found, nothing of it may wait, and then it is blanked and counted.

mod blank;
mod find;
mod restored;

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_store::Tables;
use dipmo_store::admin::{Erase, Erased, Erasure, MOST_LOTS, Proof};

use self::blank::Rows;
use self::find::Found;
use crate::tx::Tx;
use crate::{SqliteStore, archive, audit, sql};

pub(crate) use restored::blank as blank_restored;

#[async_trait]
impl Erasure for SqliteStore {
    async fn erase(&self, wish: &Erase, dry_run: bool) -> Result<Erased, StoreError> {
        let (wish, tables) = (wish.clone(), self.tables());
        if dry_run {
            return self.read(move |tx| run(tx, &tables, &wish, true)).await;
        }
        self.write(move |tx| run(tx, &tables, &wish, false)).await
    }
}

fn run(tx: &Tx<'_>, tables: &Tables, wish: &Erase, dry_run: bool) -> Result<Erased, StoreError> {
    let found = Found::of(tx, wish)?;
    let waiting = found.waiting(tx, wish)?;
    if !waiting.is_empty() {
        return Ok(Erased::Waits(waiting));
    }
    let rows = Rows::of(&found, Some(&wish.aggregate));
    let blanked = if dry_run { vec![0; rows.tables().len()] } else { rows.blank(tx)? };
    let mut counts = rows.count(tx, &blanked)?;
    counts.extend(found.blank_instances(tx, tables, dry_run)?);
    let lots = tx.all(&sql::lot_list(), (i64::MAX, MOST_LOTS), archive::lot)?;
    let proof = Proof { tables: counts, instances: found.keys(), lots };
    if dry_run {
        return Ok(Erased::Done(proof));
    }
    if proof.left() > 0 {
        let problem = format!("{} rows are not blank after all", proof.left());
        return Err(StoreError::Unexpected { statement: "erase", problem });
    }
    let now = tx.now().as_micros();
    tx.run(&sql::erase_note(), (&wish.aggregate, now, &wish.entry.actor))?;
    audit::write(tx, &wish.entry(&proof))?;
    Ok(Erased::Done(proof))
}
