//! What the guide tells an operator to type.

use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;

use dipmo_domain::{InboxStatus, Outcome};
use dipmo_kafka::testing;

use crate::rig::{Reading, Rig, Working};

/// The script of `docs/guide/dead-letters.md`.
const SCRIPT: &str = r#"
letter="-b $BROKERS -q -C -t $TOPIC-dlt -p 0 -o 0 -c 1"
kcat $letter -D '' -f %s > "$FILE"
kcat $letter -J | python3 -c '
import json, sys
names = iter(json.load(sys.stdin)["headers"])
sys.stdout.write("".join("-H\0%s=%s\0" % pair for pair in zip(names, names)))' |
    xargs -0 sh -c 'kcat -b "$BROKERS" -q -P -t "$TOPIC-back" "$@" "$FILE"' sh
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_is_sent_back_with_kcat() {
    let rig = Rig::new().await;
    let value = br#"{"id":"o-1", "n":1,"bad":true}"#;
    rig.send(&rig.topic, b"F-1", Some(value), &[]);
    rig.flush();
    let working = Working::start(rig.engine("none"));
    let back = rig.beside("-back");
    let reading = Reading::start(rig.source("shop", &[&rig.topic, &back], "json:/id"));
    rig.until_letters(1).await;
    rig.mended.store(true, Ordering::SeqCst);

    let file = std::env::temp_dir().join(testing::unique_name("dipmo-letter"));
    let ran = Command::new("sh")
        .args(["-e", "-c", SCRIPT])
        .env("BROKERS", testing::brokers())
        .env("TOPIC", &rig.topic)
        .env("FILE", &file)
        .stdout(Stdio::inherit())
        .status();
    assert!(ran.unwrap().success());
    std::fs::remove_file(&file).unwrap();

    rig.until("processed", |rows| rows[0].status == InboxStatus::Processed).await;
    rig.until_delivered().await;
    reading.stop().await;
    working.stop().await;
    assert_eq!(rig.rows().await[0].outcome, Some(Outcome::Done));
    assert_eq!(testing::read_to_end(&rig.beside("-out")).len(), 1);
}
