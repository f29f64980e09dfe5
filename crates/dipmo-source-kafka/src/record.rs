//! From a message of the client to a record: bytes, copied once.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dipmo_domain::{Code, Failure, Header, Headers};
use dipmo_inbox::Record;
use rdkafka::Message as _;
use rdkafka::message::{BorrowedMessage, Headers as _};

/// A record, and why it cannot be taken as it is when it cannot.
pub(crate) fn record_of(message: &BorrowedMessage<'_>) -> (Record, Option<Failure>) {
    let (headers, trouble) = headers_of(message);
    let record = Record {
        topic: message.topic().to_owned(),
        partition: message.partition(),
        offset: message.offset(),
        key: message.key().map(<[u8]>::to_vec),
        headers,
        timestamp_millis: message.timestamp().to_millis().unwrap_or(-1),
        value: message.payload().map(<[u8]>::to_vec),
    };
    (record, trouble)
}

/// How many bytes of a record count towards a batch.
pub(crate) fn size_of(record: &Record) -> usize {
    let headers = record.headers.as_slice().iter();
    let headers: usize = headers.map(|h| h.name.len() + h.value.as_ref().map_or(0, Vec::len)).sum();
    let key = record.key.as_ref().map_or(0, Vec::len);
    key + headers + record.value.as_ref().map_or(0, Vec::len)
}

fn headers_of(message: &BorrowedMessage<'_>) -> (Headers, Option<Failure>) {
    let Some(headers) = message.headers() else { return (Headers::default(), None) };
    let mut trouble = None;
    let all = (0..headers.count()).map(|place| {
        // The client panics on a name that is not UTF-8, and tells such a header in no other way.
        // Kafka demands UTF-8, so a producer that sends this is broken; the record is kept.
        let header = catch_unwind(AssertUnwindSafe(|| {
            let header = headers.get(place);
            Header { name: header.key.to_owned(), value: header.value.map(<[u8]>::to_vec) }
        }));
        header.unwrap_or_else(|_| {
            trouble = Some(unreadable(place));
            Header { name: "\u{fffd}".to_owned(), value: None }
        })
    });
    (Headers::new(all.collect()), trouble)
}

fn unreadable(place: usize) -> Failure {
    let message = format!("the name of header {} is not UTF-8, so it cannot be read", place + 1);
    Failure::coded(Code::new("kafka-header-unreadable"), &message)
}
