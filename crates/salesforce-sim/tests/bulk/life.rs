//! The life of a job, with and without accidents.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::org::{JOBS, Org, Row, table};

fn upsert() -> Json {
    json!({ "object": "Contact", "operation": "upsert", "externalIdFieldName": "ExternalId__c", "contentType": "CSV" })
}

/// So many contacts.
fn contacts(rows: usize) -> String {
    let rows: String = (0..rows).map(|row| format!("E-{row},Name {row}\n")).collect();
    format!("ExternalId__c,LastName\n{rows}")
}

fn keys(rows: &[Row]) -> BTreeSet<String> {
    rows.iter().map(|row| row["ExternalId__c"].clone()).collect()
}

#[test]
fn good_rows_are_written_and_bad_rows_are_told_why() {
    let org = Org::start();
    let spec = json!({ "object": "contact", "operation": "upsert", "externalIdFieldName": "externalid__c" });
    let job = org.create(&spec);
    let open = org.poll(&job);
    assert_eq!(job.len(), 18);
    assert!(job.starts_with("750"));
    assert_eq!(open["state"], "Open");
    assert_eq!(open["object"], "Contact");
    assert_eq!(open["externalIdFieldName"], "ExternalId__c");
    assert_eq!(open["apiVersion"], 62.0);
    assert_eq!(open["contentUrl"], format!("services/data/v62.0/jobs/ingest/{job}/batches"));
    assert_eq!(open["lineEnding"], "LF");
    assert_eq!(open["columnDelimiter"], "COMMA");
    org.upload(
        &job,
        "Id,ExternalId__c,LastName,Email\n,E-1,One,one@example.com\n,E-2,,\n,E-3,Three,\n",
    );
    let closed = org.set_state(&job, "UploadComplete").json();
    assert!(closed.get("contentUrl").is_none());
    let info = org.wait(&job);
    for (field, value) in [
        ("state", json!("JobComplete")),
        ("jobType", json!("V2Ingest")),
        ("numberRecordsProcessed", json!(3)),
        ("numberRecordsFailed", json!(1)),
        ("retries", json!(0)),
        ("apexProcessingTime", json!(0)),
        ("concurrencyMode", json!("Parallel")),
    ] {
        assert_eq!(info[field], value, "{field}");
    }
    assert!(info["totalProcessingTime"].is_u64() && info["apiActiveProcessingTime"].is_u64());
    assert!(info.get("errorMessage").is_none());
    let done = org.done(&job, info);
    assert_eq!(keys(&done.successful), ["E-1", "E-3"].map(str::to_owned).into());
    for row in &done.successful {
        assert!(row["sf__Id"].starts_with("003") && row["sf__Id"].len() == 18);
        assert_eq!(row["sf__Created"], "true");
    }
    assert_eq!(done.failed.len(), 1);
    assert_eq!(done.failed[0]["ExternalId__c"], "E-2");
    assert_eq!(
        done.failed[0]["sf__Error"],
        "REQUIRED_FIELD_MISSING:Required fields are missing: [LastName]:LastName --"
    );
    assert_eq!(done.unprocessed.len(), 0);
    assert_eq!(org.record("Contact", "E-1")["Email"], "one@example.com");

    let again = org.run(&spec, "ExternalId__c,LastName\nE-1,Uno\n");
    assert_eq!(again.successful[0]["sf__Created"], "false");
    assert_eq!(org.record("Contact", "E-1")["LastName"], "Uno");
}

#[test]
fn every_operation_does_what_its_name_says() {
    let org = Org::with_schema(&json!({ "org": { "hard_delete": true } }));
    let spec = |operation: &str| json!({ "object": "Contact", "operation": operation });
    let inserted = org.run(&spec("insert"), "LastName,ExternalId__c\nOne,E-1\nTwo,E-2\n");
    assert_eq!(inserted.successful.len(), 2);
    let id = |key: &str| {
        let row = inserted.successful.iter().find(|row| row["ExternalId__c"] == key).unwrap();
        row["sf__Id"].clone()
    };
    let (one, two) = (id("E-1"), id("E-2"));

    let updated = org
        .run(&spec("update"), format!("Id,LastName\n{one},Uno\n,Dos\n003000000000000AAA,Tres\n"));
    assert_eq!(updated.successful.len(), 1);
    assert_eq!(updated.successful[0]["sf__Id"], one);
    assert_eq!(updated.failed.len(), 2);
    assert_eq!(org.record("Contact", "E-1")["LastName"], "Uno");

    let deleted = org.run(&spec("delete"), format!("Id\n{one}\n{one}\n"));
    assert_eq!((deleted.successful.len(), deleted.failed.len()), (1, 1));
    assert!(
        deleted.failed[0]["sf__Error"].starts_with("ENTITY_IS_DELETED:"),
        "{:?}",
        deleted.failed
    );
    let removed = org.run(&spec("hardDelete"), format!("Id\n{two}\n"));
    assert_eq!(removed.successful.len(), 1);
    for key in ["E-1", "E-2"] {
        let path = format!("/__sim/records/Contact?ExternalId__c={key}");
        assert_eq!(org.get(&path).json()["records"][0]["deleted"], true);
    }
}

#[test]
fn an_upsert_by_the_id_itself_creates_where_there_is_none() {
    let org = Org::start();
    let spec = json!({ "object": "Contact", "operation": "upsert", "externalIdFieldName": "Id" });
    let created = org.run(&spec, "Id,LastName,ExternalId__c\n,One,E-1\n,Two,E-2\n");
    assert_eq!((created.successful.len(), created.failed.len()), (2, 0), "{created:?}");
    let row = &created.successful[0];
    let changed = org.run(&spec, format!("Id,LastName\n{},Other\n", row["sf__Id"]));
    assert_eq!(changed.successful[0]["sf__Created"], "false");
    assert_eq!(org.record("Contact", &row["ExternalId__c"])["LastName"], "Other");
}

