//! Data that are sent while they are made.

use bytes::Bytes;
use dipmo_salesforce::{BulkState, Cell, Class, Client, CsvWriter, MAX_UPLOAD_BYTES, codes};
use futures_util::{StreamExt as _, stream};
use serde_json::json;

use crate::bulk_life::{contacts, over};
use crate::org::{Org, fields};

type Piece = Result<Bytes, &'static str>;

fn pieces(texts: &[&'static str]) -> Vec<Piece> {
    texts.iter().map(|text| Ok(Bytes::from_static(text.as_bytes()))).collect()
}

/// Whether the job still waits for its data: a second upload would be refused.
async fn waits_for_data(client: &Client, id: &str) -> bool {
    let csv = Bytes::from_static(b"ExternalId__c,LastName\nC-9,Ada\n");
    client.bulk().upload_bytes(id, csv).await.is_ok()
}

#[tokio::test]
async fn a_stream_that_borrows_is_sent_as_it_is_made() {
    let org = Org::start().await;
    let client = org.client();
    let bulk = client.bulk();
    let job = bulk.create(&contacts()).await.unwrap();
    let names: Vec<String> = (0..1_000).map(|index| format!("Name, \"{index}\"\n\u{fc}")).collect();
    let mut writer = CsvWriter::new(&["ExternalId__c", "LastName", "Version__c", "Title"]);
    let rows = stream::iter(names.iter().enumerate()).map(|(index, name)| {
        let version = json!(index);
        let key = format!("C-{index}");
        writer.row(&[Cell::Text(&key), Cell::Text(name), Cell::from(&version), Cell::Absent])?;
        Ok::<_, dipmo_salesforce::Error>(writer.take())
    });
    bulk.upload(&job.id, rows).await.unwrap();
    assert!(writer.bytes_written() > 20_000 && writer.bytes_written() < MAX_UPLOAD_BYTES);
    assert_eq!(writer.rows(), 1_000);
    bulk.close(&job.id).await.unwrap();
    let job = over(&client, &job.id).await;
    assert_eq!((job.state, job.processed, job.failed), (BulkState::JobComplete, 1_000, 0));
    let records = org.simulator.records("Contact").unwrap();
    assert!(records.iter().any(|one| one.fields["LastName"] == "Name, \"999\"\nü"));
    assert_eq!(org.calls("bulk.upload")[0].bytes_in, writer.bytes_written());
}

#[tokio::test]
async fn a_source_that_breaks_off_leaves_the_job_without_data() {
    let org = Org::start().await;
    let client = org.client();
    let job = client.bulk().create(&contacts()).await.unwrap();
    let mut parts = pieces(&["ExternalId__c,LastName\n", "C-1,Ada\n"]);
    parts.push(Err("the database is away"));
    let error = client.bulk().upload(&job.id, stream::iter(parts)).await.unwrap_err();
    assert_eq!(error.code(), codes::UPLOAD_BROKEN_OFF.as_str());
    assert_eq!((error.class(), error.is_ambiguous()), (Class::Transient, false));
    assert!(error.to_string().contains("the database is away"), "{error}");
    assert!(waits_for_data(&client, &job.id).await);
}

#[tokio::test]
async fn an_upload_that_is_given_up_leaves_the_job_without_data() {
    let org = Org::start().await;
    let client = org.client();
    let job = client.bulk().create(&contacts()).await.unwrap();
    let (asked, mut was_asked) = tokio::sync::mpsc::channel::<()>(1);
    let begun = stream::iter(pieces(&["ExternalId__c,LastName\n", "C-1,Ada\n"]));
    // The third piece never comes, and tells when it is asked for.
    let stuck = stream::once(async move {
        asked.send(()).await.unwrap();
        std::future::pending::<Piece>().await
    });
    let uploading = client.bulk();
    tokio::select! {
        sent = uploading.upload(&job.id, begun.chain(stuck)) => panic!("{sent:?}"),
        _ = was_asked.recv() => {}
    }
    assert!(waits_for_data(&client, &job.id).await);
}

#[tokio::test]
async fn a_session_that_has_ended_begins_afresh() {
    let org = Org::start().await;
    let client = org.client();
    let job = client.bulk().create(&contacts()).await.unwrap();
    org.fault("bulk.upload", 1, json!({ "kind": "revoke_token" }));
    let csv = ["ExternalId__c,LastName\n", "C-1,Ada\n"];
    let error = client.bulk().upload(&job.id, stream::iter(pieces(&csv))).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Transient, "INVALID_SESSION_ID"));
    assert_eq!(org.count("oauth"), 1, "what was sent cannot be sent again");
    client.bulk().upload(&job.id, stream::iter(pieces(&csv))).await.unwrap();
    assert_eq!(org.count("oauth"), 2);
}

