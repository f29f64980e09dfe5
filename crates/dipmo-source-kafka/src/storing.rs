//! Batches into the inbox: again and again until each is durable, in the order in which they came.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_domain::{Backoff, Coded as _, StoreError};
use dipmo_inbox::{NewMessage, SourceOffset, SourceRange, Stored};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::batch::Batch;
use crate::health::Subject;
use crate::metrics::count;
use crate::progress::OnItsWay;
use crate::shared::Shared;
use crate::{refused, telling};

/// Without end: a batch that is not stored must not be skipped.
const RETRY: Backoff = Backoff::Exponential {
    first: Duration::from_millis(100),
    longest: Duration::from_secs(5),
    retries: u32::MAX,
};

/// How often the database is asked whether it still has what was stored.
const LOOK_BACK: Duration = Duration::from_secs(5);

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
    /// The database has lost what was stored in it: nothing goes on from here.
    SetBack,
    /// We are to stop.
    Stopped,
}

impl Storing {
    /// Runs until the reader is gone and everything that it left is stored. Ends before when going
    /// on makes no sense; the reader notices, and leaves the group.
    pub(crate) async fn run(self, mut batches: mpsc::Receiver<Batch>) {
        let mut look_back = tokio::time::interval(LOOK_BACK);
        look_back.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let done = tokio::select! {
                batch = batches.recv() => match batch {
                    Some(batch) => self.store(self.with_later(batch, &mut batches)).await,
                    None => return,
                },
                _ = look_back.tick() => self.look_back().await,
            };
            if done.is_err() {
                return;
            }
        }
    }

    /// What came while the last batch was stored goes into one transaction.
    fn with_later(&self, mut batch: Batch, batches: &mut mpsc::Receiver<Batch>) -> Batch {
        let limits = self.shared.options.batch;
        while batch.len() * 2 < limits.records && batch.bytes() * 2 < limits.bytes {
            let Ok(later) = batches.try_recv() else { break };
            batch.append(later);
        }
        batch
    }

    /// A partition without new records would not notice that the database has lost its last ones.
    async fn look_back(&self) -> Result<(), GivenUp> {
        let (ours, epoch) = {
            let ledger = self.shared.ledger();
            (ledger.positions(&self.shared.options.group), ledger.epoch())
        };
        if ours.is_empty() {
            return Ok(());
        }
        // A database that does not answer is told about when there is something to store.
        let Ok(known) = self.shared.stored_offsets().await else { return Ok(()) };
        // What went meanwhile may stand elsewhere by now: whoever has it found its topic made anew,
        // say. The next look knows what is ours then.
        if self.shared.ledger().epoch() != epoch {
            return Ok(());
        }
        match lost(&ours, &known) {
            None => Ok(()),
            Some(error) => {
                self.shared.set_back(&error);
                Err(GivenUp::SetBack)
            }
        }
    }

    async fn store(&self, mut batch: Batch) -> Result<(), GivenUp> {
        let began = Instant::now();
        let _on_its_way = OnItsWay::begin(&self.shared.board.progress);
        let (records, bytes) = (count(batch.len()), count(batch.bytes()));
        let dropped = batch.drop_revoked(&self.shared.ledger());
        let ranges = batch.to_store(&self.shared.options.group, &self.shared.ledger());
        let letters = self.bring_back(&mut batch).await?;
        let stored = match self.attempt(&batch.messages, &ranges).await {
            Err(GivenUp::Refused(_)) => self.piecemeal(&mut batch, &ranges).await?,
            done => done?,
        };
        telling::undecodable(&batch.messages, &stored);
        self.bring_back_again(&letters).await?;
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

    /// Tries until the database takes the messages, refuses one of them for what it is, or turns out
    /// to have been set back.
    async fn attempt(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, GivenUp> {
        let mut attempts = 0;
        loop {
            let error = match self.shared.inbox.store(messages, ranges).await {
                Ok(stored) => {
                    self.shared.board.clear(&Subject::Store);
                    self.shared.board.progress.stored(Instant::now());
                    return Ok(stored);
                }
                Err(error) => error,
            };
            if matches!(error, StoreError::OffsetBehind { .. }) {
                self.shared.set_back(&error);
                return Err(GivenUp::SetBack);
            }
            self.shared.metrics.store_failed(error.code().as_str());
            match error {
                StoreError::RowRefused { .. } if !messages.is_empty() => {
                    return Err(GivenUp::Refused(error));
                }
                _ => self.wait(&error, attempts).await?,
            }
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
    /// kept, and each piece goes on from where the last one ended: the database may be set back
    /// between two of them.
    async fn piecemeal(
        &self,
        batch: &mut Batch,
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, GivenUp> {
        let mut all = Vec::with_capacity(batch.len());
        let mut pieces = Vec::new();
        pieces.push(0..batch.len());
        let (mut rest, mut attempts) = (ranges.to_vec(), 0);
        while let Some(piece) = pieces.pop() {
            let reached = batch.reach(&piece, &rest);
            match self.attempt(&batch.messages[piece.clone()], &reached).await {
                Ok(stored) => {
                    all.extend(stored);
                    rest.iter_mut()
                        .zip(reached)
                        .for_each(|(rest, it)| rest.from = it.to.next_offset);
                }
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
                Err(given_up) => return Err(given_up),
            }
        }
        self.attempt(&[], &rest).await?;
        Ok(all)
    }
}

/// Says which partitions do not stand where they were left, if any.
fn lost(ours: &[SourceRange], known: &[SourceOffset]) -> Option<StoreError> {
    let refusal = |range: &SourceRange| {
        let SourceOffset { topic, partition, .. } = &range.to;
        let stored =
            known.iter().find(|known| known.topic == *topic && known.partition == *partition);
        (!range.goes_on_from(stored)).then(|| range.refusal(stored))
    };
    let refusals: Vec<String> = ours.iter().filter_map(refusal).collect();
    (!refusals.is_empty()).then(|| StoreError::OffsetBehind { what: refusals.join("; ") })
}

#[cfg(test)]
mod tests {
    use dipmo_inbound::Inbound;
    use dipmo_kafka::KafkaOptions;

    use super::*;
    use crate::SourceOptions;
    use crate::gated::Gated;
    use crate::offsets::{Ledger, Place};

    #[test]
    fn trap_9_a_partition_without_new_records_is_missed() {
        let mut ledger = Ledger::default();
        ledger.assign(Place::new("t", 0), 5, 0);
        ledger.assign(Place::new("t", 1), 7, 0);
        let ours = ledger.positions("g");
        let mut known: Vec<_> = ours.iter().map(|range| range.to.clone()).collect();
        assert_eq!(lost(&ours, &known), None);
        known[0].next_offset = 90;
        assert_eq!(lost(&ours, &known), None, "somebody else may have been faster");
        known[1].next_offset = 6;
        let what = "t[1]: 7 was next, the database has 6".to_owned();
        assert_eq!(lost(&ours, &known), Some(StoreError::OffsetBehind { what }));
        assert!(lost(&ours, &known[..1]).is_some());
    }

    #[tokio::test]
    async fn trap_9_a_partition_that_went_while_the_database_was_asked_is_not_missed() {
        let inbox = Arc::new(Gated::default());
        let options = SourceOptions::new(KafkaOptions::new("localhost:1"), "g", ["t"]);
        let shared = Arc::new(Shared::new(options, Inbound::new("test"), Arc::clone(&inbox) as _));
        let storing = Storing { shared: Arc::clone(&shared), stop: CancellationToken::new() };
        let set_backs = || shared.metrics.snapshot().database_set_back;
        let place = Place::new("t", 0);
        shared.ledger().assign(place.clone(), 7, 0);
        let meanwhile = async {
            inbox.asked.notified().await;
            shared.ledger().revoke(&place);
            inbox.let_go.notify_one();
        };
        let (looked, ()) = tokio::join!(storing.look_back(), meanwhile);
        assert!(looked.is_ok());
        assert_eq!(set_backs(), 0);
        // One that is still ours is.
        shared.ledger().assign(place, 7, 0);
        inbox.let_go.notify_one();
        assert!(storing.look_back().await.is_err());
        assert_eq!(set_backs(), 1);
    }
}
