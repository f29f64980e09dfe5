//! Somebody who goes on sending hits while others come and go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::json;

use crate::service::Producer;

/// Somebody who sends a hit every few milliseconds.
pub(crate) struct Sending {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<i64>,
}

impl Sending {
    pub(crate) fn start(brokers: &str) -> Self {
        let (stop, producer) = (Arc::<AtomicBool>::default(), Producer::new(brokers));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut hits = 0;
            while !stopped.load(Ordering::SeqCst) {
                let hit = format!("H-{hits}");
                let event = json!({"id": hit, "hitId": hit, "type": "NotificationReceived",
                                   "notificationId": "N", "assessment": {"positive": true}});
                producer.send("notification-126", &hit, &event);
                hits += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
            producer.flush();
            hits
        });
        Self { stop, thread }
    }

    /// Ends it; answers how many it sent.
    pub(crate) fn stop(self) -> i64 {
        self.stop.store(true, Ordering::SeqCst);
        tokio::task::block_in_place(|| self.thread.join().unwrap())
    }
}
