//! Log lines for what waits for a person: by place and code, never by content.

use dipmo_domain::InboxId;
use dipmo_inbox::{Body, NewMessage, Stored};

use crate::refused;

/// So many of one transaction are told one by one: poison comes in floods.
const MOST: usize = 10;

/// Tells of the records of a batch that were stored as bytes, because they cannot be decoded. What came again was told
/// before; a batch whose commit was heard of only at its second attempt is not told at all, and its rows tell.
pub(crate) fn undecodable(messages: &[NewMessage], stored: &[Stored]) {
    let news = news(messages, stored);
    for (inbox_id, message, code) in news.iter().take(MOST) {
        let NewMessage { topic, partition, offset, .. } = message;
        tracing::warn!(%inbox_id, topic, partition, offset, code, "a record cannot be decoded: a person is needed");
    }
    if let Some(more) = news.len().checked_sub(MOST).filter(|more| *more > 0) {
        tracing::warn!(more, "more records of the same batch cannot be decoded");
    }
}

/// Those that are new. One whose row was refused has a line of its own.
fn news<'a>(
    messages: &'a [NewMessage],
    stored: &[Stored],
) -> Vec<(InboxId, &'a NewMessage, &'a str)> {
    let each = messages.iter().zip(stored);
    let news = each.filter_map(|(message, stored)| match (&message.body, stored) {
        (Body::Undecodable { failure, .. }, Stored::New(id)) => {
            Some((*id, message, failure.code()))
        }
        _ => None,
    });
    news.filter(|(_, _, code)| *code != refused::CODE.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Failure;
    use dipmo_inbox::{Identity, Record};

    use super::*;

    fn message(value: &[u8]) -> NewMessage {
        let record = Record { value: Some(value.to_vec()), ..Record::default() };
        NewMessage::from_record(&record, &Identity::default())
    }

    #[test]
    fn only_what_is_new_and_cannot_be_decoded_is_told() {
        let mut kept = message(b"{}");
        assert!(refused::keep_bytes(&mut kept, Failure::coded(refused::CODE, "as the test wants")));
        let messages = [message(b"{oops"), message(b"{}"), message(b"{again"), kept];
        let stored = [
            Stored::New(InboxId(1)),
            Stored::New(InboxId(2)),
            Stored::Duplicate(InboxId(1)),
            Stored::New(InboxId(4)),
        ];
        let told: Vec<_> =
            news(&messages, &stored).iter().map(|(id, _, code)| (*id, *code)).collect();
        assert_eq!(told, [(InboxId(1), "json-malformed")]);
    }
}
