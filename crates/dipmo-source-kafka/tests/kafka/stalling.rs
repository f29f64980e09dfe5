//! What stands still without a word is seen all the same.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, StoreError};
use dipmo_inbound::Inbound;
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_source_kafka::{Health, KafkaSource, Membership};
use tokio::sync::Notify;

use crate::rig::{Rig, Running};

/// Long enough to be no accident: nothing here takes it while it gets on.
const LONG: Duration = Duration::from_secs(3);

/// The database of a rig, which can be made to hang.
struct Hanging {
    inbox: Arc<dyn Inbox>,
    /// Whether a batch hangs.
    holds: AtomicBool,
    let_go: Notify,
    /// How often it was asked for offsets; the second time its caller is not given back before
    /// something comes here.
    asked: AtomicUsize,
    thread: Mutex<Receiver<()>>,
}

impl Hanging {
    fn new(rig: &Rig) -> (Arc<Self>, Sender<()>) {
        let (give_back, thread) = channel();
        let hanging = Self {
            inbox: rig.inbox(),
            holds: AtomicBool::new(false),
            let_go: Notify::new(),
            asked: AtomicUsize::new(0),
            thread: Mutex::new(thread),
        };
        (Arc::new(hanging), give_back)
    }

    fn running(self: &Arc<Self>, rig: &Rig) -> Running {
        let inbox = Arc::clone(self) as Arc<dyn Inbox>;
        Running::new(KafkaSource::new(rig.options(), Inbound::new("test"), inbox).unwrap())
    }
}

#[async_trait]
impl Inbox for Hanging {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        if self.holds.load(Ordering::SeqCst) {
            self.let_go.notified().await;
        }
        self.inbox.store(messages, ranges).await
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        self.inbox.begin(offsets).await
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        self.inbox.bring_back(letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        if self.asked.fetch_add(1, Ordering::SeqCst) == 1 {
            // Holds the thread itself, as a driver that blocks would; it is over when the test is.
            let _ = self.thread.lock().unwrap().recv();
        }
        self.inbox.offsets(group).await
    }

    async fn whereabouts(&self, ids: &[DedupeKey]) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        self.inbox.whereabouts(ids).await
    }
}

async fn until(running: &Running, what: &str, is: impl Fn(&Health) -> bool) {
    running.until(what, |_| is(&running.source.health())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_the_database_that_hangs_shows_although_nothing_fails() {
    let rig = Rig::new(1).await;
    let (hanging, give_back) = Hanging::new(&rig);
    drop(give_back);
    let running = hanging.running(&rig);
    rig.send_numbers(0, 0..10);
    running.until_records(10).await;
    until(&running, "rest", |health| health.unstored.is_none()).await;
    hanging.holds.store(true, Ordering::SeqCst);
    rig.send_numbers(0, 10..20);
    until(&running, "stall", |health| health.unstored.is_some_and(|time| time > LONG)).await;
    let health = running.source.health();
    assert!(health.is_well() && health.partitions == 1, "nothing else tells: {health:?}");
    hanging.holds.store(false, Ordering::SeqCst);
    hanging.let_go.notify_one();
    running.until_records(20).await;
    until(&running, "rest", |health| health.unstored.is_none()).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_that_does_not_come_back_shows() {
    let rig = Rig::new(1).await;
    let (hanging, give_back) = Hanging::new(&rig);
    let running = hanging.running(&rig);
    until(&running, "stall", |health| health.polled.is_some_and(|ago| ago > LONG)).await;
    assert!(running.source.health().is_well(), "nothing else tells");
    give_back.send(()).unwrap();
    rig.send_numbers(0, 0..10);
    running.until_records(10).await;
    until(&running, "polling", |health| health.polled.is_some_and(|ago| ago < LONG)).await;
    let source = Arc::clone(&running.source);
    running.stop().await;
    assert_eq!(source.health().polled, None, "who has ended does not hang");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_without_a_partition_is_one_until_it_leaves() {
    let rig = Rig::new(1).await;
    let first = rig.start();
    until(&first, "partition", |health| health.partitions == 1).await;
    let second = rig.start();
    let is_idle_member =
        |health: &Health| health.partitions == 0 && health.membership == Membership::Joined;
    let one_is =
        |_: &_| is_idle_member(&first.source.health()) || is_idle_member(&second.source.health());
    second.until("idle member", one_is).await;
    let source = Arc::clone(&second.source);
    until(&second, "place in the group", |health| health.membership == Membership::Joined).await;
    second.stop().await;
    assert!(matches!(source.health().membership, Membership::Lost(_)));
    first.stop().await;
}
