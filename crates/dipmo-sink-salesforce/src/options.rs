//! What the publisher can be told.

use std::time::Duration;

use dipmo_domain::Failure;
use dipmo_outbox::{Attempt, Delivery, Published};
use dipmo_salesforce::ClientOptions;

use crate::bulk::BulkOptions;
use crate::mapping::ObjectMapping;
use crate::resilience::ResilienceOptions;

/// Options of the publisher for `HTTP:SFDC[@org]:<api>:<object>`.
#[derive(Clone, Debug)]
pub struct SalesforceSinkOptions {
    /// The orgs that it delivers to.
    pub orgs: Vec<OrgOptions>,
    /// How orgs and objects are protected, unless an org says otherwise.
    pub resilience: ResilienceOptions,
    /// How slices are sent.
    pub sending: SendingOptions,
    /// How Bulk jobs are made.
    pub bulk: BulkOptions,
    /// What `Auto` chooses by.
    pub auto: AutoOptions,
}

/// An org.
#[derive(Clone, Debug)]
pub struct OrgOptions {
    /// Its name in destinations; `None` is the one of `HTTP:SFDC:…`.
    pub name: Option<String>,
    /// How to reach it.
    pub client: ClientOptions,
    /// Its objects.
    pub mappings: Vec<ObjectMapping>,
    /// How it is protected, where that differs.
    pub resilience: Option<ResilienceOptions>,
}

/// How slices are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendingOptions {
    /// So many calls of one slice are under way at once. Defaults to 4. Calls of all slices
    /// together are limited by the bulkhead.
    pub parallel: usize,
    /// After so long no more calls of a slice are begun; what is left of it is not tried. Defaults
    /// to 20 s.
    pub slice_time: Duration,
    /// How long a record waits for its parent. Defaults to 8 retries, 15 s apart.
    pub parent: Patience,
    /// How long a record waits for the row that its event announced, where it is older or not there.
    /// Defaults to 8 retries, 3 s apart.
    pub older: Patience,
}

/// How often to try again, and how long after. The retries of the dispatcher's policy are a limit too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How many attempts may follow the first.
    pub retries: u32,
    /// How long after the last.
    pub delay: Duration,
}

/// What `Auto` chooses by, besides what waits and what depends on what.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoOptions {
    /// How soon a record should be in Salesforce. Bulk jobs are slow to begin: below a minute they
    /// are used only for more than could be sent otherwise in that time. Defaults to a minute.
    pub latency: Duration,
    /// When less than this share of the daily calls is left, fewer calls count for more than
    /// latency. Defaults to 0.4, twice the reserve that is left to others.
    pub scarce: f64,
}

impl SalesforceSinkOptions {
    /// The defaults, for some orgs.
    #[must_use]
    pub fn new(orgs: Vec<OrgOptions>) -> Self {
        Self {
            orgs,
            resilience: ResilienceOptions::default(),
            sending: SendingOptions::default(),
            bulk: BulkOptions::default(),
            auto: AutoOptions::default(),
        }
    }
}

impl OrgOptions {
    /// The org of `HTTP:SFDC:…`.
    #[must_use]
    pub const fn new(client: ClientOptions, mappings: Vec<ObjectMapping>) -> Self {
        Self { name: None, client, mappings, resilience: None }
    }

    /// The org of `HTTP:SFDC@name:…`.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }
}

impl Default for SendingOptions {
    fn default() -> Self {
        Self {
            parallel: 4,
            slice_time: Duration::from_secs(20),
            parent: Patience { retries: 8, delay: Duration::from_secs(15) },
            older: Patience { retries: 8, delay: Duration::from_secs(3) },
        }
    }
}

impl Default for AutoOptions {
    fn default() -> Self {
        Self { latency: Duration::from_secs(60), scarce: 0.4 }
    }
}

impl Patience {
    /// Whether a delivery is tried again.
    pub(crate) const fn lasts(self, delivery: &Delivery) -> bool {
        attempts(delivery) < self.retries
    }

    /// What a delivery is answered with: later, or never.
    pub(crate) fn answer(self, delivery: &Delivery, failure: Failure) -> Published {
        if self.lasts(delivery) {
            Published::Retry { failure, after: Some(self.delay) }
        } else {
            Published::Refused(failure)
        }
    }
}

/// How often a delivery was tried before.
pub(crate) const fn attempts(delivery: &Delivery) -> u32 {
    match delivery.attempt {
        Attempt::First(_) => 0,
        Attempt::Again { attempts, .. } => attempts,
    }
}
