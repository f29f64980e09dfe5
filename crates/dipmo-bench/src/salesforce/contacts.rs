//! The contacts of this suite: as a table has them, as Salesforce gets them, and as CSV.

use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_api::{DomainWrite, FactDefinition};
use dipmo_sink_salesforce::{ObjectMapping, Source};

/// So many records one event names, and one intent has.
pub(super) const IN_AN_EVENT: u32 = 1_000;

/// The object at Salesforce.
pub(super) const OBJECT: &str = "Contact";

/// The external id of a contact.
pub(super) fn id(number: u32) -> String {
    format!("C-{number:07}")
}

/// The version of a contact: that of the event that wrote it, another one for each event.
pub(super) fn version(number: u32) -> i64 {
    i64::from(number / IN_AN_EVENT) + 1
}

/// CONTACTS.
pub(super) fn table() -> Arc<DomainTable> {
    let text = |name| Column::new(name, ColumnKind::Text(200)).required();
    Arc::new(DomainTable {
        name: "CONTACTS",
        columns: vec![
            text("ID"),
            text("FIRST_NAME"),
            text("LAST_NAME"),
            text("EMAIL"),
            Column::new("VERSION", ColumnKind::Integer).required(),
        ],
        key: vec!["ID"],
        version: Some("VERSION"),
    })
}

/// The row of a contact.
pub(super) fn row(table: &Arc<DomainTable>, id: &str, version: i64) -> DomainWrite {
    DomainWrite::upsert(Arc::clone(table))
        .set("ID", id)
        .set("FIRST_NAME", first_name(id))
        .set("LAST_NAME", last_name(id))
        .set("EMAIL", email(id))
        .set("VERSION", version)
}

/// What a row becomes at Salesforce.
pub(super) fn mapping() -> ObjectMapping {
    let fact = FactDefinition::table("contact", table(), "ID");
    ObjectMapping::new(OBJECT, "ExternalId__c", Source::versioned(fact, "VERSION"))
        .column("FirstName", "FIRST_NAME")
        .column("LastName", "LAST_NAME")
        .column("Email", "EMAIL")
        .column("Version__c", "VERSION")
}

/// The first so many contacts as CSV, as the publisher writes them.
pub(super) fn csv(count: u32) -> String {
    let mut text = "ExternalId__c,FirstName,LastName,Email,Version__c\n".to_owned();
    for number in 0..count {
        let id = id(number);
        let (first, last, email) = (first_name(&id), last_name(&id), email(&id));
        text.push_str(&format!("{id},{first},{last},{email},{}\n", version(number)));
    }
    text
}

fn first_name(id: &str) -> String {
    format!("First {id}")
}

fn last_name(id: &str) -> String {
    format!("Last {id}")
}

fn email(id: &str) -> String {
    format!("{}@example.com", id.to_lowercase())
}
