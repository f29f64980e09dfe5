//! The delivery reports of a slice, collected by the producer's thread for whoever waits for them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rdkafka::types::RDKafkaErrorCode;
use tokio::sync::Notify;

/// What came back for the records of a slice.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    came: Mutex<Vec<Report>>,
    bell: Notify,
}

/// What came back for one record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    /// Its place in the slice.
    pub(crate) place: usize,
    pub(crate) result: Result<(), RDKafkaErrorCode>,
}

/// What a record carries through librdkafka, and is told by when it comes back.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) reports: Arc<Reports>,
    pub(crate) place: usize,
    pub(crate) bytes: usize,
    pub(crate) sent: Instant,
}

impl Reports {
    pub(crate) fn add(&self, report: Report) {
        let mut came = self.came.lock().unwrap_or_else(PoisonError::into_inner);
        came.push(report);
        // Whoever takes one takes all: the bell is rung for the first.
        if came.len() == 1 {
            self.bell.notify_one();
        }
    }

    /// Waits until something came, and takes it.
    pub(crate) async fn next(&self) -> Vec<Report> {
        loop {
            let came =
                std::mem::take(&mut *self.came.lock().unwrap_or_else(PoisonError::into_inner));
            if !came.is_empty() {
                return came;
            }
            self.bell.notified().await;
        }
    }
}
