//! Publishers that do what a test says, and remember what they were given.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use dipmo_outbox::{Delivery, Published, Publisher};

type Answer = dyn Fn(&Delivery, usize) -> Published + Send + Sync;

/// Remembers every delivery, and answers by a function of it and how often it came.
pub(crate) struct Recorder {
    pub(crate) taken: Mutex<Vec<Delivery>>,
    pub(crate) slices: Mutex<Vec<usize>>,
    answer: Box<Answer>,
    keeps_order: bool,
}

impl Recorder {
    pub(crate) fn new(
        answer: impl Fn(&Delivery, usize) -> Published + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self::made(answer, false))
    }

    pub(crate) fn keeping_order(
        answer: impl Fn(&Delivery, usize) -> Published + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self::made(answer, true))
    }

    fn made(
        answer: impl Fn(&Delivery, usize) -> Published + Send + Sync + 'static,
        keeps_order: bool,
    ) -> Self {
        let (taken, slices) = (Mutex::default(), Mutex::default());
        Self { taken, slices, answer: Box::new(answer), keeps_order }
    }

    /// The numbers of an aggregate, as they came.
    pub(crate) fn numbers(&self, aggregate: &str) -> Vec<i64> {
        let taken = self.taken.lock().unwrap();
        let of = taken.iter().filter(|delivery| delivery.aggregate_id == aggregate);
        of.map(|delivery| delivery.payload.read::<crate::script::Step>().unwrap().n).collect()
    }
}

#[async_trait]
impl Publisher for Recorder {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        self.slices.lock().unwrap().push(deliveries.len());
        let mut stopped = false;
        let answer = |delivery: &Delivery| {
            let mut taken = self.taken.lock().unwrap();
            let before = taken.iter().filter(|other| other.unit == delivery.unit).count();
            if self.keeps_order && stopped {
                return Published::NotTried;
            }
            let answer = (self.answer)(delivery, before);
            stopped |= !matches!(answer, Published::Delivered { .. });
            taken.push(delivery.clone());
            answer
        };
        let answers = deliveries.iter().map(answer).collect();
        tokio::task::yield_now().await;
        answers
    }

    fn keeps_order(&self) -> bool {
        self.keeps_order
    }
}
