//! Where messages stand, as whoever sent them may know.

use std::collections::HashMap;

use dipmo_domain::{DedupeKey, InboxId, StoreError, UnknownName};
use dipmo_inbox::Whereabouts;
use tokio_postgres::Row;

use crate::rows;
use crate::sql::{self, params};
use crate::store::PostgresStore;
use crate::types::PgUuid;

/// Answers for each key in its place.
pub(crate) async fn find(
    store: &PostgresStore,
    keys: &[DedupeKey],
) -> Result<Vec<Option<Whereabouts>>, StoreError> {
    let keys: Vec<PgUuid> = keys.iter().map(|key| PgUuid(*key.as_bytes())).collect();
    let call = sql::message_whereabouts().with(params![keys.clone()]);
    let rows = store.report().await?.run(vec![call]).await?.remove(0);
    let found = |row: &Row| Ok((row.get::<_, PgUuid>(0), whereabouts(row)?));
    let found: HashMap<PgUuid, Whereabouts> =
        rows.iter().map(found).collect::<Result<_, StoreError>>()?;
    Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
}

fn whereabouts(row: &Row) -> Result<Whereabouts, StoreError> {
    let unknown = |unknown: UnknownName| rows::unreadable(unknown.kind, &unknown.to_string());
    let message = InboxId(row.get(1));
    let Some(status) = row.get::<_, Option<&str>>(2) else {
        return Ok(Whereabouts::of_history(message));
    };
    let outcome = row.get::<_, Option<&str>>(3).map(str::parse).transpose();
    Ok(Whereabouts {
        message,
        status: status.parse().map_err(unknown)?,
        outcome: outcome.map_err(unknown)?,
        attempts: u32::try_from(row.get::<_, i32>(4)).unwrap_or(0),
        error_code: row.get(5),
    })
}
