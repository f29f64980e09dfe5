//! A process that is killed: everything that was answered is there, and nothing of the rest.
//!
//! Each test runs itself again as a child, and kills it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use dipmo_domain::{InboxStatus, Json};
use dipmo_inbox::{Inbox as _, SourceOffset, SourceRange};
use dipmo_outbox::NewIntent;
use dipmo_store::{Changes, Inspect as _, Needs};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use dipmo_store_tests::support::{
    Script, aggregates, alone, batch, event, intent, kafka, new_state, rows, settle, stored,
    suite_key,
};

use crate::folder::Folder;

const URL: &str = "DIPMO_CRASH_URL";

/// Runs a test of this file as a child; its lines come back.
fn child(test: &str, folder: &Folder) -> (Child, impl Iterator<Item = String>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("crash::{test}")])
        .env(URL, folder.url())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    (child, lines)
}

async fn open_in_child() -> Option<SqliteStore> {
    let url = std::env::var(URL).ok()?;
    Some(SqliteStore::open(SqliteOptions::new(&url)).await.unwrap())
}

/// A line past the harness, which keeps what tests print.
fn tell(line: &str) {
    let mut out = std::io::stdout();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// More than the cache holds, so that pages of the open transaction are on the disk.
fn large_intents() -> Vec<NewIntent> {
    let payload = Json::parse(&format!("\"{}\"", "x".repeat(400_000))).unwrap();
    let large = |n| NewIntent { payload: payload.clone(), ..intent(&kafka("t"), "F-1", n) };
    (0..100).map(large).collect()
}

/// Writes everything in a first wave, then stands still in the second.
fn stands_still() -> Script {
    let first = |batch: &dipmo_store::ClaimedBatch, _: &_| Changes {
        states: vec![new_state("S-1")],
        intents: large_intents(),
        ..settle(batch, |_| Some(dipmo_store_tests::support::done()))
    };
    let stop = |_: &_| -> Needs {
        tell("in the middle");
        loop {
            std::thread::park();
        }
    };
    Script::default().wave(|_| Needs::default(), first).wave(stop, |_, _| Changes::default())
}

#[tokio::test]
async fn in_the_middle_of_a_batch() {
    if let Some(store) = open_in_child().await {
        batch(&store, stands_still()).await.unwrap();
        return;
    }
    let folder = Folder::new();
    let store = folder.store().await;
    let before = stored(&store, &[alone(1)]).await;
    let writes =
        |_: &_| Changes { intents: vec![intent(&kafka("t"), "F-0", 0)], ..Changes::default() };
    batch(&store, Script::writing(writes)).await.unwrap();
    let ids = stored(&store, &aggregates(5).iter().map(|a| event(a, 1)).collect::<Vec<_>>()).await;
    drop(store);

    let (mut child, mut lines) = child("in_the_middle_of_a_batch", &folder);
    assert!(lines.any(|line| line == "in the middle"));
    child.kill().unwrap();
    child.wait().unwrap();

    let store = folder.store().await;
    assert_eq!(store.outbox_rows(1_000).await.unwrap().len(), 1, "the intent of the batch before");
    assert_eq!(store.instance(&suite_key("S-1")).await, Ok(None));
    let statuses = rows(&store).await.into_iter().map(|row| (row.message.id, row.status));
    let expected = before.iter().map(|id| (*id, InboxStatus::Processed));
    let expected = expected.chain(ids.iter().map(|id| (*id, InboxStatus::Received)));
    assert!(statuses.eq(expected));
    assert_eq!(batch(&store, Script::process_all()).await.unwrap().ids(), ids, "free at once");
}

#[tokio::test]
async fn while_messages_come_in() {
    const IN_A_CALL: i64 = 7;
    let offset = |next_offset| SourceOffset {
        group: "g".to_owned(),
        topic: "t".to_owned(),
        partition: 0,
        topic_id: None,
        next_offset,
    };
    if let Some(store) = open_in_child().await {
        store.begin(&[offset(0)]).await.unwrap();
        for call in 0.. {
            let first = call * IN_A_CALL;
            let messages: Vec<_> = (first..first + IN_A_CALL).map(alone).collect();
            let range = SourceRange { from: first, to: offset(first + IN_A_CALL) };
            store.store(&messages, &[range]).await.unwrap();
            tell(&format!("stored {call}"));
        }
    }
    for calls in [1, 5, 40] {
        let folder = Folder::new();
        drop(folder.store().await);
        let (mut child, lines) = child("while_messages_come_in", &folder);
        let told = lines.filter(|line| line.starts_with("stored")).nth(calls - 1);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(told.is_some(), "the child ended by itself");

        let store = folder.store().await;
        let there = i64::try_from(rows(&store).await.len()).unwrap();
        let answered = i64::try_from(calls).unwrap() * IN_A_CALL;
        assert!(there >= answered, "{there} of {answered} that were answered are there");
        assert_eq!(there % IN_A_CALL, 0, "no half of a call");
        assert_eq!(store.offsets("g").await.unwrap(), [offset(there)], "offsets agree");
        let ran = batch(&store, Script::process_all()).await.unwrap();
        assert_eq!(ran.messages.len(), usize::try_from(there).unwrap());
    }
}
