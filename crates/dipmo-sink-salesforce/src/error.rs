//! What is wrong with a mapping, a delivery or an org, in words for people.

use dipmo_domain::{Code, Coded, Destination, StoreError};
use thiserror::Error;

use crate::resilience::ResilienceError;

/// An error of the publisher, before Salesforce has anything to say.
///
/// No variant holds a value of a record: destinations, fields and keys are named, not their content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SinkError {
    /// It goes somewhere else: the publisher is registered for too much.
    #[error("{destination} is no destination in Salesforce")]
    NotSalesforce {
        /// Where it goes.
        destination: Box<Destination>,
    },
    /// The destination names an org that the options do not have.
    #[error("{destination}: there is no such org in the options; known: {known}")]
    OrgUnknown {
        /// Where it goes.
        destination: Box<Destination>,
        /// The orgs that there are.
        known: String,
    },
    /// The options of an org cannot be used.
    #[error("org {org:?}: {problem}")]
    OrgInvalid {
        /// The name of the org.
        org: String,
        /// What is wrong with them.
        problem: String,
    },
    /// How orgs and objects are to be protected makes no sense.
    #[error(transparent)]
    Resilience(#[from] ResilienceError),
    /// Two orgs of the options have one name.
    #[error("the org {org:?} is there twice")]
    OrgTwice {
        /// The name.
        org: String,
    },
    /// The org has no mapping for the object.
    #[error("{destination}: the org has no mapping for {object}; known: {known}")]
    MappingMissing {
        /// Where it goes.
        destination: Box<Destination>,
        /// The object.
        object: String,
        /// The objects that have one.
        known: String,
    },
    /// An org has two mappings for one object.
    #[error("org {org:?} has two mappings for {object}")]
    MappingTwice {
        /// The name of the org.
        org: String,
        /// The object.
        object: String,
    },
    /// A mapping that could never work.
    #[error("mapping of {object}{at}: {problem}", at = at(.field))]
    MappingInvalid {
        /// The object.
        object: String,
        /// The field; empty where it is about the object.
        field: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// The mapping has children, and the API of the destination cannot write all or nothing.
    #[error(
        "{destination}: {object} is mapped with children, which only Graph, Composite and Auto write"
    )]
    ChildrenUnsupported {
        /// Where it goes.
        destination: Box<Destination>,
        /// The object.
        object: String,
    },
    /// The table could not be read.
    #[error("{destination}: {table} could not be read by {by}: {source}")]
    HydrationFailed {
        /// Where it goes.
        destination: Box<Destination>,
        /// The table.
        table: &'static str,
        /// The column of the keys.
        by: &'static str,
        /// What the database said.
        source: StoreError,
    },
    /// There is no row, and the policy is to fail.
    #[error("{destination}: nothing was found for {key:?}")]
    HydrationMissing {
        /// Where it goes.
        destination: Box<Destination>,
        /// The record key.
        key: String,
    },
    /// There is no row yet of what the event announced.
    #[error(
        "{destination}: nothing was found for {key:?} yet, and the event announced version {announced}"
    )]
    HydrationAwaited {
        /// Where it goes.
        destination: Box<Destination>,
        /// The record key.
        key: String,
        /// The version that the event announced.
        announced: i64,
    },
    /// The row is older than what the event announced.
    #[error("{destination}: {key:?} was found at version {found}, and the event announced {announced}", found = shown(.found))]
    HydrationOlder {
        /// Where it goes.
        destination: Box<Destination>,
        /// The record key.
        key: String,
        /// The version of the row.
        found: Option<i64>,
        /// The version that the event announced.
        announced: i64,
    },
    /// The payload is not of the shape that the mapping reads.
    #[error("{destination}: the payload does not fit the mapping: {problem}")]
    PayloadUnfit {
        /// Where it goes.
        destination: Box<Destination>,
        /// What was expected.
        problem: String,
    },
    /// A value that no field can hold.
    #[error("{destination}, {field}: {problem}")]
    ValueUnfit {
        /// Where it goes.
        destination: Box<Destination>,
        /// The field.
        field: String,
        /// Why not.
        problem: String,
    },
    /// A parent with more children than one call takes.
    #[error(
        "{destination}: {key:?} and its children are {records} records; {api} takes {limit} at once"
    )]
    UnitTooLarge {
        /// Where it goes.
        destination: Box<Destination>,
        /// The record key.
        key: String,
        /// How many records it is.
        records: usize,
        /// The API.
        api: &'static str,
        /// How many it takes.
        limit: usize,
    },
}

impl SinkError {
    pub(crate) fn payload_unfit(destination: &Destination, problem: impl Into<String>) -> Self {
        Self::PayloadUnfit { destination: Box::new(destination.clone()), problem: problem.into() }
    }

    pub(crate) fn value_unfit(
        destination: &Destination,
        field: &str,
        problem: impl Into<String>,
    ) -> Self {
        let (destination, field) = (Box::new(destination.clone()), field.to_owned());
        Self::ValueUnfit { destination, field, problem: problem.into() }
    }
}

fn at(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!(", {field}") }
}

fn shown(version: &Option<i64>) -> String {
    version.map_or_else(|| "none".to_owned(), |version| version.to_string())
}

impl Coded for SinkError {
    fn code(&self) -> Code {
        match self {
            Self::NotSalesforce { .. } => Code::new("destination-not-salesforce"),
            Self::OrgUnknown { .. } => Code::new("salesforce-org-unknown"),
            Self::OrgInvalid { .. } => Code::new("salesforce-options-invalid"),
            Self::Resilience(error) => error.code(),
            Self::OrgTwice { .. } => Code::new("salesforce-org-twice"),
            Self::MappingMissing { .. } => Code::new("salesforce-mapping-missing"),
            Self::MappingInvalid { .. } | Self::MappingTwice { .. } => {
                Code::new("salesforce-mapping-invalid")
            }
            Self::ChildrenUnsupported { .. } => Code::new("salesforce-children-unsupported"),
            Self::HydrationFailed { .. } => Code::new("hydration-failed"),
            Self::HydrationMissing { .. } | Self::HydrationAwaited { .. } => {
                Code::new("hydration-missing")
            }
            Self::HydrationOlder { .. } => Code::new("hydration-older"),
            Self::PayloadUnfit { .. } => Code::new("salesforce-payload-unfit"),
            Self::ValueUnfit { .. } => Code::new("salesforce-value-unfit"),
            Self::UnitTooLarge { .. } => Code::new("salesforce-unit-too-large"),
        }
    }
}
