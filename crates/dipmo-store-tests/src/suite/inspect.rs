//! Looking without touching.

use crate::Fixture;
use crate::support::{LONG, Script, alone, batch, event, event_saying, retry, stored};

/// The newest messages come first, no more than asked, whatever became of them.
pub async fn newest_messages_first<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = stored(&*store, &[alone(1), alone(2)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    ids.extend(stored(&*store, &[alone(3)]).await);
    batch(&*store, Script::settling(|_| retry(LONG))).await.unwrap();
    ids.extend(stored(&*store, &[alone(4)]).await);
    let shown = async |limit| {
        let rows = store.inbox_rows(limit).await.unwrap();
        rows.iter().map(|row| row.message.id).collect::<Vec<_>>()
    };
    ids.reverse();
    assert_eq!(shown(10).await, ids);
    assert_eq!(shown(2).await, ids[..2]);
    assert!(shown(0).await.is_empty());
}

/// The newest incidents come first, no more than asked.
pub async fn newest_incidents_first<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    stored(&*store, &[event("F-1", 1)]).await;
    for number in 0..5 {
        let other = event_saying("F-1", 1, &format!("[{number}]"));
        store.store(&[other], &[]).await.unwrap();
    }
    let shown: Vec<_> = store
        .incidents(2)
        .await
        .unwrap()
        .into_iter()
        .map(|incident| incident.payload.unwrap())
        .collect();
    assert_eq!(shown, ["[4]", "[3]"]);
}

/// The clock does not go back.
pub async fn the_clock_does_not_go_back<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let mut last = store.now().await.unwrap();
    for _ in 0..20 {
        for store in [&store, &another] {
            let now = store.now().await.unwrap();
            assert!(now >= last, "{now} after {last}");
            last = now;
        }
    }
    fixture.tick().await;
    assert!(store.now().await.unwrap() > last);
}
