//! kcat, which people look into topics with.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use dipmo_kafka::testing;

use crate::ours::{Content, consumed, header, published};
use crate::program::{kcat, run};

fn client(what: &str, topic: &str) -> Command {
    let mut client = kcat();
    client.args(["-q", what, "-b", &testing::brokers(), "-t", topic]);
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_1_2_5_what_kcat_produces_is_stored_to_the_byte() {
    let topic = testing::topic("kcat-in", 1).await;
    // A file is one record, whatever is in it; a line is a record, and an empty one a tombstone.
    let folder = std::env::temp_dir().join(testing::unique_name("dipmo-kcat"));
    let every_byte: Vec<u8> = (0..=255).collect();
    std::fs::write(&folder, &every_byte).unwrap();
    let key = OsStr::from_bytes(b"\xff\xfek");
    let headers = ["-H", "h=1", "-H", "h=2", "-H", "none", "-H", "empty="];
    run(client("-P", &topic).arg("-k").arg(key).args(headers).arg(&folder), b"");
    std::fs::remove_file(&folder).unwrap();
    let lines = "A-1;{ \"n\" : 1.0 }\nA-2;\n";
    run(client("-P", &topic).args(["-Z", "-K", ";", "-H", "message-type=x"]), lines.as_bytes());
    let lines = vec![header("message-type", Some(b"x"))];
    let one_file = vec![
        header("h", Some(b"1")),
        header("h", Some(b"2")),
        header("none", None),
        header("empty", Some(b"")),
    ];
    let expected = [
        Content { key: Some(b"\xff\xfek".to_vec()), value: Some(every_byte), headers: one_file },
        Content {
            key: Some(b"A-1".to_vec()),
            value: Some(b"{ \"n\" : 1.0 }".to_vec()),
            headers: lines.clone(),
        },
        Content { key: Some(b"A-2".to_vec()), value: None, headers: lines },
    ];
    assert_eq!(consumed(&topic, expected.len()).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_we_publish_kcat_reads_to_the_byte() {
    let topic = testing::topic("kcat-out", 1).await;
    let headers = [header("traceparent", Some(b"00-ab-cd-01")), header("t", Some("ë".as_bytes()))];
    let payloads = ["{ \"n\" : 1.0 }", "\"Zoë\\u0000\"", "null"];
    let expected = published(&topic, "Zoë-1", &payloads, &headers).await;
    let form = ["-C", "-e", "-o", "beginning", "-f", "%K %k %S %s %h\n"];
    let read = run(kcat().args(["-q", "-b", &testing::brokers(), "-t", &topic]).args(form), b"");
    assert_eq!(String::from_utf8(read).unwrap(), expected.iter().map(shown).collect::<String>());
}

/// As kcat prints it in that form.
fn shown(content: &Content) -> String {
    let text = |bytes: &Option<Vec<u8>>| String::from_utf8(bytes.clone().unwrap()).unwrap();
    let (key, value) = (text(&content.key), text(&content.value));
    let headers = content.headers.iter().map(|it| format!("{}={}", it.name, text(&it.value)));
    let headers = headers.collect::<Vec<_>>().join(",");
    format!("{} {key} {} {value} {headers}\n", key.len(), value.len())
}
