//! A publisher that goes on with jobs as fast as it can, and may be replaced by another one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dipmo_outbox::{Delivery, JobStep, Publisher as _, Readiness};
use dipmo_sink_salesforce::{ObjectMapping, SalesforcePublisher, SalesforceSinkOptions};
use serde_json::{Value as Json, json};
use tokio::time::sleep;

use super::{DESTINATION, MemoryJob};
use crate::support::{World, options, unit};

/// No job of these tests is gone on with more often.
const MOST_RUNS: usize = 20_000;

/// An org, and whoever works on jobs for it.
pub(crate) struct Rig {
    pub(crate) world: World,
    mapping: ObjectMapping,
    change: fn(&mut SalesforceSinkOptions),
}

impl Rig {
    /// With a mapping of Contact.
    pub(crate) async fn new(mapping: ObjectMapping) -> Self {
        Self::with(mapping, |_| {}).await
    }

    /// With options that are changed.
    pub(crate) async fn with(
        mapping: ObjectMapping,
        change: fn(&mut SalesforceSinkOptions),
    ) -> Self {
        Self::in_org("", mapping, change).await
    }

    /// In an org with rules of its own.
    pub(crate) async fn in_org(
        schema: &str,
        mapping: ObjectMapping,
        change: fn(&mut SalesforceSinkOptions),
    ) -> Self {
        let mappings = vec![mapping.clone()];
        let world = World::in_org(schema, mappings, |options| {
            quick(options);
            change(options);
        });
        Self { world: world.await, mapping, change }
    }

    /// The process dies and another one takes its place: nothing that was in memory is left.
    pub(crate) fn restart(&mut self) {
        let mut options = options(&self.world.salesforce, vec![self.mapping.clone()]);
        quick(&mut options);
        (self.change)(&mut options);
        let tables = Arc::clone(&self.world.tables) as _;
        self.world.publisher = SalesforcePublisher::new(options, tables).unwrap();
    }

    /// The same with another mapping, as after a deployment.
    pub(crate) fn deploy(&mut self, mapping: ObjectMapping) {
        self.mapping = mapping;
        self.restart();
    }

    /// Goes on with a job until it has ended. Whoever dies at a call of it is replaced.
    pub(crate) async fn finish(&mut self, job: &MemoryJob) {
        for _ in 0..MOST_RUNS {
            let step = tokio::select! {
                step = self.world.publisher.run_job(job) => Some(step.unwrap()),
                () = job.death() => None,
            };
            match step {
                Some(JobStep::Ended) => return,
                Some(JobStep::Wait(wait)) => sleep(wait.min(Duration::from_millis(20))).await,
                None => self.restart(),
            }
        }
        panic!("the job never ends: {:?}, {:?}", job.phase(), job.calls());
    }

    /// Goes on with a job once.
    pub(crate) async fn step(&self, job: &MemoryJob) -> JobStep {
        self.world.publisher.run_job(job).await.unwrap()
    }

    /// Goes on with what a job left to be sent again, job after job, until nothing is left.
    pub(crate) async fn finish_all(&mut self, job: &MemoryJob) {
        self.finish(job).await;
        let mut rest = job.rest();
        for _ in 0..20 {
            if rest.is_empty() {
                return;
            }
            let next = MemoryJob::new(rest);
            self.finish(&next).await;
            rest = next.rest();
        }
        panic!("{} units never get through", rest.len());
    }

    /// How many calls there were of each family.
    pub(crate) fn calls(&self) -> BTreeMap<&'static str, usize> {
        let mut calls = BTreeMap::new();
        for call in self.world.salesforce.calls() {
            *calls.entry(call.api).or_default() += 1;
        }
        calls
    }

    /// Something goes wrong once.
    pub(crate) fn fault(&self, when: Json, fault: Json) {
        let rule = Json::from_iter([("when", when), ("times", json!(1)), ("fault", fault)]);
        self.world.faults(Json::from_iter([rule]));
    }
}

/// Nothing waits for longer than a test has to.
fn quick(options: &mut SalesforceSinkOptions) {
    options.bulk.first_poll = Duration::from_millis(1);
    options.bulk.longest_poll = Duration::from_millis(10);
    options.resilience.org.rate.calls = 100_000;
    options.resilience.object.rate.calls = 100_000;
}

/// A unit whose payload is a contact, as `carried` maps it.
pub(crate) fn contact(key: &str, version: i64) -> Delivery {
    unit(DESTINATION, 1, key, &json!({ "lastName": format!("N {key}"), "version": version }))
}

/// A unit that announces a version of a row of MEMBERS.
pub(crate) fn announcement(key: &str, version: i64) -> Delivery {
    unit(DESTINATION, 1, key, &json!({ "asOfVersion": version }))
}

/// Whether the destination takes anything now.
pub(crate) fn readiness(rig: &Rig) -> Readiness {
    rig.world.publisher.readiness(&DESTINATION.parse().unwrap())
}
