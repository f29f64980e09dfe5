//! Batches into the inbox: again and again until each is durable, in the order in which they came.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_domain::{Backoff, Coded as _, StoreError};
use dipmo_inbox::{NewMessage, SourceOffset, Stored};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::batch::Batch;
use crate::health::Subject;
use crate::metrics::count;
use crate::refused;
use crate::shared::Shared;

/// Without end: a batch that is not stored must not be skipped.
const RETRY: Backoff = Backoff::Exponential {
    first: Duration::from_millis(100),
    longest: Duration::from_secs(5),
    retries: u32::MAX,
};

/// Stores what the reader hands over.
pub(crate) struct Storing {
    pub(crate) shared: Arc<Shared>,
    /// Ends attempts that would be repeated; what is not stored then is read again later.
    pub(crate) stop: CancellationToken,
}

/// Why a call was not repeated.
pub(crate) enum GivenUp {
    /// The database refuses the content of a row.
    Refused(StoreError),
    /// We are to stop.
    Stopped,
}

impl Storing {
    /// Runs until the reader is gone and everything that it left is stored.
    pub(crate) async fn run(self, mut batches: mpsc::Receiver<Batch>) {
        while let Some(mut batch) = batches.recv().await {
            // What came while the last batch was stored goes into one transaction.
            while batch.len() * 2 < self.shared.options.batch.records
                && batch.bytes() * 2 < self.shared.options.batch.bytes
            {
                let Ok(later) = batches.try_recv() else { break };
                batch.append(later);
            }
            if self.store(batch).await.is_err() {
                return;
            }
        }
    }

    async fn store(&self, mut batch: Batch) -> Result<(), GivenUp> {
        let began = Instant::now();
        let (records, bytes) = (count(batch.len()), count(batch.bytes()));
        let dropped = batch.drop_revoked(&self.shared.ledger());
        let offsets = batch.offsets(&self.shared.options.group, &self.shared.ledger());
        self.bring_back(&mut batch).await?;
        let stored = match self.attempt(&batch.messages, &offsets).await {
            Err(GivenUp::Refused(_)) => self.piecemeal(&mut batch, &offsets).await?,
            done => done?,
        };
        batch.close(&mut self.shared.ledger());
        self.shared.stored_at(Instant::now());
        self.shared.metrics.change(|figures| {
            figures.records += records;
            figures.bytes += bytes;
            figures.batches += 1;
            figures.largest_batch = figures.largest_batch.max(records);
            figures.dropped_revoked += count(dropped);
            figures.decode.add(batch.decoding);
            figures.store.add(began.elapsed());
            for stored in stored {
                match stored {
                    Stored::New(_) => figures.stored += 1,
                    Stored::Duplicate(_) => figures.duplicates += 1,
                    Stored::Conflict(_) => figures.conflicts += 1,
                }
            }
        });
        Ok(())
    }

    /// Tries until the database takes the messages or refuses one of them for what it is.
    async fn attempt(
        &self,
        messages: &[NewMessage],
        offsets: &[SourceOffset],
    ) -> Result<Vec<Stored>, GivenUp> {
        let mut attempts = 0;
        loop {
            let error = match self.shared.inbox.store(messages, offsets).await {
                Ok(stored) => {
                    self.shared.board.clear(&Subject::Store);
                    return Ok(stored);
                }
                Err(error) => error,
            };
            self.shared.metrics.store_failed(error.code().as_str());
            if matches!(error, StoreError::RowRefused { .. }) && !messages.is_empty() {
                return Err(GivenUp::Refused(error));
            }
            self.wait(&error, attempts).await?;
            attempts += 1;
        }
    }

    /// Says what is wrong and waits before the next attempt.
    pub(crate) async fn wait(&self, error: &StoreError, attempts: u32) -> Result<(), GivenUp> {
        self.shared.board.raise(Subject::Store, error.code(), &error.to_string());
        let delay = RETRY.delay(attempts, fastrand::u64(..)).unwrap_or_default();
        tokio::select! {
            () = tokio::time::sleep(delay) => Ok(()),
            () = self.stop.cancelled() => Err(GivenUp::Stopped),
        }
    }

    /// Halves what was refused until the record is alone, and keeps that one as bytes. Order is
    /// kept; the offsets follow when everything before them is durable.
    async fn piecemeal(
        &self,
        batch: &mut Batch,
        offsets: &[SourceOffset],
    ) -> Result<Vec<Stored>, GivenUp> {
        let mut all = Vec::with_capacity(batch.len());
        let mut pieces = Vec::new();
        pieces.push(0..batch.len());
        let mut attempts = 0;
        while let Some(piece) = pieces.pop() {
            match self.attempt(&batch.messages[piece.clone()], &[]).await {
                Ok(stored) => all.extend(stored),
                Err(GivenUp::Refused(_)) if piece.len() > 1 => {
                    let middle = piece.start + piece.len() / 2;
                    pieces.push(middle..piece.end);
                    pieces.push(piece.start..middle);
                }
                Err(GivenUp::Refused(error)) => {
                    let message = &mut batch.messages[piece.start];
                    if refused::capture(message, &error) {
                        self.shared.refused(message, &error);
                    } else {
                        // Bytes are refused as well, so it is not the record that is wrong.
                        self.wait(&error, attempts).await?;
                        attempts += 1;
                    }
                    pieces.push(piece);
                }
                Err(stopped @ GivenUp::Stopped) => return Err(stopped),
            }
        }
        self.attempt(&[], offsets).await?;
        Ok(all)
    }
}
