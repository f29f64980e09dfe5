//! What goes over the wire.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dipmo_salesforce::{Client, ClientOptions, Fields};
use serde_json::json;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use crate::org::{Org, ada, contact, fields};

/// Passes connections on to the org, and counts them.
async fn counting(org: &Org) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let (counted, port) = (Arc::clone(&count), org.simulator.port());
    tokio::spawn(async move {
        while let Ok((mut from, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                let mut to = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                let _ = copy_bidirectional(&mut from, &mut to).await;
            });
        }
    });
    (url, count)
}

#[tokio::test]
async fn calls_one_after_the_other_share_one_connection() {
    let org = Org::start().await;
    let (url, count) = counting(&org).await;
    let client = Client::new(ClientOptions { login_url: url, ..org.options() }).unwrap();
    for index in 0..10 {
        client.upsert(&contact(&format!("C-{index}")), &ada()).await.unwrap();
        let missing = client.upsert(&contact("C-x"), &Fields::new()).await;
        assert!(missing.is_err(), "a refusal keeps the connection, too");
    }
    assert_eq!(org.count("sobject"), 20);
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn large_bodies_are_packed_both_ways_where_wanted() {
    let org = Org::start().await;
    let record =
        |index| fields(json!({ "ExternalId__c": format!("C-{index}"), "LastName": "Ada" }));
    let records: Vec<Fields> = (0..200).map(record).collect();
    for gzip in [true, false] {
        let client = Client::new(ClientOptions { gzip, ..org.options() }).unwrap();
        let written =
            client.upsert_many("Contact", "ExternalId__c", &records, false).await.unwrap();
        assert!(written.len() == 200 && written.iter().all(Result::is_ok));
    }
    let calls = org.calls("collections");
    let (packed, plain) = (&calls[0], &calls[1]);
    assert!(packed.bytes_in * 4 < plain.bytes_in, "{} {}", packed.bytes_in, plain.bytes_in);
    assert!(packed.bytes_out * 4 < plain.bytes_out, "{} {}", packed.bytes_out, plain.bytes_out);
}

#[tokio::test]
async fn a_packed_body_is_repeated_after_a_new_login() {
    let org = Org::start().await;
    let client = org.client();
    org.fault("sobject", 1, json!({ "kind": "revoke_token" }));
    let mut body = ada();
    body.insert("Description".to_owned(), json!("x".repeat(20_000)));
    client.upsert(&contact("C-1"), &body).await.unwrap();
    let record = &org.simulator.records("Contact").unwrap()[0];
    assert_eq!(record.fields["Description"].as_str().unwrap().len(), 20_000);
    assert!(org.calls("sobject").iter().all(|call| call.bytes_in < 1_000));
}
