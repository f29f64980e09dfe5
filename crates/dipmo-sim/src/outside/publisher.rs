//! A destination as an instance reaches it.

use std::panic::resume_unwind;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, Failure};
use dipmo_outbox::{Delivery, Published, Publisher, Readiness};
use dipmo_processing::EffectHandler;
use tokio::time::sleep;

use super::behaviour::{Fate, Manner};
use super::wire;
use crate::fault::Faulty;
use crate::witness;

/// Takes deliveries, well or badly.
#[derive(Clone)]
pub(crate) struct SimPublisher {
    pub(crate) from: Faulty,
    pub(crate) keeps_order: bool,
    /// How long a slice may take, if not as everywhere.
    pub(crate) deadline: Option<Duration>,
}

impl SimPublisher {
    async fn take(&self, slice: &[Delivery]) -> Vec<Published> {
        let sim = &self.from.sim;
        let deadline = self.deadline.unwrap_or(sim.options.engine.dispatch.deadline);
        let jumps = witness::may_send(sim, &self.from.name, slice, deadline);
        self.from.while_stopped().await;
        let manner = Manner::of(sim);
        if manner == Manner::PanicsBefore {
            resume_unwind(Box::new("the simulation wanted it"));
        }
        let fates = Fate::of_slice(sim, slice);
        let going = slice.iter().zip(&fates).filter(|(_, fate)| fate.arrives());
        let going: Vec<Delivery> = going.map(|(delivery, _)| delivery.clone()).collect();
        let way = match manner {
            Manner::Sleeps => deadline,
            _ if sim.fault(sim.options.faults.delay) => sim.chance.millis(1..=900),
            _ => sim.chance.millis(1..=5),
        };
        sim.step(format_args!(
            "{} sends {:?} {fates:?} {manner:?}",
            self.from.name,
            slice.iter().map(|delivery| delivery.unit.0).collect::<Vec<_>>()
        ));
        // A wire is done before its sender has given up, and answers come after that.
        wire::send(&self.from, going, way.min(deadline.mul_f64(0.9)), jumps);
        sleep(way).await;
        sleep(sim.chance.millis(2..=10)).await;
        if self.from.stopped().is_zero() && manner == Manner::PanicsAfter {
            resume_unwind(Box::new("the simulation wanted it"));
        }
        self.from.while_stopped().await;
        for (delivery, fate) in slice.iter().zip(&fates) {
            if *fate == Fate::Refused {
                sim.outside().refuse(delivery.unit);
            }
        }
        let answers = fates.iter().map(|fate| fate.answer());
        let missing = usize::from(manner == Manner::Miscounts);
        answers.skip(missing).collect()
    }
}

#[async_trait]
impl Publisher for SimPublisher {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let sim = &self.from.sim;
        if !sim.closed_for().is_zero() {
            sim.violation(format_args!("{} sends when nothing is taken", self.from.name));
        }
        self.take(deliveries).await
    }

    fn keeps_order(&self) -> bool {
        self.keeps_order
    }

    fn deadline(&self, _: &Destination) -> Option<Duration> {
        self.deadline
    }

    fn readiness(&self, _: &Destination) -> Readiness {
        let after = self.from.sim.closed_for();
        if after.is_zero() {
            return Readiness::Ready;
        }
        Readiness::Later { after, why: Failure::new("sim-closed", "the simulation wanted it") }
    }
}

#[async_trait]
impl EffectHandler for SimPublisher {
    async fn handle(&self, delivery: &Delivery) -> Published {
        let answers = self.take(std::slice::from_ref(delivery)).await;
        // A function answers for the one that it was given; one that cannot count does not answer.
        match answers.into_iter().next() {
            Some(answer) => answer,
            None => resume_unwind(Box::new("the simulation wanted it")),
        }
    }
}
