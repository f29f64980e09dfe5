//! What PostgreSQL says, in our words.
//!
//! Only the message of an error is passed on, never its detail: that may hold a whole row.

use dipmo_domain::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

use crate::options::Place;

/// An error of a statement.
pub(crate) fn of_statement(statement: &'static str, place: &Place, error: &Error) -> StoreError {
    let Some(db) = error.as_db_error() else {
        return unreachable(place, error);
    };
    let problem = db.message().to_owned();
    let code = db.code();
    match code.code() {
        "DP001" => asserted(statement, db),
        "25006" => StoreError::ReadOnly { statement, problem },
        "53100" | "53200" => StoreError::Full { statement, problem },
        "40001" | "40P01" | "55P03" | "57014" | "53300" => StoreError::Busy { statement, problem },
        "25P03" => StoreError::Fenced { what: "the lanes of a batch that stood still".to_owned() },
        "42P01" | "42703" | "42883" | "3F000" => StoreError::SchemaMissing { problem },
        "42501" => {
            StoreError::AuthFailed { place: place.to_string(), user: place.user.clone(), problem }
        }
        // The row met a change of partitions: it fits when it comes again.
        "23514" if problem.contains("partition constraint") => {
            StoreError::Busy { statement, problem }
        }
        other if other.starts_with("22") || other.starts_with("23") => {
            StoreError::RowRefused { statement, problem }
        }
        other if other.starts_with("08") || other.starts_with("57P") => unreachable(place, error),
        _ => StoreError::Unexpected { statement, problem: format!("{problem} ({})", code.code()) },
    }
}

/// An error of a statement that a user wrote: what the database is to blame for stays what it is, and
/// all else is the failure of the message that ran it.
pub(crate) fn of_user_sql(title: &str, known: StoreError, error: &Error) -> StoreError {
    let Some(db) = error.as_db_error().filter(|_| !known.is_transient()) else { return known };
    let (state, problem) = (db.code().code(), db.message());
    // What could not be read as a number or a time stands in the message, in quotes.
    let problem =
        if state.starts_with("22") { without_quoted(problem) } else { problem.to_owned() };
    StoreError::SqlFailed { sql: title.to_owned(), state: format!("SQLSTATE {state}"), problem }
}

/// A message without what stands in double quotes, up to the last of them: a value may have some too.
fn without_quoted(message: &str) -> String {
    match (message.find('"'), message.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}\"…\"{}", &message[..first], &message[last + 1..])
        }
        _ => message.to_owned(),
    }
}

/// An error while connecting.
pub(crate) fn of_connect(place: &Place, error: &Error) -> StoreError {
    let Some(db) = error.as_db_error() else {
        return unreachable(place, error);
    };
    let problem = db.message().to_owned();
    match db.code() {
        &SqlState::INVALID_CATALOG_NAME => StoreError::UrlInvalid { problem },
        code if code.code().starts_with("28") => {
            StoreError::AuthFailed { place: place.to_string(), user: place.user.clone(), problem }
        }
        _ => of_statement("connect", place, error),
    }
}

fn unreachable(place: &Place, error: &Error) -> StoreError {
    // The driver's own words ("error connecting to server") say little; its source says why.
    let cause =
        std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    StoreError::Unreachable { place: place.to_string(), problem: cause }
}

/// What `dipmo_assert` raised.
fn asserted(statement: &'static str, db: &DbError) -> StoreError {
    let what = db.detail().unwrap_or_default().to_owned();
    match db.message() {
        "fenced" => StoreError::Fenced { what },
        "refused" => StoreError::RowRefused { statement, problem: what },
        "behind" => StoreError::OffsetBehind { what },
        "version" => {
            let (process, changed) = what.rsplit_once(' ').unwrap_or((&what, "1"));
            StoreError::VersionConflict {
                process: process.to_owned(),
                changed: changed.parse().unwrap_or(1),
            }
        }
        other => StoreError::Unexpected {
            statement: "dipmo_assert",
            problem: format!("{other}: {what}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_a_message_is_left_out() {
        for (message, shown) in [
            ("division by zero", "division by zero"),
            (
                "invalid input syntax for type integer: \"4111 1111\"",
                "invalid input syntax for type integer: \"…\"",
            ),
            ("value \"a\"b\" is out of range for type x", "value \"…\" is out of range for type x"),
            ("one \" alone", "one \" alone"),
        ] {
            assert_eq!(without_quoted(message), shown);
        }
    }
}
