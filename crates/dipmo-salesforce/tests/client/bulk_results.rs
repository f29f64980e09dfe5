//! The three files of results.

use std::collections::BTreeMap;

use bytes::Bytes;
use dipmo_salesforce::{BulkResults, Cell, Class, Client, ClientOptions, CsvWriter, codes};
use futures_util::stream;
use serde_json::json;

use crate::bulk_life::{closed, contacts, over};
use crate::org::Org;

/// The keys of a file with what is told of each.
async fn read(client: &Client, id: &str, which: BulkResults) -> BTreeMap<String, String> {
    let mut rows = client.bulk().results(id, which).await.unwrap();
    let mut read = BTreeMap::new();
    while let Some(row) = rows.next().await.unwrap() {
        let key = row.get("externalid__C").unwrap().to_owned();
        let told = match row.error() {
            Some(error) => format!("{:?} {error}", error.class()),
            None => format!("{} {}", row.id().map_or(0, str::len), row.created()),
        };
        assert_eq!(read.insert(key, told), None);
    }
    assert!(rows.next().await.unwrap().is_none(), "the end stays the end");
    read
}

fn told(rows: &[(&str, &str)]) -> BTreeMap<String, String> {
    rows.iter().map(|&(key, told)| (key.to_owned(), told.to_owned())).collect()
}

#[tokio::test]
async fn every_row_is_in_one_of_the_three_files() {
    let org = Org::start().await;
    let client = org.client();
    let fault = json!({ "kind": "job_unprocessed", "after_rows": 200 });
    org.simulator.faults(json!({ "rules": [{ "times": 1, "fault": fault }] })).unwrap();
    let job = client.bulk().create(&contacts()).await.unwrap();
    let mut writer = CsvWriter::new(&["LastName", "ExternalId__c", "Family__r.ExternalId__c"]);
    for index in 0..203 {
        let name = if index == 1 { Cell::Null } else { Cell::Text("Ada, \"the first\"\nof many") };
        let family = if index == 2 { Cell::Text("F-1") } else { Cell::Absent };
        writer.row(&[name, Cell::Text(&format!("C-{index}")), family]).unwrap();
    }
    client.bulk().upload_bytes(&job.id, writer.take()).await.unwrap();
    client.bulk().close(&job.id).await.unwrap();
    let done = over(&client, &job.id).await;
    let failed = read(&client, &job.id, BulkResults::Failed).await;
    let successful = read(&client, &job.id, BulkResults::Successful).await;
    let unprocessed = read(&client, &job.id, BulkResults::Unprocessed).await;
    assert_eq!(
        failed,
        told(&[
            (
                "C-1",
                "Permanent REQUIRED_FIELD_MISSING: Required fields are missing: [LastName] [LastName]"
            ),
            (
                "C-2",
                "ParentMissing INVALID_FIELD: Foreign key external ID: F-1 not found for field ExternalId__c in entity Family__c"
            ),
        ])
    );
    assert_eq!(
        unprocessed,
        told(&[("C-200", "0 false"), ("C-201", "0 false"), ("C-202", "0 false")])
    );
    assert_eq!((successful.len(), done.processed, done.failed), (198, 200, 2));
    assert!(successful.values().all(|told| told == "18 true"));
}

#[tokio::test]
async fn cells_come_back_as_they_were_sent_whatever_the_order_of_the_columns() {
    let org = Org::start().await;
    let client = org.client();
    let csv = "Title,LastName,Description,ExternalId__c\n\
               Dr,\"Ada, \"\"A\"\"\",\"one\ntwo\n\",C-1\n,Bob,ü,C-2\n";
    let id = closed(&client, csv).await.id;
    over(&client, &id).await;
    let mut rows = client.bulk().results(&id, BulkResults::Successful).await.unwrap();
    let mut seen = BTreeMap::new();
    while let Some(row) = rows.next().await.unwrap() {
        let cell = |column| row.get(column).unwrap().to_owned();
        assert_eq!((row.error(), row.get("No")), (None, None));
        seen.insert(cell("ExternalId__c"), [cell("Title"), cell("LastName"), cell("Description")]);
    }
    assert_eq!(seen["C-1"], ["Dr", "Ada, \"A\"", "one\ntwo\n"]);
    assert_eq!(seen["C-2"], ["", "Bob", "ü"]);
}

