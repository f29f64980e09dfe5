//! Asking a database about SQL without running it.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_api::sql::{CheckedQuery, CheckedStatement, Place};
use dipmo_domain::StoreError;

/// What a database says about one query or statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// The name of the query or the statement.
    pub name: &'static str,
    /// What is wrong; `None` when it would run.
    pub complaint: Option<Complaint>,
}

/// What is wrong with SQL, as its database sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The failure that a message would have.
    pub error: StoreError,
    /// Where it is in the text of its author, if the database says so.
    pub place: Option<Place>,
}

/// Checks SQL of a user's own against the tables that are there. None of it is on a hot path.
#[async_trait]
pub trait Probe: Send + Sync {
    /// Lets the database read and plan each query and statement, without running any. Answers for the
    /// queries, then for the statements, each in its place.
    ///
    /// # Errors
    /// When the database does not answer, or the store has no SQL.
    async fn probe(
        &self,
        queries: &[Arc<CheckedQuery>],
        statements: &[Arc<CheckedStatement>],
    ) -> Result<Vec<Probed>, StoreError>;
}
