//! Rows of domain tables: written by natural key, read by a column.

use dipmo_api::table::{Column, DomainTable};
use dipmo_api::{DomainWrite, FactRow};
use dipmo_domain::{StoreError, Value};
use dipmo_store::fold_writes;
use rusqlite::{Row, params_from_iter};

use crate::ddl::quoted;
use crate::domain_sql::{self, Statement};
use crate::sql::Sql;
use crate::tx::Tx;
use crate::values::{self, Bound};

/// Writes rows, in order.
pub(crate) fn write(tx: &Tx<'_>, writes: &[DomainWrite]) -> Result<(), StoreError> {
    for group in fold_writes(writes) {
        let statements = domain_sql::of(&group);
        for row in &group.rows {
            statements.iter().try_for_each(|statement| run(tx, statement, row))?;
        }
    }
    Ok(())
}

/// The rows of a table that have a value in a column.
pub(crate) fn find(
    tx: &Tx<'_>,
    table: &DomainTable,
    by: &str,
    value: &Value,
) -> Result<Vec<FactRow>, StoreError> {
    let text = format!("{} WHERE {} = ?1 {}", select(table), quoted(by), in_order(table));
    tx.all(&Sql::dynamic("fact_find", text), [Bound(value)], |row| fact(row, &table.columns))
}

/// All rows of a table.
pub(crate) fn all(tx: &Tx<'_>, table: &DomainTable) -> Result<Vec<FactRow>, StoreError> {
    let text = format!("{} {}", select(table), in_order(table));
    tx.all(&Sql::dynamic("domain_rows", text), [], |row| fact(row, &table.columns))
}

fn run(tx: &Tx<'_>, statement: &Statement, row: &[Value]) -> Result<(), StoreError> {
    let values = statement.columns.iter().map(|at| Bound(&row[*at]));
    tx.run(&statement.sql, params_from_iter(values)).map(drop)
}

fn select(table: &DomainTable) -> String {
    let columns: Vec<_> = table.columns.iter().map(|column| quoted(column.name)).collect();
    format!("SELECT {} FROM {}", columns.join(", "), quoted(table.name))
}

fn in_order(table: &DomainTable) -> String {
    let key: Vec<_> = table.key.iter().map(|name| quoted(name)).collect();
    format!("ORDER BY {}", key.join(", "))
}

fn fact(row: &Row<'_>, columns: &[Column]) -> rusqlite::Result<FactRow> {
    let value = |(at, column): (usize, &Column)| Ok((column.name, values::read(row, at, column)?));
    columns.iter().enumerate().map(value).collect()
}
