//! The headers of a record, copied once.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dipmo_domain::{Code, Failure, Header, Headers};
use rdkafka::Message as _;
use rdkafka::message::{BorrowedMessage, Headers as _};

/// The headers of a record, and why they cannot be taken as they are when they cannot.
#[must_use]
pub fn headers_of(message: &BorrowedMessage<'_>) -> (Headers, Option<Failure>) {
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
