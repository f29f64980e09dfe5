//! An engine that stops: reading waits for it, and goes on by itself when it is back.

use std::sync::Arc;
use std::time::Duration;

use dipmo_kafka::testing;
use dipmo_processing::InboxGauge;
use dipmo_source_kafka::{PauseReason, PressureLimits};
use tokio_util::sync::CancellationToken;

use crate::parts::engine::{Running, STRICT};
use crate::parts::load::Load;
use crate::parts::look::until;
use crate::parts::road::{self, NUMBERS, Road};

/// Without a child, nobody runs this test again.
const NO_CHILD: &str = "";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_waits_while_no_engine_works_and_goes_on_when_one_does() {
    let road = Road::new(NO_CHILD).await;
    let broker = road.broker.options().bootstrap_servers;
    let (store, stop) = (road.place.store().await, CancellationToken::new());
    let gauge = InboxGauge::new(Arc::clone(&store)).every(Duration::from_millis(50));
    let mut options = road::source_options(&broker);
    options.pressure = PressureLimits { depth: 500, ..PressureLimits::default() };
    let source = Arc::new(road::source_with(options, Arc::clone(&store)).load(gauge.load()));
    let telling = tokio::spawn(gauge.run(stop.clone()));
    let (running, token) = (Arc::clone(&source), stop.clone());
    let reading = tokio::spawn(async move { running.run(token).await });

    let mut load = Load::telling(100, &[STRICT]);
    for pauses in 1..=2 {
        road.producer.send(&load.next(1_000));
        road.producer.flush();
        let reason = || source.health().paused.map(|pause| pause.reason);
        let paused = async || reason() == Some(PauseReason::Pressure);
        until("paused", paused).await;
        // What was read before the pause is still stored.
        until("at rest", async || {
            let before = road.stored().await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            before == road.stored().await
        })
        .await;
        let stored = road.stored().await;
        road.producer.send(&load.next(1_000));
        road.producer.flush();
        // Whoever reads all the time would have read it by the time that somebody else has.
        let read = tokio::task::block_in_place(|| {
            testing::read_to_end_of(&road.broker.options(), NUMBERS).len()
        });
        assert_eq!(road.stored().await, stored);
        assert!(read >= 1_000 + usize::try_from(stored.iter().sum::<i64>()).unwrap(), "{stored:?}");
        let engine = Running::start(road::engine(&broker, Arc::clone(&store)));
        road.until_all_arrived().await;
        until("reading again", async || source.health().paused.is_none()).await;
        engine.stop().await;
        assert!(source.metrics().snapshot().pauses_pressure >= pauses);
    }

    stop.cancel();
    reading.await.unwrap().unwrap();
    telling.await.unwrap();
    road.check(&load.sent).await;
}
