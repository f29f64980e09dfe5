//! Who serves a destination.

use std::collections::BTreeMap;
use std::sync::Arc;

use dipmo_domain::Destination;
use dipmo_outbox::{Publisher, SLICE_SIZE};

use super::functions::{EffectHandler, Functions};

/// What takes the deliveries of a destination.
#[derive(Clone)]
pub(crate) enum Service {
    /// They become messages of the inbox in the transaction that settles them: exactly once.
    Inbox,
    /// A publisher takes them.
    Publisher(Arc<dyn Publisher>),
}

impl Service {
    /// How many deliveries make a good slice.
    pub(super) fn slice_size(&self) -> u32 {
        match self {
            Self::Inbox => SLICE_SIZE,
            Self::Publisher(publisher) => publisher.slice_size(),
        }
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
