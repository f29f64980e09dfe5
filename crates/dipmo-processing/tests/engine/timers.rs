//! Timers: once, when they are due, unless they were cancelled.

use std::time::Duration;

use dipmo_processing::EngineOptions;

use crate::rig::{Rig, start, step};
use crate::script::Step;

#[tokio::test(start_paused = true)]
async fn a_timer_rings_once_and_a_cancelled_one_does_not() {
    let rig = Rig::new().await;
    let ring = |seconds| Step { ring: Some(seconds), ..Step::default() };
    rig.store(&[step("A", 1, ring(30)), step("B", 2, ring(30)), step("B", 3, ring(-1))]).await;
    let running = start(rig.engine(EngineOptions::default()));
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert!(rig.data("A").await.heard.is_empty(), "not before it is due");
    tokio::time::sleep(Duration::from_secs(60)).await;
    let figures = running.metrics.snapshot();
    running.stop().await;
    assert_eq!(rig.data("A").await.heard, ["rang"]);
    assert!(rig.data("B").await.heard.is_empty());
    assert_eq!(figures.timers_fired, 1);
}
