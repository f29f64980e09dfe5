//! Facts: a message sees what the one before it wrote.

use crate::rig::{Rig, step};
use crate::script::Step;

#[tokio::test(start_paused = true)]
async fn a_fact_never_misses_the_write_of_the_message_before() {
    let rig = Rig::new().await;
    let counts = Step { count: true, ..Step::default() };
    let mut messages = Vec::new();
    for n in 0..6 {
        for (place, aggregate) in ["A", "B", "C"].into_iter().enumerate() {
            let number = 10 * i64::try_from(place).unwrap() + n;
            messages.push(step(aggregate, number, counts.clone()));
        }
    }
    rig.store(&messages).await;
    rig.settle().await;
    for aggregate in ["A", "B", "C"] {
        assert_eq!(rig.data(aggregate).await.counted, [0, 1, 2, 3, 4, 5], "{aggregate}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_without_facts_waits_for_one_with_facts_before_it() {
    let rig = Rig::new().await;
    let counts = Step { count: true, ..Step::default() };
    rig.store(&[step("A", 1, Step::default()), step("A", 2, counts.clone())]).await;
    rig.store(&[step("A", 3, Step::default()), step("A", 4, counts)]).await;
    rig.settle().await;
    let data = rig.data("A").await;
    assert_eq!((data.seen, data.counted), (vec![1, 2, 3, 4], vec![1, 3]));
}
