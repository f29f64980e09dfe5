//! INTERNAL: to processes exactly once, to functions with a key.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dipmo_outbox::{Delivery, Published};
use dipmo_processing::EngineOptions;

use crate::rig::{Rig, start, step};
use crate::script::Step;

fn tell(destination: &str) -> Step {
    Step { tell: vec![destination.to_owned()], ..Step::default() }
}

#[tokio::test(start_paused = true)]
async fn a_process_hears_another_exactly_once_and_in_order() {
    let rig = Rig::new().await;
    let messages: Vec<_> = (0..50).map(|n| step("A", n, tell("INTERNAL:blocks"))).collect();
    rig.store(&messages).await;
    for _ in 0..10 {
        let running = start(rig.engine(EngineOptions::default()));
        tokio::time::sleep(Duration::from_millis(7)).await;
        running.crash().await;
        tokio::time::sleep(Duration::from_secs(40)).await;
    }
    rig.settle().await;
    let expected: Vec<_> = (0..50).map(|n| format!("told {n}")).collect();
    assert_eq!(rig.data("A").await.heard, expected);
    let arrived =
        rig.inbox().await.iter().filter(|row| row.message.topic == "internal:blocks").count();
    assert_eq!(arrived, 50);
}

#[tokio::test(start_paused = true)]
async fn without_a_name_the_topic_is_that_of_who_speaks() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, tell("INTERNAL"))]).await;
    rig.settle().await;
    assert_eq!(rig.inbox().await[1].message.topic, "internal:SCRIPT");
    assert_eq!(rig.data("A").await.heard, ["told 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_function_takes_its_name_with_a_key_that_stays() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, tell("INTERNAL:mail")), step("B", 2, tell("INTERNAL:mail"))]).await;
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&calls);
    let mail = move |delivery: Delivery| {
        let seen = Arc::clone(&seen);
        async move {
            let key = delivery.idempotency_key();
            let first = !seen.lock().unwrap().contains(&key);
            seen.lock().unwrap().push(key);
            let failure = dipmo_domain::Failure::new("BUSY", "not now");
            if first { Published::Retry { failure, after: None } } else { Published::delivered() }
        }
    };
    let running = start(rig.engine(EngineOptions::default()).effect_handler("mail", mail));
    rig.until_quiet().await;
    running.stop().await;
    let mut keys = calls.lock().unwrap().clone();
    keys.sort();
    assert_eq!(keys.len(), 4);
    keys.dedup();
    assert_eq!(keys.len(), 2, "the same key for each attempt");
    assert_eq!(rig.inbox().await.len(), 2, "nothing of it went to the inbox");
}

#[tokio::test(start_paused = true)]
async fn an_outcome_comes_back_to_the_process_that_asked() {
    let rig = Rig::new().await;
    let asks = Step { ask: true, ..tell("INTERNAL:mail") };
    rig.store(&[step("A", 1, asks)]).await;
    let mail = |_: Delivery| async { Published::delivered() };
    let running = start(rig.engine(EngineOptions::default()).effect_handler("mail", mail));
    tokio::time::sleep(Duration::from_secs(2)).await;
    running.stop().await;
    assert_eq!(rig.data("A").await.heard, ["delivered 1"]);
}
