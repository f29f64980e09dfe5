//! Messages into the inbox: all that wait go into one transaction, and each waiter hears of its own.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dipmo_domain::{Backoff, Coded as _, DedupeKey, StoreError};
use dipmo_inbox::{NewMessage, Stored};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::door::{Fate, Shared, Waiter, Waiting};
use crate::metrics::count;

/// As long as somebody waits.
const RETRY: Backoff = Backoff::Exponential {
    first: Duration::from_millis(50),
    longest: Duration::from_secs(1),
    retries: u32::MAX,
};

/// The time between two looks at a database that is in trouble and that nobody waits for.
const LOOK: Duration = Duration::from_secs(1);

/// So many rows in a row are not refused for what they are.
const SEVERAL: usize = 5;

/// Messages that go together, and who waits for each.
#[derive(Default)]
struct Piece {
    messages: Vec<NewMessage>,
    waiters: Vec<Waiter>,
}

/// What became of a batch.
#[derive(Default)]
struct Ended {
    stored: usize,
    /// Who waits for rows that were refused; they are not told before it is known whether all were.
    refused: Vec<Waiter>,
    /// Why the last of them was.
    why: Option<StoreError>,
}

/// Stores what waits until nobody is left who could bring more.
pub(crate) async fn run(shared: Arc<Shared>, mut queue: mpsc::Receiver<Waiting>) {
    let mut in_a_row = 0;
    while let Some(first) = next(&shared, &mut queue).await {
        let mut piece = Piece::default();
        piece.push(first);
        while piece.messages.len() < shared.limits.batch.max(1) {
            let Ok(next) = queue.try_recv() else { break };
            piece.push(next);
        }
        let ended = store(&shared, piece).await;
        // Where others were taken, the refused were refused for what they are.
        in_a_row = if ended.stored > 0 { 0 } else { in_a_row + ended.refused.len() };
        refuse(&shared, ended, in_a_row);
        shared.away.store(false, Ordering::Relaxed);
    }
}

/// The next that waits. After trouble nobody may come until it is known to be over, since an instance
/// that is not ready is sent nothing: so the database is looked at.
async fn next(shared: &Shared, queue: &mut mpsc::Receiver<Waiting>) -> Option<Waiting> {
    loop {
        if !shared.board.is_up() {
            return queue.recv().await;
        }
        tokio::select! {
            biased;
            next = queue.recv() => return next,
            () = look(shared) => {}
        }
    }
}

async fn look(shared: &Shared) {
    sleep(LOOK).await;
    let nothing = [DedupeKey::of(&shared.source_system, "")];
    let asked = timeout(shared.limits.answer_within, shared.inbox.whereabouts(&nothing));
    if matches!(asked.await, Ok(Ok(_))) {
        shared.board.clear();
    }
}

/// Tells whose rows were refused. Where no row of many is taken it is the database that is wrong, and
/// nobody is to throw their request away for it.
fn refuse(shared: &Shared, ended: Ended, in_a_row: usize) {
    let Some(StoreError::RowRefused { statement, problem }) = ended.why else { return };
    let problem = without_quoted(&problem);
    if let Some(times) = shared.told.refused.line() {
        tracing::warn!(statement, problem, times, "the database refuses rows of the HTTP source");
    }
    let all = ended.stored == 0 && (ended.refused.len() > 1 || in_a_row >= SEVERAL);
    let fate = if all { Fate::NotTaken } else { Fate::Refused };
    if all {
        let error = StoreError::RowRefused { statement, problem };
        shared.board.raise(error.code(), &error.to_string());
    }
    for waiter in ended.refused {
        // Who has gone meanwhile asks again.
        let _ = waiter.answer.send(fate);
    }
}

/// What a database says, without what stands in quotes: it may be a value.
fn without_quoted(message: &str) -> String {
    match (message.find('"'), message.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}…{}", &message[..=first], &message[last..])
        }
        _ => message.to_owned(),
    }
}

/// Stores a batch. A row that the database refuses is found by halves, and fails alone. While the
/// database does not answer, those who have waited long enough leave; the last one ends it.
async fn store(shared: &Shared, batch: Piece) -> Ended {
    let (mut pieces, mut attempts) = (vec![batch], 0);
    let mut ended = Ended::default();
    while let Some(mut piece) = pieces.pop() {
        let left = piece.drop_left();
        shared.metrics.change(|figures| figures.abandoned += count(left));
        if piece.messages.is_empty() {
            continue;
        }
        match attempt(shared, &piece.messages).await {
            Ok(stored) => {
                ended.stored += stored.len();
                piece.tell(stored.into_iter().map(Fate::Stored));
            }
            Err(error @ StoreError::RowRefused { .. }) if piece.messages.len() == 1 => {
                ended.refused.extend(piece.waiters);
                ended.why = Some(error);
            }
            Err(StoreError::RowRefused { .. }) => {
                let later = piece.split();
                pieces.extend([later, piece]);
            }
            Err(_) => {
                pieces.push(piece);
                let delay = RETRY.delay(attempts, fastrand::u64(..)).unwrap_or_default();
                attempts += 1;
                sleep(delay).await;
            }
        }
    }
    ended
}

