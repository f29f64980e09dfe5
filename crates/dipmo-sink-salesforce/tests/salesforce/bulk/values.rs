//! What can be in a key and in a value.

use dipmo_domain::OutboxId;
use dipmo_outbox::Published;
use dipmo_salesforce::{Client, Fields, RecordRef};
use dipmo_sink_salesforce::{Missing, SalesforceSinkOptions};
use serde_json::json;

use super::rig::{announcement, contact};
use super::{DESTINATION, MemoryJob, Rig};
use crate::support::{carried, client, contacts, is_delivered, member, refused, retried, unit};

#[tokio::test]
async fn any_text_is_a_key() {
    let keys = [
        "a,b",
        "\"quoted\"",
        "two\nlines",
        "crlf\r\nin it",
        "ünïcödé 鍵 🔑",
        "tab\there",
        "'single'",
        "#N/A",
        "null",
        "=1+1",
        "a;b|c^d`e",
        "ends with a quote\"",
        " blanks around ",
    ];
    let mut rig = Rig::new(carried()).await;
    let job = MemoryJob::new(keys.iter().map(|key| contact(key, 3)));
    rig.finish(&job).await;
    for (key, answer) in keys.iter().zip(job.answers()) {
        // Salesforce keeps no blanks around a text.
        let entry = rig.world.entry("Contact", key.trim());
        let external_ref = Some(entry.ids[0].clone());
        assert_eq!(answer, Some(Published::Delivered { external_ref }), "{key:?}");
    }
    // All but one were rows of the job.
    let in_job = rig.world.ledger("Contact").iter().filter(|it| it.jobs[0].is_some()).count();
    assert_eq!(in_job, keys.len() - 1);
}

#[tokio::test]
async fn values_arrive_as_they_are() {
    let mapping = carried()
        .pointer("Description", "/text")
        .pointer("HasOptedOutOfEmail", "/out")
        .pointer("Birthdate", "/born")
        .pointer("Title", "/title");
    let mut rig = Rig::new(mapping).await;
    let first = json!({
        "lastName": "O'Hara, \"Ada\"\nLovelace", "version": 1, "text": "line 1\r\nline 2, \"x\"",
        "out": true, "born": "1815-12-10", "title": "Countess", "email": "ada@example.com",
    });
    let second =
        json!({ "lastName": "Ada", "version": 2, "text": "", "title": null, "out": false });
    let job = MemoryJob::new([unit(DESTINATION, 1, "C-1", &first)]);
    rig.finish(&job).await;
    let record = rig.world.record("Contact", "C-1");
    assert_eq!(record["LastName"], "O'Hara, \"Ada\"\nLovelace");
    assert_eq!(record["Description"], "line 1\r\nline 2, \"x\"");
    assert_eq!(record["HasOptedOutOfEmail"], true);
    assert_eq!(record["Birthdate"], "1815-12-10");

    let job = MemoryJob::new([unit(DESTINATION, 1, "C-1", &second)]);
    rig.finish(&job).await;
    let record = rig.world.record("Contact", "C-1");
    let empty = ["Description", "Title", "Birthdate", "Email"];
    assert!(empty.iter().all(|field| record[*field].is_null()), "{record:?}");
    assert_eq!(record["HasOptedOutOfEmail"], false);
}

#[tokio::test]
async fn what_a_partial_update_does_not_have_is_left_as_it_is() {
    let mut rig = Rig::new(carried().partial()).await;
    let whole = json!({ "lastName": "Ada", "email": "ada@example.com", "version": 1 });
    for payload in [whole, json!({ "version": 2 })] {
        let job = MemoryJob::new([unit(DESTINATION, 1, "C-1", &payload)]);
        rig.finish(&job).await;
        assert!(is_delivered(job.answers()[0].as_ref().unwrap()));
    }
    let record = rig.world.record("Contact", "C-1");
    assert_eq!((&record["LastName"], &record["Email"]), (&json!("Ada"), &json!("ada@example.com")));
}

#[tokio::test]
async fn a_parent_is_named_by_its_key_and_can_be_taken_away() {
    let mapping = carried().pointer("Family__r.ExternalId__c", "/family");
    let mut rig = Rig::new(mapping.correlate("Outbox_Row_Id__c")).await;
    let other = Client::new(client(&rig.world.salesforce)).unwrap();
    let at = RecordRef { object: "Family__c", field: "ExternalId__c", key: "F-1" };
    let family = other.upsert(&at, &Fields::new()).await.unwrap().id;
    for (named, id) in [(json!("F-1"), json!(family)), (json!(null), json!(null))] {
        let payload = json!({ "lastName": "Ada", "version": 1, "family": named });
        let job = MemoryJob::new([unit(DESTINATION, 1, "C-1", &payload)]);
        rig.finish(&job).await;
        assert!(is_delivered(job.answers()[0].as_ref().unwrap()), "{:?}", job.answers());
        let record = rig.world.record("Contact", "C-1");
        assert_eq!((&record["Family__c"], &record["Outbox_Row_Id__c"]), (&id, &json!("1")));
    }
}

