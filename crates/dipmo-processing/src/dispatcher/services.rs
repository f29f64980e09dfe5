//! Who serves a destination.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Code, Destination};
use dipmo_outbox::{JobPlan, Publisher, Readiness, SLICE_SIZE};

use super::functions::{EffectHandler, Functions};
use crate::panics;

/// When to ask a publisher again that panicked instead of saying whether it is ready.
const AFTER_A_PANIC: Duration = Duration::from_secs(10);

/// What takes the deliveries of a destination.
#[derive(Clone)]
pub(crate) enum Service {
    /// They become messages of the inbox in the transaction that settles them: exactly once.
    Inbox,
    /// A publisher takes them.
    Publisher(Arc<dyn Publisher>),
}

impl Service {
    /// The publisher; the inbox needs none.
    pub(super) const fn publisher(&self) -> Option<&Arc<dyn Publisher>> {
        match self {
            Self::Inbox => None,
            Self::Publisher(publisher) => Some(publisher),
        }
    }

    /// How many deliveries make a good slice.
    pub(super) fn slice_size(&self, destination: &Destination) -> u32 {
        self.publisher().map_or(SLICE_SIZE, |publisher| publisher.slice_size(destination))
    }

    /// How long a slice may take, where the publisher says it.
    pub(super) fn deadline(&self, destination: &Destination) -> Option<Duration> {
        self.publisher()?.deadline(destination)
    }

    /// What jobs are like, where there are any.
    pub(super) fn job_plan(&self, destination: &Destination) -> Option<JobPlan> {
        self.publisher()?.job_plan(destination)
    }

    /// Whether the destination takes anything now. The dispatcher of all destinations asks this, so
    /// that a panic must stay with its own.
    pub(super) fn readiness(&self, destination: &Destination) -> Readiness {
        let Some(publisher) = self.publisher() else { return Readiness::Ready };
        let asked = catch_unwind(AssertUnwindSafe(|| publisher.readiness(destination)));
        asked.unwrap_or_else(|panic| {
            let why = panics::failure(Code::new("publisher-panicked"), &*panic);
            Readiness::Later { after: AFTER_A_PANIC, why }
        })
    }
}

/// The publishers and handler functions of a deployment.
#[derive(Clone, Default)]
pub(crate) struct Services {
    publishers: Vec<(String, Arc<dyn Publisher>)>,
    handlers: BTreeMap<String, Arc<dyn Publisher>>,
}

impl Services {
    /// `pattern` is a destination, or its beginning and a `*`.
    pub(crate) fn add(&mut self, pattern: &str, publisher: Arc<dyn Publisher>) {
        self.publishers.push((pattern.to_owned(), publisher));
    }

    pub(crate) fn handle(&mut self, name: &str, handler: impl EffectHandler + 'static) {
        self.handlers.insert(name.to_owned(), Arc::new(Functions(handler)));
    }

    /// Who serves a destination; `None` when nobody does, which stops this destination only.
    pub(crate) fn of(&self, destination: &Destination) -> Option<Service> {
        let text = destination.to_string();
        let fits = |pattern: &str| match pattern.strip_suffix('*') {
            Some(beginning) => text.starts_with(beginning),
            None => text == pattern,
        };
        let publisher = self.publishers.iter().find(|(pattern, _)| fits(pattern));
        match (publisher, destination) {
            (Some((_, publisher)), _) => Some(Service::Publisher(Arc::clone(publisher))),
            (None, Destination::Internal { name }) => {
                let handler = name.as_ref().and_then(|name| self.handlers.get(name));
                Some(handler.map_or(Service::Inbox, |one| Service::Publisher(Arc::clone(one))))
            }
            (None, _) => None,
        }
    }
}
