//! Instances between two topics of a real broker that are killed while they work.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::parts::engine::STRICT;
use crate::parts::load::Load;
use crate::parts::road::Road;
use crate::parts::worker::worked_as_child;

const TEST: &str =
    "kafka_killed::trap_2_9_24_three_instances_between_topics_of_which_one_is_killed_every_second";

/// Two have names, so that their successors go on at once; the third must be missed first.
const NAMES: [Option<&str>; 3] = [Some("one"), Some("two"), None];

const POISON: &[u8] = b"\xff\xfe{\"n\":1}\0";
const POISON_BASE64: &str = "//57Im4iOjF9AA==";

/// How many are killed, one a second.
fn kills() -> usize {
    if std::env::var("DIPMO_TEST_FULL").as_deref() == Ok("1") { 60 } else { 8 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_2_9_24_three_instances_between_topics_of_which_one_is_killed_every_second() {
    if worked_as_child().await {
        return;
    }
    let road = Road::new(TEST).await;
    let mut children = NAMES.map(|name| road.instance(name));
    for child in &mut children {
        child.says("ready").await;
    }
    let stop = CancellationToken::new();
    let killing = async {
        for kill in 0..kills() {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let victim = &mut children[kill % 3];
            victim.kill();
            *victim = road.instance(NAMES[kill % 3]);
        }
        stop.cancel();
    };
    let mut load = Load::telling(100, &[STRICT]);
    let producing = async {
        // So many at once, and then no more than can be worked off while instances are killed.
        let (mut left, mut poisoned) = (10_000_usize, false);
        while left > 0 || !stop.is_cancelled() {
            let messages = load.next(50);
            left = left.saturating_sub(messages.len());
            road.producer.send(&messages);
            if left < 5_000 && !std::mem::replace(&mut poisoned, true) {
                road.producer.send_bytes("A-7", POISON);
            }
            let pause = if left > 0 { 30 } else { 200 };
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    };
    tokio::join!(producing, killing);
    road.until_all_arrived().await;
    for child in children {
        child.stop().await;
    }
    road.check(&load.sent).await;
    poison_is_kept(&road).await;
}

async fn poison_is_kept(road: &Road) {
    let kept = "select KEY_STR, RAW_PAYLOAD_BASE64, ERROR_STAGE, ERROR_CODE from INBOX \
                where STATUS = 'SERDE_ERROR'";
    let expected = [["A-7", POISON_BASE64, "CONSUMER_SERDE", "json-not-utf8"]];
    assert_eq!(road.place.rows(kept).await, expected);
}
