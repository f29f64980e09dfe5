//! The definitions that were ever installed, and instances in states that one of them lacks.

use dipmo_api::table::ProcessTable;
use dipmo_domain::{Json, StoreError};
use dipmo_store::Tables;
use dipmo_store::definitions::{
    Definition, Definitions, STRAY_IDS, StateMapping, Stray, fingerprint, may_stray,
};

use crate::tx::Tx;
use crate::{ddl, sql, tables};

/// Refuses while instances stand in states that are gone and not mapped. A table is read only when
/// it allows such a state and nobody has looked since it could come to be.
pub(crate) fn refuse_strays(
    tx: &Tx<'_>,
    tables: &Tables,
    mapping: &StateMapping,
) -> Result<(), StoreError> {
    let mut found = Vec::new();
    for table in &tables.processes {
        let known = definitions(tx, table)?;
        let allowed = tables::allowed_states(tx, table)?;
        if is_there(tx, table)? && known.must_look(table, allowed.as_deref()) {
            found.extend(strays_of(tx, table, &known)?);
        }
    }
    mapping.cover(&found)
}

/// All instances in states that their definitions lack.
pub(crate) fn strays(tx: &Tx<'_>, tables: &Tables) -> Result<Vec<Stray>, StoreError> {
    let mut found = Vec::new();
    for table in &tables.processes {
        let allowed = tables::allowed_states(tx, table)?;
        if is_there(tx, table)? && may_stray(table, allowed.as_deref()) {
            found.extend(strays_of(tx, table, &definitions(tx, table)?)?);
        }
    }
    Ok(found)
}

/// Writes down that these definitions were installed, and that nobody stands in what they lack.
pub(crate) fn remember(tx: &Tx<'_>, tables: &Tables) -> Result<(), StoreError> {
    for table in &tables.processes {
        let generation = definitions(tx, table)?.generation(table);
        let now = tx.now().as_micros();
        tx.run(&sql::definition_put(), (table.process, generation, fingerprint(table), now))?;
        tx.run(&sql::definition_unsettle(), (table.process, generation))?;
    }
    Ok(())
}

fn strays_of(
    tx: &Tx<'_>,
    table: &ProcessTable,
    known: &Definitions,
) -> Result<Vec<Stray>, StoreError> {
    let name = ddl::quoted(&table.table_name());
    let states = Json::of(&table.states).map_err(|error| {
        let problem = error.to_string();
        StoreError::Unexpected { statement: "state_strays", problem }
    })?;
    let by_state: Vec<(String, u64)> =
        tx.all(&sql::state_strays(&name), [states.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let stray = |(state, count): (String, u64)| {
        let mut ids: Vec<String> =
            tx.all(&sql::state_ids(&name), (&state, STRAY_IDS), |row| row.get(0))?;
        ids.sort_unstable();
        let newer = known.has_later(table, &state);
        Ok(Stray { process: table.process.to_owned(), state, count, ids, newer })
    };
    by_state.into_iter().map(stray).collect()
}

fn definitions(tx: &Tx<'_>, table: &ProcessTable) -> Result<Definitions, StoreError> {
    if tables::columns(tx, "dipmo_definition")?.is_empty() {
        return Ok(Definitions::default());
    }
    let all = tx.all(&sql::definition_list(), [table.process], |row| {
        Ok(Definition { generation: row.get(0)?, states: row.get(1)?, settled: row.get(2)? })
    })?;
    Ok(Definitions(all))
}

fn is_there(tx: &Tx<'_>, table: &ProcessTable) -> Result<bool, StoreError> {
    Ok(!tables::columns(tx, &table.table_name())?.is_empty())
}
