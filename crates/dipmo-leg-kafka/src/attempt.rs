//! What a record in a retry topic says about itself: where it came from, which attempt is next, and
//! when that is due.
//!
//! Its own headers come first, then the block of the constants below, which begins with [`TOPIC`].
//! Key and value are untouched. When it is read, the block is taken off: a transform sees the record
//! as it was delivered first.

use dipmo_domain::{Failure, Header, Headers};
use dipmo_inbox::Record;

use crate::chain::Chain;

/// The topic that the record came from first; the first header of the block.
pub const TOPIC: &str = "dipmo-retry-topic";
/// Its partition there.
pub const PARTITION: &str = "dipmo-retry-partition";
/// Its offset there.
pub const OFFSET: &str = "dipmo-retry-offset";
/// The broker's timestamp there, in milliseconds; `-1` is none.
pub const TIMESTAMP: &str = "dipmo-retry-timestamp";
/// How many attempts failed.
pub const ATTEMPTS: &str = "dipmo-retry-attempts";
/// When the next is due, in milliseconds since 1970.
pub const DUE: &str = "dipmo-retry-due";
/// Why the last failed, as a code.
pub const ERROR_CODE: &str = "dipmo-retry-error-code";
/// Why the last failed, in words.
pub const ERROR_MESSAGE: &str = "dipmo-retry-error-message";

const BLOCK: [&str; 8] =
    [TOPIC, PARTITION, OFFSET, TIMESTAMP, ATTEMPTS, DUE, ERROR_CODE, ERROR_MESSAGE];

/// A record before an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// As it was delivered first.
    pub(crate) record: Record,
    /// The topic of the leg whose chain it is in. Where it goes next hangs on this, and never on what
    /// a header says: whoever may write to a retry topic could name any other.
    pub(crate) origin: String,
    /// Attempts that failed before.
    pub(crate) failed: u32,
    /// When it is due, in milliseconds since 1970; 0 is at once.
    pub(crate) due_millis: i64,
}

impl Attempt {
    /// Reads a record of a topic that is the `number`th of a chain. One that somebody else wrote
    /// there is due at once, and comes from where it lies. None waits longer than the chain says.
    pub(crate) fn of(record: Record, (origin, number): (&str, u32), chain: &Chain) -> Self {
        let (failed, origin) = (number, origin.to_owned());
        if number == 0 {
            return Self { record, origin, failed, due_millis: 0 };
        }
        let headers = record.headers.as_slice();
        let at = headers.iter().rposition(|header| header.name == TOPIC);
        let place = at.and_then(|at| Some((at, place(&headers[at..])?)));
        let Some((at, place)) = place.filter(|(_, place)| place.is_of(&origin)) else {
            return Self { record, origin, failed, due_millis: 0 };
        };
        let longest = i64::try_from(chain.longest_delay().as_millis()).unwrap_or(i64::MAX);
        let latest = record.timestamp_millis.max(0).saturating_add(longest);
        let (own, block) = headers.split_at(at);
        let added = block.iter().filter(|header| !BLOCK.contains(&header.name.as_str()));
        let own = Headers::new(own.iter().chain(added).cloned().collect());
        let Place { topic, partition, offset, timestamp_millis, due_millis } = place;
        let record = Record { topic, partition, offset, timestamp_millis, headers: own, ..record };
        Self { record, origin, failed, due_millis: due_millis.min(latest) }
    }

    /// The headers with which it waits for another attempt.
    pub(crate) fn headers(&self, failure: &Failure, due_millis: i64) -> Headers {
        let record = &self.record;
        let mut all = record.headers.as_slice().to_vec();
        let mut add = |name: &str, value: &str| {
            let value = Some(value.as_bytes().to_vec());
            all.push(Header { name: name.to_owned(), value });
        };
        add(TOPIC, &record.topic);
        add(PARTITION, &record.partition.to_string());
        add(OFFSET, &record.offset.to_string());
        add(TIMESTAMP, &record.timestamp_millis.to_string());
        add(ATTEMPTS, &(self.failed + 1).to_string());
        add(DUE, &due_millis.to_string());
        add(ERROR_CODE, failure.code());
        add(ERROR_MESSAGE, failure.message());
        Headers::new(all)
    }
}

