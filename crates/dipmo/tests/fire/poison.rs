//! Rows that a real database refuses, for reasons of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dipmo_processing::{Engine, OnFailure};

use crate::parts::books;
use crate::parts::engine::{Running, counting, hurried};
use crate::parts::numbers::Count;
use crate::parts::place::Place;
use crate::parts::sent::Sent;
use crate::parts::step::Step;

/// All of one aggregate and so of one batch, two of them side by side, one at the end.
const POISON: [i64; 4] = [7, 30, 31, 60];

const CHECK: &str = "alter table STEPS add constraint NO_POISON \
    check (ID not in ('A/7', 'A/30', 'A/31', 'A/60'))";

const TRIGGER: &str = "create trigger NO_POISON before insert on STEPS \
    when new.ID in ('A/7', 'A/30', 'A/31', 'A/60') \
    begin select raise(abort, 'no poison'); end";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_15_what_a_constraint_of_postgres_refuses_fails_alone() {
    for on_failure in [OnFailure::Skip, OnFailure::Block] {
        fails_alone(&Place::postgres().await, CHECK, on_failure).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_15_what_a_trigger_of_sqlite_refuses_fails_alone() {
    for on_failure in [OnFailure::Skip, OnFailure::Block] {
        fails_alone(&Place::sqlite().await, TRIGGER, on_failure).await;
    }
}

async fn fails_alone(place: &Place, refuse: &str, on_failure: OnFailure) {
    place.rows(refuse).await;
    let mut sent = Sent::default();
    let mut messages = Vec::new();
    for n in 0..60 {
        messages.push(sent.next("A", Step::default()));
        messages.push(sent.next(&format!("B-{}", n % 20), Step::default()));
    }
    let store = place.store().await;
    store.store(&messages, &[]).await.unwrap();
    let decisions = Arc::new(AtomicU64::new(0));
    let mut options = hurried();
    options.worker.retry.on_failure = on_failure;
    let running = Running::start(Engine::new(store, counting(&decisions)).options(options));
    books::until_drained(place).await;
    let batches = running.metrics.snapshot().inbox.batches;
    running.stop().await;

    let (failed, count) = match on_failure {
        OnFailure::Skip => {
            let out_of_turn = vec![(6, 8), (29, 32)];
            (&POISON[..], Count { out_of_turn, ..Count::up_to(59) })
        }
        // The rest waits behind the first.
        OnFailure::Block => (&POISON[..1], Count::up_to(6)),
    };
    let neighbours = (0..20).map(|n| (format!("B-{n}"), Count::up_to(3)));
    let expected: BTreeMap<_, _> = neighbours.chain([("A".to_owned(), count)]).collect();
    assert_eq!(books::counts(place, "NUMBERS_PROCESS").await, expected);
    let refused = "select OFFSET_NUM, AGGREGATE_ID, ERROR_CODE from INBOX \
                   where STATUS = 'FAILED' order by OFFSET_NUM";
    let expected: Vec<_> = failed
        .iter()
        .map(|n| [n.to_string(), "A".to_owned(), "store-row-refused".to_owned()])
        .collect();
    assert_eq!(place.rows(refused).await, expected);

    // A search halves a batch of at most 120: it decides all of it for each half, and once more
    // to fail what it found.
    let decisions = decisions.load(Ordering::Relaxed);
    assert!(decisions < 120 * 9 * (failed.len() as u64 + 1), "it spins: {decisions} decisions");
    assert!(batches < 100, "it spins: {batches} batches");
}
