//! confluent-kafka, the Python client that most people have.

use std::process::Command;

use dipmo_domain::Header;
use dipmo_kafka::testing;
use serde_json::{Value, json};

use crate::ours::{Content, consumed, header, published};
use crate::program::{python, run};

fn client(what: &str, topic: &str) -> Command {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/client.py");
    let mut client = python();
    client.args([script, what, &testing::brokers(), topic]);
    client
}

/// As the script writes and reads it.
fn line(content: &Content) -> Value {
    let hex = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let pair = |header: &Header| json!([header.name, header.value.as_ref().map(hex)]);
    json!({
        "key": content.key.as_ref().map(hex),
        "value": content.value.as_ref().map(hex),
        "headers": content.headers.iter().map(pair).collect::<Vec<_>>(),
    })
}

/// What a client can send: JSON, a tombstone, bytes that are no text, nothing at all.
fn contents() -> Vec<Content> {
    let key = |key: &[u8]| Some(key.to_vec());
    let every_byte: Vec<u8> = (0..=255).collect();
    let repeated = vec![
        header("h", Some(b"1")),
        header("h", Some(&every_byte)),
        header("h", None),
        header("ü", Some(b"")),
    ];
    vec![
        Content {
            key: key("Zoë".as_bytes()),
            value: Some(b"{ \"a\" : [1.0, \"\\u0000\"] }".to_vec()),
            headers: repeated,
        },
        Content { key: key(b"gone"), value: None, headers: vec![header("message-id", Some(b"m"))] },
        Content { key: Some(every_byte.clone()), value: Some(every_byte), headers: vec![] },
        Content { key: None, value: Some(vec![]), headers: vec![] },
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_1_2_5_what_confluent_kafka_produces_is_stored_to_the_byte() {
    let (topic, contents) = (testing::topic("confluent-in", 1).await, contents());
    let lines: String = contents.iter().map(|content| format!("{}\n", line(content))).collect();
    run(&mut client("produce", &topic), lines.as_bytes());
    assert_eq!(consumed(&topic, contents.len()).await, contents);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_we_publish_confluent_kafka_reads_to_the_byte() {
    let topic = testing::topic("confluent-out", 1).await;
    let headers = [
        header("traceparent", Some(b"00-ab-cd-01")),
        header("b", Some(&[0, 255])),
        header("b", None),
    ];
    let payloads = ["{ \"n\" : 1.0 }", "\"Zoë\\u0000\"", "null"];
    let expected = published(&topic, "Zoë-1", &payloads, &headers).await;
    let read = run(client("consume", &topic).arg(expected.len().to_string()), b"");
    let read = String::from_utf8(read).unwrap();
    let read: Vec<Value> = read.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, expected.iter().map(line).collect::<Vec<_>>());
}
