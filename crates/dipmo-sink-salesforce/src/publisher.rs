//! The publisher for `HTTP:SFDC[@org]:<api>:<object>`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, Failure, SalesforceApi, StoreError};
use dipmo_outbox::{
    Delivery, Ending, JobPhase, JobPlan, JobStep, JobWork, Published, Publisher, Readiness,
};
use dipmo_salesforce::Client;
use dipmo_store::Lookup;

use crate::bulk::{self, Jobs, unfit};
use crate::choose::{self, JobChoice};
use crate::error::SinkError;
use crate::mapping::validate;
use crate::metrics::Metrics;
use crate::options::{OrgOptions, SalesforceSinkOptions};
use crate::org::{ClientQuota, DEFAULT_ORG, OrgContext, parts};
use crate::resilience::{Gates, ResilienceHandle};
use crate::shaping::Shaper;
use crate::slice;

/// Between the last answer of a slice and the dispatcher's deadline for it.
const ROOM: Duration = Duration::from_secs(2);

/// How long a job waits whose org or mapping is gone from the options.
const UNKNOWN: Duration = Duration::from_secs(60);

/// Delivers to Salesforce.
///
/// It keeps the order of a record: nothing goes out behind something that was not delivered. Register
/// it for `HTTP:SFDC*`.
pub struct SalesforcePublisher {
    objects: BTreeMap<(String, String), OrgContext>,
    gates: Gates,
    metrics: Arc<Metrics>,
}

impl SalesforcePublisher {
    /// A publisher that reads tables through `lookup`. No org is asked for anything yet.
    ///
    /// # Errors
    /// What can be told to be wrong with the options without asking: see also
    /// [`check`](Self::check).
    pub fn new(options: SalesforceSinkOptions, lookup: Arc<dyn Lookup>) -> Result<Self, SinkError> {
        let metrics = Arc::new(Metrics::default());
        let gates = Gates::new(options.resilience.clone(), Arc::clone(&metrics))?;
        let shaper = Shaper::new(lookup, options.sending.older);
        let (sending, auto) = (Arc::new(options.sending), Arc::new(options.auto));
        let (bulk, jobs) = (Arc::new(options.bulk), Arc::new(Jobs::default()));
        let mut objects = BTreeMap::new();
        let mut seen: Vec<String> = Vec::new();
        for OrgOptions { name, client, mappings, resilience } in options.orgs {
            let org = name.unwrap_or_else(|| DEFAULT_ORG.to_owned());
            if seen.contains(&org) {
                return Err(SinkError::OrgTwice { org });
            }
            seen.push(org.clone());
            let client = Client::new(client).map_err(|error| SinkError::OrgInvalid {
                org: org.clone(),
                problem: error.message(),
            })?;
            gates.org(&org, resilience, Arc::new(ClientQuota(client.clone())))?;
            for mapping in mappings {
                validate::mapping(&mapping)?;
                let object = mapping.object.clone();
                let context = OrgContext {
                    org: org.clone(),
                    client: client.clone(),
                    gate: gates.gate(&org, &object),
                    bulk_gate: gates.bulk_gate(&org, &object),
                    mapping: Arc::new(mapping),
                    shaper: shaper.clone(),
                    metrics: Arc::clone(&metrics),
                    sending: Arc::clone(&sending),
                    auto: Arc::clone(&auto),
                    bulk: Arc::clone(&bulk),
                    jobs: Arc::clone(&jobs),
                    leftovers: Arc::default(),
                    unfit: Arc::default(),
                };
                let key = (org.clone(), object.clone());
                if objects.insert(key, context).is_some() {
                    return Err(SinkError::MappingTwice { org, object });
                }
            }
        }
        Ok(Self { objects, gates, metrics })
    }

    /// The figures of this publisher.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// What protects the orgs and objects: to be seen, and changed while it runs.
    #[must_use]
    pub fn resilience(&self) -> ResilienceHandle {
        self.gates.handle()
    }

    /// All objects of all orgs.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &OrgContext> {
        self.objects.values()
    }

    /// The object that a destination means, where the API can send what it is mapped to.
    fn find(&self, destination: &Destination) -> Result<(&OrgContext, SalesforceApi), SinkError> {
        let (context, api) = self.context(destination)?;
        let takes_children =
            matches!(api, SalesforceApi::Auto | SalesforceApi::Composite | SalesforceApi::Graph);
        if !context.mapping.children.is_empty() && !takes_children {
            let object = context.mapping.object.clone();
            let destination = Box::new(destination.clone());
            return Err(SinkError::ChildrenUnsupported { destination, object });
        }
        Ok((context, api))
    }

    /// The object that a destination means.
    fn context(
        &self,
        destination: &Destination,
    ) -> Result<(&OrgContext, SalesforceApi), SinkError> {
        let Some((org, api, object)) = parts(destination) else {
            return Err(SinkError::NotSalesforce { destination: Box::new(destination.clone()) });
        };
        let Some(context) = self.objects.get(&(org.to_owned(), object.to_owned())) else {
            return Err(self.unknown(destination, org, object));
        };
        Ok((context, api))
    }

    /// A destination of jobs whose mapping got children: there may be jobs of before, which let their
    /// units go when they are gone on with.
    fn jobs_of_before(&self, destination: &Destination) -> Option<&OrgContext> {
        let (context, api) = self.context(destination).ok()?;
        let unfit = api == SalesforceApi::BulkV2 && !context.mapping.children.is_empty();
        unfit.then_some(context)
    }

    fn unknown(&self, destination: &Destination, org: &str, object: &str) -> SinkError {
        let destination = Box::new(destination.clone());
        let names =
            |names: Vec<&str>| if names.is_empty() { "none".into() } else { names.join(", ") };
        let of_org = self.objects.keys().filter(|(known, _)| known == org);
        let known: Vec<&str> = of_org.map(|(_, object)| object.as_str()).collect();
        if known.is_empty() {
            let mut orgs: Vec<&str> = self.objects.keys().map(|(org, _)| org.as_str()).collect();
            orgs.dedup();
            return SinkError::OrgUnknown { destination, known: names(orgs) };
        }
        let (object, known) = (object.to_owned(), names(known));
        SinkError::MappingMissing { destination, object, known }
    }

    /// What is wrong with a destination, in words; each time, so that nothing has to remember it.
    async fn publish_to(
        &self,
        destination: &Destination,
        deliveries: &[Delivery],
        ending: &Ending,
    ) -> Vec<Published> {
        match self.find(destination) {
            Ok((org, api)) => slice::deliver(org, destination, api, deliveries, ending).await,
            Err(error @ SinkError::NotSalesforce { .. }) => {
                vec![Published::Refused(Failure::from(&error)); deliveries.len()]
            }
            // Such a destination is not ready: see `readiness`.
            Err(_) => {
                if let Some(org) = self.jobs_of_before(destination) {
                    org.unfit.found();
                }
                vec![Published::NotTried; deliveries.len()]
            }
        }
    }
}