struct Place {
    topic: String,
    partition: i32,
    offset: i64,
    timestamp_millis: i64,
    due_millis: i64,
}

impl Place {
    /// Whether it is of a topic, or was first met in a retry topic of it.
    fn is_of(&self, origin: &str) -> bool {
        let rest = self.topic.strip_prefix(origin);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("-retry-"))
    }
}

/// What a block says; `None` when it is not whole.
fn place(block: &[Header]) -> Option<Place> {
    let text = |name: &str| {
        let header = block.iter().find(|header| header.name == name)?;
        str::from_utf8(header.value.as_deref()?).ok()
    };
    Some(Place {
        topic: text(TOPIC)?.to_owned(),
        partition: text(PARTITION)?.parse().ok()?,
        offset: text(OFFSET)?.parse().ok()?,
        timestamp_millis: text(TIMESTAMP)?.parse().ok()?,
        due_millis: text(DUE)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(record: Record, number: u32) -> Attempt {
        let retries = "fixed(5s, 3)".parse().unwrap();
        let chain = Chain { retries, dead_letters: "-dlt".to_owned() };
        Attempt::of(record, ("orders", number), &chain)
    }

    fn record() -> Record {
        Record {
            topic: "orders".to_owned(),
            partition: 3,
            offset: 41,
            key: Some(vec![0xff]),
            headers: Headers::default().with("a", "1").with("a", "2"),
            timestamp_millis: 7,
            value: Some(b"{}".to_vec()),
        }
    }

    #[test]
    fn what_waited_is_what_came_first() {
        let first = attempt(record(), 0);
        let failure = Failure::new("busy", "not now");
        let headers = first.headers(&failure, 5_000);
        let retried = Record {
            topic: "orders-retry-1".to_owned(),
            partition: 0,
            offset: 9,
            headers,
            ..record()
        };
        let again = attempt(retried, 1);
        assert_eq!(again, Attempt { failed: 1, due_millis: 5_000, ..attempt(record(), 0) });
        // Once more: the block does not grow.
        let headers = again.headers(&failure, 9_000);
        assert_eq!(headers.as_slice().len(), 2 + BLOCK.len());
        assert_eq!(headers.text(ATTEMPTS), Some("2"));
    }

    #[test]
    fn a_header_that_somebody_added_behind_is_kept() {
        let headers = attempt(record(), 0).headers(&Failure::new("c", "m"), 1);
        let traced = Record { headers: headers.with("trace", "t"), ..record() };
        let kept = attempt(traced, 1).record.headers;
        assert_eq!(kept, record().headers.with("trace", "t"));
    }

    #[test]
    fn what_somebody_else_wrote_to_a_retry_topic_is_due_at_once() {
        let strange = Record { topic: "orders-retry-2".to_owned(), ..record() };
        let met = attempt(strange.clone(), 2);
        assert_eq!((met.failed, met.due_millis, met.origin.as_str()), (2, 0, "orders"));
        // Once it was retried it is as any other.
        let headers = met.headers(&Failure::new("busy", "not now"), 100);
        let again = Record { topic: "orders-retry-3".to_owned(), headers, ..record() };
        assert_eq!(attempt(again, 3).record, strange);
    }

    #[test]
    fn what_a_header_claims_leads_nowhere_else_and_holds_nobody_up() {
        let mut foreign = attempt(record(), 0);
        foreign.record.topic = "salaries".to_owned();
        let headers = foreign.headers(&Failure::new("busy", "not now"), 5_000);
        let claims = Record { topic: "orders-retry-1".to_owned(), headers, ..record() };
        let met = attempt(claims.clone(), 1);
        assert_eq!((met.record, met.origin.as_str(), met.due_millis), (claims, "orders", 0));

        let headers = attempt(record(), 0).headers(&Failure::new("busy", "not now"), i64::MAX);
        let far = Record { headers, timestamp_millis: 1_000, ..record() };
        assert_eq!(attempt(far, 1).due_millis, 6_000);
    }
}
