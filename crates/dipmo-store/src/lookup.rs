//! Rows of domain tables as they are now, outside of any batch: for who sends them somewhere.

use async_trait::async_trait;
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::{StoreError, Value};

/// Reads domain tables.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// All rows whose column `fact.by` has one of the keys, in one statement, in no order. What is
    /// not there is not in the answer. The table need not be one of a process.
    ///
    /// # Errors
    /// When the database does not answer, or the table does not fit its definition.
    async fn look_up(
        &self,
        fact: &FactDefinition,
        keys: &[Value],
    ) -> Result<Vec<FactRow>, StoreError>;
}
