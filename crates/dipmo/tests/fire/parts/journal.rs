//! A publisher that writes every delivery down.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use dipmo_domain::{Failure, OrderKey};
use dipmo_outbox::{Attempt, Delivery, Published, Publisher};

use super::step::Step;
use super::stop;

/// Writes a line for each delivery, at once and whole, whatever becomes of the process after it.
pub(crate) struct Journal {
    file: File,
    keeps_order: bool,
}

impl Journal {
    /// Goes on with a file that other instances write to as well.
    pub(crate) fn open(file: &Path) -> Self {
        let file = OpenOptions::new().append(true).create(true).open(file).unwrap();
        Self { file, keeps_order: true }
    }

    /// The same, for one who leaves it to the dispatcher to keep deliveries in order.
    pub(crate) fn loose(file: &Path) -> Self {
        Self { keeps_order: false, ..Self::open(file) }
    }

    fn publish_one(&self, slice: &str, delivery: &Delivery) -> Published {
        let step: Step = delivery.payload.read().unwrap();
        if step.refuse && matches!(delivery.attempt, Attempt::First(_)) {
            let failure = Failure::new("BUSY", "as the message wanted");
            return Published::Retry { failure, after: None };
        }
        self.write(slice, delivery, step.n);
        stop::at("while it sends", step.stop_sending);
        Published::delivered()
    }

    fn write(&self, slice: &str, delivery: &Delivery, n: i64) {
        let Delivery { destination, aggregate_id, .. } = delivery;
        let id = delivery.idempotency_key();
        let line = format!("{slice} {destination} {aggregate_id} {n} {id}\n");
        // One system call for a line: no kill can leave half of it.
        let written = (&self.file).write(line.as_bytes()).unwrap();
        assert_eq!(written, line.len());
    }
}

#[async_trait]
impl Publisher for Journal {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        static SLICES: AtomicU32 = AtomicU32::new(0);
        let number = SLICES.fetch_add(1, Ordering::Relaxed);
        let slice = format!("{}-{number}", std::process::id());
        // Nothing goes out behind what was not delivered.
        let mut stopped: HashSet<&OrderKey> = HashSet::new();
        let mut answers = Vec::new();
        for delivery in deliveries {
            let answer = if self.keeps_order && stopped.contains(&delivery.order_key) {
                Published::NotTried
            } else {
                self.publish_one(&slice, delivery)
            };
            if !matches!(answer, Published::Delivered { .. }) {
                stopped.insert(&delivery.order_key);
            }
            answers.push(answer);
        }
        answers
    }

    fn keeps_order(&self) -> bool {
        self.keeps_order
    }
}