#[tokio::test]
async fn a_refusal_of_large_data_is_told() {
    let org = Org::start().await;
    let client = org.client();
    let rows = stream::repeat_with(|| Ok::<_, &str>(Bytes::from("C-1,Ada\n".repeat(1_000))));
    let (streamed, whole) = (rows.take(500), Bytes::from("C-1,Ada\n".repeat(500_000)));
    let bulk = client.bulk();
    for error in [
        bulk.upload("750000000000000AAA", streamed).await.unwrap_err(),
        bulk.upload_bytes("750000000000000AAA", whole).await.unwrap_err(),
    ] {
        assert_eq!((error.class(), error.status()), (Class::Unprocessed, Some(404)), "{error}");
    }
}

#[tokio::test]
async fn a_second_upload_is_refused() {
    let org = Org::start().await;
    let client = org.client();
    let job = client.bulk().create(&contacts()).await.unwrap();
    let csv = Bytes::from_static(b"ExternalId__c,LastName\nC-1,Ada\n");
    client.bulk().upload_bytes(&job.id, csv.clone()).await.unwrap();
    let error = client.bulk().upload_bytes(&job.id, csv).await.unwrap_err();
    assert_eq!((error.class(), error.code()), (Class::Permanent, "BULK_API_ERROR"));
}

#[tokio::test]
async fn null_empties_a_field_and_nothing_leaves_it() {
    let org = Org::start().await;
    let client = org.client();
    let family =
        dipmo_salesforce::RecordRef { object: "Family__c", field: "ExternalId__c", key: "F-1" };
    let family = client.upsert(&family, &fields(json!({ "Name": "Lovelace" }))).await.unwrap();
    let columns = ["ExternalId__c", "LastName", "Title", "Phone", "Family__r.ExternalId__c"];
    for (first, record) in [
        (
            true,
            json!({ "ExternalId__c": "C-1", "LastName": "Ada", "Title": "Dr", "Phone": "1",
                       "Family__r": { "ExternalId__c": "F-1" } }),
        ),
        (false, json!({ "ExternalId__c": "C-1", "Title": null })),
        (false, json!({ "ExternalId__c": "C-1", "Phone": "" })),
    ] {
        let record = fields(record);
        let mut writer = CsvWriter::new(&columns);
        let cells = columns.map(|column| Cell::of(&record, column));
        writer.row(&cells).unwrap();
        let job = client.bulk().create(&contacts()).await.unwrap();
        client.bulk().upload_bytes(&job.id, writer.take()).await.unwrap();
        client.bulk().close(&job.id).await.unwrap();
        assert_eq!(over(&client, &job.id).await.failed, 0);
        let now = &org.simulator.records("Contact").unwrap()[0].fields;
        assert_eq!((&now["LastName"], &now["Family__c"]), (&json!("Ada"), &json!(family.id)));
        assert_eq!(now["Title"], if first { json!("Dr") } else { json!(null) });
    }
    assert_eq!(org.simulator.records("Contact").unwrap()[0].fields["Phone"], json!(null));
}
