//! What rows become at Salesforce: which column fills which field.

use std::sync::Arc;

use dipmo_api::FactDefinition;
use dipmo_api::table::DomainTable;
use dipmo_sink_salesforce::{Missing, ObjectMapping, Source};

use crate::Tables;

/// The external id of every object.
const EXTERNAL_ID: &str = "ExternalId__c";

/// The parent of members and blocks, by its external id: nobody needs to know its id at Salesforce.
const FAMILY: &str = "Family__r.ExternalId__c";

/// The mappings of families, members and blocks.
///
/// What is sent is the row as it is then, never older than the version that the event announced. A
/// record whose row is not there fails: nothing of this domain is ever deleted.
#[must_use]
pub fn mappings(tables: &Tables) -> Vec<ObjectMapping> {
    let family = of("Family__c", "family", &tables.families)
        .column("Name", "NAME")
        .column("Status__c", "STATUS")
        .column("Version__c", "VERSION");
    let contact = of("Contact", "member", &tables.members)
        .column("FirstName", "FIRST_NAME")
        .column("LastName", "LAST_NAME")
        .column("Email", "EMAIL")
        .column(FAMILY, "FAMILY_ID")
        .column("Version__c", "VERSION");
    let block = of("Block__c", "block", &tables.blocks)
        .column("Type__c", "BLOCK_TYPE")
        .column("Reason__c", "REASON")
        .column("Active__c", "ACTIVE")
        .column(FAMILY, "FAMILY_ID")
        .column("Version__c", "VERSION");
    vec![family, contact, block]
}

/// Rows are found by their ID, which is the key of the record.
fn of(object: &str, name: &'static str, table: &Arc<DomainTable>) -> ObjectMapping {
    let fact = FactDefinition::table(name, Arc::clone(table), "ID");
    ObjectMapping::new(object, EXTERNAL_ID, Source::versioned(fact, "VERSION"))
        .when_missing(Missing::Fail)
}
