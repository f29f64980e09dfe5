//! The instances that tell of themselves.

use dipmo_domain::Json;
use dipmo_store::admin::{InstanceReport, InstanceRow, Operable};

use crate::OperableFixture;

fn report(name: &str, report: &str) -> InstanceReport {
    InstanceReport {
        name: name.to_owned(),
        version: "0.1.0".to_owned(),
        roles: "consume,process".to_owned(),
        report: Json::parse(report).unwrap(),
    }
}

async fn tell(store: &dyn Operable, name: &str) {
    store.report(&report(name, "{}")).await.unwrap();
}

async fn names(store: &dyn Operable, limit: u32) -> Vec<String> {
    store.fleet(limit).await.unwrap().into_iter().map(|row| row.report.name).collect()
}

async fn only(store: &dyn Operable) -> InstanceRow {
    let [row] = &store.fleet(10).await.unwrap()[..] else { panic!("there is one") };
    row.clone()
}

/// What an instance tells is there to the letter; telling again is seen again, and it began when it began.
pub async fn telling_again_is_seen_again<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    assert_eq!(store.fleet(10).await, Ok(vec![]));
    let before = store.now().await.unwrap();
    let first = report("host-1", r#"{ "lag": 1.50, "lag": 2 }"#);
    store.report(&first).await.unwrap();
    let row = only(&*another).await;
    assert_eq!((&row.report, row.started_at), (&first, row.seen_at));
    assert!((before..=store.now().await.unwrap()).contains(&row.seen_at));
    fixture.tick().await;
    let version = "0.2.0".to_owned();
    let second = InstanceReport { version, roles: "all".to_owned(), ..report("host-1", "[]") };
    store.report(&second).await.unwrap();
    let again = only(&*another).await;
    assert_eq!((&again.report, again.started_at), (&second, row.started_at));
    assert!(again.seen_at > row.seen_at);
}

/// Those that were seen last come first, no more than asked.
pub async fn who_was_seen_last_comes_first<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    for name in ["a", "b", "c", "a"] {
        tell(&*store, name).await;
        fixture.tick().await;
    }
    assert_eq!(names(&*store, 10).await, ["a", "c", "b"]);
    assert_eq!(names(&*store, 2).await, ["a", "c"]);
    assert_eq!(names(&*store, 0).await, [""; 0]);
}

/// Who signs off is gone, and begins anew when it comes again.
pub async fn who_signs_off_is_gone<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    tell(&*store, "a").await;
    let began = only(&*store).await.started_at;
    tell(&*store, "b").await;
    store.sign_off("a").await.unwrap();
    store.sign_off("nobody").await.unwrap();
    assert_eq!(names(&*store, 10).await, ["b"]);
    store.sign_off("b").await.unwrap();
    fixture.tick().await;
    tell(&*store, "a").await;
    assert!(only(&*store).await.started_at > began);
}

/// Who was not seen since a time is forgotten, and nobody else.
pub async fn who_was_not_seen_is_forgotten<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    for name in ["a", "b", "c"] {
        tell(&*store, name).await;
        fixture.tick().await;
    }
    let seen = |rows: &[InstanceRow], name: &str| {
        rows.iter().find(|row| row.report.name == name).unwrap().seen_at
    };
    let rows = store.fleet(10).await.unwrap();
    assert_eq!(store.forget_instances(seen(&rows, "a")).await, Ok(0), "it was seen at that time");
    assert_eq!(store.forget_instances(seen(&rows, "c")).await, Ok(2));
    assert_eq!(names(&*store, 10).await, ["c"]);
    assert_eq!(store.forget_instances(store.now().await.unwrap()).await, Ok(1));
    assert_eq!(store.fleet(10).await, Ok(vec![]));
}
