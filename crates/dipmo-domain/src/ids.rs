//! Identifiers, each a type of its own so that two of them cannot be swapped.

use std::fmt;

macro_rules! row_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "#{}", self.0)
            }
        }
    };
}

row_id! {
    /// `INBOX.ID`. Grows with arrival within one source; says nothing about the order of commits.
    InboxId
}
row_id! {
    /// `OUTBOX.ID`, and the id of one record of an intent with many: both come from one sequence,
    /// so that they can be ordered among each other within a lane.
    OutboxId
}

/// The row of a process: which process, and the `ID` of the instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessKey {
    /// The name of the process, such as `HIT`; its table is `HIT_PROCESS`.
    pub process: String,
    /// The correlation id: the `ID` column of the process table.
    pub id: String,
}

impl fmt::Display for ProcessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.process, self.id)
    }
}

/// The key of one record at a destination, such as a Salesforce external id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordKey(pub String);

impl fmt::Display for RecordKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
