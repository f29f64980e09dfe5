//! A question to a typed process: the event is read, the row and the facts are to come.

use std::sync::Arc;

use dipmo_domain::Json;

use crate::typed::Inner;
use crate::{
    Advance, Context, Draft, ErasedOutcome, Evidence, FactRequest, InstanceView, Process,
    ProcessState, Question, Refusal, Transition,
};

pub(crate) struct Asked<P: Process> {
    pub(crate) inner: Arc<Inner<P>>,
    pub(crate) event: P::Event,
    pub(crate) instance_id: String,
    pub(crate) facts: Vec<FactRequest>,
}

impl<P: Process> Question for Asked<P> {
    fn instance_id(&self) -> &str {
        &self.instance_id
    }

    fn facts(&self) -> &[FactRequest] {
        &self.facts
    }

    fn try_decide(&self, evidence: &Evidence<'_>) -> Result<ErasedOutcome, Refusal> {
        let state = evidence.row.map_or(Ok(P::State::INITIAL), read_state::<P>)?;
        let data = evidence.row.map_or_else(|| Ok(P::Data::default()), read_data::<P>)?;
        let version = evidence.row.map_or(0, |row| row.version) + 1;
        let context = Context {
            data: &data,
            instance_id: &self.instance_id,
            version,
            last_source_version: evidence.row.and_then(|row| row.last_source_version),
            message: evidence.message,
            requests: &self.facts,
            facts: evidence.facts,
            now: evidence.now,
        };
        match self.inner.process.decide(&state, &self.event, &context) {
            Transition::Advance(advance) => {
                let data = match (&advance.data, evidence.row) {
                    (None, Some(row)) => row.data.clone(),
                    (new, _) => write_data::<P>(new.as_ref().unwrap_or(&data))?,
                };
                let draft = draft(&self.instance_id, state, version, advance, data);
                let advanced = draft.checked(&self.inner.description)?;
                Ok(ErasedOutcome::Advance(Box::new(advanced)))
            }
            Transition::Stay(stay) => Ok(ErasedOutcome::Stay(stay)),
            Transition::Park(park) => Ok(ErasedOutcome::Park(park)),
            Transition::Retry(failure) => Ok(ErasedOutcome::Retry(failure)),
            Transition::Reject(failure) => Ok(ErasedOutcome::Reject(failure)),
        }
    }
}

fn draft<S: ProcessState, D>(
    instance_id: &str,
    from: S,
    version: i64,
    advance: Advance<S, D>,
    data: Json,
) -> Draft<'_> {
    let Advance { via, to, effects, writes, timers, failure, .. } = advance;
    let via = via.into_iter().map(S::name).collect();
    let (from, to) = (from.name(), to.name());
    Draft { instance_id, from, via, to, data, version, effects, writes, timers, failure }
}

fn read_state<P: Process>(row: &InstanceView<'_>) -> Result<P::State, Refusal> {
    P::State::parse(row.state).ok_or_else(|| Refusal::StateUnknown {
        process: P::NAME,
        state: row.state.to_owned(),
        known: P::State::ALL.iter().map(|state| state.name()).collect::<Vec<_>>().join(", "),
    })
}

fn read_data<P: Process>(row: &InstanceView<'_>) -> Result<P::Data, Refusal> {
    row.data.read().map_err(|error| {
        let problem = format!("cannot be read: {error}; a field that was added needs a default");
        Refusal::ContextInvalid { process: P::NAME, problem }
    })
}

fn write_data<P: Process>(data: &P::Data) -> Result<Json, Refusal> {
    Json::of(data).map_err(|error| {
        let problem = format!("cannot be written: {error}");
        Refusal::ContextInvalid { process: P::NAME, problem }
    })
}
