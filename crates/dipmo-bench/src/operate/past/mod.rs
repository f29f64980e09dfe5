//! The past that lists are read from: what each message is and where it stands, by its number.
//!
//! The fill writes what stands here, and the checks expect what stands here, so that a list with 10 M rows
//! behind it can be checked row by row without a second reading of the database.
//!
//! **Invariant:** all of it is a pure function of the number: two runs of one size have the same past.

mod failing;
mod units;

use std::time::Duration;

use dipmo_domain::{DedupeKey, InboxId, InboxStatus, Lane, OrderKey, Outcome, Timestamp};

use crate::chance::Chance;

pub(super) use failing::{Group, SALESFORCE_CODE, SERDE_CODE};
pub(super) use units::{CONTACTS, Sent, TOPICS_OUT, Unit};

/// Messages of one transaction; the store gives each transaction a block of 1,000 ids.
pub(super) const BATCH: u64 = 500;
const ID_BLOCK: u64 = 1_000;

/// How long the past is: it lies in the partitions of six months.
const LENGTH: Duration = Duration::from_secs(150 * 24 * 3_600);

/// How many ordinary aggregates there are.
const AGGREGATES: u64 = 200_000;

/// How many messages are held, and behind how many heads.
pub(super) const HELD: u64 = 1_000;
const HEADS: u64 = 100;
pub(super) const PARKED: u64 = 500;
pub(super) const READY: u64 = 5_000;

/// Where messages came from.
pub(super) const SOURCE: &str = "shop";
pub(super) const TOPICS: [&str; 5] = ["orders", "payments", "shipments", "returns", "customers"];

/// Event types; the last is rare: one message in 100,000.
pub(super) const TYPES: u64 = 20;
pub(super) const RARE_TYPE: u64 = TYPES - 1;

/// A word in the payload of one message in 1,000.
pub(super) const WORD: &str = "marmalade";

/// Where a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// It ended at the first attempt.
    Ended(Outcome),
    /// It failed for good, and heads its key.
    Failed,
    /// It is tried again in an hour, and heads its key.
    Retrying,
    /// It could not be decoded.
    Undecodable,
    /// It waits behind another.
    Held {
        /// The number of that one.
        head: u64,
    },
    /// It waits for a version that is missing.
    Parked,
    /// Nobody tried it yet.
    Ready,
}

impl Stands {
    /// `STATUS`.
    pub(super) const fn status(self) -> InboxStatus {
        match self {
            Self::Ended(_) => InboxStatus::Processed,
            Self::Failed => InboxStatus::Failed,
            Self::Retrying => InboxStatus::Retry,
            Self::Undecodable => InboxStatus::SerdeError,
            Self::Held { .. } | Self::Parked | Self::Ready => InboxStatus::Received,
        }
    }
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    /// One that a message in a hundred is about.
    Hot,
    /// One of many.
    Ordinary(u64),
    /// One that came with a message and has few others.
    Own(u64),
}

impl Aggregate {
    /// `AGGREGATE_ID`.
    pub(super) fn name(self) -> String {
        match self {
            Self::Hot => "acc-hot".to_owned(),
            Self::Ordinary(number) => format!("acc-{number:06}"),
            Self::Own(number) => format!("own-{number:09}"),
        }
    }
}

/// Messages of several months, and those of the last moments, which wait.
pub(super) struct Past {
    rows: u64,
    began: Timestamp,
}

impl Past {
    /// So many messages of history, the last of them a moment ago.
    pub(super) fn new(rows: u64, now: Timestamp) -> Self {
        let length = i64::try_from(LENGTH.as_micros()).unwrap_or(i64::MAX);
        let began = Timestamp::from_micros(now.as_micros() - length).unwrap_or(Timestamp::EPOCH);
        Self { rows, began }
    }

    /// When it began.
    pub(super) const fn began(&self) -> Timestamp {
        self.began
    }

    /// How many messages there are in all.
    pub(super) const fn count(&self) -> u64 {
        self.rows + HELD + PARKED + READY
    }

    /// A moment: so many hundredths of the way.
    pub(super) fn moment(&self, hundredths: u32) -> Timestamp {
        self.began.after(LENGTH * hundredths / 100)
    }

    /// `ID`.
    pub(super) const fn id(number: u64) -> InboxId {
        InboxId((number / BATCH * ID_BLOCK + number % BATCH + 1).cast_signed())
    }

    /// The number of a message, by its id.
    pub(super) const fn number(id: InboxId) -> u64 {
        let place = id.0.cast_unsigned() - 1;
        place / ID_BLOCK * BATCH + place % ID_BLOCK
    }

    /// `RECEIVED_AT`: the same for all of a transaction.
    pub(super) fn received_at(&self, number: u64) -> Timestamp {
        let batches = self.count().div_ceil(BATCH) + 1;
        let micros = u64::try_from(LENGTH.as_micros()).unwrap_or(u64::MAX) / batches;
        self.began.after(Duration::from_micros(micros * (number / BATCH)))
    }

