//! What speaks against decoding again: later messages of the order key, or an id that is another's.

use dipmo_domain::InboxStatus;
use dipmo_inbox::{BroughtBack, Ended, NewMessage, Returned};
use dipmo_store::{Reparsed, Store};

use super::poison::poison;
use crate::Fixture;
use crate::support::{done, event, event_saying, row_of, rows, stored, with_record, work_off};

/// A message that is ordered by its key, with a value that can be decoded.
fn keyed(key: &[u8], offset: i64) -> NewMessage {
    with_record(|record| (record.key, record.offset) = (Some(key.to_vec()), offset))
}

/// The same message as it came, when nobody could decode it.
fn garbled(key: &[u8], offset: i64) -> NewMessage {
    with_record(|record| {
        (record.key, record.offset) = (Some(key.to_vec()), offset);
        record.value = Some(b"\xff\xfe".to_vec());
    })
}

/// The letter of one that could not be decoded, and now is `message`.
fn letter(garbled: &NewMessage, message: NewMessage) -> Returned {
    let message = NewMessage { content: garbled.content, ..message };
    Returned { first: garbled.dedupe_key, ended: Ended::Undecodable, message }
}

async fn tried(store: &dyn Store) -> usize {
    work_off(store, |_| done()).await.len()
}

/// Who has no aggregate is ordered by its key, whatever bytes that has, and never comes late in
/// silence; a key that only looks the same is another.
pub async fn trap_12_later_ones_of_its_key_were_processed<F: Fixture>() {
    let (long, longer) = ([b'x'; 300], [b'x'; 5_000]);
    let alike = |key: &[u8]| [key, b"x"].concat();
    let others: [(&[u8], Vec<u8>); 5] = [
        (b"K", b"L".to_vec()),
        (b"\xff", b"\xfe".to_vec()),
        (b"a\0b", b"ab".to_vec()),
        (&long, alike(&long)),
        (&longer, alike(&longer)),
    ];
    let fixture = F::fresh().await;
    let store = fixture.store();
    for ((key, other), offset) in others.into_iter().zip((0..).step_by(10)) {
        let poison = garbled(key, offset);
        let messages = [poison.clone(), garbled(&other, offset + 1), keyed(key, offset + 2)];
        let ids = stored(&*store, &messages).await;
        assert_eq!(tried(&*store).await, 1);
        let before = rows(&*store).await;
        let decoded = [(ids[0], keyed(key, offset))];
        let answers = store.reparse(&decoded, false).await.unwrap();
        assert_eq!(answers, [Reparsed::Conflict { later: ids[2] }], "{key:?}");
        let back = store.bring_back(&[letter(&poison, keyed(key, offset))]).await.unwrap();
        assert_eq!(back, [BroughtBack::TooLate(ids[0])]);
        assert_eq!(rows(&*store).await, before, "nothing changed");
        let beside = [(ids[1], keyed(&other, offset + 1))];
        assert_eq!(store.reparse(&beside, false).await.unwrap(), [Reparsed::Done], "{other:?}");
        assert_eq!(store.reparse(&decoded, true).await.unwrap(), [Reparsed::Done]);
        assert_eq!(tried(&*store).await, 2);
    }
}

/// An aggregate and a key of the same name are one order key.
pub async fn an_aggregate_and_a_key_of_one_name<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    for (name, offset) in [("F-1".to_owned(), 10), ("y".repeat(300), 20)] {
        let (with, without) =
            (|number| event(&name, number), |number| keyed(name.as_bytes(), number));
        let messages = [garbled(name.as_bytes(), offset), with(offset + 1)];
        let first = stored(&*store, &messages).await;
        let messages = [garbled(name.as_bytes(), offset + 2), without(offset + 3)];
        let second = stored(&*store, &messages).await;
        assert_eq!(tried(&*store).await, 2);
        let asked = [(first[0], without(offset)), (second[0], with(offset + 2))];
        let answers = store.reparse(&asked, false).await.unwrap();
        let conflicts = [first[1], second[1]].map(|later| Reparsed::Conflict { later });
        assert_eq!(answers, conflicts);
    }
}

/// Who has neither is late for nobody.
pub async fn one_that_is_alone_is_never_late<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let alone = |offset| with_record(|record| record.offset = offset);
    let garbled = NewMessage { body: poison("F-1", 1).body, ..alone(1) };
    let ids = stored(&*store, &[garbled, alone(2)]).await;
    assert_eq!(tried(&*store).await, 1);
    assert_eq!(store.reparse(&[(ids[0], alone(1))], false).await.unwrap(), [Reparsed::Done]);
}

/// Trap 10: the id of another message with another content is no duplicate, but an incident; a
/// person decides what becomes of the message, and its key goes on waiting for that.
pub async fn trap_10_an_impostor_is_an_incident<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), poison("F-1", 2), event("F-1", 3)]).await;
    assert_eq!(tried(&*store).await, 1);
    let before = rows(&*store).await;
    let impostor = event_saying("F-1", 1, r#"{"n": "another"}"#);
    let answers = store.reparse(&[(ids[1], impostor.clone())], true).await.unwrap();
    assert_eq!(answers, [Reparsed::Impostor(ids[0])]);
    assert_eq!(rows(&*store).await, before, "nothing changed");
    let incidents = store.incidents(10).await.unwrap();
    assert_eq!(incidents.len(), 1);
    assert_eq!((incidents[0].first, &*incidents[0].message_id), (ids[0], "F-1/1"));
    assert_eq!(incidents[0].payload.as_deref(), Some(r#"{"n": "another"}"#));
    assert_eq!(tried(&*store).await, 0, "what comes later waits");

    let known = [(ids[1], event("F-1", 1))];
    assert_eq!(store.reparse(&known, false).await.unwrap(), [Reparsed::Duplicate(ids[0])]);
    assert_eq!(tried(&*store).await, 1);
    assert_eq!(store.incidents(10).await.unwrap().len(), 1);
}

/// The same for two of one call, of which the one that is named first has the id, and for letters.
pub async fn trap_10_impostors_of_one_call_and_of_letters<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let messages = [poison("F-1", 1), poison("F-2", 2), poison("F-3", 3)];
    let ids = stored(&*store, &messages).await;
    let asked = [(ids[1], event("F-9", 9)), (ids[0], event_saying("F-9", 9, "{}"))];
    let answers = store.reparse(&asked, false).await.unwrap();
    assert_eq!(answers, [Reparsed::Done, Reparsed::Impostor(ids[1])]);
    let back = store.bring_back(&[letter(&messages[2], event("F-9", 9))]).await.unwrap();
    assert_eq!(back, [BroughtBack::Impostor(ids[2])]);
    for id in [ids[0], ids[2]] {
        assert_eq!(row_of(&*store, id).await.status, InboxStatus::SerdeError);
    }
    assert_eq!(store.incidents(10).await.unwrap().len(), 2);
    assert_eq!(tried(&*store).await, 1);
}
