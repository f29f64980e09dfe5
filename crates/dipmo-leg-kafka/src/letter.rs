//! Dead letters of a leg: the record as it came, and the headers that all dead letters of dipmo have.

use dipmo_domain::{ErrorStage, Failure, Header, Headers};
use dipmo_inbox::Record;
use dipmo_inbox::dead_letter::{DeadLetter, ERROR_MESSAGE, Ending, TOPIC, VALUE};

use crate::attempt::Attempt;
use crate::transform::Outgoing;

/// What a short letter does not have of its record: `headers`. They are where the record came from,
/// as long as that topic keeps it.
pub const LEFT_OUT: &str = "dipmo-dlt-left-out";

/// The same letter without the headers of the record: those of the block, key and value fit where the
/// whole does not.
pub(crate) fn shortened(letter: Outgoing) -> Outgoing {
    let headers = letter.headers.as_slice();
    let block = headers.iter().rposition(|header| header.name == TOPIC).unwrap_or(0);
    let mut kept = headers[block..].to_vec();
    if block > 0 {
        let value = Some(b"headers".to_vec());
        kept.push(Header { name: LEFT_OUT.to_owned(), value });
    }
    for message in kept.iter_mut().filter(|header| header.name == ERROR_MESSAGE) {
        message.value = Some(Vec::new());
    }
    Outgoing { headers: Headers::new(kept), ..letter }
}

/// The letter of a record that will never do. Key and value are those of the record, byte for byte.
pub(crate) fn letter(
    leg: &str,
    to: String,
    attempt: Attempt,
    stage: ErrorStage,
    failure: Failure,
) -> Outgoing {
    let Attempt { record, failed, .. } = attempt;
    let message_id = format!("{}:{}:{}", record.topic, record.partition, record.offset);
    let (key, value) = (record.key.clone(), record.value);
    let attempts = if stage == ErrorStage::ConsumerSerde { 0 } else { failed + 1 };
    let letter = DeadLetter {
        // The value goes as it is, so nobody needs to find out how it would stand in JSON.
        record: Record { value: None, ..record },
        source_system: leg.to_owned(),
        message_id,
        ending: Ending { stage, failure, attempts, retried: 0 },
    };
    let headers = letter.headers();
    let kept = headers.as_slice().iter().filter(|header| header.name != VALUE);
    Outgoing { topic: to, key, headers: Headers::new(kept.cloned().collect()), value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_reads_back_as_the_record_it_is_of() {
        let record = Record {
            topic: "orders".to_owned(),
            partition: 1,
            offset: 5,
            key: Some(vec![0xfe, 0]),
            headers: Headers::default().with("a", "1"),
            timestamp_millis: 9,
            value: Some(vec![0xff, b'{']),
        };
        let failure = Failure::new("json-malformed", "no JSON");
        let origin = record.topic.clone();
        let attempt = Attempt { record: record.clone(), origin, failed: 0, due_millis: 0 };
        let sent =
            letter("copy", "orders-dlt".to_owned(), attempt, ErrorStage::ConsumerSerde, failure);
        assert_eq!((&sent.key, &sent.value), (&record.key, &record.value));
        let read = |sent: Outgoing| {
            let Outgoing { topic, key, headers, value } = sent;
            let read = Record { topic, key, headers, value, ..Record::default() };
            DeadLetter::read(&read).unwrap().unwrap()
        };
        let short = shortened(sent.clone());
        assert_eq!(short.headers.text(LEFT_OUT), Some("headers"));
        let without = Record { headers: Headers::default(), ..record.clone() };
        assert_eq!(read(short).record, without);
        let letter = read(sent);
        assert_eq!(letter.record, record);
        assert_eq!((letter.message_id.as_str(), letter.ending.attempts), ("orders:1:5", 0));
    }
}
