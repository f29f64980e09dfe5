//! SQL of users: prepared once, executed once for each message.
//!
//! Parameters keep their names, and SQLite is asked how many it sees: what it would take for one that
//! nobody declared, and so leave NULL, is an error.

use dipmo_api::FactRow;
use dipmo_api::sql::{CheckedQuery, UserSql, ValueKind};
use dipmo_domain::{Json, StoreError, Value};
use dipmo_store::Complaint;
use rusqlite::{CachedStatement, Error, Row};

use crate::error::failed;
use crate::tx::Tx;
use crate::values::{self, Bound};

/// Runs a statement; what it returns is nobody's business.
pub(crate) fn run(tx: &Tx<'_>, sql: UserSql<'_>, values: &[Value]) -> Result<(), StoreError> {
    let mut statement = bound(tx, sql, values)?;
    let mut rows = statement.raw_query();
    loop {
        match rows.next() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(error) => return Err(of_user(sql, &error)),
        }
    }
}

/// What a query finds, in its own order.
pub(crate) fn find(
    tx: &Tx<'_>,
    query: &CheckedQuery,
    values: &[Value],
) -> Result<Vec<FactRow>, StoreError> {
    let sql = UserSql::Query(query);
    let mut statement = bound(tx, sql, values)?;
    let places = places(query, &statement)?;
    let mut found = Vec::new();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(|error| of_user(sql, &error))? {
        found.push(read(query, &places, row)?);
    }
    Ok(found)
}

/// Lets SQLite read a text and plan it, without running it.
pub(crate) fn check(tx: &Tx<'_>, sql: UserSql<'_>) -> Result<(), Complaint> {
    let complaint = |error: Error| {
        let place = match &error {
            Error::SqlInputError { offset, .. } => usize::try_from(*offset).ok(),
            _ => None,
        };
        let place = place.and_then(|at| sql.template().place_of(at, placeholder(sql)));
        Complaint { error: of_user(sql, &error), place }
    };
    let statement = tx.prepared(&text(sql)).map_err(complaint)?;
    let checked = check_parameters(sql, &statement).and_then(|()| match sql {
        UserSql::Query(query) => places(query, &statement).map(drop),
        UserSql::Statement(_) => Ok(()),
    });
    checked.map_err(|error| Complaint { error, place: None })?;
    let explained = tx.prepared(&format!("EXPLAIN {}", text(sql)));
    let explained = explained.and_then(|mut plan| plan.raw_query().next().map(drop));
    explained.map_err(|error| Complaint { error: of_user(sql, &error), place: None })
}

fn text(sql: UserSql<'_>) -> String {
    sql.template().render(placeholder(sql))
}

fn placeholder(sql: UserSql<'_>) -> impl Fn(usize) -> String {
    move |at| format!(":{}", sql.parameters()[at].0)
}

fn bound<'t>(
    tx: &'t Tx<'_>,
    sql: UserSql<'_>,
    values: &[Value],
) -> Result<CachedStatement<'t>, StoreError> {
    let mut statement = tx.prepared(&text(sql)).map_err(|error| of_user(sql, &error))?;
    check_parameters(sql, &statement)?;
    for ((name, _), value) in sql.parameters().iter().zip(values) {
        let bind = statement.parameter_index(&format!(":{name}")).and_then(|index| match index {
            Some(index) => statement.raw_bind_parameter(index, Bound(value)),
            None => Err(Error::InvalidParameterName((*name).to_owned())),
        });
        bind.map_err(|error| of_user(sql, &error))?;
    }
    Ok(statement)
}

fn check_parameters(sql: UserSql<'_>, statement: &CachedStatement<'_>) -> Result<(), StoreError> {
    let (declared, seen) = (sql.parameters().len(), statement.parameter_count());
    if declared != seen {
        return Err(refused(
            sql,
            format!("SQLite sees {seen} parameters, not {declared}: ?, @ and $ begin one"),
        ));
    }
    if matches!(sql, UserSql::Query(_)) && !statement.readonly() {
        return Err(refused(sql, "a query must not write".to_owned()));
    }
    Ok(())
}

/// Where the columns that were declared are.
fn places(query: &CheckedQuery, statement: &CachedStatement<'_>) -> Result<Vec<usize>, StoreError> {
    let names: Vec<&str> = statement.column_names().collect();
    let place = |(name, _): &(&str, ValueKind)| {
        let mut found = (0..names.len()).filter(|at| names[*at].eq_ignore_ascii_case(name));
        match (found.next(), found.next()) {
            (Some(at), None) => Ok(at),
            (None, _) => Err(mismatch(query, format!("it has no column {name}"))),
            (Some(_), Some(_)) => Err(mismatch(query, format!("it has two columns {name}"))),
        }
    };
    query.columns().iter().map(place).collect()
}

fn read(query: &CheckedQuery, places: &[usize], row: &Row<'_>) -> Result<FactRow, StoreError> {
    let value = |((name, kind), at): (&(&'static str, ValueKind), &usize)| {
        // What it is instead is not said: the driver would say the value.
        let value = values::read(row, *at, *kind).ok().filter(is_whole);
        let value = value.ok_or_else(|| mismatch(query, format!("column {name} is no {kind}")))?;
        Ok((*name, value))
    };
    query.columns().iter().zip(places).map(value).collect()
}

/// SQLite has no JSON of its own: any text could be in such a column.
fn is_whole(value: &Value) -> bool {
    match value {
        Value::Json(json) => Json::parse(json.as_str()).is_ok(),
        _ => true,
    }
}

fn mismatch(query: &CheckedQuery, problem: String) -> StoreError {
    StoreError::SqlMismatch { sql: query.title(), problem }
}

fn refused(sql: UserSql<'_>, problem: String) -> StoreError {
    StoreError::SqlFailed { sql: sql.title(), state: "SQLite 1".to_owned(), problem }
}

/// What the database is to blame for stays what it is; all else is the failure of the message.
fn of_user(sql: UserSql<'_>, error: &Error) -> StoreError {
    let known = failed("user_sql", error);
    if known.is_transient() {
        return known;
    }
    let problem = match error {
        Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    let code = error.sqlite_error().map_or(1, |error| error.extended_code);
    StoreError::SqlFailed { sql: sql.title(), state: format!("SQLite {code}"), problem }
}
