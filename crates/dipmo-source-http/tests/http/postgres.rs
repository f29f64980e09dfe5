//! The same on PostgreSQL, which is what runs in earnest.

use std::sync::Arc;
use std::time::Duration;

use dipmo_store::Inspect as _;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::database::Database;
use crate::rig::{Answer, PATIENCE, Running, options};

#[tokio::test(flavor = "multi_thread")]
async fn postgres_takes_each_key_once_also_from_two_instances_and_after_a_lock() {
    let database = Database::create().await;
    let store = database.store().await;
    let mut options = options();
    options.limits.answer_within = PATIENCE;
    let one = Running::new(options.clone(), Arc::clone(&store) as _).await;
    let two = Running::new(options.clone(), database.store().await as _).await;
    let post = |running: &Running, number: usize| {
        let (key, body) = (format!("K-{number}"), format!(r#"{{"orderId":"O-{number}"}}"#));
        Answer::to(running.post("/orders/publish", Some(&key), &body))
    };
    let mut posted = JoinSet::new();
    for number in 0..50 {
        for running in [&one, &two, &one] {
            posted.spawn(post(running, number));
        }
    }
    let answers = posted.join_all().await;
    assert!(answers.iter().all(|answer| answer.status == 202), "{answers:?}");
    let replayed = answers.iter().filter(|it| it.header("idempotency-replayed").is_some());
    assert_eq!((answers.len(), replayed.count()), (150, 100));

    // Nobody can write for a while; what was under way is not lost or doubled by it.
    options.limits.answer_within = Duration::from_secs(1);
    let hasty = Running::new(options, Arc::clone(&store) as _).await;
    let person = database.look().await;
    person.batch_execute("begin; lock table inbox_dedupe in exclusive mode").await.unwrap();
    let away = post(&hasty, 50).await;
    assert_eq!(away.status, 503, "{away:?}");
    assert!(away.header("retry-after").is_some());
    person.batch_execute("rollback").await.unwrap();
    let again = async { while post(&hasty, 50).await.status != 202 {} };
    timeout(PATIENCE, again).await.unwrap();
    assert_eq!(store.inbox_rows(1_000).await.unwrap().len(), 51);
    one.stop().await;
    two.stop().await;
    hasty.stop().await;
    drop((store, person));
    database.drop().await;
}
