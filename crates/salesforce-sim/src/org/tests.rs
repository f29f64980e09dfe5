//! Transactions: what is taken back, what is remembered, who waits for whom.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::Org;
use super::columns::Columns;
use super::fields::Fields;
use super::record::AppliedKind;
use super::transaction::{Caller, Transaction};
use super::write::{Target, Write, Written};
use crate::refusal::Refusal;
use crate::schema::{ObjectId, Schema};
use crate::value::Value;

fn org(schema: &str) -> Org {
    let schema = Arc::new(Schema::parse(schema).unwrap());
    Org::new(schema, fastrand::Rng::with_seed(0), at(0))
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn caller(org: &Org, call: u64, second: i64) -> Caller {
    Caller { call, job: None, user: org.first_user(), now: at(second), draw: call, faults: None }
}

fn contact(org: &Org) -> ObjectId {
    org.schema.object("Contact").unwrap()
}

fn upsert(tx: &mut Transaction<'_>, key: &str, fields: &Json) -> Result<Written, Refusal> {
    let object = tx.schema().object("Contact").unwrap();
    let field = tx.schema()[object].field("ExternalId__c").unwrap();
    let fields = Fields::Json(fields.as_object().unwrap());
    tx.write(object, &Write { target: Target::Upsert { field, value: key }, fields })
}

fn names(org: &Org) -> Vec<String> {
    let object = contact(org);
    let field = org.schema[object].field("LastName").unwrap();
    let live = org.records(object).filter(|(_, record)| record.is_live());
    live.map(|(id, _)| org.value(id, field).as_text().unwrap().to_owned()).collect()
}

#[test]
fn what_is_not_committed_never_happened() {
    let mut org = org("{}");
    let one = caller(&org, 1, 0);
    let mut tx = Transaction::begin(&mut org, one);
    let id = upsert(&mut tx, "M-1", &json!({ "LastName": "Doe" })).unwrap().id;
    tx.commit();
    let two = caller(&org, 2, 1);
    let mut tx = Transaction::begin(&mut org, two);
    upsert(&mut tx, "M-1", &json!({ "LastName": "Roe" })).unwrap();
    let point = tx.savepoint();
    upsert(&mut tx, "M-2", &json!({ "LastName": "Poe" })).unwrap();
    tx.delete(id).unwrap();
    tx.rollback_to(point);
    assert_eq!(names(tx.org()), ["Roe"]);
    // The key of the record that was taken back is free, that of the deleted one is taken again.
    assert!(upsert(&mut tx, "M-2", &json!({ "LastName": "Poe" })).unwrap().created);
    assert!(!upsert(&mut tx, "M-1", &json!({})).unwrap().created);
    drop(tx);
    assert_eq!(names(&org), ["Doe"]);
    assert_eq!(org.sequence(), 1);
    assert_eq!(org.record(id).unwrap().history.len(), 1);
    assert_eq!(org.record(id).unwrap().modified.at, at(0));
}

#[test]
fn the_history_says_who_applied_what_in_which_order() {
    let mut org = org("{}");
    let mut id = None;
    for call in 1..=3 {
        let mut caller = caller(&org, call, 10);
        caller.job = (call == 2).then(|| "750xx".into());
        let mut tx = Transaction::begin(&mut org, caller);
        let written =
            upsert(&mut tx, "M-1", &json!({ "LastName": "Doe", "Version__c": call })).unwrap();
        assert_eq!(written.created, call == 1);
        id = Some(written.id);
        // A refused write takes no number.
        assert!(upsert(&mut tx, "M-2", &json!({})).is_err());
        tx.commit();
    }
    let id = id.unwrap();
    let four = caller(&org, 4, 11);
    let mut tx = Transaction::begin(&mut org, four);
    tx.delete(id).unwrap();
    tx.commit();
    let history = &org.record(id).unwrap().history;
    let told: Vec<_> =
        history.iter().map(|applied| (applied.sequence, applied.call, applied.kind)).collect();
    use AppliedKind::{Created, Deleted, Updated};
    assert_eq!(told, [(1, 1, Created), (2, 2, Updated), (3, 3, Updated), (4, 4, Deleted)]);
    assert_eq!(history[1].job.as_deref(), Some("750xx"));
    assert_eq!(*history[2].tracked, [Value::Text("M-1".into()), Value::Number(3.0)]);
}

#[test]
fn a_lock_is_held_after_a_write_and_met_by_others() {
    let mut org = org("locks: {hold: {fixed: 5s}}");
    let write = |org: &mut Org, call: u64, second: i64, key: &str| {
        let caller = caller(org, call, second);
        let mut tx = Transaction::begin(org, caller);
        let result = upsert(
            &mut tx,
            key,
            &json!({ "LastName": "Doe", "Account": { "ExternalId__c": "A-1" } }),
        );
        let blocked = tx.blocked();
        tx.commit();
        (result, blocked)
    };
    let account = org.schema.object("Account").unwrap();
    let one = caller(&org, 1, 0);
    let mut tx = Transaction::begin(&mut org, one);
    let fields = json!({ "Name": "Acme", "ExternalId__c": "A-1" });
    let fields = Fields::Json(fields.as_object().unwrap());
    let parent = tx.write(account, &Write { target: Target::Insert, fields }).unwrap().id;
    tx.commit();
    assert!(write(&mut org, 2, 1, "M-1").0.is_ok());
    // Another child of the same parent has to wait for the parent.
    let (result, blocked) = write(&mut org, 3, 2, "M-2");
    let refusal = result.unwrap_err();
    let id = org.id_text(parent);
    assert_eq!(refusal.code, "UNABLE_TO_LOCK_ROW");
    assert_eq!(
        refusal.message,
        format!("unable to obtain exclusive access to this record or 1 records: {id}")
    );
    assert_eq!(blocked, Some(at(6)));
    assert!(write(&mut org, 3, 6, "M-2").0.is_ok());
}

#[test]
fn a_transaction_that_is_dropped_holds_no_lock() {
    let mut org = org("locks: {hold: {fixed: 5s}}");
    let one = caller(&org, 1, 0);
    let mut tx = Transaction::begin(&mut org, one);
    let id = upsert(&mut tx, "M-1", &json!({ "LastName": "Doe" })).unwrap().id;
    tx.commit();
    let two = caller(&org, 2, 1);
    let mut tx = Transaction::begin(&mut org, two);
    upsert(&mut tx, "M-1", &json!({ "LastName": "Roe" })).unwrap();
    drop(tx);
    let three = caller(&org, 3, 1);
    let mut tx = Transaction::begin(&mut org, three.clone());
    assert!(upsert(&mut tx, "M-1", &json!({ "LastName": "Roe" })).is_ok());
    drop(tx);
    org.lock_row(id, at(9));
    let mut tx = Transaction::begin(&mut org, three);
    assert!(tx.delete(id).is_err());
    assert_eq!(tx.blocked(), Some(at(9)));
}

#[test]
fn children_are_deleted_with_their_parent_where_the_schema_says_so() {
    let schema = "objects: {Contact: {fields: {ReportsToId: {type: reference, to: Contact, on_delete: cascade}}}}";
    let mut org = org(schema);
    let one = caller(&org, 1, 0);
    let mut tx = Transaction::begin(&mut org, one);
    let boss = upsert(&mut tx, "M-1", &json!({ "LastName": "Doe" })).unwrap().id;
    let reports = |key: &str| json!({ "LastName": "Doe", "ReportsTo": { "ExternalId__c": key } });
    upsert(&mut tx, "M-2", &reports("M-1")).unwrap();
    upsert(&mut tx, "M-3", &reports("M-2")).unwrap();
    // A circle ends too.
    upsert(&mut tx, "M-1", &reports("M-3")).unwrap();
    let point = tx.savepoint();
    tx.erase(boss).unwrap();
    assert!(names(tx.org()).is_empty());
    tx.rollback_to(point);
    assert_eq!(names(tx.org()).len(), 3);
}

#[test]
fn a_chain_of_children_may_be_as_long_as_the_table() {
    let schema = "objects: {Contact: {fields: {ReportsToId: {type: reference, to: Contact, on_delete: cascade}}}}";
    let mut org = org(schema);
    let one = caller(&org, 1, 0);
    let mut tx = Transaction::begin(&mut org, one);
    let first = upsert(&mut tx, "M-0", &json!({ "LastName": "Doe" })).unwrap().id;
    let mut last = first;
    for number in 1..100_000 {
        let above = tx.id_text(last).to_string();
        let fields = json!({ "LastName": "Doe", "ReportsToId": above });
        last = upsert(&mut tx, &format!("M-{number}"), &fields).unwrap().id;
    }
    let point = tx.savepoint();
    tx.delete(first).unwrap();
    assert!(names(tx.org()).is_empty());
    tx.rollback_to(point);
    assert_eq!(names(tx.org()).len(), 100_000);
}

#[test]
fn a_child_that_cannot_be_deleted_keeps_its_parents() {
    let mut org = org(
        "objects: {Contact: {fields: {Family__c: {type: reference, to: Family__c, on_delete: cascade}}}, \
         Block__c: {fields: {Contact__c: {type: reference, to: Contact, on_delete: restrict}}}}",
    );
    let one = caller(&org, 1, 0);
    let mut tx = Transaction::begin(&mut org, one);
    let insert = |tx: &mut Transaction<'_>, object: &str, fields: &Json| {
        let object = tx.schema().object(object).unwrap();
        let fields = Fields::Json(fields.as_object().unwrap());
        tx.write(object, &Write { target: Target::Insert, fields }).unwrap().id
    };
    let family = insert(&mut tx, "Family__c", &json!({ "ExternalId__c": "F-1" }));
    for key in ["M-1", "M-2"] {
        let fields = json!({ "LastName": key, "Family__r": { "ExternalId__c": "F-1" } });
        upsert(&mut tx, key, &fields).unwrap();
    }
    insert(&mut tx, "Block__c", &json!({ "Contact__r": { "ExternalId__c": "M-1" } }));
    let sequence = tx.org().sequence();
    assert_eq!(tx.delete(family).unwrap_err().code, "DELETE_FAILED");
    assert_eq!(names(tx.org()), ["M-1", "M-2"]);
    assert_eq!(tx.org().sequence(), sequence);
}

