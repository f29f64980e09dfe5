//! The life of a job to which nothing happens.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::contacts::{contacts, keys, upsert};
use crate::org::{JOBS, Org, table};

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
    assert_eq!(closed["state"], "UploadComplete");
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

    let deleted = org.run(&spec("delete"), format!("Id\n{one}\n"));
    assert_eq!((deleted.successful.len(), deleted.failed.len()), (1, 0));
    let again = org.run(&spec("delete"), format!("Id\n{one}\n"));
    assert!(again.failed[0]["sf__Error"].starts_with("ENTITY_IS_DELETED:"), "{again:?}");
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
    assert_eq!(reply.body.matches("\r\n").count(), 2, "{}", reply.body);
    assert!(reply.body.contains("\"a|b \"\"c\"\"\""), "{}", reply.body);
    let row = &table(&reply.body, '|')[0];
    assert_eq!((&*row["sf__Created"], &*row["ExternalId__c"]), ("true", "E-1"));
}

#[test]
fn the_columns_of_results_are_known_by_their_names_only() {
    let org = Org::start();
    let mut headers = BTreeSet::new();
    for _ in 0..10 {
        let job = org.create(&upsert());
        org.upload(&job, contacts(1));
        org.set_state(&job, "UploadComplete");
        org.wait(&job);
        let body = org.get(&format!("{JOBS}/{job}/successfulResults")).body;
        let mut columns: Vec<_> = body.lines().next().unwrap().split(',').collect();
        headers.insert(columns.join(","));
        columns.sort_unstable();
        assert_eq!(columns, ["ExternalId__c", "LastName", "sf__Created", "sf__Id"]);
    }
    assert!(headers.len() > 1, "{headers:?}");
}

#[test]
fn a_closed_job_waits_in_the_queue() {
    let org = Org::with_schema(&json!({ "latency": { "bulk.queue": { "fixed": "1h" } } }));
    let job = org.create(&upsert());
    org.upload(&job, contacts(1));
    assert_eq!(org.set_state(&job, "UploadComplete").json()["state"], "UploadComplete");
    assert_eq!(org.poll(&job)["state"], "UploadComplete");
    assert_eq!(org.set_state(&job, "Aborted").json()["state"], "Aborted");
    assert_eq!(org.results(&job, "unprocessedrecords").len(), 1);
}

#[test]
fn the_answer_to_a_close_is_older_than_the_run() {
    let org = Org::start();
    for _ in 0..100 {
        let job = org.create(&upsert());
        org.upload(&job, contacts(1));
        assert_eq!(org.set_state(&job, "UploadComplete").json()["state"], "UploadComplete");
    }
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
