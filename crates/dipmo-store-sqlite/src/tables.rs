//! Installs the tables that processes own, and checks those that are there.

use dipmo_api::table::{DomainTable, ProcessTable, TableError};
use dipmo_domain::StoreError;
use dipmo_store::Tables;

use crate::tx::Tx;
use crate::{ddl, sql, user_sql};

/// Makes the tables that are missing; those that are there must have every column.
pub(crate) fn install(tx: &Tx<'_>, tables: &Tables) -> Result<(), StoreError> {
    for table in &tables.processes {
        table.as_ref().clone().checked().map_err(|error| not_a_table(&error))?;
        install_process(tx, table)?;
    }
    for table in &tables.domain {
        table.as_ref().clone().checked().map_err(|error| not_a_table(&error))?;
        install_domain(tx, table)?;
    }
    for index in tables.facts.iter().filter_map(ddl::fact_index) {
        tx.run_script("migrate", &index)?;
    }
    tables.sql().try_for_each(|sql| user_sql::check(tx, sql).map_err(|complaint| complaint.error))
}

fn install_domain(tx: &Tx<'_>, table: &DomainTable) -> Result<(), StoreError> {
    let there = columns(tx, table.name)?;
    if there.is_empty() {
        return tx.run_script("migrate", &ddl::domain_table(table));
    }
    for column in &table.columns {
        let declared = find(&there, table.name, column.name)?;
        if !ddl::fits(column.kind, declared) {
            let problem =
                format!("the column {} is {declared}, not {:?}", column.name, column.kind);
            return Err(mismatch(table.name, problem));
        }
    }
    Ok(())
}

fn install_process(tx: &Tx<'_>, table: &ProcessTable) -> Result<(), StoreError> {
    let name = table.table_name();
    let there = columns(tx, &name)?;
    if there.is_empty() {
        return tx.run_script("migrate", &ddl::process_table(table, &name));
    }
    let projected = table.projected.iter().map(|column| column.name);
    let wanted: Vec<_> = ddl::PROCESS_COLUMNS.into_iter().chain(projected).collect();
    wanted.iter().try_for_each(|column| find(&there, &name, column).map(drop))?;
    if knows_all_states(tx, table, &name)? {
        return Ok(());
    }
    if there.len() > wanted.len() {
        let problem = format!(
            "{} lacks a state, and the table cannot be made anew: it has columns that are not in \
             its definition",
            table.state_check
        );
        return Err(mismatch(&name, problem));
    }
    remake(tx, table, &name)
}

/// Names and declared types; none when there is no such table.
fn columns(tx: &Tx<'_>, table: &str) -> Result<Vec<(String, String)>, StoreError> {
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

fn knows_all_states(tx: &Tx<'_>, table: &ProcessTable, name: &str) -> Result<bool, StoreError> {
    let made: Option<String> = tx.one(&sql::table_sql(), [name], |row| row.get(0))?;
    let made = made.unwrap_or_default();
    // A table that somebody else made may have no such check: then there is nothing to widen.
    let Some((_, check)) = made.split_once(&ddl::quoted(table.state_check)) else {
        return Ok(true);
    };
    Ok(table.states.iter().all(|state| check.contains(&format!("'{state}'"))))
}

/// Makes a process table anew, with the states of its definition: SQLite cannot change a CHECK.
fn remake(tx: &Tx<'_>, table: &ProcessTable, name: &str) -> Result<(), StoreError> {
    let new = format!("{name}_NEW");
    let columns = ddl::PROCESS_COLUMNS.join(", ");
    let indexes: Vec<String> = tx.all(&sql::table_indexes(), [name], |row| row.get(0))?;
    tx.run_script("migrate", &ddl::process_table(table, &new))?;
    let (old, new) = (ddl::quoted(name), ddl::quoted(&new));
    let script = format!(
        "INSERT INTO {new} ({columns}) SELECT {columns} FROM {old};
         DROP TABLE {old};
         ALTER TABLE {new} RENAME TO {old};"
    );
    tx.run_script("migrate", &script)?;
    indexes.iter().try_for_each(|index| tx.run_script("migrate", index))
}

fn mismatch(table: &str, problem: String) -> StoreError {
    StoreError::TableMismatch { table: table.to_owned(), problem }
}

fn not_a_table(error: &TableError) -> StoreError {
    mismatch(&error.table, error.problem.clone())
}
