//! The definitions that were ever installed, and instances in states that one of them lacks.

use dipmo_api::table::ProcessTable;
use dipmo_domain::StoreError;
use dipmo_store::Tables;
use dipmo_store::definitions::{
    Definition, Definitions, STRAY_IDS, StateMapping, Stray, fingerprint, may_stray,
};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::ddl::{self, There};
use crate::session::Session;

/// Refuses while instances stand in states that are gone and not mapped. A table is read only when
/// it allows such a state and nobody has looked since it could come to be.
pub(crate) async fn refuse_strays(
    session: &Session,
    tables: &Tables,
    mapping: &StateMapping,
) -> Result<(), StoreError> {
    let mut found = Vec::new();
    for table in &tables.processes {
        let (there, known) = (There::find(session, table).await?, of(session, table).await?);
        if !matches!(there, There::No) && known.must_look(table, there.states()) {
            found.extend(strays_of(session, table, &known).await?);
        }
    }
    mapping.cover(&found)
}

/// All instances in states that their definitions lack.
///
/// There is no index on STATE: with one, no change of a state would be a HOT update, and every batch
/// would pay for a question that is asked once in a release. Instead the mark of the CHECK tells
/// whether a table can have strays at all, and only then it is read, without a lock that anybody
/// waits for.
pub(crate) async fn strays(session: &Session, tables: &Tables) -> Result<Vec<Stray>, StoreError> {
    let mut found = Vec::new();
    for table in &tables.processes {
        let there = There::find(session, table).await?;
        if !matches!(there, There::No) && may_stray(table, there.states()) {
            found.extend(strays_of(session, table, &of(session, table).await?).await?);
        }
    }
    Ok(found)
}

/// Writes down that these definitions were installed, and whether nobody is left in what they lack.
/// A later definition must look again: an older version may bring instances there.
pub(crate) async fn remember(
    session: &Session,
    tables: &Tables,
    settled: bool,
) -> Result<(), StoreError> {
    for table in &tables.processes {
        let generation = of(session, table).await?.generation(table);
        let generation = i32::try_from(generation).unwrap_or(i32::MAX);
        let put = "insert into dipmo_definition (process, generation, states, settled) \
                   values ($1, $2, $3, $4) \
                   on conflict (process, generation) do update set settled = excluded.settled \
                   where dipmo_definition.settled <> excluded.settled";
        query(session, put, &[&table.process, &generation, &fingerprint(table), &settled]).await?;
        let unsettle = "update dipmo_definition set settled = false \
                        where process = $1 and generation > $2 and settled";
        query(session, unsettle, &[&table.process, &generation]).await?;
    }
    Ok(())
}

async fn strays_of(
    session: &Session,
    table: &ProcessTable,
    known: &Definitions,
) -> Result<Vec<Stray>, StoreError> {
    let name = table.table_name();
    let count = format!(
        "select state::text, count(*) from {name} where state <> all($1::text[]) \
         group by 1 order by 1"
    );
    let ids = format!("select id::text from {name} where state = $1 limit {STRAY_IDS}");
    let mut strays = Vec::new();
    for row in query(session, &count, &[&table.states]).await? {
        let (state, count): (String, i64) = (row.get(0), row.get(1));
        let some = query(session, &ids, &[&state]).await?;
        let mut ids: Vec<String> = some.iter().map(|row| row.get(0)).collect();
        ids.sort_unstable();
        let newer = known.has_later(table, &state);
        let (process, count) = (table.process.to_owned(), u64::try_from(count).unwrap_or(0));
        strays.push(Stray { process, state, count, ids, newer });
    }
    Ok(strays)
}

/// The definitions of a process.
async fn of(session: &Session, table: &ProcessTable) -> Result<Definitions, StoreError> {
    if !ddl::is_there(session, "dipmo_definition").await? {
        return Ok(Definitions::default());
    }
    let text = "select generation, states, settled from dipmo_definition \
                where process = $1 order by generation";
    let rows = query(session, text, &[&table.process]).await?;
    let definition = |row: &Row| Definition {
        generation: u32::try_from(row.get::<_, i32>(0)).unwrap_or(0),
        states: row.get(1),
        settled: row.get(2),
    };
    Ok(Definitions(rows.iter().map(definition).collect()))
}

/// Runs a statement that is not worth keeping.
pub(crate) async fn query(
    session: &Session,
    text: &str,
    params: &[&(dyn ToSql + Sync)],
) -> Result<Vec<Row>, StoreError> {
    let rows = session.client()?.query(text, params).await;
    rows.map_err(|error| session.error("migrate", &error))
}
