//! From a typed process to the form that the engine drives.

use std::sync::Arc;

use dipmo_domain::fit;

use crate::asked::Asked;
use crate::read::read;
use crate::{
    Description, ErasedProcess, FactRequest, INSTANCE_HEADER, MessageView, Opened, Process,
    Refusal, outcome_topic, timer_topic,
};

/// The longest `ID` of a process row, in characters.
const MAX_ID_CHARS: usize = 200;

/// Takes the types off a process.
#[must_use]
pub fn erase<P: Process>(process: P) -> Arc<dyn ErasedProcess> {
    let description = process.describe();
    let own_topics = [timer_topic(P::NAME), outcome_topic(P::NAME)];
    Arc::new(Typed(Arc::new(Inner { process, description, own_topics })))
}

struct Typed<P>(Arc<Inner<P>>);

/// A process and what was worked out about it once.
pub(crate) struct Inner<P> {
    pub(crate) process: P,
    pub(crate) description: Description,
    /// Filled by dipmo alone; their messages name the instance.
    own_topics: [String; 2],
}

impl<P: Process> ErasedProcess for Typed<P> {
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

impl<P: Process> Typed<P> {
    fn ask(&self, message: &MessageView<'_>) -> Result<Option<Asked<P>>, Refusal> {
        let Some(event) = read::<P::Event>(&self.0.description.upcasters, message)? else {
            return Ok(None);
        };
        let instance_id = self.0.instance_id(&event, message)?;
        let facts = self.0.process.facts(&event, message);
        self.0.check_facts(&facts)?;
        Ok(Some(Asked { inner: Arc::clone(&self.0), event, instance_id, facts }))
    }
}

impl<P: Process> Inner<P> {
    fn instance_id(&self, event: &P::Event, message: &MessageView<'_>) -> Result<String, Refusal> {
        let found = if self.own_topics.iter().any(|topic| topic == message.topic) {
            message.headers.text(INSTANCE_HEADER).or(message.aggregate_id).map(str::to_owned)
        } else {
            self.process.correlate(event, message)
        };
        let missing = || Refusal::CorrelationMissing {
            process: P::NAME,
            event_type: message.event_type.unwrap_or_default().to_owned(),
        };
        // The inbox fits aggregate ids in the same way, so that both find the same row.
        found.filter(|id| !id.is_empty()).map(|id| fit(&id, MAX_ID_CHARS).text).ok_or_else(missing)
    }

    fn check_facts(&self, requests: &[FactRequest]) -> Result<(), Refusal> {
        requests.iter().try_for_each(|request| match self.bad_fact(request) {
            Some(problem) => {
                Err(Refusal::FactInvalid { process: P::NAME, fact: request.name, problem })
            }
            None => Ok(()),
        })
    }

    /// Facts are fetched for a whole batch, so one bad key would fail it all.
    fn bad_fact(&self, request: &FactRequest) -> Option<String> {
        let mut described = self.description.facts.iter();
        let Some(fact) = described.find(|fact| fact.name == request.name) else {
            return Some("it is not in the description of the process".to_owned());
        };
        let misfit = fact.table.column(fact.by)?.misfit(&request.key)?;
        Some(format!("table {} {misfit}", fact.table.name))
    }
}
