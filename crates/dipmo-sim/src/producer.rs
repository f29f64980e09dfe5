//! The producer: sends its book, in order, as often as it takes, and some of it again.

use std::collections::BTreeMap;
use std::sync::Arc;

use dipmo_domain::InboxId;
use dipmo_inbox::{Inbox as _, Stored};
use tokio::time::sleep;

use crate::fault::Faulty;
use crate::sim::Sim;
use crate::world::{Book, Entry};

/// Sends everything; returns when all of it is known to be stored.
pub(crate) async fn produce(sim: Arc<Sim>, book: Arc<Book>) {
    let mut producer = Producer { store: Faulty::new(&sim, "producer"), known: BTreeMap::new() };
    let pause = sim.options.faulty / u32::try_from(book.entries.len()).unwrap_or(1);
    let mut sent = 0;
    while sent < book.entries.len() {
        let size = 1 + sim.chance.below(8);
        let batch = &book.entries[sent..(sent + size).min(book.entries.len())];
        let mut batch: Vec<Entry> = batch.to_vec();
        sent += batch.len();
        if sim.chance.one_in(4) {
            // Some of it again: from this batch, or from long ago.
            let again = sim.chance.below(sent);
            batch.push(book.entries[again].clone());
        }
        producer.send(&batch).await;
        if !sim.chance.one_in(3) {
            sleep(pause * u32::try_from(size).unwrap_or(1)).await;
        }
    }
    sim.step("the producer is done");
}

struct Producer {
    store: Faulty,
    /// Under which id the database has each message.
    known: BTreeMap<String, InboxId>,
}

impl Producer {
    /// Tries until the database says that it has them.
    async fn send(&mut self, batch: &[Entry]) {
        let messages: Vec<_> = batch.iter().map(|entry| entry.message.clone()).collect();
        let stored = loop {
            match self.store.store(&messages, &[]).await {
                Ok(stored) => break stored,
                Err(_) => sleep(self.store.sim.chance.millis(5..=200)).await,
            }
        };
        for (entry, answer) in batch.iter().zip(stored) {
            self.check(entry, answer);
        }
    }

    fn check(&mut self, entry: &Entry, answer: Stored) {
        let name = &entry.message.message_id;
        let known = self.known.get(name).copied();
        let (id, fits) = match answer {
            Stored::New(id) => (id, known.is_none() && !entry.conflict),
            Stored::Duplicate(id) => (id, known.is_none_or(|known| known == id) && !entry.conflict),
            Stored::Conflict(id) => (id, known == Some(id) && entry.conflict),
        };
        if !fits {
            let sim = &self.store.sim;
            sim.violation(format_args!("{name} was stored as {answer:?}; it is {known:?}"));
        }
        self.known.insert(name.clone(), id);
    }
}
