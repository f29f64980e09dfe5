//! From a message of the client to a record: bytes, copied once.

use dipmo_domain::Failure;
use dipmo_inbox::Record;
use dipmo_kafka::headers_of;
use rdkafka::Message as _;
use rdkafka::message::BorrowedMessage;

/// A record that was read, and why it cannot be taken as it is when it cannot.
pub(crate) struct Taken {
    pub(crate) record: Record,
    pub(crate) trouble: Option<Failure>,
}

impl Taken {
    pub(crate) fn of(message: &BorrowedMessage<'_>) -> Self {
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
        Self { record, trouble }
    }

    /// How many bytes of it count towards a transaction.
    pub(crate) fn size(&self) -> usize {
        let key = self.record.key.as_ref().map_or(0, Vec::len);
        key + self.record.value.as_ref().map_or(0, Vec::len)
    }
}