    /// Where it stands.
    pub(super) fn stands(&self, number: u64) -> Stands {
        if let Some(late) = number.checked_sub(self.rows) {
            return match late {
                late if late < HELD => Stands::Held { head: self.head(late) },
                late if late < HELD + PARKED => Stands::Parked,
                _ => Stands::Ready,
            };
        }
        match number % 100 {
            13 => Stands::Failed,
            7 if number % 500 == 7 => Stands::Retrying,
            3 if number % 2_000 == 3 => Stands::Undecodable,
            77 => Stands::Ended(Outcome::Ignored),
            78 => Stands::Ended(Outcome::Duplicate),
            _ => Stands::Ended(Outcome::Done),
        }
    }

    /// The failed message that a held one waits for: one of the last of history.
    const fn head(&self, held: u64) -> u64 {
        (self.rows / 100 - 1 - held % HEADS) * 100 + 13
    }

    /// What it is about. What heads a key heads one of its own, so that nothing has overtaken it; what could
    /// not be decoded is about nothing that is known.
    pub(super) fn aggregate(&self, number: u64) -> Option<Aggregate> {
        Some(match self.stands(number) {
            Stands::Undecodable => return None,
            Stands::Held { head } => Aggregate::Own(head),
            Stands::Failed | Stands::Retrying | Stands::Parked => Aggregate::Own(number),
            Stands::Ended(_) | Stands::Ready => match (number % 5_000, number % 100) {
                (units::RETRYING, _) => Aggregate::Own(number),
                (units::HELD, _) => Aggregate::Own(number - units::BEHIND),
                (_, 50) => Aggregate::Hot,
                _ => Aggregate::Ordinary(drawn(number, 1, AGGREGATES)),
            },
        })
    }

    /// What keeps it in order: the aggregate, else the key of the record.
    pub(super) fn order_key(&self, number: u64) -> OrderKey {
        let key = self.aggregate(number).map_or_else(|| format!("key-{number}"), Aggregate::name);
        OrderKey::new(&key)
    }

    /// `LANE`.
    pub(super) fn lane(&self, number: u64) -> Lane {
        self.order_key(number).lane()
    }

    /// The place of its topic in [`TOPICS`].
    pub(super) fn topic(number: u64) -> usize {
        usize::try_from(drawn(number, 2, 5)).unwrap_or(0)
    }

    /// Which of the event types it is.
    pub(super) const fn event_type(number: u64) -> u64 {
        if drawn(number, 3, 100_000) == 0 { RARE_TYPE } else { drawn(number, 4, RARE_TYPE) }
    }

    /// `EVENT_TYPE` of one of them.
    pub(super) fn type_name(event_type: u64) -> String {
        format!("Order.Step{event_type:02}")
    }

    /// `MESSAGE_ID`: it grows with time.
    pub(super) fn message_id(number: u64) -> String {
        let hex = format!("{:012x}", 1_700_000_000_000 + number);
        format!("{}-{}-7000-a000-{number:012x}", &hex[..8], &hex[8..])
    }

    /// What recognises it again.
    pub(super) fn dedupe_key(number: u64) -> DedupeKey {
        DedupeKey::of(SOURCE, &Self::message_id(number))
    }

    /// True when [`WORD`] is in its payload.
    pub(super) const fn has_word(number: u64) -> bool {
        drawn(number, 5, 1_000) == 0
    }

    /// `PAYLOAD`: about 300 bytes.
    pub(super) fn payload(number: u64) -> String {
        let word = if Self::has_word(number) { WORD } else { "bread" };
        let lines = Chance::new(number).hex(200);
        format!(r#"{{"orderId":"O-{number}","item":"{word}","quantity":1,"lines":"{lines}"}}"#)
    }
}

/// A number below `end` that depends on nothing but a message and what is drawn for it.
pub(super) const fn drawn(number: u64, what: u64, end: u64) -> u64 {
    Chance::new(number * 8 + what).below(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past() -> Past {
        Past::new(100_000, Timestamp::from_micros(1_800_000_000_000_000).unwrap())
    }

    #[test]
    fn ids_have_gaps_and_lead_back_to_their_numbers() {
        assert_eq!([0, 499, 500].map(|number| Past::id(number).0), [1, 500, 1_001]);
        for number in [0, 499, 500, 12_345, 100_001] {
            assert_eq!(Past::number(Past::id(number)), number);
        }
    }

    #[test]
    fn every_kind_is_there_in_its_share() {
        let past = past();
        let count = |status| {
            (0..past.count()).filter(|number| past.stands(*number).status() == status).count()
        };
        assert_eq!(count(InboxStatus::Failed), 1_000);
        assert_eq!(count(InboxStatus::Retry), 200);
        assert_eq!(count(InboxStatus::SerdeError), 50);
        assert_eq!(count(InboxStatus::Received), 6_500);
    }

    #[test]
    fn who_is_held_has_the_key_of_a_head_that_failed() {
        let past = past();
        for held in 100_000..100_000 + HELD {
            let Stands::Held { head } = past.stands(held) else { panic!("{held} is not held") };
            assert_eq!(past.stands(head), Stands::Failed);
            assert_eq!(past.order_key(head), past.order_key(held));
        }
    }

    #[test]
    fn time_grows_to_the_present_and_no_further() {
        let past = past();
        let last = past.received_at(past.count() - 1);
        assert!(last < past.moment(100) && past.received_at(0) == past.began());
    }
}
