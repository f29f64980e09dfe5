//! Much at once: a large upload, and a job of many rows.

#![expect(clippy::print_stdout, reason = "the figures are of interest when the tests pass, too")]

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::org::{JOBS, Org, Reply, Row};

const MEGABYTE: u64 = 1_000_000;

#[test]
fn the_memory_of_an_upload_does_not_grow_with_it() {
    let org = Org::start();
    let job = org.create(&json!({ "object": "Contact", "operation": "insert" }));
    let row = format!("Name,{}\n", "x".repeat(10_000 - 6));
    let rows = 100 * MEGABYTE / row.len() as u64;
    let header = "LastName,Description\n";
    // What a first small job costs is not the cost of the upload.
    org.run(&json!({ "object": "Contact", "operation": "insert" }), format!("{header}{row}"));
    let before = org.memory();

    let length = header.len() + row.len() * usize::try_from(rows).unwrap();
    let mut stream = org.send_head("PUT", &format!("{JOBS}/{job}/batches"), "text/csv", length);
    stream.write_all(header.as_bytes()).unwrap();
    for _ in 0..rows {
        stream.write_all(row.as_bytes()).unwrap();
    }
    assert_eq!(Reply::read(stream).status, 201);
    let uploaded = org.memory().saturating_sub(before);
    println!("an upload of {length} bytes takes {uploaded} bytes of memory");
    assert!(uploaded < 10 * MEGABYTE, "{uploaded} bytes for an upload of {length}");

    org.set_state(&job, "UploadComplete");
    assert_eq!(org.wait(&job)["numberRecordsProcessed"], rows);
    let ran = org.memory().saturating_sub(before);
    println!("{rows} records of {} bytes take {ran} bytes of memory", row.len());
    assert!(ran < length as u64 + 30 * MEGABYTE, "{ran} bytes for records of {length}");
}

#[test]
fn more_than_150_megabytes_after_base64_are_refused() {
    let org = Org::start();
    let job = org.create(&json!({ "object": "Contact", "operation": "insert" }));
    let piece = "LastName\n".repeat(100_000);
    let pieces = 115 * MEGABYTE / piece.len() as u64;
    let length = piece.len() * usize::try_from(pieces).unwrap();
    let mut stream = org.send_head("PUT", &format!("{JOBS}/{job}/batches"), "text/csv", length);
    for _ in 0..pieces {
        // The simulator may close its side as soon as it is too much.
        if stream.write_all(piece.as_bytes()).is_err() {
            break;
        }
    }
    let reply = Reply::read(stream);
    assert_eq!((reply.status, &reply.json()[0]["errorCode"]), (413, &json!("BULK_API_ERROR")));
    assert_eq!(org.upload(&job, "LastName\nx\n").status, 201);
}

#[test]
fn uploads_share_one_file() {
    let org = Org::start();
    let files = org.open_files();
    let csv = format!("LastName,Description\n{}", format!("x,{}\n", "y".repeat(10_000)).repeat(20));
    for _ in 0..50 {
        let job = org.create(&json!({ "object": "Contact", "operation": "insert" }));
        assert_eq!(org.upload(&job, &csv).status, 201);
    }
    // One for them all, and a connection or two that are about to be closed.
    assert!(org.open_files() < files + 10, "{} files instead of {files}", org.open_files());
}

#[test]
fn jobs_of_200_000_rows_take_seconds() {
    let org = Org::start();
    let rows = 200_000;
    let upsert = json!({ "object": "Contact", "operation": "upsert", "externalIdFieldName": "ExternalId__c" });
    let mut csv = "ExternalId__c,FirstName,LastName,Email,Version__c\n".to_owned();
    for row in 0..rows {
        csv.push_str(&format!("E-{row:06},First,Last {row},{row}@example.com,{row}\n"));
    }
    let mut ids = "Id\n".to_owned();
    for (created, what) in [("true", "inserted"), ("false", "updated")] {
        let successful = run(&org, &upsert, &csv, what);
        assert_eq!(successful.len(), rows);
        assert!(successful.iter().all(|row| row["sf__Created"] == created));
        ids = "Id\n".to_owned();
        for row in successful {
            ids.push_str(&row["sf__Id"]);
            ids.push('\n');
        }
    }
    let delete = json!({ "object": "Contact", "operation": "delete" });
    assert_eq!(run(&org, &delete, &ids, "deleted").len(), rows);
    let gone = org.get("/__sim/records/Contact?ExternalId__c=E-000000").json();
    assert_eq!(gone["records"][0]["deleted"], true);
}

/// Runs a job all of whose rows are good; answers its results.
fn run(org: &Org, spec: &Json, csv: &str, what: &str) -> Vec<Row> {
    let job = org.create(spec);
    org.upload(&job, csv);
    let (start, used) = (Instant::now(), org.processor_time());
    org.set_state(&job, "UploadComplete");
    let info = org.wait(&job);
    let (took, used) = (start.elapsed(), org.processor_time() - used);
    let rows = &info["numberRecordsProcessed"];
    println!(
        "{rows} rows {what} in {took:?}, {used:?} of them on a processor, with {} MB of memory",
        org.memory() / MEGABYTE
    );
    assert_eq!((&info["state"], &info["numberRecordsFailed"]), (&json!("JobComplete"), &json!(0)));
    // Work is what counts; how long it takes is also up to whatever else the machine does.
    assert!(used < Duration::from_secs(10), "{used:?} on a processor");
    assert!(took < Duration::from_secs(300), "{took:?}");
    org.results(&job, "successfulResults")
}
