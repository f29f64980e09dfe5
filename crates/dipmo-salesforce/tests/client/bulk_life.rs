//! The life of a job.

use bytes::Bytes;
use dipmo_salesforce::{
    BulkJob, BulkOperation, BulkResults, BulkSpec, BulkState, Class, Client, codes,
};
use serde_json::json;

use crate::org::{Org, ada, contact};

pub(crate) fn contacts() -> BulkSpec {
    BulkSpec::upsert("Contact", "ExternalId__c")
}

/// A job with this data, closed.
pub(crate) async fn closed(client: &Client, csv: &'static str) -> BulkJob {
    let job = client.bulk().create(&contacts()).await.unwrap();
    client.bulk().upload_bytes(&job.id, Bytes::from_static(csv.as_bytes())).await.unwrap();
    client.bulk().close(&job.id).await.unwrap()
}

/// A job, once it is over.
pub(crate) async fn over(client: &Client, id: &str) -> BulkJob {
    loop {
        let job = client.bulk().info(id).await.unwrap();
        if job.state.is_over() {
            return job;
        }
    }
}

#[tokio::test]
async fn a_job_is_made_filled_closed_polled_read_and_removed() {
    let org = Org::start().await;
    let client = org.client();
    let bulk = client.bulk();
    let job = bulk.create(&contacts()).await.unwrap();
    assert_eq!((job.id.len(), job.state, job.object.as_str()), (18, BulkState::Open, "Contact"));
    assert_eq!((job.processed, job.failed, job.error()), (0, 0, None));
    let csv = "ExternalId__c,LastName\nC-1,Ada\nC-2,\n";
    bulk.upload_bytes(&job.id, Bytes::from_static(csv.as_bytes())).await.unwrap();
    assert_eq!(bulk.close(&job.id).await.unwrap().state, BulkState::UploadComplete);
    let done = over(&client, &job.id).await;
    assert_eq!((done.state, done.processed, done.failed), (BulkState::JobComplete, 2, 1));
    assert_eq!(done.error(), None, "rows that fail are no failure of the job");
    assert_eq!(org.applied("C-1"), 1);
    bulk.delete(&job.id).await.unwrap();
    bulk.delete(&job.id).await.unwrap();
    let gone = bulk.info(&job.id).await.unwrap_err();
    assert_eq!((gone.class(), gone.status()), (Class::Unprocessed, Some(404)));
}

#[tokio::test]
async fn closing_and_aborting_can_be_repeated() {
    let org = Org::start().await;
    let client = org.client();
    let bulk = client.bulk();
    let csv = "ExternalId__c,LastName\nC-1,Ada\n";
    let job = closed(&client, csv).await;
    assert_ne!(bulk.close(&job.id).await.unwrap().state, BulkState::Open);
    over(&client, &job.id).await;
    assert_eq!(bulk.close(&job.id).await.unwrap().state, BulkState::JobComplete);
    assert_eq!(bulk.abort(&job.id).await.unwrap().state, BulkState::JobComplete);

    let open = bulk.create(&contacts()).await.unwrap();
    assert_eq!(bulk.abort(&open.id).await.unwrap().state, BulkState::Aborted);
    assert_eq!(bulk.abort(&open.id).await.unwrap().state, BulkState::Aborted);
    let aborted = bulk.close(&open.id).await.unwrap();
    assert_eq!(aborted.error().unwrap().class(), Class::Unprocessed);
}

#[tokio::test]
async fn a_close_whose_answer_was_lost_is_repeated_safely() {
    let org = Org::start().await;
    let client = org.client();
    let job = client.bulk().create(&contacts()).await.unwrap();
    let csv = Bytes::from_static(b"ExternalId__c,LastName\nC-1,Ada\n");
    client.bulk().upload_bytes(&job.id, csv).await.unwrap();
    org.fault("bulk.close", 1, json!({ "kind": "timeout_after", "hold": "1ms" }));
    let error = client.bulk().close(&job.id).await.unwrap_err();
    assert_eq!((error.class(), error.is_ambiguous()), (Class::Transient, true));
    assert_ne!(client.bulk().close(&job.id).await.unwrap().state, BulkState::Open);
    over(&client, &job.id).await;
    assert_eq!(org.applied("C-1"), 1);
}

#[tokio::test]
async fn what_no_job_can_be_made_for_is_a_wrong_configuration() {
    let org = Org::start().await;
    let bulk_of = org.client();
    for (spec, named) in [
        (BulkSpec::upsert("No__c", "ExternalId__c"), "No__c"),
        (BulkSpec::upsert("Contact", "Email"), "Email"),
        (BulkSpec::upsert("Contact", "No__c"), "No__c"),
        (BulkSpec { object: "Organization".to_owned(), operation: BulkOperation::Insert }, ""),
    ] {
        let error = bulk_of.bulk().create(&spec).await.unwrap_err();
        assert_eq!(error.class(), Class::Misconfigured, "{spec:?}: {error}");
        assert!(error.message().contains(named), "{error}");
    }
}