#[test]
fn an_empty_cell_leaves_a_field_alone_and_na_empties_it() {
    let mut org = org("{}");
    let object = contact(&org);
    let names = ["ExternalId__c", "LastName", "FirstName", "Email", "Id"];
    let columns = Columns::parse(&org.schema, object, &names).unwrap();
    let field = |name: &str| org.schema[object].field(name).unwrap();
    let (key, first, email) = (field("ExternalId__c"), field("FirstName"), field("Email"));
    let one = caller(&org, 1, 0);
    let mut tx = Transaction::begin(&mut org, one);
    let mut row = |cells: &[&str]| {
        let target = Target::Upsert { field: key, value: cells[0] };
        let written =
            tx.write(object, &Write { target, fields: Fields::Row { columns: &columns, cells } });
        written.map(|written| (tx.value(written.id, first), tx.value(written.id, email)))
    };
    let text = |text: &str| Value::Text(text.into());
    let jane = ["M-1", "Doe", "Jane", "jane@example.com", ""];
    assert_eq!(row(&jane), Ok((text("Jane"), text("jane@example.com"))));
    assert_eq!(row(&["M-1", "", "#N/A", "  ", ""]), Ok((Value::Null, text("jane@example.com"))));
    assert_eq!(row(&["M-1", "#N/A", "", "", ""]).unwrap_err().code, "REQUIRED_FIELD_MISSING");
    assert_eq!(row(&["", "Doe", "", "", ""]).unwrap_err().code, "MISSING_ARGUMENT");
}

