//! Queries and statements.

use std::collections::BTreeMap;
use std::sync::Arc;

use dipmo_api::sql::{CheckedQuery, CheckedStatement, Query, SqlError, Statement, ValueKind};

use crate::declared::intern::intern;
use crate::model::sql;
use crate::model::table::SqlType;
use crate::node::Passage;
use crate::problem::{Problem, codes};
use crate::read::MapKey;
use crate::{Files, Lower, Map, Place, Problems, Spanned};

/// Builds the queries that can be sent.
pub(super) fn queries(
    queries: &Map<sql::Query, Lower>,
    files: &Files,
    problems: &mut Problems,
) -> BTreeMap<String, Arc<CheckedQuery>> {
    let built = queries.iter().filter_map(|(name, query)| {
        let checked = Query {
            name: intern(name),
            sql: query.sql.text.clone(),
            parameters: kinds(&query.parameters),
            columns: kinds(&query.columns),
        };
        let checked = checked.checked();
        keep(checked, name, &query.sql, |it| place(&query.parameters, it), files, problems)
    });
    built.collect()
}

/// Builds the statements that can be sent.
pub(super) fn statements(
    statements: &Map<sql::Statement, Lower>,
    files: &Files,
    problems: &mut Problems,
) -> BTreeMap<String, Arc<CheckedStatement>> {
    let built = statements.iter().filter_map(|(name, statement)| {
        let checked = Statement {
            name: intern(name),
            sql: statement.sql.text.clone(),
            parameters: kinds(&statement.parameters),
        };
        let checked = checked.checked();
        keep(checked, name, &statement.sql, |it| place(&statement.parameters, it), files, problems)
    });
    built.collect()
}

/// What is right; else each problem at its place in the text.
fn keep<T>(
    checked: Result<Arc<T>, SqlError>,
    name: &Lower,
    sql: &Passage,
    declared_at: impl Fn(&str) -> Option<Place>,
    files: &Files,
    problems: &mut Problems,
) -> Option<(String, Arc<T>)> {
    match checked {
        Ok(checked) => Some((name.to_string(), checked)),
        Err(error) => {
            for problem in error.problems {
                let at = problem.place.map(|at| sql.locate(files, at.start..at.end));
                let declared = problem.name.as_deref().and_then(&declared_at);
                let place = at.or(declared).unwrap_or(sql.place);
                let message = format!("the SQL of `{name}`: {}", problem.problem);
                problems.push(Problem::error(codes::SQL_INVALID, place, message));
            }
            None
        }
    }
}

fn place(parameters: &Map<Spanned<SqlType>, Lower>, name: &str) -> Option<Place> {
    parameters.entry(name).map(|(name, _)| name.place)
}

fn kinds<K: MapKey>(named: &Map<Spanned<SqlType>, K>) -> Vec<(&'static str, ValueKind)> {
    named.iter().map(|(name, kind)| (intern(name.as_str()), value_kind(**kind))).collect()
}

const fn value_kind(kind: SqlType) -> ValueKind {
    match kind {
        SqlType::Text => ValueKind::Text,
        SqlType::Integer => ValueKind::Integer,
        SqlType::Boolean => ValueKind::Boolean,
        SqlType::Timestamp => ValueKind::Timestamp,
        SqlType::Json => ValueKind::Json,
    }
}