/// One transaction. One that takes longer than anybody waits for is trouble before it has ended.
async fn attempt(shared: &Shared, messages: &[NewMessage]) -> Result<Vec<Stored>, StoreError> {
    let began = Instant::now();
    let mut storing = std::pin::pin!(shared.inbox.store(messages, &[]));
    let stored = match timeout(shared.limits.answer_within, &mut storing).await {
        Ok(stored) => stored,
        Err(_) => {
            let problem = "no answer in time".to_owned();
            trouble(shared, &StoreError::Busy { statement: "store", problem });
            storing.await
        }
    };
    match &stored {
        Ok(stored) => {
            shared.away.store(false, Ordering::Relaxed);
            shared.board.clear();
            shared.metrics.batch(stored, began.elapsed());
        }
        Err(error) => {
            let code = error.code().as_str();
            shared.metrics.change(|figures| *figures.store_errors.entry(code).or_default() += 1);
            if !matches!(error, StoreError::RowRefused { .. }) {
                trouble(shared, error);
            }
        }
    }
    stored
}

fn trouble(shared: &Shared, error: &StoreError) {
    shared.away.store(true, Ordering::Relaxed);
    shared.board.raise(error.code(), &error.to_string());
}

impl Piece {
    fn push(&mut self, waiting: Waiting) {
        self.messages.push(waiting.message);
        self.waiters.push(waiting.waiter);
    }

    /// Lets go of messages that nobody waits for any more: whoever sent them was told to come back,
    /// and may have. Returns how many that were.
    fn drop_left(&mut self) -> usize {
        let before = self.messages.len();
        let stay: Vec<bool> = self.waiters.iter().map(|it| !it.answer.is_closed()).collect();
        let (mut of_message, mut of_waiter) = (stay.iter(), stay.iter());
        self.messages.retain(|_| of_message.next() == Some(&true));
        self.waiters.retain(|_| of_waiter.next() == Some(&true));
        before - self.messages.len()
    }

    /// Takes the second half out.
    fn split(&mut self) -> Self {
        let middle = self.messages.len() / 2;
        Self { messages: self.messages.split_off(middle), waiters: self.waiters.split_off(middle) }
    }

    fn tell(self, fates: impl IntoIterator<Item = Fate>) {
        for (waiter, fate) in self.waiters.into_iter().zip(fates) {
            // Who has gone meanwhile asks again.
            let _ = waiter.answer.send(fate);
        }
    }
}

#[cfg(test)]
mod tests {
    use dipmo_inbox::{Identity, Record};
    use tokio::sync::{Semaphore, oneshot};

    use super::*;

    fn waiting(number: i64, memory: &Arc<Semaphore>) -> (Waiting, oneshot::Receiver<Fate>) {
        let record = Record { offset: number, ..Record::default() };
        let message = NewMessage::from_record(&record, &Identity::default());
        let (answer, fate) = oneshot::channel();
        let room = Arc::clone(memory).try_acquire_owned().unwrap();
        (Waiting { message, waiter: Waiter::new(answer, room) }, fate)
    }

    fn offsets(piece: &Piece) -> Vec<i64> {
        piece.messages.iter().map(|message| message.offset).collect()
    }

    #[test]
    fn who_has_left_is_not_stored() {
        let memory = Arc::new(Semaphore::new(4));
        let mut piece = Piece::default();
        let mut fates: Vec<_> = (0..4)
            .map(|number| {
                let (waiting, fate) = waiting(number, &memory);
                piece.push(waiting);
                Some(fate)
            })
            .collect();
        fates[0] = None;
        fates[2] = None;
        assert_eq!(memory.available_permits(), 0, "memory is free when a message is gone");
        assert_eq!((piece.drop_left(), memory.available_permits()), (2, 2));
        assert_eq!((offsets(&piece), piece.waiters.len()), (vec![1, 3], 2));
        let later = piece.split();
        assert_eq!((offsets(&piece), offsets(&later)), (vec![1], vec![3]));
        later.tell([Fate::Refused]);
        assert_eq!(fates[3].as_mut().unwrap().try_recv(), Ok(Fate::Refused));
        assert!(fates[1].as_mut().unwrap().try_recv().is_err());
        assert_eq!(memory.available_permits(), 3);
    }

    #[test]
    fn no_value_is_said() {
        assert_eq!(without_quoted(r#"bad "4111" and "x" here"#), r#"bad "…" here"#);
        assert_eq!(without_quoted("too \"long"), "too \"long");
    }
}