#[test]
fn rows_of_one_job_do_not_find_each_other() {
    let mut org = org("{}");
    let account = org.schema.object("Account").unwrap();
    let child = json!({ "LastName": "Doe", "Account": { "ExternalId__c": "A-1" } });
    let mut made = caller(&org, 1, 0);
    made.job = Some("750one".into());
    let mut tx = Transaction::begin(&mut org, made.clone());
    let fields = json!({ "Name": "Acme", "ExternalId__c": "A-1" });
    let fields = Fields::Json(fields.as_object().unwrap());
    tx.write(account, &Write { target: Target::Insert, fields }).unwrap();
    assert_eq!(
        upsert(&mut tx, "M-1", &child).unwrap_err().message,
        "Foreign key external ID: A-1 not found for field ExternalId__c in entity Account"
    );
    tx.commit();
    made.job = Some("750two".into());
    let mut tx = Transaction::begin(&mut org, made);
    assert!(upsert(&mut tx, "M-1", &child).is_ok());
}

#[test]
fn children_of_one_parent_leave_and_return() {
    let mut org = org("{}");
    let one = caller(&org, 1, 0);
    let mut tx = Transaction::begin(&mut org, one);
    let family = tx.schema().object("Family__c").unwrap();
    let fields = json!({ "ExternalId__c": "F-1" });
    let fields = Fields::Json(fields.as_object().unwrap());
    let parent = tx.write(family, &Write { target: Target::Insert, fields }).unwrap().id;
    let object = tx.schema().object("Contact").unwrap();
    let field = tx.schema()[object].field("Family__c").unwrap();
    let pointer = tx.value(parent, crate::schema::FieldId::ID);
    let count = |tx: &Transaction<'_>| tx.find(object, field, &pointer).unwrap().len();
    let child = json!({ "LastName": "Doe", "Family__r": { "ExternalId__c": "F-1" } });
    for at in 0..300 {
        upsert(&mut tx, &format!("M-{at}"), &child).unwrap();
    }
    upsert(&mut tx, "M-7", &json!({ "Family__c": null })).unwrap();
    assert_eq!(count(&tx), 299);
    let point = tx.savepoint();
    tx.delete(parent).unwrap();
    assert_eq!(count(&tx), 0);
    tx.rollback_to(point);
    assert_eq!(count(&tx), 299);
}

