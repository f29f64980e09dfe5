//! Rows of domain tables, and what queries find, as they are now, outside of any batch: for who sends them somewhere.

use async_trait::async_trait;
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::{StoreError, Value};

/// Reads domain tables and runs queries.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All rows whose column has one of the keys, in one statement, in no order; for a query, which
    /// then has one parameter, all rows that it finds for the keys. What is not there is not in the
    /// answer. Neither table nor query need be one of a process.
    ///
    /// # Errors
    /// When the database does not answer, the table does not fit its definition, or the query fails
    /// or does not answer as declared.
    async fn look_up(
        &self,
        fact: &FactDefinition,
        keys: &[Value],
    ) -> Result<Vec<FactRow>, StoreError>;
}
