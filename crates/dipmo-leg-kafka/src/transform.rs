//! What a leg does with a record: a pure function, whose outcomes are values.

use dipmo_domain::{Failure, Headers};
use dipmo_inbox::Record;

/// Says what comes of a record.
///
/// It is asked again for the same record after a transaction that was aborted, so it must not do
/// anything itself: what it does is not undone.
pub trait Transform: Send + Sync {
    /// What comes of a record. Its headers, key and value are those of the first delivery, also when
    /// it comes by a retry topic; so are its topic, partition and offset.
    fn apply(&self, record: &Record) -> Applied;
}

impl<F: Fn(&Record) -> Applied + Send + Sync> Transform for F {
    fn apply(&self, record: &Record) -> Applied {
        self(record)
    }
}

/// What comes of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// These records, in this order.
    Send(Vec<Outgoing>),
    /// Nothing, and that is right so.
    Drop,
    /// It cannot be decoded: it goes to the dead-letter topic as it came.
    Undecodable(Failure),
    /// It can be decoded and will never do: to the dead-letter topic.
    Fail(Failure),
    /// Not now: to the next retry topic, and after the last of them to the dead-letter topic.
    Retry(Failure),
}

/// A record to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outgoing {
    /// Where to.
    pub topic: String,
    /// The key; `None` goes to any partition.
    pub key: Option<Vec<u8>>,
    /// The headers.
    pub headers: Headers,
    /// The value; `None` is a tombstone.
    pub value: Option<Vec<u8>>,
}

impl Outgoing {
    /// How many bytes of it count towards a transaction.
    pub(crate) fn size(&self) -> usize {
        let headers = self.headers.as_slice().iter();
        let headers: usize =
            headers.map(|h| h.name.len() + h.value.as_ref().map_or(0, Vec::len)).sum();
        let key = self.key.as_ref().map_or(0, Vec::len);
        key + headers + self.value.as_ref().map_or(0, Vec::len)
    }
}
