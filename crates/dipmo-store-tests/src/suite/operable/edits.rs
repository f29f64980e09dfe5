//! Editing a message that failed, before it is tried again.

use dipmo_domain::{InboxId, InboxStatus, Json, Month};
use dipmo_inbox::{InboxRow, Message, Stored};
use dipmo_store::admin::{AuditFilter, AuditRow, Edit, Operable, Page};
use dipmo_store::{Acted, ClaimedMessage, Side};

use super::actions::{entry, failed_messages};
use crate::OperableFixture;
use crate::support::{
    Ear, LONG, Script, batch, done, event, event_saying, failed, retry, row_of, stored,
    with_record, work_off,
};

/// Bytes that a database would write otherwise.
const SAID: &str = r#"{"b": 1.50,  "a": "\u00e4"}"#;
const SAYS: &str = r#"{"mended":  true}"#;

fn edit(message: InboxId, edits: u32) -> Edit {
    Edit {
        message,
        edits,
        payload: Json::parse(SAYS).unwrap(),
        event_type: None,
        force: false,
        entry: entry("message.edit"),
    }
}

async fn failed_saying(store: &dyn Operable, said: &str) -> InboxId {
    let id = stored(store, &[event_saying("F-1", 1, said)]).await[0];
    batch(store, Script::settling(|_| failed(true))).await.unwrap();
    id
}

async fn trail(store: &dyn Operable) -> Vec<AuditRow> {
    store.audit(&AuditFilter::default(), Page::first(10)).await.unwrap().rows
}

fn said(row: &InboxRow) -> &str {
    row.message.payload.as_ref().unwrap().as_str()
}

/// It says something else, is due again, and keeps its ids and its place; what came is kept to the byte.
pub async fn a_message_says_something_else_and_what_came_is_kept<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let id = failed_saying(&*store, SAID).await;
    let before = row_of(&*store, id).await;
    let wish = Edit { event_type: Some("Mended".to_owned()), ..edit(id, 0) };
    assert_eq!(store.edit(&wish, true).await, Ok(Acted::Done));
    assert_eq!(row_of(&*store, id).await, before, "a dry run changes nothing");
    assert_eq!(store.original(id).await, Ok(None));
    assert!(trail(&*store).await.is_empty());
    assert_eq!(store.edit(&wish, false).await, Ok(Acted::Done));
    let after = row_of(&*store, id).await;
    assert_eq!((after.status, after.attempts), (InboxStatus::Retry, 0));
    let payload = Some(Json::parse(SAYS).unwrap());
    let event_type = Some("Mended".to_owned());
    assert_eq!(after.message, Message { payload, event_type, ..before.message.clone() });
    let original = store.original(id).await.unwrap().unwrap();
    assert_eq!(original.payload.unwrap().as_str(), SAID);
    assert_eq!(original.event_type, before.message.event_type);
    assert_eq!((original.edits, original.edited_by.as_str()), (1, "ann"));
    let trail = trail(&*store).await;
    assert_eq!(trail.iter().map(|it| &it.entry).collect::<Vec<_>>(), [&entry("message.edit")]);
    let again = store.store(&[event_saying("F-1", 1, SAID)], &[]).await.unwrap();
    assert_eq!(again, [Stored::Duplicate(id)], "it is known by what came");
}

/// What came first is kept, however often it is edited.
pub async fn edited_again_keeps_what_came_first<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let id = failed_saying(&*store, SAID).await;
    for edits in 0..2 {
        assert_eq!(store.edit(&edit(id, edits), false).await, Ok(Acted::Done));
        work_off(&*store, |_| failed(true)).await;
    }
    let original = store.original(id).await.unwrap().unwrap();
    assert_eq!((original.payload.unwrap().as_str(), original.edits), (SAID, 2));
    assert_eq!(said(&row_of(&*store, id).await), SAYS);
}

