//! Messages of single callers, stored together: a commit costs the same for one and for many.

use std::sync::Arc;

use dipmo_domain::{Failure, StoreError};
use dipmo_inbox::{NewMessage, Stored};
use dipmo_store::Store;
use tokio::sync::{mpsc, oneshot};

use super::progress::Progress;

/// At most so many are stored at once.
const MOST_AT_ONCE: usize = 256;

type Letter = (NewMessage, oneshot::Sender<Result<(), StoreError>>);

/// Where callers put their messages; a task of its own stores them.
#[derive(Clone)]
pub(crate) struct Mailbox(mpsc::Sender<Letter>);

impl Mailbox {
    /// Its task ends with the last clone of the mailbox.
    pub(crate) fn open(store: Arc<dyn Store>, progress: Arc<Progress>) -> Self {
        let (sender, mut letters) = mpsc::channel(MOST_AT_ONCE);
        tokio::spawn(async move {
            let mut batch: Vec<Letter> = Vec::new();
            while letters.recv_many(&mut batch, MOST_AT_ONCE).await > 0 {
                post(&*store, &progress, batch.drain(..).unzip()).await;
            }
        });
        Self(sender)
    }

    /// Stores a message; when this answers, it is durable.
    pub(crate) async fn store(&self, message: NewMessage) -> Result<(), Failure> {
        let closed = || Failure::new("DEMO_CLOSED", "the demo is about to end");
        let (answer, answered) = oneshot::channel();
        self.0.send((message, answer)).await.map_err(|_| closed())?;
        let stored = answered.await.map_err(|_| closed())?;
        stored.map_err(|error| Failure::from(&error))
    }
}

async fn post(
    store: &dyn Store,
    progress: &Progress,
    (messages, answers): (Vec<NewMessage>, Vec<oneshot::Sender<Result<(), StoreError>>>),
) {
    let stored = store.store(&messages, &[]).await;
    if let Ok(stored) = &stored {
        let is_new = |answer: &&Stored| matches!(answer, Stored::New(_));
        progress.answered(stored.iter().filter(is_new).count());
    }
    for answer in answers {
        // A caller whose time was up is gone, and asks again.
        let _ = answer.send(stored.as_ref().map(drop).map_err(Clone::clone));
    }
}
