//! What the dispatcher does with answers, as far as order is concerned.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use dipmo_domain::OutboxId;
use dipmo_outbox::{Attempt, Delivery, Published, Publisher as _, Readiness};

use super::World;

/// Units that wait, in their order.
pub(crate) struct Outbox {
    waiting: Vec<Delivery>,
    /// What was refused for good, by unit.
    pub(crate) failed: BTreeMap<OutboxId, Published>,
    /// How many attempts were counted.
    pub(crate) attempts: u32,
}

impl Outbox {
    pub(crate) fn new(waiting: Vec<Delivery>) -> Self {
        Self { waiting, failed: BTreeMap::new(), attempts: 0 }
    }

    /// Publishes until nothing waits, and not more often than so many times.
    pub(crate) async fn run(&mut self, world: &World, most: usize) {
        for _ in 0..most {
            if self.waiting.is_empty() {
                return;
            }
            let rest = self.turn(world).await;
            tokio::time::sleep(rest).await;
        }
        assert!(self.waiting.is_empty(), "{} units are left", self.waiting.len());
    }

    /// Publishes all that waits, and tells how long to wait before the next time.
    async fn turn(&mut self, world: &World) -> Duration {
        let slice = std::mem::take(&mut self.waiting);
        let mut rest = Duration::ZERO;
        if let Readiness::Later { after, .. } = world.publisher.readiness(&slice[0].destination) {
            self.waiting = slice;
            return after;
        }
        let answers = world.publish(&slice).await;
        let mut stopped = HashSet::new();
        for (mut delivery, answer) in slice.into_iter().zip(answers) {
            match answer {
                Published::Delivered { .. } => {
                    let key = &delivery.order_key;
                    assert!(!stopped.contains(key), "{} overtook another", delivery.unit);
                    continue;
                }
                Published::Retry { after, .. } => {
                    self.attempts += 1;
                    rest = rest.max(after.unwrap_or_default());
                    delivery.attempt = again(&delivery);
                }
                Published::Unanswered { after, .. } => rest = rest.max(after),
                Published::NotTried => {}
                refused @ Published::Refused(_) => {
                    self.failed.insert(delivery.unit, refused);
                    stopped.insert(delivery.order_key.clone());
                    continue;
                }
            }
            stopped.insert(delivery.order_key.clone());
            self.waiting.push(delivery);
        }
        rest
    }
}

/// One attempt more.
fn again(delivery: &Delivery) -> Attempt {
    match delivery.attempt {
        Attempt::First(_) => Attempt::Again { attempts: 1, retried: 0 },
        Attempt::Again { attempts, retried } => Attempt::Again { attempts: attempts + 1, retried },
    }
}
