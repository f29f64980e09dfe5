//! From a typed process to the form that the engine drives.

use std::sync::Arc;

use crate::asked::Asked;
use crate::read::read;
use crate::{Description, ErasedProcess, MessageView, Opened, Process, Refusal};

/// Takes the types off a process.
#[must_use]
pub fn erase<P: Process>(process: P) -> Arc<dyn ErasedProcess> {
    let description = process.describe();
    Arc::new(Typed(Arc::new(Inner { process, description })))
}

struct Typed<P>(Arc<Inner<P>>);

/// A process and what was worked out about it once.
pub(crate) struct Inner<P> {
    pub(crate) process: P,
    pub(crate) description: Description,
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
        let Inner { process, description } = &*self.0;
        let Some(incoming) = description.incoming(message)? else { return Ok(None) };
        let Some(event) = read::<P::Event>(incoming)? else { return Ok(None) };
        let correlate = || process.correlate(&event, message);
        let instance_id = description.instance_id(message, correlate)?;
        let facts = process.facts(&event, message);
        description.check_facts(&facts)?;
        Ok(Some(Asked { inner: Arc::clone(&self.0), event, instance_id, facts }))
    }
}
