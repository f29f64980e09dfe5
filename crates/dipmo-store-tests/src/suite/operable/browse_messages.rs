//! Lists of messages, compared with the rows of the inbox: what is shown of each, and which ones a filter finds by where
//! they stand and what they are called.

use dipmo_domain::{InboxStatus, Outcome};
use dipmo_inbox::{InboxRow, NewMessage};
use dipmo_store::ClaimLimits;
use dipmo_store::admin::{MOST_ON_A_PAGE, MessageFilter, MessageLine, Operable, Page, Waits};

use crate::OperableFixture;
use crate::support::{
    Script, aggregates, batch_of, event, every_message, everything, rows, stored, through, told,
    with_record,
};

/// Compares what a filter finds, in pages of any size, with the rows that fit; answers how many those are.
pub(super) async fn finds(
    store: &dyn Operable,
    filter: &MessageFilter,
    fits: impl Fn(&InboxRow) -> bool,
) -> usize {
    let rows = store.inbox_rows(1_000).await.unwrap();
    let expected: Vec<_> = rows.iter().filter(|row| fits(row)).map(|row| row.message.id).collect();
    for limit in [1, 3, MOST_ON_A_PAGE] {
        let lines = through(limit, async |page| store.messages(filter, page).await).await;
        let found: Vec<_> = lines.iter().map(|line| line.id).collect();
        assert_eq!(found, expected, "{filter:?} in pages of {limit}");
    }
    expected.len()
}

/// A filter that finds everything.
pub(super) fn all() -> MessageFilter {
    MessageFilter::default()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// A row of the inbox as a list shows it, when it is not parked.
fn line_of(row: &InboxRow) -> MessageLine {
    let message = row.message.clone();
    MessageLine {
        id: message.id,
        message_id: message.message_id,
        source_system: message.source_system,
        topic: message.topic,
        partition: message.partition,
        offset: message.offset,
        aggregate_id: message.aggregate_id,
        event_type: message.event_type,
        received_at: message.received_at,
        lane: message.lane,
        status: row.status,
        attempts: row.attempts,
        next_attempt_at: row.next_attempt_at,
        processed_at: row.processed_at,
        outcome: row.outcome,
        parked: false,
        held_behind: row.held_behind,
        error_stage: row.error_stage,
        failure: row.failure.clone(),
    }
}

/// A list says of each message what the inbox says, the newest first, and which one is parked.
pub async fn lines_are_rows_of_the_inbox<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = every_message(&*store).await;
    let parked = |row: &InboxRow| row.message.id == ids[4];
    let line = |row: &InboxRow| MessageLine { parked: parked(row), ..line_of(row) };
    let expected: Vec<_> = store.inbox_rows(100).await.unwrap().iter().map(line).collect();
    assert_eq!(expected.len(), ids.len());
    let found = store.messages(&all(), Page::first(100)).await.unwrap();
    assert_eq!(found.rows, expected);
    assert_eq!((found.next, found.searched_to), (None, None));
}

/// Every status finds its own, wherever their rows are kept; several find all of theirs.
pub async fn by_status<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    every_message(&*store).await;
    let of = |status: &[InboxStatus]| MessageFilter { status: status.to_vec(), ..all() };
    for first in InboxStatus::ALL {
        assert!(finds(&*store, &of(&[*first]), |row| row.status == *first).await > 0, "{first}");
        for second in InboxStatus::ALL {
            let both = [*first, *second];
            finds(&*store, &of(&both), |row| both.contains(&row.status)).await;
        }
    }
    assert_eq!(finds(&*store, &of(InboxStatus::ALL), |_| true).await, 10);
}

/// What is ready and old is found behind what is newer and has ended.
pub async fn what_is_ready_behind_what_ended<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let names = aggregates(2);
    let ready = stored(&*store, &[event(&names[0], 1)]).await;
    let newer: Vec<_> = (1..=20).map(|number| event(&names[1], number)).collect();
    stored(&*store, &newer).await;
    let limits = ClaimLimits { lanes: 1, start: newer[0].lane, ..everything() };
    let ran = batch_of(&*store, limits, Script::process_all()).await.unwrap();
    assert_eq!(ran.messages.len(), newer.len());
    let filter = MessageFilter { status: vec![InboxStatus::Received], ..all() };
    assert_eq!(finds(&*store, &filter, |row| row.message.id == ready[0]).await, 1);
}

