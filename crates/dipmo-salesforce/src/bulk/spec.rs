//! What a job is to do.

use serde_json::{Value as Json, json};

/// What a job is to do. Its data are CSV with commas and lines that end with LF, as
/// [`CsvWriter`](crate::CsvWriter) writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkSpec {
    /// The object, such as `Contact`.
    pub object: String,
    /// What is done with each row.
    pub operation: BulkOperation,
}

/// What is done with each row of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BulkOperation {
    /// Makes a record. A job that is repeated makes it twice.
    Insert,
    /// Updates the record of the `Id`.
    Update,
    /// Updates the record of the external id, or makes it.
    Upsert {
        /// The field that is the external id.
        external_id: String,
    },
    /// Puts the record of the `Id` into the recycle bin.
    Delete,
    /// Deletes the record of the `Id` for good.
    HardDelete,
}

impl BulkSpec {
    /// Upserts by an external id.
    #[must_use]
    pub fn upsert(object: impl Into<String>, external_id: impl Into<String>) -> Self {
        let operation = BulkOperation::Upsert { external_id: external_id.into() };
        Self { object: object.into(), operation }
    }

    pub(super) fn body(&self) -> Json {
        let mut body = json!({
            "object": self.object,
            "operation": self.operation.name(),
            "contentType": "CSV",
            "lineEnding": "LF",
            "columnDelimiter": "COMMA",
        });
        if let BulkOperation::Upsert { external_id } = &self.operation {
            body["externalIdFieldName"] = json!(external_id);
        }
        body
    }
}

impl BulkOperation {
    const fn name(&self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Upsert { .. } => "upsert",
            Self::Delete => "delete",
            Self::HardDelete => "hardDelete",
        }
    }
}
