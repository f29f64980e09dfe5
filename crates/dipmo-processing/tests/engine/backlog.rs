//! What waits shows in the figures, without anybody asking the database.

use std::time::Duration;

use dipmo_processing::{EngineOptions, Role};
use dipmo_store::Waiting;

use crate::rig::{Rig, start, step};
use crate::script::Step;

#[tokio::test(start_paused = true)]
async fn what_is_stuck_shows() {
    let rig = Rig::new().await;
    let rejects = Step { reject: true, ..Step::default() };
    let tells = Step { tell: vec!["KAFKA:nobody".to_owned()], ..Step::default() };
    rig.store(&[step("A", 1, rejects), step("A", 2, Step::default())]).await;
    rig.store(&[step("B", 3, tells), step("C", 4, Step { ring: Some(3_600), ..Step::default() })])
        .await;
    let running = start(rig.engine(EngineOptions::default()));
    tokio::time::sleep(Duration::from_secs(6)).await;
    let figures = running.metrics.snapshot();
    let backlog = figures.backlog.unwrap();
    running.stop().await;
    assert_eq!(backlog.inbox, Waiting { failed: 1, held: 1, ..Waiting::default() });
    assert_eq!(backlog.timers, 1);
    let unserved = &backlog.outbox["KAFKA:nobody"];
    assert_eq!((unserved.ready, unserved.depth()), (1, 1));
    assert!(backlog.oldest_age().unwrap() >= Duration::from_secs(4), "{backlog:?}");
    assert_eq!(figures.unserved, ["KAFKA:nobody"]);
}

#[tokio::test(start_paused = true)]
async fn the_oldest_ages_while_nobody_works() {
    let rig = Rig::new().await;
    rig.store(&[step("A", 1, Step::default())]).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    rig.store(&[step("B", 1, Step::default())]).await;
    let engine = rig.engine(EngineOptions::default());
    let (metrics, stop) = (engine.metrics(), engine.stop_token());
    assert!(metrics.snapshot().backlog.is_none(), "nobody has counted yet");
    let running = tokio::spawn(engine.run_roles(&[Role::Upkeep]));
    tokio::time::sleep(Duration::from_secs(20)).await;
    let backlog = metrics.snapshot().backlog.unwrap();
    assert_eq!(backlog.inbox.ready, 2);
    // The first came 30 seconds ago, and what is shown is at most 5 seconds old.
    let age = backlog.oldest_age().unwrap();
    assert!((25..=30).contains(&age.as_secs()), "{age:?}");
    stop.cancel();
    running.await.unwrap();
    rig.settle().await;
    assert_eq!(dipmo_store::Inspect::backlog(&*rig.store).await.unwrap().oldest_age(), None);
}
