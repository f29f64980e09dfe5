//! Where records go at Salesforce. One destination for each object: order is kept per record and
//! destination.

use dipmo_api::Effect;
use dipmo_domain::{Destination, RecordKey, SalesforceApi};
use serde_json::Value;

/// Members become Contacts: a handful or thousands, as they come.
pub(crate) const CONTACT: (SalesforceApi, &str) = (SalesforceApi::Auto, "Contact");
/// Blocks come by the thousand.
pub(crate) const BLOCK: (SalesforceApi, &str) = (SalesforceApi::BulkV2, "Block__c");
/// Families are the parents of both, and come in small numbers.
pub(crate) const FAMILY: (SalesforceApi, &str) = (SalesforceApi::Collections, "Family__c");

/// One intent for all records. It carries no state of theirs: that is read when they are sent.
pub(crate) fn upsert<'a>(
    (api, object): (SalesforceApi, &str),
    event_type: &str,
    ids: impl IntoIterator<Item = &'a str>,
    payload: &Value,
) -> Effect {
    let destination = Destination::Salesforce { org: None, api, object: object.to_owned() };
    let records = ids.into_iter().map(|id| RecordKey(id.to_owned()));
    Effect::new(destination, event_type).records(records).payload(payload)
}