#[tokio::test]
async fn files_of_a_job_that_failed_as_a_whole_can_be_read() {
    let org = Org::start().await;
    let client = org.client();
    let id = closed(&client, "ExternalId__c,LastName,No__c\nC-1,Ada,1\n").await.id;
    over(&client, &id).await;
    assert!(read(&client, &id, BulkResults::Successful).await.is_empty());
    assert!(read(&client, &id, BulkResults::Failed).await.is_empty());
    assert_eq!(read(&client, &id, BulkResults::Unprocessed).await.len(), 1);
}

#[tokio::test]
async fn a_file_that_is_cut_is_noticed_and_can_be_read_again() {
    let org = Org::start().await;
    let client = Client::new(ClientOptions { gzip: false, ..org.options() }).unwrap();
    let id = closed(&client, "ExternalId__c,LastName\nC-1,Ada\nC-2,Bob\n").await.id;
    over(&client, &id).await;
    for (fault, code) in [
        (json!({ "kind": "drop", "after_bytes": 60 }), codes::CONNECTION_LOST),
        (json!({ "kind": "truncate", "bytes": 60 }), codes::ANSWER_UNREADABLE),
    ] {
        org.fault("bulk.results", 1, fault);
        let mut rows = client.bulk().results(&id, BulkResults::Successful).await.unwrap();
        let error = loop {
            match rows.next().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the file looks whole"),
                Err(error) => break error,
            }
        };
        assert_eq!((error.class(), error.code()), (Class::Transient, code.as_str()), "{error}");
        assert!(!error.is_ambiguous());
        assert_eq!(read(&client, &id, BulkResults::Successful).await.len(), 2);
    }
}

#[tokio::test]
async fn results_before_the_end_are_refused() {
    let org = Org::start().await;
    let client = org.client();
    let job = client.bulk().create(&contacts()).await.unwrap();
    let error = client.bulk().results(&job.id, BulkResults::Successful).await.unwrap_err();
    assert_eq!(error.code(), "INVALIDJOBSTATE");
}

/// How many rows the large file has, and how much of it fits between sender and reader: the buffers
/// of two sockets.
const ROWS: u64 = 200_000;
const BUFFERED: u64 = 16 * 1024 * 1024;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_of_200_000_rows_is_read_without_being_held() {
    let org = Org::start().await;
    let client = Client::new(ClientOptions { gzip: false, ..org.options() }).unwrap();
    let job = client.bulk().create(&contacts()).await.unwrap();
    let mut writer = CsvWriter::new(&["ExternalId__c", "LastName", "Description"]);
    let filler = "x".repeat(150);
    let pieces = (0..ROWS / 1_000).map(|piece| {
        for index in piece * 1_000..(piece + 1) * 1_000 {
            let key = format!("C-{index}");
            writer.row(&[Cell::Text(&key), Cell::Text("Ada"), Cell::Text(&filler)])?;
        }
        Ok::<Bytes, dipmo_salesforce::Error>(writer.take())
    });
    client.bulk().upload(&job.id, stream::iter(pieces)).await.unwrap();
    client.bulk().close(&job.id).await.unwrap();
    assert_eq!(over(&client, &job.id).await.processed, ROWS);

    let mut rows = client.bulk().results(&job.id, BulkResults::Successful).await.unwrap();
    let mut seen = vec![false; ROWS as usize];
    let mut read = 0_u64;
    while let Some(row) = rows.next().await.unwrap() {
        let key: usize = row.get("ExternalId__c").unwrap()[2..].parse().unwrap();
        assert!(!std::mem::replace(&mut seen[key], true), "C-{key} came twice");
        read += row.get("Description").map_or(0, |cell| cell.len() as u64) + 40;
        if key.is_multiple_of(10_000) {
            // Nothing is sent that the reader has not nearly come to.
            let sent = org.calls("bulk.results")[0].bytes_out;
            assert!(sent < read + BUFFERED, "{sent} bytes were sent when {read} were read");
        }
    }
    assert!(seen.into_iter().all(|seen| seen));
    assert!(org.calls("bulk.results")[0].bytes_out > 2 * BUFFERED, "it would not fit into buffers");
}
