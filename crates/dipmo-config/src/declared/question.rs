//! A question to a declared process: the payload is read, the row and the facts are to come.

use std::sync::Arc;

use dipmo_api::{ErasedOutcome, Evidence, FactRequest, Park, Question, Refusal};
use dipmo_cel::{Fuel, Value};
use dipmo_domain::{Failure, Json};

use super::WORK;
use super::case::{Case, Complaint, Verdict};
use super::event::Event;
use super::process::Inner;
use super::step::Taken;
use super::variables::{self, Variable, Variables};

/// A message to a declared process.
pub(crate) struct Asked {
    pub(crate) inner: Arc<Inner>,
    pub(crate) event: &'static str,
    pub(crate) payload: Value,
    /// The payload as text, where it is not that of the message: it was of an older version.
    pub(crate) lifted: Option<Json>,
    pub(crate) instance_id: String,
    pub(crate) facts: Vec<FactRequest>,
}

/// What no case of an event takes.
const UNEXPECTED: &str = "EVENT_UNEXPECTED";

impl Question for Asked {
    fn instance_id(&self) -> &str {
        &self.instance_id
    }

    fn facts(&self) -> &[FactRequest] {
        &self.facts
    }

    fn try_decide(&self, evidence: &Evidence<'_>) -> Result<ErasedOutcome, Refusal> {
        self.decide_by_case(evidence).map(|(_, outcome)| outcome)
    }
}

impl Asked {
    /// The decision, and which case of the event made it; none when no case fits.
    pub(crate) fn decide_by_case(
        &self,
        evidence: &Evidence<'_>,
    ) -> Result<(Option<usize>, ErasedOutcome), Refusal> {
        let event = &self.inner.events[self.event];
        let state = self.state(evidence)?;
        let mut variables = self.variables(event, evidence)?;
        variables.set(Variable::State, state.into());
        let mut fuel = Fuel::new(WORK);
        for (at, case) in event.cases.iter().enumerate() {
            let fails = |failure: dipmo_cel::Failure| self.failed(at, failure);
            if fits(case, state, &variables, &mut fuel).map_err(fails)? {
                let outcome = self.carry_out(at, case, state, variables, evidence, &mut fuel)?;
                return Ok((Some(at), outcome));
            }
        }
        let message = format!("no case of {} is for an instance in {state}", self.event);
        Ok((None, ErasedOutcome::Reject(Failure::new(UNEXPECTED, &message))))
    }

    fn state(&self, evidence: &Evidence<'_>) -> Result<&'static str, Refusal> {
        let table = &self.inner.description.table;
        let Some(row) = evidence.row else { return Ok(table.initial) };
        let known = table.states.iter().copied().find(|state| *state == row.state);
        known.ok_or_else(|| Refusal::StateUnknown {
            process: table.process,
            state: row.state.to_owned(),
            known: table.states.join(", "),
        })
    }

    fn variables(&self, event: &Event, evidence: &Evidence<'_>) -> Result<Variables, Refusal> {
        let asked = variables::Asked { names: &event.fact_names, requests: &self.facts };
        let mut variables = Variables::of_message(&event.used, &self.payload, evidence.message)
            .with_evidence(&event.used, &self.instance_id, asked, evidence);
        let fields = &self.inner.data;
        let data = match evidence.row {
            Some(row) if event.reads_data() => fields.read(row.data)?,
            Some(_) => Value::Null,
            None => fields.nothing(),
        };
        variables.set(Variable::Data, data);
        Ok(variables)
    }

    fn carry_out(
        &self,
        at: usize,
        case: &Case,
        state: &'static str,
        variables: Variables,
        evidence: &Evidence<'_>,
        fuel: &mut Fuel,
    ) -> Result<ErasedOutcome, Refusal> {
        let fails = |failure: dipmo_cel::Failure| self.failed(at, failure);
        Ok(match &case.verdict {
            Verdict::Go(step) => {
                let taken = Taken { asked: self, at, step, from: state };
                ErasedOutcome::Advance(Box::new(taken.advance(variables, evidence, fuel)?))
            }
            Verdict::Stay(why) => ErasedOutcome::Stay(*why),
            Verdict::Park { until, at_most } => {
                let until = until.run(variables.slots(), fuel).map_err(fails)?;
                let Value::Int(until_version) = until else {
                    return Err(self.refuse(at, "`until` gave no version".to_owned()));
                };
                ErasedOutcome::Park(Park { until_version, timeout: *at_most })
            }
            Verdict::Retry(complaint) => {
                ErasedOutcome::Retry(complaint.make(&variables, fuel).map_err(fails)?)
            }
            Verdict::Reject(complaint) => {
                ErasedOutcome::Reject(complaint.make(&variables, fuel).map_err(fails)?)
            }
        })
    }

    /// An expression failed: the message can never be decided as it is.
    pub(crate) fn failed(&self, at: usize, failure: dipmo_cel::Failure) -> Refusal {
        self.refuse(at, failure.message)
    }

    pub(crate) fn refuse(&self, at: usize, problem: String) -> Refusal {
        let place = format!("case {} of {}", at + 1, self.event);
        Refusal::ExpressionFailed { process: self.inner.description.name(), place, problem }
    }
}

fn fits(
    case: &Case,
    state: &str,
    variables: &Variables,
    fuel: &mut Fuel,
) -> Result<bool, dipmo_cel::Failure> {
    if case.states.as_ref().is_some_and(|states| !states.contains(&state)) {
        return Ok(false);
    }
    let Some(when) = &case.when else { return Ok(true) };
    Ok(when.run(variables.slots(), fuel)?.as_bool() == Some(true))
}

impl Complaint {
    pub(crate) fn make(
        &self,
        variables: &Variables,
        fuel: &mut Fuel,
    ) -> Result<Failure, dipmo_cel::Failure> {
        let code = self.code.make(variables, fuel)?;
        let message = self.message.make(variables, fuel)?;
        Ok(Failure::new(code.as_str().unwrap_or_default(), message.as_str().unwrap_or_default()))
    }
}
