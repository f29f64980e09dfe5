//! Much at once: a large upload, and a job of many rows.

#![expect(clippy::print_stdout, reason = "the figures are of interest when the tests pass, too")]

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::org::{JOBS, Org, Reply};

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
fn a_job_of_200_000_rows_takes_seconds() {
    let org = Org::start();
    let spec = json!({ "object": "Contact", "operation": "upsert", "externalIdFieldName": "ExternalId__c" });
    let rows = 200_000;
    let mut csv = "ExternalId__c,FirstName,LastName,Email,Version__c\n".to_owned();
    for row in 0..rows {
        csv.push_str(&format!("E-{row:06},First,Last {row},{row}@example.com,{row}\n"));
    }
    for (created, what) in [("true", "inserted"), ("false", "updated")] {
        let job = org.create(&spec);
        org.upload(&job, &csv);
        let start = Instant::now();
        org.set_state(&job, "UploadComplete");
        let info = org.wait(&job);
        let took = start.elapsed();
        println!("{rows} rows {what} in {took:?}, with {} MB of memory", org.memory() / MEGABYTE);
        assert_eq!(
            (&info["numberRecordsProcessed"], &info["numberRecordsFailed"]),
            (&json!(rows), &json!(0))
        );
        assert!(took < Duration::from_secs(60), "{took:?}");
        let successful = org.results(&job, "successfulResults");
        assert_eq!(successful.len(), rows);
        assert!(successful.iter().all(|row| row["sf__Created"] == created));
    }
}