#[test]
fn a_cell_of_the_wrong_type_names_its_column() {
    let mut org = org("{}");
    let object = contact(&org);
    let columns =
        Columns::parse(&org.schema, object, &["LastName", "Birthdate", "HasOptedOutOfEmail"])
            .unwrap();
    let one = caller(&org, 1, 0);
    let mut tx = Transaction::begin(&mut org, one);
    let mut row = |cells: &[&str]| {
        let fields = Fields::Row { columns: &columns, cells };
        tx.write(object, &Write { target: Target::Insert, fields }).unwrap_err().in_bulk()
    };
    assert_eq!(
        row(&["Doe", "31.12.1999", "true"]),
        "INVALID_FIELD:Failed to deserialize field at col 1. Due to, '31.12.1999' is not a valid value for the type xsd:date:Birthdate --"
    );
    assert_eq!(
        row(&["Doe", "", "Y"]),
        "INVALID_FIELD:Failed to deserialize field at col 2. Due to, 'Y' is not a valid value for the type xsd:boolean:HasOptedOutOfEmail --"
    );
    assert_eq!(
        row(&["Doe", "", "#N/A"]),
        "INVALID_TYPE_ON_FIELD_IN_RECORD:Email Opt Out: value not of required type: null:HasOptedOutOfEmail --"
    );
}
