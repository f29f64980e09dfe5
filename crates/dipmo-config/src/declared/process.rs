//! A declared process, as the engine drives it.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_api::{Description, ErasedProcess, MessageView, Opened, Payload, Refusal};
use dipmo_domain::Json;

use super::data::Fields;
use super::event::Event;
use super::question::Asked;
use super::variables::Variables;

/// A process that is declared in a file. A clone shares it.
#[derive(Clone)]
pub struct DeclaredProcess(Arc<Inner>);

/// All that was worked out about it once.
pub(crate) struct Inner {
    pub(crate) description: Description,
    pub(crate) data: Fields,
    pub(crate) events: HashMap<&'static str, Event>,
}

impl DeclaredProcess {
    pub(crate) fn new(description: Description, data: Fields, events: Vec<Event>) -> Self {
        let events = events.into_iter().map(|event| (event.name, event)).collect();
        Self(Arc::new(Inner { description, data, events }))
    }

    /// The question that a message is to it; none when it does not know the event.
    pub(crate) fn ask(&self, message: &MessageView<'_>) -> Result<Option<Asked>, Refusal> {
        let Inner { description, events, .. } = &*self.0;
        let Some(incoming) = description.incoming(message)? else { return Ok(None) };
        let Some(event) = events.get(incoming.event.name) else { return Ok(None) };
        let lifted = match &incoming.payload {
            Payload::Text(_) => None,
            Payload::Lifted(value) => Json::of(value).ok(),
        };
        let payload = event.read(&incoming)?;
        let mut variables = Variables::of_message(&event.used, &payload, message);
        let mut failed = None;
        let instance_id = description.instance_id(message, || {
            event.instance(&variables, message).unwrap_or_else(|failure| {
                failed = Some(failure);
                None
            })
        });
        let instance_id = instance_id.map_err(|refusal| match failed {
            Some(failure) => Refusal::ExpressionFailed {
                process: description.name(),
                place: format!("the instance of {}", event.name),
                problem: failure.message,
            },
            None => refusal,
        })?;
        variables.know_instance(&event.used, &instance_id);
        let facts = event.ask(description.name(), &variables)?;
        description.check_facts(&facts)?;
        let (inner, name) = (Arc::clone(&self.0), event.name);
        Ok(Some(Asked { inner, event: name, payload, lifted, instance_id, facts }))
    }
}

impl ErasedProcess for DeclaredProcess {
    fn description(&self) -> &Description {
        &self.0.description
    }

    fn open(&self, message: &MessageView<'_>) -> Opened {
        match self.ask(message) {
            Ok(Some(asked)) => Opened::Question(Box::new(asked)),
            Ok(None) => Opened::Ignored,
            Err(refusal) => Opened::Refused(refusal),
        }
    }
}