#[test]
fn a_job_is_listed_until_it_is_deleted() {
    let org = Org::start();
    let job = org.create(&upsert());
    let list = org.get(&format!("{JOBS}?jobType=V2Ingest")).json();
    assert_eq!(list["done"], true);
    assert_eq!(list["nextRecordsUrl"], Json::Null);
    assert_eq!(list["records"][0]["id"], job);
    assert_eq!(org.poll(&job[..15])["id"], job);
    assert_eq!(org.get(&format!("{JOBS}?jobType=Classic")).json()["records"], json!([]));
    org.set_state(&job, "Aborted");
    let deleted = org.call("DELETE", &format!("{JOBS}/{job}"), "application/json", "");
    assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    assert_eq!(org.get(&format!("{JOBS}/{job}")).status, 404);
    assert_eq!(org.get(JOBS).json()["records"], json!([]));
}

#[test]
fn the_list_goes_on_on_another_page() {
    let org = Org::start();
    for _ in 0..1_001 {
        org.create(&upsert());
    }
    let first = org.get(JOBS).json();
    assert_eq!(
        (&first["done"], first["records"].as_array().unwrap().len()),
        (&json!(false), 1_000)
    );
    let second = org.get(first["nextRecordsUrl"].as_str().unwrap()).json();
    assert_eq!((&second["done"], second["records"].as_array().unwrap().len()), (&json!(true), 1));
}

#[test]
fn a_job_is_forgotten_a_week_after_its_end() {
    let mut org = Org::start();
    let (open, over) = (org.create(&upsert()), org.create(&upsert()));
    org.set_state(&over, "Aborted");
    org.post("/__sim/clock", &json!({ "advance": "6d" }));
    // The session has ended meanwhile.
    org.log_in();
    assert_eq!(org.get(&format!("{JOBS}/{over}")).status, 200);
    org.post("/__sim/clock", &json!({ "advance": "2d" }));
    org.log_in();
    assert_eq!(org.get(&format!("{JOBS}/{over}")).status, 404);
    assert_eq!(org.get(&format!("{JOBS}/{open}")).status, 200);
}

#[test]
fn results_come_in_another_order_and_complete() {
    let org = Org::start();
    let done = org.run(&upsert(), contacts(1_000));
    assert_eq!(done.successful.len(), 1_000);
    let given: Vec<String> = (0..1_000).map(|row| format!("E-{row}")).collect();
    let came: Vec<String> =
        done.successful.iter().map(|row| row["ExternalId__c"].clone()).collect();
    assert_ne!(came, given);
    assert_eq!(keys(&done.successful), given.into_iter().collect());
}

#[test]
fn results_are_written_as_the_job_was() {
    let org = Org::start();
    let mut spec = upsert();
    spec["columnDelimiter"] = json!("PIPE");
    spec["lineEnding"] = json!("CRLF");
    let job = org.create(&spec);
    org.upload(&job, "ExternalId__c|LastName\r\nE-1|\"a|b \"\"c\"\"\"\r\n");
    org.set_state(&job, "UploadComplete");
    org.wait(&job);
    let reply = org.get(&format!("{JOBS}/{job}/SUCCESSFULRESULTS/"));
    assert!(
        reply.body.starts_with("sf__Id|sf__Created|ExternalId__c|LastName\r\n"),
        "{}",
        reply.body
    );
    assert!(reply.body.ends_with("|true|E-1|\"a|b \"\"c\"\"\"\r\n"), "{}", reply.body);
    assert_eq!(table(&reply.body, '|')[0]["ExternalId__c"], "E-1");
}

#[test]
fn an_aborted_job_keeps_what_was_written_and_returns_the_rest() {
    let org = Org::with_schema(&json!({ "latency": { "bulk.batch": { "fixed": "300ms" } } }));
    let job = org.create(&upsert());
    org.upload(&job, contacts(30_000));
    org.set_state(&job, "UploadComplete");
    org.wait_until(&job, |info| info["numberRecordsProcessed"] != 0);
    assert_eq!(org.set_state(&job, "Aborted").json()["state"], "Aborted");
    let info = org.poll(&job);
    let done = org.done(&job, info);
    assert_eq!(done.info["state"], "Aborted");
    assert_eq!(done.info["numberRecordsProcessed"], done.successful.len());
    assert!(!done.successful.is_empty() && !done.unprocessed.is_empty());
    assert_eq!(done.successful.len() + done.unprocessed.len(), 30_000);
    assert!(keys(&done.successful).is_disjoint(&keys(&done.unprocessed)));
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
    let schema = json!({ "locks": { "hold": { "fixed": "200ms" }, "wait": "2s" } });
    let org = Org::with_schema(&schema);
    lock_one(&org);
    let done = org.run(&upsert(), contacts(3));
    assert_eq!((done.successful.len(), done.failed.len()), (3, 0));
    assert_eq!(done.info["retries"], 1);
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
fn a_job_may_bring_its_data_along() {
    let org = Org::start();
    let job = upsert().to_string();
    let body = format!(
        "--B\r\nContent-Type: application/json\r\nContent-Disposition: form-data; name=\"job\"\r\n\r\n{job}\r\n\
         --B\r\nContent-Type: text/csv\r\nContent-Disposition: form-data; name=\"content\"; filename=\"content\"\r\n\r\n\
         {}\r\n--B--\r\n",
        contacts(2)
    );
    let reply = org.call("POST", JOBS, "multipart/form-data; boundary=B", body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let id = reply.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(org.wait(&id)["numberRecordsProcessed"], 2);
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
