//! Tables of the domain, and how they become objects.

use std::sync::Arc;

use dipmo_api::sql::{CheckedQuery, Query, ValueKind};
use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::Value;
use dipmo_sink_salesforce::{ChildMapping, ChildSource, ObjectMapping, Origin, Source};

fn table(name: &'static str, columns: &[&'static str]) -> Arc<DomainTable> {
    let text = |name| Column::new(name, ColumnKind::Text(200));
    let mut all =
        vec![text("ID").required(), Column::new("VERSION", ColumnKind::Integer).required()];
    all.extend(columns.iter().map(|name| text(name)));
    let table = DomainTable { name, columns: all, key: vec!["ID"], version: Some("VERSION") };
    table.checked().unwrap()
}

fn members_table() -> Arc<DomainTable> {
    table("MEMBERS", &["LAST_NAME", "EMAIL", "FAMILY_ID"])
}

/// MEMBERS by their own key.
pub(crate) fn members() -> FactDefinition {
    FactDefinition::table("members", members_table(), "ID")
}

/// MEMBERS by that of their family.
pub(crate) fn members_of() -> FactDefinition {
    FactDefinition::table("membersOf", members_table(), "FAMILY_ID")
}

/// A query that has the columns of MEMBERS, with some parameters.
pub(crate) fn members_query(parameters: &[&'static str]) -> Arc<CheckedQuery> {
    let conditions: String = parameters.iter().map(|name| format!(" and ID = :{name}")).collect();
    let columns = ["ID", "LAST_NAME", "EMAIL", "FAMILY_ID"].map(|name| (name, ValueKind::Text));
    let query = Query {
        name: "members_of_interest",
        sql: format!("select * from MEMBERS where LAST_NAME is not null{conditions}"),
        parameters: parameters.iter().map(|name| (*name, ValueKind::Text)).collect(),
        columns: [&columns[..], &[("VERSION", ValueKind::Integer)]].concat(),
    };
    query.checked().unwrap()
}

/// A row of MEMBERS.
pub(crate) fn member(id: &str, version: i64, name: &str) -> FactRow {
    FactRow::from([
        ("ID", Value::from(id)),
        ("VERSION", Value::from(version)),
        ("LAST_NAME", Value::from(name)),
        ("EMAIL", Value::Null),
        ("FAMILY_ID", Value::Null),
    ])
}

/// Contact from MEMBERS.
pub(crate) fn contacts() -> ObjectMapping {
    ObjectMapping::new("Contact", "ExternalId__c", Source::versioned(members(), "VERSION"))
        .column("LastName", "LAST_NAME")
        .column("Email", "EMAIL")
        .column("Family__r.ExternalId__c", "FAMILY_ID")
        .column("Version__c", "VERSION")
}

/// Contact as the payload carries it.
pub(crate) fn carried() -> ObjectMapping {
    ObjectMapping::new("Contact", "ExternalId__c", Source::payload())
        .pointer("LastName", "/lastName")
        .pointer("Email", "/email")
        .pointer("Version__c", "/version")
}

/// Account as the payload carries it, with parents among its own.
pub(crate) fn accounts() -> ObjectMapping {
    ObjectMapping::new("Account", "ExternalId__c", Source::payload())
        .pointer("Name", "/name")
        .pointer("Parent.ExternalId__c", "/parent")
}

/// Block__c as the payload carries it.
pub(crate) fn blocks() -> ObjectMapping {
    ObjectMapping::new("Block__c", "ExternalId__c", Source::payload())
        .pointer("Name", "/name")
        .pointer("Type__c", "/type")
        .pointer("Family__r.ExternalId__c", "/family")
        .pointer("Version__c", "/version")
}

/// Family__c as the payload carries it.
pub(crate) fn families() -> ObjectMapping {
    ObjectMapping::new("Family__c", "ExternalId__c", Source::payload())
        .pointer("Name", "/name")
        .pointer("Version__c", "/version")
}

/// Family__c with its members as Contact, all or nothing.
pub(crate) fn families_with_members() -> ObjectMapping {
    let source = ChildSource::Payload { items: "/members".to_owned(), key: "/id".to_owned() };
    families().child(
        ChildMapping::new("Contact", "ExternalId__c", "Family__c", source)
            .field("LastName", Origin::Pointer("/lastName".to_owned())),
    )
}
