//! Routes: which process or handler takes a message.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::{ErasedProcess, RegistryError, Subscription};

/// The one taker of a message.
#[derive(Clone)]
pub enum Route {
    /// A process decides.
    Process(Arc<dyn ErasedProcess>),
    /// A transactional handler of this name runs; it is registered with the store.
    Handler(String),
}

impl Route {
    /// The name of the process or handler.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Process(process) => process.description().name(),
            Self::Handler(name) => name,
        }
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(_) => write!(f, "Process({})", self.name()),
            Self::Handler(_) => write!(f, "Handler({})", self.name()),
        }
    }
}

/// All claims, those on a single topic by that topic: every message is looked up here.
#[derive(Default)]
pub(crate) struct Routes {
    names: Vec<String>,
    exact: HashMap<String, Vec<Claim>>,
    beginnings: Vec<Claim>,
}

struct Claim {
    subscription: Subscription,
    route: Route,
}

impl Routes {
    /// Adds the claims of one taker.
    pub(crate) fn add(
        &mut self,
        route: &Route,
        subscriptions: Vec<Subscription>,
    ) -> Result<(), RegistryError> {
        let name = route.name().to_owned();
        if self.names.contains(&name) {
            return Err(RegistryError::Duplicate { name });
        }
        for subscription in &subscriptions {
            if let Some(other) = self.rival(subscription) {
                let (first, claim) = (other.route.name().to_owned(), subscription.to_string());
                return Err(RegistryError::Ambiguous { first, second: name, claim });
            }
        }
        for subscription in subscriptions {
            let claims = if subscription.topic.ends_with('*') {
                &mut self.beginnings
            } else {
                self.exact.entry(subscription.topic.clone()).or_default()
            };
            claims.push(Claim { subscription, route: route.clone() });
        }
        self.names.push(name);
        Ok(())
    }

    /// The taker of a message.
    pub(crate) fn find(&self, topic: &str, event_type: Option<&str>) -> Option<&Route> {
        let exact = self.exact.get(topic).into_iter().flatten();
        let takes = |claim: &&Claim| claim.subscription.takes(topic, event_type);
        exact.chain(&self.beginnings).find(takes).map(|claim| &claim.route)
    }

    /// All takers, in the order in which they were added.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    fn rival(&self, subscription: &Subscription) -> Option<&Claim> {
        let claims = self.exact.values().flatten().chain(&self.beginnings);
        claims.into_iter().find(|claim| claim.subscription.meets(subscription))
    }
}
