//! One message that takes its batch back.

use std::sync::Arc;

use dipmo_api::{Subscription, Versions};
use dipmo_domain::InboxStatus;
use dipmo_inbox::Message;
use dipmo_processing::EngineOptions;
use dipmo_store::{HandlerOutcome, Store as _, Tables};

use dipmo_store_memory::{MemoryHandler, MemoryTx};

use crate::rig::{Rig, message, start, step};
use crate::script::Step;

struct Careful;

impl MemoryHandler for Careful {
    fn handle(&self, message: &Message, _: &mut MemoryTx) -> HandlerOutcome {
        assert!(message.offset % 10 != 7, "seven is too much");
        HandlerOutcome::Done(vec![])
    }
}

async fn with_panicking_handler() -> Rig {
    let handler = |registry: dipmo_api::Registry| {
        registry.handler("careful", vec![Subscription::all("careful")]).unwrap()
    };
    let rig = Rig::with(Versions::Free, handler).await;
    let store = (*rig.store).clone().with_handler("careful", Arc::new(Careful));
    store.migrate(&Tables::of(&rig.registry)).await.unwrap();
    Rig { store: Arc::new(store), ..rig }
}

#[tokio::test(start_paused = true)]
async fn trap_15_one_bad_message_is_found_and_the_rest_commits() {
    let rig = with_panicking_handler().await;
    let careful =
        |n: i64| message("careful", "Any", Some(&format!("H{n}")), n, None, &Step::default());
    let mut messages: Vec<_> = (0..40).map(careful).collect();
    messages.push(step("A", 100, Step::default()));
    rig.store(&messages).await;
    let running = start(rig.engine(EngineOptions::default()));
    rig.until_quiet().await;
    let batches = running.metrics.snapshot().inbox.batches;
    running.stop().await;
    for row in rig.inbox().await {
        let bad = row.message.topic == "careful" && row.message.offset % 10 == 7;
        let expected = if bad { InboxStatus::Failed } else { InboxStatus::Processed };
        assert_eq!(row.status, expected, "{}", row.message.message_id);
        if bad {
            let failure = row.failure.unwrap();
            assert_eq!(failure.code(), "handler-panicked");
            assert!(failure.message().contains("seven is too much"));
        }
    }
    assert!(batches < 60, "it did not spin: {batches}");
}
