//! An object of an org: all that is needed to send something to it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, Failure, SalesforceApi};
use dipmo_outbox::{Delivery, Published};
use dipmo_salesforce::{Client, Error, RowError};

use crate::bulk::unfit::Unfit;
use crate::bulk::{BulkOptions, Jobs, Leftovers};
use crate::mapping::ObjectMapping;
use crate::metrics::{Meter, Metrics};
use crate::options::{AutoOptions, SendingOptions};
use crate::resilience::{Family, Gate, ProbeFailed, Quota, QuotaSource};
use crate::shaping::Shaper;
use crate::verdict;

/// What an org that has no name is called in figures.
pub(crate) const DEFAULT_ORG: &str = "default";

/// An object of an org.
#[derive(Clone)]
pub(crate) struct OrgContext {
    /// The name of the org, as figures have it.
    pub(crate) org: String,
    pub(crate) mapping: Arc<ObjectMapping>,
    pub(crate) client: Client,
    pub(crate) gate: Arc<Gate>,
    pub(crate) bulk_gate: Arc<Gate>,
    pub(crate) shaper: Shaper,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) sending: Arc<SendingOptions>,
    pub(crate) auto: Arc<AutoOptions>,
    pub(crate) bulk: Arc<BulkOptions>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) leftovers: Arc<Leftovers>,
    pub(crate) unfit: Arc<Unfit>,
}

impl OrgContext {
    /// The figures of an API.
    pub(crate) fn meter(&self, api: SalesforceApi) -> Arc<Meter> {
        self.metrics.meter(&self.org, &self.mapping.object, api)
    }

    /// How long a call may take: after that nothing of it is under way any more.
    pub(crate) fn call_time(&self) -> Duration {
        self.gate.time_limit().min(self.client.call_timeout())
    }

    /// What a delivery is answered with whose row was refused; the destination is paused or stopped
    /// where the refusal says so.
    pub(crate) fn refused(&self, delivery: &Delivery, error: &RowError) -> Published {
        let verdict = verdict::row(error, delivery, self.sending.parent);
        verdict.effect.on(&self.gate);
        verdict.answer
    }
}

/// The client of an org tells what is left of its allowances.
pub(crate) struct ClientQuota(pub(crate) Client);

#[async_trait]
impl QuotaSource for ClientQuota {
    fn usage(&self) -> Option<Quota> {
        let usage = self.0.usage()?;
        Some(Quota { max: usage.max, remaining: usage.max.saturating_sub(usage.used) })
    }

    async fn probe(&self, family: Family) -> Result<Quota, ProbeFailed> {
        let name = match family {
            Family::Api => "DailyApiRequests",
            Family::Bulk => "DailyBulkApiBatches",
        };
        let limits = self.0.limits().await.map_err(|error| probe_failed(&error))?;
        // An org that does not tell an allowance does not limit it.
        let quota = limits.get(name).map(|it| Quota { max: it.max, remaining: it.remaining });
        Ok(quota.unwrap_or(Quota { max: 1, remaining: 1 }))
    }
}

fn probe_failed(error: &Error) -> ProbeFailed {
    ProbeFailed { how: verdict::how(error), why: Failure::new(error.code(), &error.to_string()) }
}

/// The org, the API and the object of a destination.
pub(crate) fn parts(destination: &Destination) -> Option<(&str, SalesforceApi, &str)> {
    match destination {
        Destination::Salesforce { org, api, object } => {
            Some((org.as_deref().unwrap_or(DEFAULT_ORG), *api, object))
        }
        _ => None,
    }
}
