//! Replies: a process hears once how its intent ended, in the transaction that ended it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dipmo_domain::RecordKey;
use dipmo_inbox::NewMessage;
use dipmo_outbox::{Delivery, NewIntent, UnitResult};
use dipmo_store::{IntentEnd, Replies, SettleReport, Store};

use crate::Fixture;
use crate::support::{
    Hand, dispatched, event, failure, intent, kafka, record_keys, rows, suite_key, take,
    write_intents,
};

/// Keeps all ends that it hears of, and answers each with a message.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<IntentEnd>>>);

impl Listener {
    fn replies(&self) -> Replies {
        let heard = Arc::clone(&self.0);
        Box::new(move |ends| {
            heard.lock().unwrap().extend(ends.iter().cloned());
            ends.iter().map(reply).collect()
        })
    }

    async fn settle(
        &self,
        store: &dyn Store,
        hand: &Hand,
        result: impl Fn(&Delivery) -> UnitResult,
    ) -> SettleReport {
        hand.settle_with(store, result, &[], self.replies()).await.unwrap()
    }

    fn heard(&self) -> Vec<IntentEnd> {
        self.0.lock().unwrap().clone()
    }
}

fn reply(end: &IntentEnd) -> NewMessage {
    event(&format!("reply-{}", end.intent.0), 1)
}

fn asking(records: usize) -> NewIntent {
    NewIntent {
        records: record_keys(records),
        reply_to: Some(suite_key("S-1")),
        ..intent(&kafka("t"), "F-1", 1)
    }
}

fn refused() -> UnitResult {
    UnitResult::Failed { failure: failure("refused"), block: false }
}

fn record(unit: &Delivery) -> &str {
    &unit.record.as_ref().unwrap().0
}

/// An intent without records is answered when it is dispatched, and its reply is in the inbox.
pub async fn an_intent_is_answered<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = write_intents(&*store, vec![asking(0)]).await;
    let (listener, hand) = (Listener::default(), take(&*store, &kafka("t"), "o").await);
    let report = listener.settle(&*store, &hand, |_| dispatched()).await;
    assert_eq!((report.units, report.messages), (1, 1));
    let end = IntentEnd {
        intent: ids[0],
        reply_to: suite_key("S-1"),
        dispatched: 1,
        failed: 0,
        failures: vec![],
        retried: 0,
    };
    assert_eq!(listener.heard(), [end]);
    let last = rows(&*store).await.pop().unwrap().message;
    assert_eq!(last.aggregate_id, Some(format!("reply-{}", ids[0].0)));
}

/// A failure is told with its reason.
pub async fn a_failure_is_told<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![asking(0)]).await;
    let (listener, hand) = (Listener::default(), take(&*store, &kafka("t"), "o").await);
    let blocking = |_: &_| UnitResult::Failed { failure: failure("refused"), block: true };
    listener.settle(&*store, &hand, blocking).await;
    let end = listener.heard().remove(0);
    assert_eq!((end.dispatched, end.failed), (0, 1));
    assert_eq!((&end.failures[0].record, end.failures[0].failure.code()), (&None, "refused"));
}

/// Who did not ask is not told.
pub async fn who_did_not_ask_is_not_told<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let silent = |records| NewIntent { reply_to: None, ..asking(records) };
    write_intents(&*store, vec![silent(0), silent(3)]).await;
    let (listener, hand) = (Listener::default(), take(&*store, &kafka("t"), "o").await);
    assert_eq!(listener.settle(&*store, &hand, |_| dispatched()).await.messages, 0);
    assert!(listener.heard().is_empty());
}

/// An intent with records is answered once, when the last of them ends, over many settlements.
pub async fn the_last_record_brings_the_answer<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = write_intents(&*store, vec![asking(40)]).await;
    let (listener, mut hand) = (Listener::default(), take(&*store, &kafka("t"), "o").await);
    let retry = || UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") };
    let first = |unit: &Delivery| match record(unit) {
        "REC-7" | "REC-8" | "REC-9" => retry(),
        "REC-1" => refused(),
        _ => dispatched(),
    };
    assert_eq!(listener.settle(&*store, &hand, first).await.messages, 0);
    hand.reads_again(&*store).await;
    let second = |unit: &Delivery| match record(unit) {
        "REC-7" => retry(),
        "REC-8" => refused(),
        _ => dispatched(),
    };
    assert_eq!(listener.settle(&*store, &hand, second).await.messages, 0);
    assert!(listener.heard().is_empty(), "one is still to go");
    hand.reads_again(&*store).await;
    assert_eq!(listener.settle(&*store, &hand, |_| dispatched()).await.messages, 1);
    let heard = listener.heard();
    assert_eq!(heard.len(), 1);
    let end = &heard[0];
    assert_eq!((end.intent, end.dispatched, end.failed), (ids[0], 38, 2));
    let mut failed: Vec<_> = end.failures.iter().map(|unit| unit.record.clone().unwrap()).collect();
    failed.sort();
    assert_eq!(failed, ["REC-1", "REC-8"].map(|key| RecordKey(key.to_owned())));
}

/// Records that end in one settlement give one answer for each intent.
pub async fn many_intents_end_at_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let intents = vec![asking(3), asking(0), asking(5), asking(1)];
    let ids = write_intents(&*store, intents).await;
    let (listener, hand) = (Listener::default(), take(&*store, &kafka("t"), "o").await);
    assert_eq!(listener.settle(&*store, &hand, |_| dispatched()).await.messages, 4);
    let mut heard: Vec<_> =
        listener.heard().iter().map(|end| (end.intent, end.dispatched)).collect();
    heard.sort();
    assert_eq!(heard, [(ids[0], 3), (ids[1], 1), (ids[2], 5), (ids[3], 1)]);
}

/// Of many failures all are counted, and a thousand are told.
pub async fn many_failures_are_counted<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![asking(1_200)]).await;
    let (listener, hand) = (Listener::default(), take(&*store, &kafka("t"), "o").await);
    listener
        .settle(&*store, &hand, |unit| match record(unit) {
            "REC-1199" => dispatched(),
            _ => refused(),
        })
        .await;
    let end = listener.heard().remove(0);
    assert_eq!((end.dispatched, end.failed, end.failures.len()), (1, 1_199, 1_000));
}

/// A settlement that is fenced answers nobody.
pub async fn a_fenced_settlement_answers_nobody<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![asking(0)]).await;
    let (listener, hand) = (Listener::default(), take(&*store, &kafka("t"), "o").await);
    listener.settle(&*store, &hand, |_| dispatched()).await;
    let count = rows(&*store).await.len();
    let replies: Replies = Box::new(|_| vec![event("must-not-be-stored", 1)]);
    hand.settle_with(&*store, |_| dispatched(), &[], replies).await.unwrap_err();
    assert_eq!(rows(&*store).await.len(), count);
}
