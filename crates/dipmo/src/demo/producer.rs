//! The producer: sends stories at a rate, in bursts, and keeps the book.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dipmo_domain::StoreError;
use dipmo_inbox::NewMessage;
use dipmo_store::Store;
use tokio_util::sync::CancellationToken;

use super::book::Book;
use super::failed::for_people;
use super::progress::Progress;
use super::sender::Sender;
use super::stories::{Answer, Author, Send};

/// How often it sends.
const TICK: Duration = Duration::from_millis(10);
/// At most so many records at once.
const MOST_AT_ONCE: usize = 1_000;
/// So long is nothing sent at the end of each two seconds; what was missed follows in one burst.
const LULL: Duration = Duration::from_millis(300);

/// Sends what its author tells, until its time is over or it is stopped.
pub(crate) struct Producer {
    sender: Sender,
    /// For what other parts of the program say, which need no Kafka.
    store: Arc<dyn Store>,
    progress: Arc<Progress>,
    author: Author,
    book: Book,
    /// What is to be sent, by when and in which order it was told.
    due: BTreeMap<(Duration, u64), Send>,
    told: u64,
    sent: u64,
}

impl Producer {
    pub(crate) fn new(
        sender: Sender,
        store: Arc<dyn Store>,
        progress: Arc<Progress>,
        author: Author,
    ) -> Self {
        let (book, due) = (Book::default(), BTreeMap::new());
        Self { sender, store, progress, author, book, due, told: 0, sent: 0 }
    }

    /// Sends for so long, then ends all stories that have begun, and answers with the book.
    pub(crate) async fn run(
        mut self,
        rate: u32,
        duration: Duration,
        stop: CancellationToken,
    ) -> Result<Book> {
        let began = Instant::now();
        while began.elapsed() < duration && !stop.is_cancelled() {
            let now = began.elapsed();
            let wanted = wanted(rate, now).saturating_sub(self.sent);
            let batch = self.take(now, usize::try_from(wanted).unwrap_or(MOST_AT_ONCE));
            self.send(batch).await?;
            tokio::select! {
                () = tokio::time::sleep(TICK) => {}
                () = stop.cancelled() => {}
            }
        }
        // No gap stays open and no story without its end.
        while !self.due.is_empty() {
            let batch = self.take_told(Duration::MAX, MOST_AT_ONCE);
            self.send(batch).await?;
        }
        self.sender.acknowledged().await?;
        Ok(self.book)
    }

    /// Up to so many records: those that are due, and new stories.
    fn take(&mut self, now: Duration, wanted: usize) -> Vec<Send> {
        let wanted = wanted.min(MOST_AT_ONCE);
        let mut batch = self.take_told(now, wanted);
        while batch.len() < wanted {
            self.begin_story(now);
            batch.extend(self.take_told(now, wanted - batch.len()));
        }
        batch
    }

    fn take_told(&mut self, now: Duration, most: usize) -> Vec<Send> {
        let mut batch = Vec::new();
        while batch.len() < most
            && let Some(first) = self.due.first_entry()
            && first.key().0 <= now
        {
            batch.push(first.remove());
        }
        batch
    }

    fn begin_story(&mut self, now: Duration) {
        let story = self.author.next_story();
        self.book.promises.push(story.promise);
        for send in story.sends {
            self.told += 1;
            self.due.insert((now + send.after, self.told), send);
        }
    }

    /// Sends a batch. What comes from inside is stored at once, all else goes over Kafka.
    async fn send(&mut self, batch: Vec<Send>) -> Result<()> {
        let first = self.sent;
        self.sent += batch.len() as u64;
        let (inside, outside): (Vec<_>, Vec<_>) = batch.into_iter().partition(Send::is_from_inside);
        self.store_all(&inside, first).await.map_err(|error| for_people(&error))?;
        self.sender.send(&outside).await
    }

    /// Stores a batch. One that failed is stored again: whatever was stored of it is recognised.
    async fn store_all(&self, batch: &[Send], first: u64) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let offsets = (first..).map(|offset| i64::try_from(offset).unwrap_or(i64::MAX));
        let messages: Vec<NewMessage> =
            batch.iter().zip(offsets).map(|(send, offset)| send.message(offset)).collect();
        let mut patience = 20;
        let answers = loop {
            match self.store.store(&messages, &[]).await {
                Ok(answers) => break answers,
                Err(error) if error.is_transient() && patience > 0 => {
                    patience -= 1;
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                Err(error) => return Err(error),
            }
        };
        let answers: Vec<Answer> = answers.iter().map(Answer::of).collect();
        self.progress.sent(batch.len() as u64, 0);
        self.progress.answers(&answers.iter().copied().zip(&messages).collect::<Vec<_>>(), 0);
        for (send, answer) in batch.iter().zip(answers) {
            self.progress.compare(send.id(), answer, send.answer);
        }
        Ok(())
    }
}

/// How many records should have been sent by now: a steady rate, with a lull every two seconds.
fn wanted(rate: u32, now: Duration) -> u64 {
    let round = Duration::from_secs(2);
    let begun = Duration::from_nanos((now.as_nanos() % round.as_nanos()) as u64);
    let quiet = begun.saturating_sub(round - LULL);
    let counted = now.saturating_sub(quiet);
    (counted.as_secs_f64() * f64::from(rate)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_lull_everything_that_was_missed_is_wanted_at_once() {
        let at = |millis| wanted(1_000, Duration::from_millis(millis));
        assert_eq!((at(1_000), at(1_700), at(1_999), at(2_001)), (1_000, 1_700, 1_700, 2_001));
    }
}
