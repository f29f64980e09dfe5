//! What SQLite says, sorted by what the caller does next.

use dipmo_domain::StoreError;
use rusqlite::{Error, ErrorCode};

/// The error of a named statement.
pub(crate) fn failed(statement: &'static str, error: &Error) -> StoreError {
    let problem = match error {
        // Without the statement, which has a name.
        Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy { statement, problem }
        }
        Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { statement, problem },
        Some(ErrorCode::DiskFull) => StoreError::Full { statement, problem },
        Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch) => {
            StoreError::RowRefused { statement, problem }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => {
            StoreError::Unreachable { place: String::new(), problem }
        }
        Some(ErrorCode::Unknown) | None if is_missing(&problem) => {
            StoreError::SchemaMissing { problem }
        }
        _ => StoreError::Unexpected { statement, problem },
    }
}

/// Whether a table or a column is missing: SQLite has no codes for that.
fn is_missing(problem: &str) -> bool {
    problem.starts_with("no such table") || problem.starts_with("no such column")
}

/// Something that the database did not refuse but that must not be.
pub(crate) fn unexpected(statement: &'static str, problem: impl Into<String>) -> StoreError {
    StoreError::Unexpected { statement, problem: problem.into() }
}

/// A value in the database that this version cannot read.
pub(crate) fn unreadable(
    column: usize,
    problem: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> Error {
    Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, problem.into())
}
