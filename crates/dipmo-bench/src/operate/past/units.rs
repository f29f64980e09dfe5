//! What the messages caused: an intent for each that ended as DONE, some of them with two records.

use std::time::Duration;

use dipmo_domain::{OrderKey, OutboxId, OutboxStatus, Outcome, Timestamp};

use super::{Aggregate, BATCH, ID_BLOCK, Past, Stands, drawn};

/// Where records go.
pub(in crate::operate) const CONTACTS: &str = "HTTP:SFDC:Auto:Contact";
pub(in crate::operate) const TOPICS_OUT: [&str; 3] =
    ["KAFKA:orders-out", "KAFKA:audit", "KAFKA:billing"];

/// Of 5,000 messages, the one whose intent is tried again, and the one whose intent is held behind that.
pub(super) const RETRYING: u64 = 30;
pub(super) const HELD: u64 = RETRYING + BEHIND;
pub(super) const BEHIND: u64 = 100;

/// One message in so many has an intent with two records; of every tenth of these the first record failed.
const WITH_RECORDS: u64 = 50;
const FIRST_WITH_RECORDS: u64 = 21;
const RECORDS: u64 = 2;

/// The intents of the last so many messages of history are not tried yet, unless they have records.
const READY: u64 = 1_000;

/// Blocks of ids that the units of one transaction take: one for intents, one for records.
const BLOCKS: u64 = 2;

/// A unit: the intent of a message, or one record of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::operate) struct Unit {
    /// The number of the message.
    pub(in crate::operate) number: u64,
    /// Which of the records.
    pub(in crate::operate) record: Option<u64>,
}

/// Where a unit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::operate) enum Sent {
    /// Delivered at the first attempt.
    Dispatched,
    /// Refused for good; heads its key.
    Failed,
    /// Tried again in an hour; heads its key.
    Retrying,
    /// Waits behind another.
    Held {
        /// The number of the message of that one.
        head: u64,
    },
    /// Not tried yet.
    Ready,
}

impl Sent {
    /// `STATUS`.
    pub(in crate::operate) const fn status(self) -> OutboxStatus {
        match self {
            Self::Dispatched => OutboxStatus::Dispatched,
            Self::Failed => OutboxStatus::Failed,
            Self::Retrying | Self::Held { .. } | Self::Ready => OutboxStatus::Pending,
        }
    }
}

impl Past {
    /// The intent that a message caused has records.
    pub(in crate::operate) const fn has_records(number: u64) -> bool {
        number % WITH_RECORDS == FIRST_WITH_RECORDS
    }

    /// The units that a message caused, in the order of their ids.
    pub(in crate::operate) fn units_of(&self, number: u64) -> Vec<Unit> {
        let caused = self.stands(number) == Stands::Ended(Outcome::Done);
        match (caused, Self::has_records(number)) {
            (false, _) => Vec::new(),
            (true, false) => vec![Unit { number, record: None }],
            (true, true) => {
                (0..RECORDS).map(|record| Unit { number, record: Some(record) }).collect()
            }
        }
    }

    /// All units, the newest first.
    pub(in crate::operate) fn units_newest_first(&self) -> impl Iterator<Item = Unit> {
        (0..self.count().div_ceil(BATCH)).rev().flat_map(|batch| {
            let numbers = batch * BATCH..self.count().min((batch + 1) * BATCH);
            let mut units: Vec<_> = numbers.flat_map(|number| self.units_of(number)).collect();
            units.sort_by_key(|unit| std::cmp::Reverse(Self::unit_id(*unit)));
            units
        })
    }

    /// `ID` of the intent of a message.
    pub(in crate::operate) const fn intent_id(number: u64) -> OutboxId {
        let block = number / BATCH * ID_BLOCK * BLOCKS;
        OutboxId((block + number % BATCH + 1).cast_signed())
    }

    /// `ID` of a unit.
    pub(in crate::operate) const fn unit_id(unit: Unit) -> OutboxId {
        let Unit { number, record: Some(record) } = unit else {
            return Self::intent_id(unit.number);
        };
        let block = number / BATCH * ID_BLOCK * BLOCKS + ID_BLOCK;
        let place = number % BATCH / WITH_RECORDS * RECORDS + record;
        OutboxId((block + place + 1).cast_signed())
    }