/// Only what failed is edited; everything else stays as it is, and says why.
pub async fn each_has_its_word<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let poison = with_record(|record| record.value = Some(b"{".to_vec()));
    let messages = [event("F-1", 1), event("F-1", 2), event("F-2", 3), event("F-3", 4), poison];
    let ids = stored(&*store, &messages).await;
    let settle = |claimed: &ClaimedMessage| match claimed.message.offset {
        1 => failed(true),
        2 => dipmo_store::SettlementKind::Held,
        3 => retry(LONG),
        _ => done(),
    };
    batch(&*store, Script::settling(settle)).await.unwrap();
    let nobody = InboxId(ids[4].0 + 1_000_000);
    for (id, edits, expected) in [
        (ids[0], 1, Acted::Changed),
        (ids[1], 0, Acted::Held),
        (ids[2], 0, Acted::WrongStatus(InboxStatus::Retry)),
        (ids[3], 0, Acted::AlreadyEnded),
        (ids[4], 0, Acted::WrongStatus(InboxStatus::SerdeError)),
        (nobody, 0, Acted::NotFound),
    ] {
        for dry_run in [true, false] {
            assert_eq!(store.edit(&edit(id, edits), dry_run).await, Ok(expected));
        }
        assert_eq!(store.original(id).await, Ok(None));
    }
    assert!(trail(&*store).await.is_empty());
    let rows = store.inbox_rows(10).await.unwrap();
    assert!(
        rows.iter().all(|row| row.message.payload.as_ref().is_none_or(|it| it.as_str() != SAYS))
    );
}

/// Where a later one of its key went on, it is edited by force only.
pub async fn what_was_overtaken_is_edited_by_force<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let first = stored(&*store, &[event("F-1", 1)]).await[0];
    batch(&*store, Script::settling(|_| failed(false))).await.unwrap();
    let later = stored(&*store, &[event("F-1", 2)]).await[0];
    batch(&*store, Script::process_all()).await.unwrap();
    let overtaken = Acted::Overtaken { by: later };
    assert_eq!(store.edit(&edit(first, 0), false).await, Ok(overtaken));
    let force = Edit { force: true, ..edit(first, 0) };
    assert_eq!(store.edit(&force, false).await, Ok(Acted::Done));
}

/// Of two who edit what they both looked at, one is heard, and the other is told.
pub async fn of_two_editors_one_is_heard<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.operable(), fixture.another_operable().await);
    let id = failed_saying(&*store, SAID).await;
    let other = Edit { payload: Json::parse("{}").unwrap(), ..edit(id, 0) };
    let mine = edit(id, 0);
    let (one, two) = tokio::join!(store.edit(&mine, false), another.edit(&other, false));
    let done = [one.unwrap(), two.unwrap()].map(|acted| acted == Acted::Done);
    assert!(done[0] != done[1], "{done:?}");
    let says = if done[0] { SAYS } else { "{}" };
    assert_eq!(said(&row_of(&*store, id).await), says);
    assert_eq!(
        (store.original(id).await.unwrap().unwrap().edits, trail(&*store).await.len()),
        (1, 1)
    );
    work_off(&*store, |_| failed(true)).await;
    assert_eq!(store.edit(&edit(id, 0), false).await, Ok(Acted::Changed), "it failed again since");
}

/// Who processes it reads what it says now; and what waits behind it comes after it.
pub async fn a_worker_reads_what_it_says_now<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let id = failed_saying(&*store, SAID).await;
    let behind = stored(&*store, &[event("F-1", 2)]).await[0];
    store.edit(&edit(id, 0), false).await.unwrap();
    let read = work_off(&*store, |_| done()).await;
    let ids: Vec<InboxId> = read.iter().map(|claimed| claimed.message.id).collect();
    assert_eq!(ids, [id, behind]);
    assert_eq!(read[0].message.payload.as_ref().unwrap().as_str(), SAYS);
}

/// Whoever waits for messages is woken.
pub async fn workers_are_woken<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let ids = failed_messages(&*store, Ear::ROUNDS).await;
    let mut ear = Ear::on(&*store, Side::Inbox);
    for id in ids {
        ear.forgets();
        store.edit(&edit(id, 0), false).await.unwrap();
        ear.hears().await;
    }
}

/// What came is forgotten with the message, and not before.
pub async fn what_is_dropped_is_forgotten<F: OperableFixture>() {
    let fixture = F::fresh().await;
    let store = fixture.operable();
    let id = failed_saying(&*store, SAID).await;
    store.edit(&edit(id, 0), false).await.unwrap();
    let month = Month::of(store.now().await.unwrap()).next();
    let drop_all = async || while store.drop_before(month, 100).await.unwrap().more {};
    drop_all().await;
    assert!(store.original(id).await.unwrap().is_some(), "it waits to be tried");
    work_off(&*store, |_| done()).await;
    drop_all().await;
    assert_eq!(store.message(id).await, Ok(None));
    assert_eq!(store.original(id).await, Ok(None));
}
