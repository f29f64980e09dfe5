//! The calls that writes go out by: each takes some writes and tells what became of each.

mod collections;
mod composite;
mod deletes;
mod family;
mod graph;
mod rest;

use dipmo_domain::SalesforceApi;
use dipmo_salesforce::{Error, RowError};

use crate::org::OrgContext;
use crate::slice::Write;
pub(crate) use composite::MAX_COLLECTIONS;
pub(crate) use family::{Load, looks_like_reference};

/// What became of one write: its id, where Salesforce tells one.
pub(crate) type Outcome = Result<Option<String>, Refusal>;

/// Why a write was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// For this.
    Row(RowError),
    /// Together with others, because of one of them: smaller calls tell which.
    Shared(RowError),
}

/// How writes go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// One write a call.
    Rest,
    /// Upserts of records without children.
    Collections,
    /// Upserts, of families all or nothing.
    Composite,
    /// Upserts of families, each all or nothing.
    Graph,
    /// Several deletes.
    Deletes,
}

impl Via {
    /// What figures are kept under.
    pub(crate) const fn api(self) -> SalesforceApi {
        match self {
            Self::Rest => SalesforceApi::Rest,
            Self::Collections => SalesforceApi::Collections,
            Self::Composite | Self::Deletes => SalesforceApi::Composite,
            Self::Graph => SalesforceApi::Graph,
        }
    }

    /// Makes the call, and tells what became of each write in its place.
    ///
    /// # Errors
    /// When the call failed as a whole.
    pub(crate) async fn call(
        self,
        org: &OrgContext,
        writes: &[&Write],
    ) -> Result<Vec<Outcome>, Error> {
        match self {
            Self::Rest => rest::call(org, writes).await,
            Self::Collections => collections::call(org, writes).await,
            Self::Composite => composite::call(org, writes).await,
            Self::Graph => graph::call(org, writes).await,
            Self::Deletes => deletes::call(org, writes).await,
        }
    }
}

/// The records among writes, of which a call for upserts has no others.
fn records<'a>(writes: &[&'a Write]) -> impl Iterator<Item = &'a crate::shaping::Shaped> {
    writes.iter().filter_map(|write| match write {
        Write::Upsert(record) => Some(record),
        Write::Delete { .. } => None,
    })
}
