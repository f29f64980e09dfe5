//! What is done when a transaction ended: counting, telling, and who is suspected.

use std::time::Duration;

use dipmo_domain::{Backoff, Code, Coded as _, Failure};
use dipmo_kafka::{KafkaError, Place, Subject};

use crate::metrics::{Snapshot, count};
use crate::outcome::Fate;
use crate::shared::Shared;
use crate::suspects::Suspects;
use crate::transaction::{Aborted, Ended, Open, Ranges};

/// How long to wait after a transaction that was aborted for a reason.
const AFTER_ABORT: Backoff = Backoff::Exponential {
    first: Duration::from_millis(100),
    longest: Duration::from_secs(5),
    retries: u32::MAX,
};

/// What is remembered of earlier transactions.
#[derive(Debug, Default)]
pub(crate) struct Endings {
    pub(crate) suspects: Suspects,
    /// Aborted for a reason, since one was committed.
    in_a_row: u32,
    wait: bool,
}

impl Endings {
    /// Takes note of an end. Returns what is to be read again; `None` when this membership cannot go
    /// on.
    pub(crate) fn took_note(&mut self, shared: &Shared, ended: Ended) -> Option<Ranges> {
        match ended {
            Ended::Committed { open, commit } => {
                self.committed(shared, &open, commit);
                Some(Ranges::new())
            }
            Ended::Aborted(aborted) => Some(self.aborted(shared, aborted)),
            Ended::Lost { problem, fenced } => {
                // Whether it was committed is not known, so it is counted as neither.
                shared.metrics.change(|figures| figures.fenced += u64::from(fenced));
                shared.board.raise(Subject::Group, problem.code(), &problem.to_string());
                None
            }
        }
    }

    /// Nothing is known of a partition that is somebody else's.
    pub(crate) fn forget(&mut self, place: &Place) {
        self.suspects.forget(place);
    }

    /// How long to wait before the next transaction, when the last was aborted for a reason.
    pub(crate) fn pause(&mut self) -> Option<Duration> {
        let wait = std::mem::take(&mut self.wait);
        wait.then(|| AFTER_ABORT.delay(self.in_a_row, fastrand::u64(..))).flatten()
    }

    fn committed(&mut self, shared: &Shared, open: &Open, commit: Duration) {
        self.in_a_row = 0;
        for place in self.suspects.committed(&open.ranges) {
            shared.board.clear(&Subject::Partition(place));
        }
        shared.board.clear(&Subject::Store);
        let mut positions = shared.positions();
        for (place, (_, next)) in &open.ranges {
            if let Some(position) = positions.get_mut(place) {
                *position = Some(*next);
            }
        }
        drop(positions);
        shared.metrics.change(|figures| {
            figures.committed += 1;
            figures.records_in += count(open.records);
            figures.records_out += count(open.sent);
            figures.transaction.add(open.began.elapsed());
            figures.commit.add(commit);
            open.fates.iter().for_each(|fate| tally(figures, fate));
        });
    }

    fn aborted(&mut self, shared: &Shared, aborted: Aborted) -> Ranges {
        let Aborted { ranges, problem, fenced, company } = aborted;
        shared.metrics.change(|figures| {
            figures.aborted += 1;
            figures.fenced += u64::from(fenced);
        });
        let Some(problem) = problem else { return ranges };
        tracing::warn!(code = problem.code().as_str(), %problem, "a transaction was aborted");
        if fenced {
            return ranges;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.wait = true;
        if let KafkaError::RecordTooLarge { .. } | KafkaError::RecordRefused { .. } = problem {
            let refused = self.suspects.refused(&ranges, company, &Failure::from(&problem));
            if let Some(place) = refused {
                let message = format!("a dead letter of {place} is refused: {problem}");
                let code = Code::new("kafka-dead-letter-refused");
                shared.board.raise(Subject::Partition(place), code, &message);
            }
        }
        ranges
    }
}

fn tally(figures: &mut Snapshot, fate: &Fate) {
    match fate {
        Fate::Sent => {}
        Fate::Dropped => figures.dropped += 1,
        Fate::Retried => figures.retried += 1,
        Fate::DeadLettered(code) => {
            *figures.dead_lettered.entry(code.clone()).or_default() += 1;
        }
    }
}