    /// The unit with an id.
    pub(in crate::operate) const fn unit(id: OutboxId) -> Unit {
        let place = id.0.cast_unsigned() - 1;
        let (batch, place) = (place / (ID_BLOCK * BLOCKS), place % (ID_BLOCK * BLOCKS));
        match place.checked_sub(ID_BLOCK) {
            None => Unit { number: batch * BATCH + place, record: None },
            Some(place) => {
                let number = batch * BATCH + place / RECORDS * WITH_RECORDS + FIRST_WITH_RECORDS;
                Unit { number, record: Some(place % RECORDS) }
            }
        }
    }

    /// `CREATED_AT`.
    pub(in crate::operate) fn created_at(&self, number: u64) -> Timestamp {
        self.received_at(number).after(Duration::from_secs(1))
    }

    /// Where a unit stands; `None` when there is no such one.
    pub(in crate::operate) fn sent(&self, unit: Unit) -> Option<Sent> {
        let number = unit.number;
        if self.stands(number) != Stands::Ended(Outcome::Done) {
            return None;
        }
        Some(match (unit.record, number % 5_000) {
            (Some(0), _) if number % (WITH_RECORDS * 10) == FIRST_WITH_RECORDS => Sent::Failed,
            (None, RETRYING) => Sent::Retrying,
            (None, HELD) => Sent::Held { head: number - BEHIND },
            (None, _) if number + READY >= self.rows => Sent::Ready,
            _ => Sent::Dispatched,
        })
    }

    /// `DESTINATION` of the intent of a message.
    pub(in crate::operate) fn destination(number: u64) -> &'static str {
        match (Self::has_records(number), number % 5_000) {
            (true, _) => CONTACTS,
            (false, RETRYING | HELD) => TOPICS_OUT[0],
            _ => TOPICS_OUT[usize::try_from(drawn(number, 6, 3)).unwrap_or(0)],
        }
    }

    /// All destinations.
    pub(in crate::operate) fn destinations() -> impl Iterator<Item = &'static str> {
        TOPICS_OUT.into_iter().chain([CONTACTS])
    }

    /// `RECORD_KEY`.
    pub(in crate::operate) fn record_key(number: u64, record: u64) -> String {
        format!("contact-{number:09}-{record}")
    }

    /// What keeps a unit in order: its record, else the aggregate.
    pub(in crate::operate) fn unit_key(&self, unit: Unit) -> OrderKey {
        unit.record.map_or_else(
            || self.order_key(unit.number),
            |record| OrderKey::new(&Self::record_key(unit.number, record)),
        )
    }

    /// `AGGREGATE_ID` of the intent of a message.
    pub(in crate::operate) fn intent_aggregate(&self, number: u64) -> String {
        self.aggregate(number).map_or_else(String::new, Aggregate::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_in_the_order_of_their_ids_and_each_once() {
        let past = Past::new(100_000, Timestamp::EPOCH);
        let ids: Vec<_> = past.units_newest_first().map(|unit| Past::unit_id(unit).0).collect();
        let same = |unit| Past::unit(Past::unit_id(unit)) == unit;
        assert!(past.units_newest_first().all(same));
        assert!(ids.windows(2).all(|pair| pair[0] > pair[1]));
        let caused = (0..past.count()).map(|number| past.units_of(number).len()).sum::<usize>();
        assert_eq!(ids.len(), caused);
    }

    #[test]
    fn who_is_held_waits_for_one_of_its_key_and_destination() {
        let past = Past::new(100_000, Timestamp::EPOCH);
        let mut held = 0;
        for unit in past.units_newest_first() {
            let Some(Sent::Held { head }) = past.sent(unit) else { continue };
            let head = Unit { number: head, record: None };
            assert_eq!(past.sent(head), Some(Sent::Retrying));
            assert_eq!(past.unit_key(head), past.unit_key(unit));
            assert_eq!(Past::destination(head.number), Past::destination(unit.number));
            held += 1;
        }
        assert_eq!(held, 20);
    }

    #[test]
    fn a_record_in_ten_pairs_failed() {
        let past = Past::new(100_000, Timestamp::EPOCH);
        let failed =
            past.units_newest_first().filter(|unit| past.sent(*unit) == Some(Sent::Failed));
        assert_eq!(failed.count(), 200);
    }
}
