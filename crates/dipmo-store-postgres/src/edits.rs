//! Editing a message that failed, before it is tried again.

use async_trait::async_trait;
use dipmo_domain::{InboxId, InboxStatus, StoreError};
use dipmo_store::admin::{Edit, Edits, Original};
use dipmo_store::{Acted, Side};
use tokio_postgres::Row;

use crate::audit;
use crate::lane_acts::{Act, change};
use crate::session::Session;
use crate::sql::{self, Which, params};
use crate::standing::{Looked, lock, look};
use crate::store::PostgresStore;
use crate::types::{PgJson, PgTime};

#[async_trait]
impl Edits for PostgresStore {
    async fn edit(&self, edit: &Edit, dry_run: bool) -> Result<Acted<InboxStatus>, StoreError> {
        let mut session = self.hot().await?;
        let acted = run(&mut session, edit, dry_run).await;
        let acted = session.finish(acted).await?;
        self.waking(Side::Inbox, usize::from(acted == Acted::Done && !dry_run));
        Ok(acted)
    }

    async fn original(&self, message: InboxId) -> Result<Option<Original>, StoreError> {
        let rows = self.look(sql::edit_find().with(params![message.0])).await?;
        Ok(rows.first().map(original))
    }
}

/// The lane of the message is locked from the first look to the commit, so that no worker has it in hand.
async fn run(
    session: &mut Session,
    edit: &Edit,
    dry_run: bool,
) -> Result<Acted<InboxStatus>, StoreError> {
    let (id, ids) = (edit.message.0, [edit.message.0]);
    let find = sql::edit_find().with(params![id]);
    let (looked, answers): (Looked<InboxStatus>, _) =
        look(session, Which::Inbox, lock(Which::Inbox, &ids), vec![find], &ids).await?;
    let edits = answers[0].first().map_or(0, |row| original(row).edits);
    let standing = looked.standings.get(&id);
    let acted = standing.map_or(Acted::NotFound, |standing| edit.judge(standing, edits));
    if dry_run || acted != Acted::Done {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok(acted);
    }
    let payload = PgJson(edit.payload.clone());
    let beside = vec![
        sql::edit_keep().with(params![id, edit.entry.actor.clone()]),
        sql::edit_write().with(params![id, payload, edit.event_type.clone()]),
        audit::insert(&edit.entry),
    ];
    change(session, Which::Inbox, Act::Retry, &looked, &ids, beside).await?;
    Ok(acted)
}

fn original(row: &Row) -> Original {
    Original {
        payload: row.get::<_, Option<PgJson>>(0).map(|json| json.0),
        event_type: row.get(1),
        edits: u32::try_from(row.get::<_, i32>(2)).unwrap_or(0),
        edited_by: row.get(3),
        edited_at: row.get::<_, PgTime>(4).0,
    }
}
