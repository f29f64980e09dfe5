//! Waking: who waits for work hears of it, whoever stored it.

use std::time::Duration;

use dipmo_api::TimerChange;
use dipmo_domain::Json;
use dipmo_outbox::UnitResult;
use dipmo_store::{Changes, ClaimedMessage, SettlementKind, Side, Store, TimerWrite};

use super::outbox_hold;
use crate::Fixture;
use crate::support::{
    Ear, Script, batch, dispatched, done, event, failed, failure, intent, internal, kafka, marker,
    retry, stored, suite_key, take, write_intents,
};

/// Messages of a key, those from 1 to `last` held behind one that is to be retried at once.
async fn held_behind_a_head(store: &dyn Store, name: &str, last: i64) {
    let messages: Vec<_> = (0..=last).map(|number| event(name, number)).collect();
    stored(store, &messages).await;
    let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
        0 => retry(Duration::ZERO),
        _ => SettlementKind::Held,
    };
    batch(store, Script::settling(verdict)).await.unwrap();
}

/// A message that is new wakes the worker.
pub async fn a_new_message<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ear = Ear::on(&*store, Side::Inbox);
    for number in 0..Ear::ROUNDS {
        // A duplicate beside it changes nothing.
        store.store(&[event("F-1", number), event("F-1", 0)], &[]).await.unwrap();
        ear.hears().await;
    }
}

/// So does one that comes with a settlement.
pub async fn a_message_of_a_settlement<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ear = Ear::on(&*store, Side::Inbox);
    for number in 0..Ear::ROUNDS {
        write_intents(&*store, vec![intent(&internal(), "F-1", number)]).await;
        let hand = take(&*store, &internal(), "o").await;
        ear.forgets();
        let messages = [event("F-1", number)];
        let nobody = Box::new(|_: &[_]| Vec::new());
        hand.settle_with(&*store, |_| dispatched(), &messages, nobody).await.unwrap();
        ear.hears().await;
        hand.give_back(&*store).await;
        batch(&*store, Script::process_all()).await.unwrap();
    }
}

/// So does one that a timer became.
pub async fn a_fired_timer<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ear = Ear::on(&*store, Side::Inbox);
    for _ in 0..Ear::ROUNDS {
        stored(&*store, &[marker()]).await;
        let timer = TimerWrite {
            instance: suite_key("S-1"),
            aggregate_id: "S-1".to_owned(),
            change: TimerChange::Set {
                name: "deadline",
                after: Duration::ZERO,
                event_type: "TimedOut",
                payload: Json::parse("{}").unwrap(),
            },
        };
        let sets = Script::writing(|_| Changes { timers: vec![timer], ..Changes::default() });
        batch(&*store, sets).await.unwrap();
        ear.forgets();
        assert_eq!(store.fire_timers(10).await, Ok(1));
        ear.hears().await;
        batch(&*store, Script::process_all()).await.unwrap();
    }
}

/// So do those that a batch lets go.
pub async fn a_batch_that_lets_go<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ear = Ear::on(&*store, Side::Inbox);
    for number in 0..Ear::ROUNDS {
        held_behind_a_head(&*store, &format!("F-{number}"), 2).await;
        ear.forgets();
        assert_eq!(batch(&*store, Script::process_all()).await.unwrap().messages.len(), 1);
        ear.hears().await;
        batch(&*store, Script::process_all()).await.unwrap();
    }
}

/// So does each step of letting many go.
pub async fn released_messages<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    held_behind_a_head(&*store, "F-1", 540).await;
    let head_only = |claimed: &ClaimedMessage| match claimed.message.offset {
        0 => done(),
        _ => SettlementKind::Held,
    };
    assert!(batch(&*store, Script::settling(head_only)).await.unwrap().report.releasing);
    let mut ear = Ear::on(&*store, Side::Inbox);
    for _ in 0..Ear::ROUNDS {
        assert_eq!(store.release(10).await, Ok(10));
        ear.hears().await;
    }
}

/// An intent wakes the dispatcher.
pub async fn an_intent<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ear = Ear::on(&*store, Side::Outbox);
    for number in 0..Ear::ROUNDS {
        write_intents(&*store, vec![intent(&kafka("t"), "F-1", number)]).await;
        ear.hears().await;
    }
}

/// So does each step of letting many units go.
pub async fn released_units<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, _) = outbox_hold::held_behind_a_head(&*store, 540).await;
    assert!(hand.settle(&*store, |_| dispatched()).await.unwrap().releasing);
    let mut ear = Ear::on(&*store, Side::Outbox);
    for _ in 0..Ear::ROUNDS {
        assert_eq!(store.release_units(10).await, Ok(10));
        ear.hears().await;
    }
}

/// So does an operator who retries, or skips what held others.
pub async fn operators<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ear = Ear::on(&*store, Side::Inbox);
    for number in 0..Ear::ROUNDS {
        let name = format!("F-{number}");
        let ids = stored(&*store, &[event(&name, 1), event(&name, 2)]).await;
        let verdict = |claimed: &ClaimedMessage| match claimed.message.offset {
            1 => failed(true),
            _ => SettlementKind::Held,
        };
        batch(&*store, Script::settling(verdict)).await.unwrap();
        ear.forgets();
        store.retry(&ids[..1], false).await.unwrap();
        ear.hears().await;
        store.skip(&ids[..1]).await.unwrap();
        ear.hears().await;
        batch(&*store, Script::process_all()).await.unwrap();
    }
    let (hand, ids) = outbox_hold::held_behind_a_head(&*store, 1).await;
    let refused = |_: &_| UnitResult::Failed { failure: failure("no"), block: true };
    hand.settle(&*store, refused).await.unwrap();
    hand.give_back(&*store).await;
    let mut ear = Ear::on(&*store, Side::Outbox);
    store.retry_units(&ids[..1], false).await.unwrap();
    ear.hears().await;
    let hand = take(&*store, &kafka("t"), "o").await;
    hand.settle(&*store, refused).await.unwrap();
    store.skip_units(&ids[..1]).await.unwrap();
    ear.hears().await;
}

/// An instance hears of what another one stores, and the other way round.
pub async fn another_instance<F: Fixture>() {
    let fixture = F::fresh().await;
    let stores = [fixture.store(), fixture.another().await];
    for (here, there) in [(&stores[0], &stores[1]), (&stores[1], &stores[0])] {
        let mut inbox = Ear::on(&**there, Side::Inbox);
        let mut outbox = Ear::on(&**there, Side::Outbox);
        for number in 0..Ear::ROUNDS {
            stored(&**here, &[marker()]).await;
            inbox.hears().await;
            write_intents(&**here, vec![intent(&kafka("t"), "F-1", number)]).await;
            outbox.hears().await;
        }
    }
}

/// Where nothing happens, nobody is woken.
pub async fn an_idle_store_is_quiet<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    let mut ears = [Side::Inbox, Side::Outbox].map(|side| Ear::on(&*store, side));
    write_intents(&*another, vec![intent(&kafka("t"), "F-1", 1)]).await;
    for ear in &mut ears {
        ear.hears().await;
        ear.hears_nothing().await;
    }
}
