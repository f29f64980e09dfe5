//! Lists of instances, in the order of their ids.

use dipmo_domain::StoreError;
use dipmo_store::admin::{InstanceFilter, InstancePage, Page};

use crate::listing::{self, MOST};
use crate::sql::{self, params};
use crate::states;
use crate::store::PostgresStore;

/// One page, behind an id.
pub(super) async fn list(
    store: &PostgresStore,
    process: &str,
    filter: &InstanceFilter,
    behind: Option<&str>,
    limit: u32,
) -> Result<InstancePage, StoreError> {
    let table = table(store, process)?;
    let InstanceFilter { state, id_prefix, failed } = filter.clone();
    let behind = behind.map(str::to_owned);
    if listing::has_nul([&state, &id_prefix, &behind]) {
        return Ok(InstancePage { rows: Vec::new(), next: None });
    }
    let limit = Page::first(limit).rows();
    let from = start(id_prefix.as_deref());
    let end = params![behind.clone(), from.clone(), MOST];
    let end = sql::state_end().fill("{table}", &table).with(end);
    let calls = vec![sql::begin_read().call(), sql::browse_settings().call(), end];
    let mut session = store.report().await?;
    let end: Option<String> = session.run(calls).await?[2].first().map(|row| row.get(0));
    let list = params![behind, from, end.clone(), i64::from(limit) + 1, state, id_prefix, failed];
    let list = sql::state_list().fill("{table}", &table).with(list);
    let found = session.run(vec![list, sql::commit().call()]).await?.remove(0);
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let rows = found.iter().take(wanted).map(|row| states::state(process, row));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let full = found.len() > wanted;
    let next = if full { rows.last().map(|row| row.key.id.clone()) } else { end };
    Ok(InstancePage { rows, next })
}

fn table(store: &PostgresStore, process: &str) -> Result<String, StoreError> {
    states::table(&store.tables(), process).map_err(|missing| StoreError::TableMismatch {
        table: format!("{process}_PROCESS"),
        problem: missing.to_string(),
    })
}

/// Where ids with a prefix begin, in the order of the database's collation. What follows a prefix of ASCII
/// sorts behind it in every one of them; in some scripts letters change places, and those are looked for from
/// the beginning. Where such ids end no collation tells.
fn start(prefix: Option<&str>) -> Option<String> {
    prefix.filter(|prefix| prefix.is_ascii()).map(str::to_owned)
}
