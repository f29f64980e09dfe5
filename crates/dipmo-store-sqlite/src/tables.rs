//! Installs the tables that processes own, and checks those that are there.

use std::collections::BTreeSet;

use dipmo_api::table::{DomainTable, ProcessTable, TableError};
use dipmo_domain::StoreError;
use dipmo_store::schema::{PlannedStates, PlannedTable};
use dipmo_store::{StateMapping, Tables};

use crate::ddl::FactIndex;
use crate::tx::Tx;
use crate::{ddl, sql, user_sql};

/// Something that is not as the definitions say, and the SQL that would make it so.
pub(crate) enum Change {
    Table(PlannedTable),
    States(PlannedStates),
}

impl Change {
    fn sql(&self) -> &str {
        match self {
            Self::Table(planned) => &planned.sql,
            Self::States(planned) => &planned.sql,
        }
    }
}

/// Makes the tables that are missing; those that are there must have every column. Instances leave
/// states as the mapping says.
pub(crate) fn install(
    tx: &Tx<'_>,
    tables: &Tables,
    mapping: &StateMapping,
) -> Result<(), StoreError> {
    for change in changes(tx, tables, mapping)? {
        tx.run_script("migrate", change.sql())?;
    }
    for table in &tables.processes {
        // Those of a table that was not made anew.
        let statement = sql::state_move(&ddl::quoted(&table.table_name()));
        for (from, to) in mapping.of(table.process) {
            tx.run(&statement, (from, to))?;
        }
    }
    tables.sql().try_for_each(|sql| user_sql::check(tx, sql).map_err(|complaint| complaint.error))
}

/// What [`install`] would do.
pub(crate) fn changes(
    tx: &Tx<'_>,
    tables: &Tables,
    mapping: &StateMapping,
) -> Result<Vec<Change>, StoreError> {
    let mut changes = Vec::new();
    for table in &tables.processes {
        table.as_ref().clone().checked().map_err(|error| not_a_table(&error))?;
        changes.extend(process_change(tx, table, mapping)?);
    }
    for table in &tables.domain {
        table.as_ref().clone().checked().map_err(|error| not_a_table(&error))?;
        changes.extend(domain_change(tx, table)?);
    }
    let mut planned = BTreeSet::new();
    for FactIndex { table, name, sql } in tables.facts.iter().filter_map(ddl::fact_index) {
        let there = tx.one(&sql::index_find(), [&name], |_| Ok(()))?;
        if there.is_none() && planned.insert(name) {
            changes.push(Change::Table(PlannedTable { table: table.to_owned(), sql }));
        }
    }
    Ok(changes)
}

fn domain_change(tx: &Tx<'_>, table: &DomainTable) -> Result<Option<Change>, StoreError> {
    let there = columns(tx, table.name)?;
    if there.is_empty() {
        let sql = ddl::domain_table(table);
        return Ok(Some(Change::Table(PlannedTable { table: table.name.to_owned(), sql })));
    }
    for column in &table.columns {
        let declared = find(&there, table.name, column.name)?;
        if !ddl::fits(column.kind, declared) {
            let problem =
                format!("the column {} is {declared}, not {:?}", column.name, column.kind);
            return Err(mismatch(table.name, problem));
        }
    }
    Ok(None)
}

fn process_change(
    tx: &Tx<'_>,
    table: &ProcessTable,
    mapping: &StateMapping,
) -> Result<Option<Change>, StoreError> {
    let name = table.table_name();
    let there = columns(tx, &name)?;
    if there.is_empty() {
        let sql = ddl::process_table(table);
        return Ok(Some(Change::Table(PlannedTable { table: name, sql })));
    }
    let projected = table.projected.iter().map(|column| column.name);
    let wanted: Vec<_> = ddl::PROCESS_COLUMNS.into_iter().chain(projected).collect();
    wanted.iter().try_for_each(|column| find(&there, &name, column).map(drop))?;
    // A table that somebody else made may have no such check: then there is nothing to change.
    let Some(allowed) = allowed_states(tx, table)? else { return Ok(None) };
    let is_new = |state: &&&str| !allowed.iter().any(|known| known == **state);
    let adds: Vec<&str> = table.states.iter().filter(is_new).copied().collect();
    let gone = mapping.gone(table.process);
    let forgets = allowed.iter().any(|state| gone.contains(&&**state));
    let is_foreign = there.len() > wanted.len();
    if adds.is_empty() && (!forgets || is_foreign) {
        return Ok(None);
    }
    if is_foreign {
        let problem = format!(
            "{} lacks a state, and the table cannot be made anew: it has columns that are not in \
             its definition",
            table.state_check
        );
        return Err(mismatch(&name, problem));
    }
    // States of definitions before stay: an older instance may run, or start again.
    let kept = allowed.iter().map(String::as_str).filter(|state| !gone.contains(state));
    let states: Vec<&str> = kept.chain(adds.iter().copied()).collect();
    let moves: Vec<_> = mapping.of(table.process).collect();
    let indexes: Vec<String> = tx.all(&sql::table_indexes(), [&name], |row| row.get(0))?;
    let sql = ddl::process_table_anew(table, &states, &moves, &indexes);
    let adds = adds.into_iter().map(str::to_owned).collect();
    Ok(Some(Change::States(PlannedStates { process: table.process.to_owned(), adds, sql })))
}

/// The states that a process table allows; `None` when nobody can tell, or there is no table.
pub(crate) fn allowed_states(
    tx: &Tx<'_>,
    table: &ProcessTable,
) -> Result<Option<Vec<String>>, StoreError> {
    let made: Option<String> = tx.one(&sql::table_sql(), [table.table_name()], |row| row.get(0))?;
    Ok(made.and_then(|made| ddl::allowed_states(&made, table.state_check)))
}

/// Names and declared types; none when there is no such table.
pub(crate) fn columns(tx: &Tx<'_>, table: &str) -> Result<Vec<(String, String)>, StoreError> {
    tx.all(&sql::table_columns(), [table], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// The declared type of a column, which must be there.
fn find<'a>(
    there: &'a [(String, String)],
    table: &str,
    column: &str,
) -> Result<&'a str, StoreError> {
    let found = there.iter().find(|(name, _)| name.eq_ignore_ascii_case(column));
    found
        .map(|(_, declared)| &**declared)
        .ok_or_else(|| mismatch(table, format!("the column {column} is missing")))
}

fn mismatch(table: &str, problem: String) -> StoreError {
    StoreError::TableMismatch { table: table.to_owned(), problem }
}

fn not_a_table(error: &TableError) -> StoreError {
    mismatch(&error.table, error.problem.clone())
}