#[tokio::test]
async fn what_no_row_can_say_goes_out_by_itself() {
    let schema = "objects: { Contact: { fields: { \
        Long__c: { type: textarea, length: 100000 } } } }";
    let mapping = carried().pointer("Long__c", "/long").pointer("Title", "/title");
    let mut rig = Rig::in_org(schema, mapping, |_| {}).await;
    let long = "x".repeat(40_000);
    let payload = |n: i64| match n {
        1 => json!({ "lastName": "A", "version": 1, "long": long }),
        2 => json!({ "lastName": "B", "version": 1, "title": "#N/A" }),
        _ => json!({ "lastName": "C", "version": 1 }),
    };
    let job = MemoryJob::new((0..5).map(|n| unit(DESTINATION, 1, &format!("C-{n}"), &payload(n))));
    rig.finish(&job).await;
    assert!(job.answers().iter().flatten().all(is_delivered), "{:?}", job.answers());
    assert_eq!(rig.world.record("Contact", "C-1")["Long__c"], json!(long));
    assert_eq!(rig.world.record("Contact", "C-2")["Title"], "#N/A");
    for (key, in_job) in [("C-0", true), ("C-1", false), ("C-2", false), ("C-3", true)] {
        assert_eq!(rig.world.entry("Contact", key).jobs[0].is_some(), in_job, "{key}");
    }
    assert_eq!(rig.calls()["collections"], 1);
}

#[tokio::test]
async fn what_goes_out_by_itself_needs_no_second_seat() {
    let mut rig = Rig::with(carried().pointer("Title", "/title"), |options| {
        options.bulk.page = 2;
        options.resilience.org.bulkhead.calls = 1;
        options.resilience.object.bulkhead.calls = 1;
    })
    .await;
    let title = |n: i64| if n % 2 == 1 { json!("#N/A") } else { json!("Dr") };
    let payload = |n| json!({ "lastName": "A", "version": 1, "title": title(n) });
    let job = MemoryJob::new((0..9).map(|n| unit(DESTINATION, 1, &format!("C-{n}"), &payload(n))));
    rig.finish(&job).await;
    assert!(job.answers().iter().flatten().all(is_delivered), "{:?}", job.answers());
    let given = job.calls().iter().position(|call| *call == "given").unwrap();
    assert!(job.calls()[..given].contains(&"answer"), "before the job is given");
    assert_eq!(rig.world.record("Contact", "C-7")["Title"], "#N/A");
}

#[tokio::test]
async fn what_can_be_no_key_is_refused_with_its_field() {
    let mut rig = Rig::new(carried()).await;
    let job = MemoryJob::new(["", &"x".repeat(256), "C-1"].map(|key| contact(key, 1)));
    rig.finish(&job).await;
    let answers = job.answers();
    for answer in &answers[..2] {
        let (code, message) = refused(answer.as_ref().unwrap());
        assert_eq!(code, "salesforce-value-unfit");
        assert!(message.contains("ExternalId__c"), "{message}");
    }
    assert!(is_delivered(answers[2].as_ref().unwrap()));
}

#[tokio::test]
async fn trap_26_what_is_not_found_any_more_is_skipped_deleted_or_fails() {
    for missing in [Missing::Skip, Missing::Delete, Missing::Fail] {
        let patient = |options: &mut SalesforceSinkOptions| options.sending.older.retries = 1;
        let mut rig = Rig::with(contacts().when_missing(missing), patient).await;
        for key in ["M-1", "M-2"] {
            rig.world.tables.put("MEMBERS", member(key, 1, "Ada"));
        }
        let both = || MemoryJob::new(["M-1", "M-2"].map(|key| announcement(key, 1)));
        rig.finish(&both()).await;
        rig.world.tables.remove("MEMBERS", "M-2");
        let job = both();
        rig.finish(&job).await;
        let answers = job.answers();
        assert!(is_delivered(answers[0].as_ref().unwrap()));
        assert_eq!(retried(answers[1].as_ref().unwrap()).0, "hydration-missing", "it may come");
        assert_eq!(rig.world.entry("Contact", "M-2").deleted, 0);
        let again = MemoryJob::new(job.rest());
        rig.finish(&again).await;
        let answers = again.answers();
        let deleted = rig.world.entry("Contact", "M-2").deleted;
        match missing {
            Missing::Fail => {
                assert_eq!(refused(answers[0].as_ref().unwrap()).0, "hydration-missing");
            }
            Missing::Skip | Missing::Delete => {
                assert_eq!(answers[0], Some(Published::delivered()));
            }
        }
        assert_eq!(deleted, usize::from(missing == Missing::Delete), "{missing:?}");
    }
}

#[tokio::test]
async fn trap_26_a_row_that_is_older_than_announced_is_never_sent() {
    let mut rig = Rig::new(contacts()).await;
    rig.world.tables.put("MEMBERS", member("M-1", 4, "Ada"));
    rig.world.tables.put("MEMBERS", member("M-2", 9, "Eve"));
    let units = [("M-1", 5), ("M-2", 5), ("M-1", 4)];
    let job = MemoryJob::new(units.map(|(key, version)| announcement(key, version)));
    rig.finish(&job).await;
    let answers = job.answers();
    assert!(
        matches!(&answers[0], Some(Published::Retry { failure, .. }) if failure.code() == "hydration-older")
    );
    assert!(is_delivered(answers[1].as_ref().unwrap()));
    assert_eq!(answers[2], Some(Published::NotTried), "behind one that was not delivered");
    assert_eq!(rig.world.ledger("Contact").len(), 1);
    assert_eq!(rig.world.versions("Contact", "M-2"), [9]);
}

#[tokio::test]
async fn a_unit_that_waits_for_another_is_not_sent() {
    let mut rig = Rig::new(carried()).await;
    let mut blocked = contact("C-1", 2);
    blocked.blocked_by = Some(OutboxId(77));
    let job = MemoryJob::new([blocked, contact("C-2", 1)]);
    rig.finish(&job).await;
    assert_eq!(job.answers()[0], Some(Published::NotTried));
    assert_eq!(rig.world.ledger("Contact").len(), 1);
}
