//! Instances that stand still for longer than anybody waits for them, and then go on.

use std::time::{Duration, Instant};

use dipmo_inbox::NewMessage;

use crate::parts::child::{Child, journal};
use crate::parts::engine::{ECHO, STRICT};
use crate::parts::folder::Folder;
use crate::parts::place::Place;
use crate::parts::sent::Sent;
use crate::parts::step::Step;
use crate::parts::worker::worked_as_child;
use crate::parts::{books, deliveries};

/// Thirty more steps of an aggregate; `change` is asked about each.
fn thirty(sent: &mut Sent, aggregate: &str, change: impl Fn(i64, Step) -> Step) -> Vec<NewMessage> {
    let step = Step { tell: vec![ECHO.to_owned()], ..Step::default() };
    (1..=30).map(|n| sent.next(aggregate, change(n, step.clone()))).collect()
}

fn telling_kafka(step: Step) -> Step {
    Step { tell: [STRICT, ECHO].map(str::to_owned).to_vec(), ..step }
}

/// Waits until a settlement of a child came too late.
async fn until_fenced(child: &mut Child) {
    let began = Instant::now();
    loop {
        let figures = child.figures().await;
        if figures["fenced"] != 0 {
            return;
        }
        let in_time = began.elapsed() < Duration::from_secs(60);
        assert!(in_time, "it settled under a lease that it had lost: {figures}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_17_an_instance_that_stood_still_in_a_batch_settles_nothing() {
    if worked_as_child().await {
        return;
    }
    const TEST: &str = "stopped::trap_17_an_instance_that_stood_still_in_a_batch_settles_nothing";
    let (place, folder, mut sent) = (Place::postgres().await, Folder::new(), Sent::default());
    let store = place.store().await;
    let stops = |n, step| Step { stop_deciding: u32::from(n == 15), ..step };
    store.store(&thirty(&mut sent, "A", stops), &[]).await.unwrap();
    let mut first = Child::start(TEST, &place, &folder);
    first.says("stopped while it decides").await;

    let second = Child::start(TEST, &place, &folder);
    // Only after the database has ended the session that holds the lane.
    books::until_drained(&place).await;
    first.go_on();
    first.says("goes on while it decides").await;
    let mut more = thirty(&mut sent, "A", |_, step| step);
    more.extend(thirty(&mut sent, "B", |_, step| step));
    store.store(&more, &[]).await.unwrap();
    books::until_drained(&place).await;
    second.stop().await;

    let before = first.figures().await;
    let errors = before["errors"].to_string();
    assert!(errors.contains("process_batch"), "its batch was not committed: {before}");
    store.store(&thirty(&mut sent, "A", |_, step| step), &[]).await.unwrap();
    books::until_drained(&place).await;
    let after = first.figures().await;
    assert!(after["claimed"].as_u64() > before["claimed"].as_u64(), "it works again: {after}");
    first.stop().await;
    books::check(&place, &sent).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_20_22_an_instance_that_stood_still_while_sending_settles_nothing() {
    if worked_as_child().await {
        return;
    }
    const TEST: &str =
        "stopped::trap_20_22_an_instance_that_stood_still_while_sending_settles_nothing";
    let (place, folder, mut sent) = (Place::postgres().await, Folder::new(), Sent::default());
    let store = place.store().await;
    let stops = |n, step| telling_kafka(Step { stop_sending: u32::from(n == 10), ..step });
    store.store(&thirty(&mut sent, "A", stops), &[]).await.unwrap();
    let mut first = Child::start(TEST, &place, &folder);
    first.says("stopped while it sends").await;
    let on_the_wire = deliveries::read(&journal(&folder));

    let second = Child::start(TEST, &place, &folder);
    // Only after the lease of the first has run out.
    books::until_drained(&place).await;
    let taken_over = deliveries::read(&journal(&folder)).len();
    first.go_on();
    // What it had in its hands goes out: nothing in a database can stop that. To settle it, it is
    // too late.
    until_fenced(&mut first).await;
    let more = thirty(&mut sent, "A", |_, step| telling_kafka(step));
    store.store(&more, &[]).await.unwrap();
    books::until_drained(&place).await;
    second.stop().await;
    let before = first.figures().await;
    let more = thirty(&mut sent, "A", |_, step| telling_kafka(step));
    store.store(&more, &[]).await.unwrap();
    books::until_drained(&place).await;
    let after = first.figures().await;
    assert!(after["dispatched"].as_u64() > before["dispatched"].as_u64(), "it works: {after}");
    first.stop().await;
    books::check(&place, &sent).await;

    let mut lines = deliveries::read(&journal(&folder));
    let slice = &on_the_wire[on_the_wire.len() - 1].slice;
    let late: Vec<_> = lines.extract_if(taken_over.., |line| line.slice == *slice).collect();
    let mut again = late.iter().map(|late| (late.n, lines.iter().any(|it| it.id == late.id)));
    assert!(again.all(|(n, known)| n > 10 && known), "late, under known keys: {late:?}");
    deliveries::check(&lines, STRICT, &sent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_20_a_lost_lease_settles_nothing_though_its_units_are_still_open() {
    if worked_as_child().await {
        return;
    }
    const TEST: &str =
        "stopped::trap_20_a_lost_lease_settles_nothing_though_its_units_are_still_open";
    let (place, folder, mut sent) = (Place::postgres().await, Folder::new(), Sent::default());
    let store = place.store().await;
    let stops = |n, step| telling_kafka(Step { stop_sending: 2 * u32::from(n == 10), ..step });
    store.store(&thirty(&mut sent, "A", stops), &[]).await.unwrap();
    let mut first = Child::start(TEST, &place, &folder);
    first.says("stopped while it sends").await;
    // It has the lease now, and settles nothing before it goes on.
    let mut second = Child::start(TEST, &place, &folder);
    second.says("stopped while it sends").await;
    first.go_on();
    until_fenced(&mut first).await;
    second.go_on();
    books::until_drained(&place).await;
    first.stop().await;
    second.stop().await;
    books::check(&place, &sent).await;
    deliveries::check_first(&deliveries::read(&journal(&folder)), STRICT, &sent);
}
