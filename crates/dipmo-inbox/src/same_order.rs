//! By which columns a store finds the messages that are in order with one.

use dipmo_domain::OrderKey;

use crate::NewMessage;
use crate::originals::fit_key;

/// What the rows of one order key have in their columns: either this aggregate, or no aggregate and
/// this key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameOrder {
    /// `AGGREGATE_ID`.
    pub aggregate_id: String,
    /// `KEY_STR` of those that have no aggregate.
    pub key_str: String,
    /// `keyBase64` in `ORIGINALS` of those: two keys that are no text may look the same in `KEY_STR`.
    pub key_base64: Option<String>,
}

impl NewMessage {
    /// Where the messages are that are in order with this one; `None` when it is alone.
    #[must_use]
    pub fn same_order(&self) -> Option<SameOrder> {
        let aggregate_id = self.order_key.as_ref().map(OrderKey::as_str)?.to_owned();
        let whole = self.originals.aggregate_id.as_ref().or(self.aggregate_id.as_ref());
        let (key_str, key_base64) = if let Some(id) = whole {
            let mut key_base64 = None;
            (fit_key(id.as_bytes(), &mut key_base64), key_base64)
        } else {
            (self.key_str.clone()?, self.originals.key_base64.clone())
        };
        Some(SameOrder { aggregate_id, key_str, key_base64 })
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{InboxId, Json, Timestamp};

    use super::*;
    use crate::{Identity, Message, Record};

    fn message(aggregate: Option<&str>, key: Option<&[u8]>) -> NewMessage {
        let record = Record { key: key.map(<[u8]>::to_vec), ..Record::default() };
        let aggregate_id = aggregate.map(str::to_owned);
        let identity = Identity { aggregate_id, ..Identity::default() };
        NewMessage::decoded(&record, &identity, Json::null())
    }

    fn is_found(row: &Message, by: &SameOrder) -> bool {
        match &row.aggregate_id {
            Some(id) => *id == by.aggregate_id,
            None => {
                row.key_str.as_ref() == Some(&by.key_str)
                    && row.originals.key_base64 == by.key_base64
            }
        }
    }

    #[test]
    fn trap_12_the_rows_of_an_order_key_are_found_and_no_others() {
        let (long, longer) = ("x".repeat(300), "x".repeat(5_000));
        let mut all = vec![message(None, None)];
        for text in ["K", "", "a\0b", &long, &longer] {
            all.push(message(Some(text), Some(b"other")));
            all.push(message(None, Some(text.as_bytes())));
        }
        // Two keys that look the same when they are shown.
        all.push(message(None, Some(b"\xff")));
        all.push(message(None, Some(b"\xfe")));
        for one in &all {
            let by = one.same_order();
            assert_eq!(by.is_some(), one.order_key.is_some());
            for other in &all {
                let row = Message::of(InboxId(1), other, Timestamp::EPOCH).unwrap();
                let found = by.as_ref().is_some_and(|by| is_found(&row, by));
                let same = one.order_key.is_some() && row.order_key() == one.order_key;
                assert_eq!(found, same, "{one:?} {other:?}");
            }
        }
    }
}
