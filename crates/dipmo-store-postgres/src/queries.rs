//! Queries of users: asked any number of times in one statement.
//!
//! The values of a parameter are an array, and the query is asked for each row of the arrays as a
//! lateral subquery. So it is planned as it would be alone, with its indexes, and its text is the
//! same for any number of requests.

use dipmo_api::FactRow;
use dipmo_api::sql::{CheckedQuery, ValueKind};
use dipmo_domain::{StoreError, Value};
use tokio_postgres::types::Type;
use tokio_postgres::{Column, Row};

use crate::sql::{Call, Sql};
use crate::types::PgJson;
use crate::values;

/// What one request gets is numbered as the request is, from 1.
pub(crate) fn call(query: &CheckedQuery, requests: &[&[Value]]) -> Result<Call, StoreError> {
    let array = |(at, (name, kind)): (usize, &(&str, ValueKind))| {
        let values = requests.iter().map(|values| values.get(at).unwrap_or(&Value::Null));
        values::array_of(*kind, values).map_err(|_| StoreError::RowRefused {
            statement: "query",
            problem: format!("{} was given another kind as :{name} than {kind}", query.title()),
        })
    };
    let params = query.parameters().iter().enumerate().map(array).collect::<Result<_, _>>()?;
    Ok(Sql::of_user("query", text(query), &query.title()).with(params))
}

/// The text as PostgreSQL gets it.
pub(crate) fn text(query: &CheckedQuery) -> String {
    // The author's text may end with a comment, which ends with its line.
    format!("{}{}\n) dipmo_q", prefix(query), query.template().render(placeholder))
}

/// What stands before the author's text.
pub(crate) fn prefix(query: &CheckedQuery) -> String {
    if query.parameters().is_empty() {
        return "select 1::int8, dipmo_q.* from (\n".to_owned();
    }
    let array = |(at, (_, kind)): (usize, &(&str, ValueKind))| {
        format!("${}::{}[]", at + 1, values::scalar_type(*kind))
    };
    let arrays: Vec<_> = query.parameters().iter().enumerate().map(array).collect();
    let names: Vec<_> = (1..=arrays.len()).map(|at| format!("p{at}")).collect();
    format!(
        "select dipmo_in.n, dipmo_q.* from unnest({}) with ordinality as dipmo_in ({}, n) \
         cross join lateral (\n",
        arrays.join(", "),
        names.join(", "),
    )
}

/// A parameter, as the query sees it.
pub(crate) fn placeholder(at: usize) -> String {
    format!("dipmo_in.p{}", at + 1)
}

/// The columns that were declared, and where they are in a result.
pub(crate) struct Places<'a> {
    query: &'a CheckedQuery,
    places: Vec<usize>,
}

impl<'a> Places<'a> {
    /// Finds each column by its name, in any case, and checks its type.
    pub(crate) fn find(query: &'a CheckedQuery, found: &[Column]) -> Result<Self, StoreError> {
        let place = |(name, kind): &(&str, ValueKind)| {
            // The first column is the number of the request.
            let named = found.iter().enumerate().skip(1);
            let mut named = named.filter(|(_, column)| column.name().eq_ignore_ascii_case(name));
            match (named.next(), named.next()) {
                (None, _) => Err(format!("it has no column {name}")),
                (Some(_), Some(_)) => Err(format!("it has two columns {name}")),
                (Some((at, column)), None) if fits(*kind, column.type_()) => Ok(at),
                (Some((_, column)), None) => {
                    let (found, wanted) = (column.type_(), values::scalar_type(*kind));
                    Err(format!("column {name} is {found}, not {kind}; cast it: {name}::{wanted}"))
                }
            }
        };
        let places = query.columns().iter().map(place).collect::<Result<_, _>>();
        let mismatch = |problem| StoreError::SqlMismatch { sql: query.title(), problem };
        Ok(Self { query, places: places.map_err(mismatch)? })
    }

    /// Which request a row is for, from 0, and what it says.
    pub(crate) fn read(&self, row: &Row) -> Result<(usize, FactRow), StoreError> {
        let mismatch = |problem| StoreError::SqlMismatch { sql: self.query.title(), problem };
        let number: i64 = row.try_get(0).map_err(|error| mismatch(error.to_string()))?;
        let value = |((name, kind), at): (&(&'static str, ValueKind), &usize)| {
            let value = value(*kind, row, *at);
            let value = value.map_err(|error| mismatch(format!("column {name}: {error}")))?;
            Ok((*name, value))
        };
        let columns = self.query.columns().iter().zip(&self.places);
        let request = usize::try_from(number - 1).unwrap_or(usize::MAX);
        Ok((request, columns.map(value).collect::<Result<_, _>>()?))
    }
}

fn fits(kind: ValueKind, found: &Type) -> bool {
    match kind {
        ValueKind::Text => [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME].contains(found),
        ValueKind::Integer => [Type::INT2, Type::INT4, Type::INT8].contains(found),
        ValueKind::Boolean => *found == Type::BOOL,
        ValueKind::Timestamp => *found == Type::TIMESTAMPTZ,
        ValueKind::Json => [Type::JSON, Type::JSONB].contains(found),
    }
}

fn value(kind: ValueKind, row: &Row, at: usize) -> Result<Value, tokio_postgres::Error> {
    Ok(match (kind, row.columns()[at].type_()) {
        (ValueKind::Integer, &Type::INT2) => {
            row.try_get::<_, Option<i16>>(at)?.map(i64::from).into()
        }
        (ValueKind::Integer, &Type::INT4) => {
            row.try_get::<_, Option<i32>>(at)?.map(i64::from).into()
        }
        (ValueKind::Json, _) => row.try_get::<_, Option<PgJson>>(at)?.map(|json| json.0).into(),
        _ => values::value(kind, row, at)?,
    })
}