#[tokio::test]
async fn an_unknown_column_or_a_wrong_line_end_fails_the_job() {
    let org = Org::start().await;
    let client = org.client();
    for (csv, code, said) in [
        ("ExternalId__c,LastName,OutboxRowId\nC-1,Ada,1\n", "InvalidBatch", "OutboxRowId"),
        ("ExternalId__c,LastName\r\nC-1,Ada\r\n", "ClientInputError", "LineEnding is invalid"),
    ] {
        let id = closed(&client, csv).await.id;
        let job = over(&client, &id).await;
        assert_eq!((job.state, job.processed, job.failed), (BulkState::Failed, 0, 0));
        let error = job.error().unwrap();
        assert_eq!((error.class(), error.code.as_str()), (Class::Misconfigured, code));
        assert!(error.message.contains(said), "{error}");
    }
    assert_eq!(org.applied("C-1"), 0);
}

#[tokio::test]
async fn a_job_that_fails_on_the_way_tells_why() {
    let org = Org::start().await;
    let client = org.client();
    for (fault, state, class) in [
        (
            json!({ "kind": "job_failed", "message": "TooManyLockFailure : Too many lock failures" }),
            BulkState::Failed,
            Class::RowLocked,
        ),
        (
            json!({ "kind": "job_failed", "message": "ExceededQuota : too many batches" }),
            BulkState::Failed,
            Class::QuotaExhausted,
        ),
        (json!({ "kind": "job_aborted" }), BulkState::Aborted, Class::Unprocessed),
    ] {
        org.simulator.faults(json!({ "rules": [{ "times": 1, "fault": fault }] })).unwrap();
        let id = closed(&client, "ExternalId__c,LastName\nC-1,Ada\n").await.id;
        let job = over(&client, &id).await;
        assert_eq!((job.state, job.error().unwrap().class()), (state, class));
    }
}

#[tokio::test]
async fn a_job_that_nobody_knows_is_to_be_sent_again() {
    let org = Org::start().await;
    let client = org.client();
    let id = "750000000000000AAA";
    for error in [
        client.bulk().info(id).await.unwrap_err(),
        client.bulk().close(id).await.unwrap_err(),
        client.bulk().results(id, BulkResults::Failed).await.unwrap_err(),
        client.bulk().upload_bytes(id, Bytes::from_static(b"a\n1\n")).await.unwrap_err(),
    ] {
        assert_eq!((error.class(), error.status()), (Class::Unprocessed, Some(404)));
    }
    let error = client.bulk().info("../limits").await.unwrap_err();
    assert_eq!(error.code(), codes::REQUEST_INVALID.as_str());
}

#[tokio::test]
async fn records_are_deleted_by_id() {
    let org = Org::start().await;
    let client = org.client();
    let id = client.upsert(&contact("C-1"), &ada()).await.unwrap().id;
    let spec = BulkSpec { object: "Contact".to_owned(), operation: BulkOperation::Delete };
    let job = client.bulk().create(&spec).await.unwrap();
    client.bulk().upload_bytes(&job.id, Bytes::from(format!("Id\n{id}\n"))).await.unwrap();
    client.bulk().close(&job.id).await.unwrap();
    assert_eq!(over(&client, &job.id).await.failed, 0);
    assert_eq!(org.simulator.ledger("Contact").unwrap()[0].deleted, 1);
}

#[tokio::test]
async fn a_session_that_ends_within_a_job_is_renewed() {
    let org = Org::start().await;
    let client = org.client();
    let rule = |api: &str| json!({ "when": { "api": api }, "times": 1, "fault": { "kind": "revoke_token" } });
    let apis =
        ["bulk.create", "bulk.upload", "bulk.close", "bulk.poll", "bulk.results", "bulk.delete"];
    org.simulator.faults(json!({ "rules": apis.map(rule) })).unwrap();
    let id = closed(&client, "ExternalId__c,LastName\nC-1,Ada\n").await.id;
    over(&client, &id).await;
    let mut rows = client.bulk().results(&id, BulkResults::Successful).await.unwrap();
    assert!(rows.next().await.unwrap().is_some());
    client.bulk().delete(&id).await.unwrap();
    assert_eq!((org.count("oauth"), org.applied("C-1")), (1 + apis.len(), 1));
}
