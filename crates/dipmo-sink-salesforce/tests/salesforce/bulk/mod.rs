//! Bulk jobs: from units in a job to rows in Salesforce, and back by their results.

mod auto;
mod calls;
mod crashes;
mod endings;
mod gone;
mod job;
mod one_row;
mod pages;
mod results;
mod rig;
mod stopping;
mod trouble;
mod values;

pub(crate) use job::MemoryJob;
pub(crate) use rig::{Rig, contact};

/// Where all of them go.
pub(crate) const DESTINATION: &str = "HTTP:SFDC:BulkV2:Contact";
