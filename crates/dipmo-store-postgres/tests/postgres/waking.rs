//! The line between instances: it is made again, tells nobody in vain, and goes with its store.

use std::sync::Arc;
use std::time::Duration;

use dipmo_store::{Side, Store, Wake as _};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::support::{Ear, marker, stored};
use dipmo_store_tests::{Fixture, suite_tables};
use tokio::time::{Instant, timeout};
use tokio_postgres::Client;

use crate::support::database::Database;
use crate::support::fixture::Postgres;
use crate::support::server::Server;

/// The lines of all instances, by what each said last.
const LINES: &str = "from pg_stat_activity where datname = current_database() \
                     and pid <> pg_backend_pid() and query ~ 'listen dipmo_|pg_notify'";

/// Returns when there are so many lines.
async fn lines_are(client: &Client, number: i64) {
    let count = format!("select count(*) {LINES}");
    let become_so = async {
        while client.query_one(&count, &[]).await.unwrap().get::<_, i64>(0) != number {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(30), become_so).await.expect("the lines are others");
}

/// An instance on a URL, with its tables.
async fn instance(url: &str) -> PostgresStore {
    let store = PostgresStore::connect(&PostgresOptions::new(url)).await.unwrap();
    store.migrate(&suite_tables()).await.unwrap();
    store
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_line_is_made_again() {
    let fixture = Postgres::<15>::fresh().await;
    let (here, there) = (fixture.store(), fixture.another().await);
    let mut ear = Ear::on(&*there, Side::Inbox);
    stored(&*here, &[marker()]).await;
    ear.hears().await;
    let client = fixture.client().await;
    for _ in 0..2 {
        lines_are(&client, 2).await;
        let end = format!("select pg_terminate_backend(pid, 30000) {LINES}");
        let ended = client.query(&end, &[]).await.unwrap();
        assert!(ended.len() == 2 && ended.iter().all(|row| row.get(0)));
        for _ in 0..Ear::ROUNDS {
            stored(&*here, &[marker()]).await;
            ear.hears().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_line_goes_with_the_last_clone() {
    let database = Database::create(Server(15)).await;
    let client = database.client().await;
    let store = instance(&database.url()).await;
    lines_are(&client, 0).await;
    let receiver = store.arrivals(Side::Outbox);
    lines_are(&client, 1).await;
    let clone = store.clone();
    drop(store);
    let mut ear = Ear::on(&clone, Side::Inbox);
    stored(&clone, &[marker()]).await;
    ear.hears().await;
    lines_are(&client, 1).await;
    drop(clone);
    lines_are(&client, 0).await;
    assert!(receiver.has_changed().is_err(), "whoever waits is told that the store is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_schemas_do_not_wake_each_other() {
    let database = Database::create(Server(15)).await;
    database.client().await.batch_execute("create schema other").await.unwrap();
    let url = format!("{}?options=-c%20search_path%3Dother", database.url());
    let (ours, ours_too) = (instance(&database.url()).await, instance(&database.url()).await);
    let (others, others_too) = (instance(&url).await, instance(&url).await);
    let (mut here, mut there) = (Ear::on(&ours, Side::Inbox), Ear::on(&others, Side::Inbox));
    for (ear, store) in [(&mut here, &ours_too), (&mut there, &others_too)] {
        // That the line stands.
        ear.hears().await;
        stored(store, &[marker()]).await;
    }
    let told = here.hears().await;
    there.hears().await;
    for _ in 0..Ear::ROUNDS {
        stored(&others_too, &[marker()]).await;
        there.hears().await;
    }
    // Notifications come in order: had we heard those of the others, then before our own.
    stored(&ours_too, &[marker()]).await;
    assert_eq!(here.hears().await, told + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_share_a_notification() {
    let fixture = Postgres::<15>::fresh().await;
    let (here, there) = (fixture.store(), fixture.another().await);
    let mut ear = Ear::on(&*there, Side::Inbox);
    ear.hears().await;
    let began = Instant::now();
    let calls: Vec<_> = (0..300)
        .map(|_| {
            let here = Arc::clone(&here);
            tokio::spawn(async move { stored(&*here, &[marker()]).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap();
    }
    let told = ear.hears().await;
    // At most one every 5 ms, the one that said that the line stands, and one before all others.
    let at_most = began.elapsed().as_millis() / Duration::from_millis(5).as_millis() + 2;
    assert!(u128::from(told) <= at_most, "{told} notifications, expected at most {at_most}");
}
