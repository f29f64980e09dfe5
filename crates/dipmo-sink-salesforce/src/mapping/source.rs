//! Where the values of a record come from.

use dipmo_api::FactDefinition;

/// Where the values of a record come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The event carries them.
    Payload {
        /// `None`: the payload is the record. Else a JSON pointer to an object that has a record for
        /// each record key, such as `/members` for `{"members": {"M-1": {…}, "M-2": {…}}}`.
        records: Option<String>,
    },
    /// A table or a query has them: rows are read by key just before they are sent, all of a slice
    /// in one statement.
    Table {
        /// The table, and the column that has the record key; or the query, which has one parameter,
        /// the record key, and the column of its result that has it again.
        fact: FactDefinition,
        /// The column that counts the versions of a row, if it has one.
        version: Option<&'static str>,
        /// A JSON pointer to the version that the event announces, such as `/asOfVersion`. A row that
        /// is older is not sent. An event that announces none takes any row.
        as_of: Option<String>,
    },
}

impl Source {
    /// The payload is the record.
    #[must_use]
    pub const fn payload() -> Self {
        Self::Payload { records: None }
    }

    /// A table or a query without versions.
    #[must_use]
    pub const fn table(fact: FactDefinition) -> Self {
        Self::Table { fact, version: None, as_of: None }
    }

    /// A table or a query whose rows count their versions, and events that announce one at `/asOfVersion`.
    #[must_use]
    pub fn versioned(fact: FactDefinition, version: &'static str) -> Self {
        Self::Table { fact, version: Some(version), as_of: Some("/asOfVersion".to_owned()) }
    }
}