#[async_trait]
impl Publisher for SalesforcePublisher {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        self.publish_until(deliveries, &Ending::default()).await
    }

    async fn publish_until(&self, deliveries: &[Delivery], ending: &Ending) -> Vec<Published> {
        let mut answers = vec![Published::NotTried; deliveries.len()];
        for (destination, places) in by_destination(deliveries) {
            if places.len() == deliveries.len() {
                return self.publish_to(destination, deliveries, ending).await;
            }
            let some: Vec<Delivery> =
                places.iter().map(|place| deliveries[*place].clone()).collect();
            let answered = self.publish_to(destination, &some, ending).await;
            for (place, answer) in places.into_iter().zip(answered) {
                answers[place] = answer;
            }
        }
        answers
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn slice_size(&self, destination: &Destination) -> u32 {
        let Ok((org, api)) = self.find(destination) else { return 1 };
        let families = !org.mapping.children.is_empty();
        match api {
            SalesforceApi::Rest => 40,
            // A few calls of 75 graphs.
            SalesforceApi::Graph => 300,
            SalesforceApi::Auto if families => 300,
            // A few families a call.
            SalesforceApi::Composite if families => 100,
            // Ten calls of 200: the last one is seldom full, and should not be every third.
            _ => 2_000,
        }
    }

    fn deadline(&self, destination: &Destination) -> Option<Duration> {
        let (org, _) = self.context(destination).ok()?;
        Some(org.sending.slice_time + org.client.call_timeout() + ROOM)
    }

    fn readiness(&self, destination: &Destination) -> Readiness {
        match self.find(destination) {
            Ok((org, SalesforceApi::BulkV2)) => org.bulk_gate.readiness(),
            Ok((org, _)) => org.gate.readiness(),
            // What is no destination of ours is refused, row by row.
            Err(SinkError::NotSalesforce { .. }) => Readiness::Ready,
            Err(error) => match self.jobs_of_before(destination) {
                Some(org) if !org.unfit.lately() => org.bulk_gate.readiness(),
                _ => Readiness::Stopped { why: Failure::from(&error) },
            },
        }
    }

    fn job_plan(&self, destination: &Destination) -> Option<JobPlan> {
        if let Some(org) = self.jobs_of_before(destination) {
            return Some(unfit::plan(&org.bulk));
        }
        match self.find(destination).ok()? {
            (org, SalesforceApi::BulkV2) => Some(JobPlan { least: 1, ..org.bulk.plan() }),
            (org, SalesforceApi::Auto) if org.mapping.children.is_empty() => {
                let ready = org.bulk_gate.readiness() == Readiness::Ready;
                ready.then(|| choose::jobs(&org.auto, &org.bulk, org.client.usage()).plan)
            }
            _ => None,
        }
    }

    async fn run_job(&self, job: &dyn JobWork) -> Result<JobStep, StoreError> {
        let stands = job.job();
        match self.context(&stands.destination) {
            Ok((org, api)) => {
                if api == SalesforceApi::Auto && stands.phase == JobPhase::Sealed {
                    let JobChoice { reason, .. } =
                        choose::jobs(&org.auto, &org.bulk, org.client.usage());
                    org.meter(SalesforceApi::BulkV2).chosen(reason);
                    let (destination, records) = (&stands.destination, stands.units);
                    let api = SalesforceApi::BulkV2;
                    tracing::debug!(%destination, %api, reason, records, "chosen");
                }
                bulk::run(org, job).await
            }
            Err(error) => {
                let failure = Failure::from(&error);
                tracing::error!(code = failure.code(), "a job waits: {}", failure.message());
                Ok(JobStep::Wait(UNKNOWN))
            }
        }
    }
}

/// The places of each destination; a slice has one as a rule.
fn by_destination(deliveries: &[Delivery]) -> Vec<(&Destination, Vec<usize>)> {
    let mut groups: Vec<(&Destination, Vec<usize>)> = Vec::new();
    for (place, delivery) in deliveries.iter().enumerate() {
        match groups.iter_mut().find(|(known, _)| *known == &delivery.destination) {
            Some((_, places)) => places.push(place),
            None => groups.push((&delivery.destination, vec![place])),
        }
    }
    groups
}
