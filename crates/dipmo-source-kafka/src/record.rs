//! From a message of the client to a record: bytes, copied once.

use dipmo_domain::Failure;
use dipmo_inbox::Record;
use dipmo_kafka::headers_of;
use rdkafka::Message as _;
use rdkafka::message::BorrowedMessage;

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