/// What is held waits for a head, what is parked for a version, and what cannot be decoded for a person.
pub async fn held_and_parked<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = every_message(&*store).await;
    let poison = |number| NewMessage {
        blocks_key: true,
        ..with_record(|record| {
            record.offset = number;
            record.key = Some(b"line".to_vec());
            record.value = Some(b"{".to_vec());
        })
    };
    stored(&*store, &[poison(1), poison(2)]).await;
    let waiting = |waits| MessageFilter { waits: Some(waits), ..all() };
    assert_eq!(finds(&*store, &waiting(Waits::Held), |row| row.message.id == ids[3]).await, 1);
    assert_eq!(finds(&*store, &waiting(Waits::Parked), |row| row.message.id == ids[4]).await, 1);
    let retry = MessageFilter { status: vec![InboxStatus::Retry], ..waiting(Waits::Held) };
    finds(&*store, &retry, |_| false).await;
    store.skip(&[ids[2], ids[4]]).await.unwrap();
    for waits in [Waits::Held, Waits::Parked] {
        finds(&*store, &waiting(waits), |_| false).await;
    }
}

/// Topic, type, source, aggregate and id, each by itself and together.
pub async fn by_what_was_told<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    every_message(&*store).await;
    stored(&*store, &[told("orders", "erp", "Made", "done", 1)]).await;
    let topic = MessageFilter { topic: some("orders"), ..all() };
    assert_eq!(finds(&*store, &topic, |row| row.message.topic == "orders").await, 6);
    let made = |row: &InboxRow| row.message.event_type.as_deref() == Some("Made");
    let kind = MessageFilter { event_type: some("Made"), ..all() };
    assert_eq!(finds(&*store, &kind, made).await, 6);
    let source = MessageFilter { source_system: some("erp"), ..all() };
    assert_eq!(finds(&*store, &source, |row| row.message.source_system == "erp").await, 4);
    let again = |row: &InboxRow| row.message.aggregate_id.as_deref() == Some("again");
    let aggregate = MessageFilter { aggregate: some("again"), ..all() };
    assert_eq!(finds(&*store, &aggregate, again).await, 2);
    let both = MessageFilter { event_type: some("Made"), ..aggregate };
    assert_eq!(finds(&*store, &both, |row| again(row) && made(row)).await, 1);
    let named = |row: &InboxRow| row.message.message_id == "done/1";
    let id = MessageFilter { message_id: some("done/1"), ..all() };
    assert_eq!(finds(&*store, &id, named).await, 2);
    let of_erp = MessageFilter { source_system: some("erp"), ..id };
    let both = |row: &InboxRow| named(row) && row.message.source_system == "erp";
    assert_eq!(finds(&*store, &of_erp, both).await, 1);
    let elsewhere = MessageFilter { topic: some("parts"), ..of_erp.clone() };
    let nobody = MessageFilter { message_id: some("nobody"), ..of_erp };
    for filter in [elsewhere, nobody] {
        finds(&*store, &filter, |_| false).await;
    }
}

/// An id that did not fit its column is found as it stands there.
pub async fn by_an_over_long_id<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    stored(&*store, &[event(&"x".repeat(400), 1), event("F-1", 1)]).await;
    let shown = rows(&*store).await[0].message.clone();
    let filter = MessageFilter {
        message_id: Some(shown.message_id.clone()),
        source_system: Some(shown.source_system),
        ..all()
    };
    let named = |row: &InboxRow| row.message.message_id == shown.message_id;
    assert_eq!(finds(&*store, &filter, named).await, 1);
}

/// All that is said must hold.
pub async fn all_that_is_said_holds<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    every_message(&*store).await;
    let filter = MessageFilter {
        status: vec![InboxStatus::Processed, InboxStatus::Failed],
        topic: some("orders"),
        event_type: some("Made"),
        since: Some(rows(&*store).await[0].message.received_at),
        ..all()
    };
    let is_meant = |row: &InboxRow| {
        let told = (row.message.topic.as_str(), row.message.event_type.as_deref());
        filter.status.contains(&row.status) && told == ("orders", Some("Made"))
    };
    assert_eq!(finds(&*store, &filter, is_meant).await, 3);
    let failed = MessageFilter { error_code: some("refused"), ..filter.clone() };
    assert_eq!(finds(&*store, &failed, |row| is_meant(row) && row.failure.is_some()).await, 1);
    let ignored = MessageFilter { aggregate: some("ignored"), ..filter.clone() };
    let outcome = |row: &InboxRow| row.outcome == Some(Outcome::Ignored);
    assert_eq!(finds(&*store, &ignored, |row| is_meant(row) && outcome(row)).await, 1);
}
