//! Salesforce: orgs, mappings, and how records go there.

mod delivery;
mod mapping;
mod org;
mod places;
mod resilience;

use std::sync::Arc;

use dipmo_config::model::destinations::Destinations;
use dipmo_config::{Declared, Problem, Problems};
use dipmo_sink_salesforce::{SalesforcePublisher, SalesforceSinkOptions};
use dipmo_store::Lookup;

pub(super) use places::Places;

use super::nowhere::Nowhere;

/// What the org of `HTTP:SFDC:…` is called.
pub(super) const DEFAULT_ORG: &str = "default";

/// The publisher, before it has a store to read from.
#[derive(Clone, Debug)]
pub(super) struct SalesforcePlan {
    pub(super) options: SalesforceSinkOptions,
    pub(super) places: Places,
}

/// The options of the publisher; none without an org.
pub(super) fn plan(
    destinations: &Destinations,
    declared: &Declared,
    problems: &mut Problems,
) -> Option<SalesforcePlan> {
    let Destinations { place: _, kafka: _, salesforce, salesforce_delivery } = destinations;
    let mut options = SalesforceSinkOptions::new(Vec::new());
    if let Some(delivery) = salesforce_delivery {
        delivery::set(&mut options, delivery);
        if salesforce.is_empty() {
            let message = "there is no org that this could be about";
            super::problem::doubtful(delivery.place, message, problems);
        }
    }
    if salesforce.is_empty() {
        return None;
    }
    let before = problems.len();
    for (name, org) in salesforce.iter() {
        let resilience = options.resilience.clone();
        options.orgs.extend(org::options(name, org, resilience, declared, problems));
    }
    if problems.len() > before {
        return None;
    }
    let plan = SalesforcePlan { options, places: Places::of(destinations) };
    // What the publisher itself has to say, long before it has a store.
    match plan.publisher(Arc::new(Nowhere)) {
        Ok(_) => Some(plan),
        Err(problem) => {
            problems.push(*problem);
            None
        }
    }
}

impl SalesforcePlan {
    /// The publisher. No org is asked for anything yet.
    pub(super) fn publisher(
        &self,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Arc<SalesforcePublisher>, Box<Problem>> {
        let made = SalesforcePublisher::new(self.options.clone(), lookup);
        made.map(Arc::new).map_err(|error| self.places.about(&error).into())
    }
}
