//! What SQLite says, sorted by what the caller does next.

use dipmo_domain::StoreError;
use rusqlite::{Error, ErrorCode};

/// The error of a named statement.
pub(crate) fn failed(statement: &'static str, error: &Error) -> StoreError {
    let problem = error.to_string();
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
        Some(ErrorCode::Unknown)
            if problem.starts_with("no such table") || problem.starts_with("no such column") =>
        {
            StoreError::SchemaMissing { problem }
        }
        _ => StoreError::Unexpected { statement, problem },
    }
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
