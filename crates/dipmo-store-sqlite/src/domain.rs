//! Rows of domain tables: written by natural key or by statements, read by a column.

use dipmo_api::sql::UserSql;
use dipmo_api::table::{Column, DomainTable};
use dipmo_api::{DomainWrite, FactRow};
use dipmo_domain::{StoreError, Value};
use dipmo_store::{Tables, WriteStep, fold_writes};
use rusqlite::{Row, params_from_iter};

use crate::ddl::quoted;
use crate::domain_sql::{self, Statement};
use crate::sql::Sql;
use crate::tx::Tx;
use crate::user_sql;
use crate::values::{self, Bound};

/// Writes rows, in order.
pub(crate) fn write(
    tx: &Tx<'_>,
    tables: &Tables,
    writes: &[DomainWrite],
) -> Result<(), StoreError> {
    for step in fold_writes(writes) {
        match step {
            WriteStep::Rows(group) => {
                let statements = domain_sql::of(&group);
                for row in &group.rows {
                    statements.iter().try_for_each(|statement| run(tx, statement, row))?;
                }
            }
            WriteStep::Run(runs) => {
                if !tables.statements.contains(&runs.statement) {
                    let name = runs.statement.name();
                    let problem = format!("statement {name} was not installed; migrate first");
                    return Err(StoreError::SchemaMissing { problem });
                }
                let sql = UserSql::Statement(&runs.statement);
                runs.runs.iter().try_for_each(|values| user_sql::run(tx, sql, values))?;
            }
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

/// The rows of a table that have one of some values in a column, in no order.
pub(crate) fn find_any(
    tx: &Tx<'_>,
    table: &DomainTable,
    by: &str,
    keys: &[Value],
) -> Result<Vec<FactRow>, StoreError> {
    let Some(column) = table.column(by) else {
        let problem = format!("{} is read by {by}, which it does not have", table.name);
        return Err(StoreError::SchemaMissing { problem });
    };
    if !keys.iter().all(|key| values::fits(column.kind, key)) {
        let problem = format!("a key is not of {:?}, as column {by} is", column.kind);
        return Err(StoreError::RowRefused { statement: "look_up", problem });
    }
    // One text for any number of keys, so that it is prepared once.
    let is_one = "IN (SELECT value FROM json_each(?1))";
    let text = format!("{} WHERE {}.{} {is_one}", select(table), quoted(table.name), quoted(by));
    let keys: serde_json::Value = keys.iter().map(values::as_json).collect();
    tx.all(&Sql::dynamic("look_up", text), [keys.to_string()], |row| fact(row, &table.columns))
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

/// The table is named with each column: a quoted name alone that is no column would be a text.
fn select(table: &DomainTable) -> String {
    let name = quoted(table.name);
    let column = |column: &Column| format!("{name}.{}", quoted(column.name));
    let columns: Vec<_> = table.columns.iter().map(column).collect();
    format!("SELECT {} FROM {name}", columns.join(", "))
}

fn in_order(table: &DomainTable) -> String {
    let key: Vec<_> = table.key.iter().map(|name| quoted(name)).collect();
    format!("ORDER BY {}", key.join(", "))
}

fn fact(row: &Row<'_>, columns: &[Column]) -> rusqlite::Result<FactRow> {
    let value = |(at, column): (usize, &Column)| {
        Ok((column.name, values::read(row, at, column.kind.into())?))
    };
    columns.iter().enumerate().map(value).collect()
}
