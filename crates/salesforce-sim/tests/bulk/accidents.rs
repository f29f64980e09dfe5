//! What may happen to a job: it is aborted or meets a fault, a lock, a limit, another row of a key.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::contacts::{contacts, keys, upsert};
use crate::org::{JOBS, Org, table};

#[test]
fn an_aborted_job_keeps_what_was_written_and_returns_the_rest() {
    let org = Org::start();
    org.set_fault(&json!({ "kind": "job_stuck", "hold": "5s", "after_rows": 10_000 }));
    let job = org.create(&upsert());
    org.upload(&job, contacts(30_000));
    org.set_state(&job, "UploadComplete");
    org.wait_until(&job, |info| info["numberRecordsProcessed"] == 10_000);
    assert_eq!(org.set_state(&job, "Aborted").json()["state"], "Aborted");
    let info = org.poll(&job);
    let done = org.done(&job, info);
    assert_eq!(done.info["state"], "Aborted");
    assert_eq!(done.info["numberRecordsProcessed"], 10_000);
    assert_eq!((done.successful.len(), done.unprocessed.len()), (10_000, 20_000));
    assert!(keys(&done.successful).is_disjoint(&keys(&done.unprocessed)));
    // Another job is held as long: when it is over, the first one would have gone on.
    let account = json!({ "object": "Account", "operation": "insert" });
    assert_eq!(org.run(&account, "Name\nAcme\n").successful.len(), 1);
    let ledger = org.get("/__sim/ledger?object=Contact&field=ExternalId__c").json();
    let applied: BTreeSet<String> = ledger["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["key"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(applied, keys(&done.successful));
}

#[test]
fn a_reset_ends_the_jobs_that_run() {
    let org = Org::with_schema(&json!({ "latency": { "bulk.batch": { "fixed": "20ms" } } }));
    let job = org.create(&upsert());
    org.upload(&job, contacts(30_000));
    org.set_state(&job, "UploadComplete");
    org.wait_until(&job, |info| info["numberRecordsProcessed"] != 0);
    assert!(org.post("/__sim/reset", &json!({})).status < 300);
    assert_eq!(org.get(&format!("{JOBS}/{job}")).status, 404);
    // Another job takes as long as the rest of the first one would have.
    assert_eq!(org.run(&upsert(), contacts(30_000)).successful.len(), 30_000);
    let ledger = org.get("/__sim/ledger?object=Contact&field=ExternalId__c").json();
    let entries = ledger["entries"].as_array().unwrap();
    assert!(entries.iter().all(|entry| entry["applied"] == 1));
}

#[test]
fn a_job_meets_its_fault() {
    let org = Org::start();
    let cases = [
        (
            json!({ "kind": "job_failed", "message": "TooManyLockFailure", "after_rows": 400 }),
            "Failed",
            400,
        ),
        (
            json!({ "kind": "job_failed", "message": "InternalServerError", "after_rows": 0 }),
            "Failed",
            0,
        ),
        (json!({ "kind": "job_aborted", "after_rows": 200 }), "Aborted", 200),
        (json!({ "kind": "job_unprocessed", "after_rows": 600 }), "JobComplete", 600),
        (json!({ "kind": "job_stuck", "hold": "50ms" }), "JobComplete", 1_000),
    ];
    for (fault, state, processed) in cases {
        org.set_fault(&fault);
        let done = org.run(&upsert(), contacts(1_000));
        assert_eq!(done.info["state"], state, "{fault}");
        assert_eq!(done.info["numberRecordsProcessed"], processed, "{fault}");
        assert_eq!(done.info.get("errorMessage"), fault.get("message"), "{fault}");
        assert_eq!(
            (done.successful.len(), done.unprocessed.len()),
            (processed, 1_000 - processed),
            "{fault}"
        );
        let mut all = keys(&done.successful);
        all.extend(keys(&done.unprocessed));
        assert_eq!(all, keys(&table(&contacts(1_000), ',')), "{fault}");
        for row in &done.unprocessed {
            assert_eq!(
                row["LastName"].strip_prefix("Name "),
                row["ExternalId__c"].strip_prefix("E-")
            );
        }
    }
    org.set_fault(&json!({ "kind": "job_vanished" }));
    let job = org.create(&upsert());
    org.upload(&job, contacts(1));
    org.set_state(&job, "UploadComplete");
    org.wait_until(&job, |info| info[0]["errorCode"] == "NOT_FOUND");
}

/// Another job has changed E-1, and holds it for a time.
fn lock_one(org: &Org) {
    for _ in ["created", "changed"] {
        org.run(&upsert(), "ExternalId__c,LastName\nE-1,Before\n");
    }
}

#[test]
fn a_row_whose_record_is_locked_is_tried_again() {
    let org = Org::with_schema(&json!({ "locks": { "wait": "30s" } }));
    let before = org.run(&upsert(), "ExternalId__c,LastName\nE-1,Before\n");
    let job = org.create(&upsert());
    org.upload(&job, contacts(3));
    // Long enough that the job comes while it is held, however slow the machine is.
    let id = &before.successful[0]["sf__Id"];
    let lock = json!({ "object": "Contact", "ids": [id], "hold": "3s" });
    assert_eq!(org.post("/__sim/locks", &lock).status, 204);
    org.set_state(&job, "UploadComplete");
    let info = org.wait(&job);
    let done = org.done(&job, info);
    assert_eq!((done.successful.len(), done.failed.len()), (3, 0));
    assert!(done.info["retries"].as_u64().unwrap() >= 1, "{}", done.info);
    assert_eq!(org.record("Contact", "E-1")["LastName"], "Name 1");
}

#[test]
fn a_row_whose_record_stays_locked_fails() {
    let schema = json!({ "locks": { "hold": { "fixed": "1h" }, "wait": "10ms" } });
    let org = Org::with_schema(&schema);
    lock_one(&org);
    let done = org.run(&upsert(), contacts(3));
    assert_eq!((done.successful.len(), done.failed.len()), (2, 1));
    assert!(done.failed[0]["sf__Error"].starts_with("UNABLE_TO_LOCK_ROW:"), "{:?}", done.failed);
    assert_eq!(done.info["retries"], 3);
    assert_eq!(org.record("Contact", "E-1")["LastName"], "Before");
    assert_eq!(org.record("Contact", "E-2")["LastName"], "Name 2");
}

#[test]
fn a_lock_that_a_test_asked_for_is_not_waited_for() {
    let schema = json!({ "locks": { "hold": { "fixed": "1h" }, "wait": "10ms" } });
    let org = Org::with_schema(&schema);
    lock_one(&org);
    let rules = json!({ "rules": [{
        "when": { "keys": ["E-2"] }, "times": 1, "fault": { "kind": "row_lock" },
    }] });
    assert!(org.post("/__sim/faults", &rules).status < 300);
    // A row before it meets a real lock, and is tried again.
    let done = org.run(&upsert(), contacts(3));
    assert_eq!(keys(&done.failed), ["E-1", "E-2"].map(str::to_owned).into());
    assert_eq!(org.record("Contact", "E-2"), Json::Null);
}

#[test]
fn a_row_meets_its_fault() {
    let org = Org::start();
    let cases = [
        (json!({ "kind": "row_lock" }), "UNABLE_TO_LOCK_ROW:"),
        (
            json!({ "kind": "row_refusal", "code": "FIELD_CUSTOM_VALIDATION_EXCEPTION", "message": "No", "fields": ["Email"] }),
            "FIELD_CUSTOM_VALIDATION_EXCEPTION:No:Email --",
        ),
    ];
    for (fault, error) in cases {
        let rules =
            json!({ "rules": [{ "when": { "api": "bulk", "keys": ["E-1"] }, "fault": fault }] });
        assert!(org.post("/__sim/faults", &rules).status < 300);
        let done = org.run(&upsert(), contacts(3));
        assert_eq!((done.successful.len(), done.failed.len()), (2, 1), "{fault}");
        assert_eq!(done.failed[0]["ExternalId__c"], "E-1");
        assert!(done.failed[0]["sf__Error"].starts_with(error), "{:?}", done.failed);
        assert_eq!(done.info["retries"], 0);
        assert_eq!(org.record("Contact", "E-1"), Json::Null);
        assert_eq!(org.record("Contact", "E-2")["LastName"], "Name 2");
    }
}

#[test]
fn batches_beyond_the_daily_limit_are_not_processed() {
    let org = Org::with_schema(&json!({ "limits": { "bulk_batches": 1 } }));
    let done = org.run(&upsert(), contacts(10_001));
    assert_eq!(done.info["state"], "Failed");
    assert_eq!(done.info["errorMessage"], "ExceededQuota : ApiBatchItems Limit exceeded");
    assert!([1, 10_000].contains(&done.successful.len()));
    assert_eq!(done.successful.len() + done.unprocessed.len(), 10_001);
}

#[test]
fn across_chunks_one_of_the_rows_of_a_key_wins() {
    let org = Org::start();
    let mut csv = contacts(200);
    csv.push_str("E-0,Later\n");
    let done = org.run(&upsert(), csv);
    assert_eq!(done.successful.len(), 201);
    let winner = org.record("Contact", "E-0")["LastName"].clone();
    assert!(winner == "Later" || winner == "Name 0", "{winner}");
    let ledger = org.get("/__sim/ledger?object=Contact&field=ExternalId__c").json();
    let entry =
        ledger["entries"].as_array().unwrap().iter().find(|entry| entry["key"] == "E-0").unwrap();
    assert_eq!(entry["applied"], 2);
    assert!(entry["jobs"][0].as_str().unwrap().starts_with("750"));
}

#[test]
fn an_upload_that_breaks_off_leaves_the_job_open_for_another() {
    let org = Org::start();
    let job = org.create(&upsert());
    let mut broken = TcpStream::connect(&org.address).unwrap();
    write!(
        broken,
        "PUT {JOBS}/{job}/batches HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: text/csv\r\n\
         Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n",
        org.address, org.token
    )
    .unwrap();
    // It is invited to go on when the job has begun to take it.
    let mut invited = [0; 25];
    broken.read_exact(&mut invited).unwrap();
    assert_eq!(&invited, b"HTTP/1.1 100 Continue\r\n\r\n");
    assert_eq!(org.upload(&job, contacts(1)).json()[0]["errorCode"], "BULK_API_ERROR");
    drop(broken);
    // The simulator may notice a moment later.
    let deadline = Instant::now() + Duration::from_secs(10);
    while org.upload(&job, contacts(1)).status != 201 {
        assert!(Instant::now() < deadline, "the job takes no other upload");
    }
    org.set_state(&job, "UploadComplete");
    assert_eq!(org.wait(&job)["numberRecordsProcessed"], 1);
}
