//! Lists of messages by their failures, their time, and what they say.

use dipmo_domain::{Failure, Fingerprint, Headers, InboxId, InboxStatus};
use dipmo_inbox::{InboxRow, NewMessage};
use dipmo_store::SettlementKind;
use dipmo_store::admin::MessageFilter;

use super::browse_messages::{all, finds};
use crate::OperableFixture;
use crate::support::{
    Script, alone, batch, done, event, event_saying, every_message, rows, stored, told, with_record,
};

/// The code of the last failure, whatever became of the message since.
pub async fn by_error_code<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    every_message(&*store).await;
    let of = |code: &str| MessageFilter { error_code: Some(code.to_owned()), ..all() };
    let has = |row: &InboxRow, code| row.failure.as_ref().is_some_and(|it| it.code() == code);
    assert_eq!(finds(&*store, &of("try-again"), |row| has(row, "try-again")).await, 2);
    assert_eq!(finds(&*store, &of("odd"), |row| has(row, "odd")).await, 1);
    finds(&*store, &of("unheard-of"), |_| false).await;
    for status in [InboxStatus::Retry, InboxStatus::Processed] {
        let filter = MessageFilter { status: vec![status], ..of("try-again") };
        let fits = |row: &InboxRow| has(row, "try-again") && row.status == status;
        assert_eq!(finds(&*store, &filter, fits).await, 1);
    }
}

/// A group of failures has those that count in it, and nobody who has ended.
pub async fn by_failure<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = every_message(&*store).await;
    let group = |row: &InboxRow| {
        let failure = row.failure.as_ref();
        failure.map(|failure| Fingerprint::of("inbox", row.error_stage, failure))
    };
    let shown = rows(&*store).await;
    let mut groups: Vec<_> = shown.iter().filter_map(group).collect();
    groups.sort_unstable();
    groups.dedup();
    assert_eq!(groups.len(), 4, "to try again, refused, odd, and what cannot be decoded");
    let ended = |row: &InboxRow| row.status == InboxStatus::Processed;
    let mut counted = 0;
    for wanted in groups {
        let filter = MessageFilter { failure: Some(wanted), ..all() };
        counted += finds(&*store, &filter, |row| group(row) == Some(wanted) && !ended(row)).await;
    }
    assert_eq!(counted, 3, "one waits for its next attempt, one failed, one cannot be decoded");
    store.retry(&ids[5..6], false).await.unwrap();
    let filter = MessageFilter { failure: group(&shown[5]), ..all() };
    assert_eq!(finds(&*store, &filter, |row| row.message.id == ids[5]).await, 1);
    let failed = MessageFilter { status: vec![InboxStatus::Failed], ..filter };
    finds(&*store, &failed, |_| false).await;
}

/// `since` has its own moment, `until` has not.
pub async fn by_time<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    for number in 1..=3 {
        stored(&*store, &[alone(number), told("orders", "crm", "Made", "a", number)]).await;
        fixture.tick().await;
    }
    let came = |row: &InboxRow| row.message.received_at;
    let times: Vec<_> = rows(&*store).await.iter().map(came).collect();
    let (second, third) = (times[2], times[4]);
    let of = |since, until| MessageFilter { since, until, ..all() };
    assert_eq!(finds(&*store, &of(Some(second), None), |row| came(row) >= second).await, 4);
    assert_eq!(finds(&*store, &of(None, Some(second)), |row| came(row) < second).await, 2);
    let between = of(Some(second), Some(third));
    assert_eq!(finds(&*store, &between, |row| came(row) == second).await, 2);
    let orders = MessageFilter { topic: Some("orders".to_owned()), ..between };
    let fits = |row: &InboxRow| came(row) == second && row.message.topic == "orders";
    assert_eq!(finds(&*store, &orders, fits).await, 1);
    let now = store.now().await.unwrap();
    assert_eq!(finds(&*store, &of(None, Some(now)), |_| true).await, 6);
    for nothing in
        [of(Some(second), Some(second)), of(Some(third), Some(second)), of(Some(now), None)]
    {
        finds(&*store, &nothing, |_| false).await;
    }
}

/// A text is looked for as it is written, in every column that people read.
pub async fn by_text<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let headers = Headers::default().with("trace", "needle in headers");
    let messages = [
        event_saying("F-1", 1, r#"{"say":"a needle, 100%_sure"}"#),
        NewMessage { headers, ..event("F-2", 1) },
        with_record(|record| record.key = Some(b"needle-key".to_vec())),
        told("orders", "crm", "Made", "needle-aggregate", 1),
        event("F-3", 1),
        event("F-4", 1),
    ];
    let ids = stored(&*store, &messages).await;
    let (first, fifth, sixth) = (ids[0], ids[4], ids[5]);
    let fails = Script::settling(move |claimed| match claimed.message.id == fifth {
        true => {
            let failure = Failure::new("odd", "no needle in the hay");
            SettlementKind::Failed { failure, block: false }
        }
        false => done(),
    });
    batch(&*store, fails).await.unwrap();
    let of = |text: &str| MessageFilter { text: Some(text.to_owned()), ..all() };
    let is = |row: &InboxRow, id: InboxId| row.message.id == id;
    assert_eq!(finds(&*store, &of("needle"), |row| !is(row, sixth)).await, 5);
    assert_eq!(finds(&*store, &of("100%_sure"), |row| is(row, first)).await, 1);
    assert_eq!(finds(&*store, &of("F-4/1"), |row| is(row, sixth)).await, 1, "by MESSAGE_ID");
    for nowhere in ["NEEDLE", "n_edle", "needle%", "100%%sure", "needle'", "need\\le"] {
        finds(&*store, &of(nowhere), |_| false).await;
    }
    let failed = MessageFilter { status: vec![InboxStatus::Failed], ..of("needle") };
    assert_eq!(finds(&*store, &failed, |row| is(row, fifth)).await, 1);
}
