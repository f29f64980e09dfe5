//! What failed, and why: groups of failures that differ in their words, each with an own number in its message.

use dipmo_domain::{ErrorStage, Failure, Fingerprint};
use dipmo_store::Side;

use super::{Past, Sent, Stands, Unit};

/// Groups of messages that failed; those that are retried are in the first few of them.
const GROUPS: u64 = 20;
const RETRYING_GROUPS: u64 = 5;

/// Groups of units that failed.
const UNIT_GROUPS: u64 = 5;

/// `ERROR_CODE` of two groups each.
const CODES: u64 = 10;

/// `ERROR_CODE` of what could not be decoded.
pub(in crate::operate) const SERDE_CODE: &str = "json-invalid";

/// `ERROR_CODE` of all units that failed.
pub(in crate::operate) const SALESFORCE_CODE: &str = "FIELD_CUSTOM_VALIDATION_EXCEPTION";

/// A failure with all that its group is made of.
pub(in crate::operate) struct Group {
    pub(in crate::operate) side: Side,
    pub(in crate::operate) stage: Option<ErrorStage>,
    pub(in crate::operate) failure: Failure,
}

impl Group {
    /// What the group is called.
    pub(in crate::operate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self.side_name(), self.stage, &self.failure)
    }

    /// `inbox` or `outbox`.
    pub(in crate::operate) const fn side_name(&self) -> &'static str {
        match self.side {
            Side::Inbox => "inbox",
            Side::Outbox => "outbox",
        }
    }
}

impl Past {
    /// The last failure of a message, if it has one.
    pub(in crate::operate) fn failure(&self, number: u64) -> Option<Group> {
        let business = |group: u64| {
            let code = format!("order-refused-{}", letter(group % CODES));
            let rule = letter(group);
            let message = format!("order O-{number} breaks rule {rule} of the catalogue");
            (ErrorStage::Business, Failure::new(&code, &message))
        };
        let (stage, failure) = match self.stands(number) {
            Stands::Failed => business(number / 100 % GROUPS),
            Stands::Retrying => business(number / 500 % RETRYING_GROUPS),
            Stands::Undecodable => {
                let message = format!("expected value at line 1 column {}", number % 90 + 1);
                (ErrorStage::ConsumerSerde, Failure::new(SERDE_CODE, &message))
            }
            _ => return None,
        };
        Some(Group { side: Side::Inbox, stage: Some(stage), failure })
    }

    /// The last failure of a unit, if it has one.
    pub(in crate::operate) fn unit_failure(&self, unit: Unit) -> Option<Group> {
        let number = unit.number;
        let failure = match self.sent(unit)? {
            Sent::Failed => {
                let rule = letter(number / 500 % UNIT_GROUPS);
                let message = format!("record {number}: rule {rule} does not allow this value");
                Failure::new(SALESFORCE_CODE, &message)
            }
            Sent::Retrying => Failure::new("kafka-unavailable", "the broker does not answer"),
            Sent::Dispatched | Sent::Ready | Sent::Held { .. } => return None,
        };
        Some(Group { side: Side::Outbox, stage: None, failure })
    }
}

/// A word without a digit, which would be left out of the pattern.
fn letter(number: u64) -> char {
    (b'a'..=b'z').nth(usize::try_from(number).unwrap_or(0)).map_or('z', char::from)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use dipmo_domain::Timestamp;

    use super::*;

    #[test]
    fn what_fails_alike_is_one_group() {
        let past = Past::new(100_000, Timestamp::EPOCH);
        let messages = (0..past.count()).filter_map(|number| past.failure(number));
        let groups: HashSet<_> = messages.map(|group| group.fingerprint()).collect();
        assert_eq!(groups.len(), 21, "twenty, and one of what could not be decoded");
        let units = past.units_newest_first().filter_map(|unit| past.unit_failure(unit));
        let groups: HashSet<_> = units.map(|group| group.fingerprint()).collect();
        assert_eq!(groups.len(), 6, "five of Salesforce and one of Kafka");
    }
}
