//! Editing a message that failed, before it is tried again.

use async_trait::async_trait;
use dipmo_domain::{InboxId, InboxStatus, StoreError};
use dipmo_store::Acted;
use dipmo_store::admin::{Edit, Edits, Original};
use rusqlite::Row;

use crate::operate::{look, retry};
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{SqliteStore, audit, rows};

#[async_trait]
impl Edits for SqliteStore {
    async fn edit(&self, edit: &Edit, dry_run: bool) -> Result<Acted<InboxStatus>, StoreError> {
        let edit = edit.clone();
        if dry_run {
            return self.read(move |tx| judge(tx, &edit)).await;
        }
        self.write(move |tx| run(tx, &edit)).await
    }

    async fn original(&self, message: InboxId) -> Result<Option<Original>, StoreError> {
        self.read(move |tx| find(tx, message)).await
    }
}

fn find(tx: &Tx<'_>, message: InboxId) -> Result<Option<Original>, StoreError> {
    tx.one(&sql::edit_find(), [message.0], read)
}

fn judge(tx: &Tx<'_>, edit: &Edit) -> Result<Acted<InboxStatus>, StoreError> {
    let id = edit.message.0;
    let (standings, _) = look::<InboxStatus>(tx, Which::Inbox, &[id])?;
    let edits = find(tx, edit.message)?.map_or(0, |original| original.edits);
    Ok(standings.get(&id).map_or(Acted::NotFound, |standing| edit.judge(standing, edits)))
}

fn run(tx: &Tx<'_>, edit: &Edit) -> Result<Acted<InboxStatus>, StoreError> {
    let acted = judge(tx, edit)?;
    if acted != Acted::Done {
        return Ok(acted);
    }
    let id = edit.message.0;
    tx.run(&sql::edit_keep(), (id, &edit.entry.actor, tx.now().as_micros()))?;
    tx.run(&sql::edit_write(), (id, edit.payload.as_str(), &edit.event_type))?;
    retry::<InboxStatus>(tx, Which::Inbox, &[id], |_, _| Acted::Done)?;
    audit::write(tx, &edit.entry)?;
    Ok(acted)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Original> {
    Ok(Original {
        payload: rows::maybe_json(row, 0)?,
        event_type: row.get(1)?,
        edits: row.get(2)?,
        edited_by: row.get(3)?,
        edited_at: rows::time(row, 4)?,
    })
}
