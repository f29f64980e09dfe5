//! Statements of users: one prepared text, executed once for each message that runs it, in the round
//! trip that the batch makes anyway.

use dipmo_api::sql::CheckedStatement;
use dipmo_domain::StoreError;
use dipmo_store::{StatementRuns, Tables};

use crate::sql::{Call, Sql};
use crate::values;

/// The executions, one after the other.
pub(crate) fn calls(tables: &Tables, runs: &StatementRuns) -> Result<Vec<Call>, StoreError> {
    let StatementRuns { statement, runs } = runs;
    if !tables.statements.contains(statement) {
        let problem = format!("statement {} was not installed; migrate first", statement.name());
        return Err(StoreError::SchemaMissing { problem });
    }
    let sql = Sql::of_user("statement", text(statement), &statement.title());
    let call = |values: &Vec<_>| {
        let kinds = statement.parameters().iter().map(|(_, kind)| *kind);
        let params = kinds.zip(values).map(|(kind, value)| values::scalar(kind, value)).collect();
        sql.clone().with(params)
    };
    Ok(runs.iter().map(call).collect())
}

/// The text as PostgreSQL gets it.
pub(crate) fn text(statement: &CheckedStatement) -> String {
    statement.template().render(|at| placeholder(statement, at))
}

/// The type is said: PostgreSQL would else take that of the column that it is compared with, which
/// may be another kind of number than ours.
pub(crate) fn placeholder(statement: &CheckedStatement, at: usize) -> String {
    let kind = statement.parameters()[at].1;
    format!("(${}::{})", at + 1, values::scalar_type(kind))
}
