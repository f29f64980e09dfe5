//! Drafts: a step by names, before it is known that it can be written.
//!
//! **Invariant:** what passes here does not fail in a database for its content. One bad step
//! rejects its message, and never the batch around it.

use dipmo_domain::{Failure, Json};

use crate::document::check_document;
use crate::read::payload_version;
use crate::size::check_text;
use crate::{
    Advanced, Description, DomainWrite, Effect, Intent, Refusal, TimerChange, WriteTarget,
};

/// The widest name of a timer, in characters.
const MAX_TIMER_CHARS: usize = 100;

/// A step of an instance as a process wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft<'a> {
    /// The `ID` of the instance.
    pub instance_id: &'a str,
    /// The state that is left.
    pub from: &'static str,
    /// The states that are passed through, in order.
    pub via: Vec<&'static str>,
    /// The state where the step ends.
    pub to: &'static str,
    /// The context document.
    pub data: Json,
    /// The `VERSION` after the step.
    pub version: i64,
    /// What the world is to know.
    pub effects: Vec<Effect>,
    /// Rows of the domain.
    pub writes: Vec<DomainWrite>,
    /// Timers.
    pub timers: Vec<TimerChange>,
    /// Why the new state means failure.
    pub failure: Option<Failure>,
}

impl Draft<'_> {
    /// Checks edges, document, effects, writes and timers.
    ///
    /// # Errors
    /// The first thing that cannot be written, as a refusal.
    pub fn checked(self, process: &Description) -> Result<Advanced, Refusal> {
        let path = [self.via, vec![self.to]].concat();
        check_path(process, self.from, &path)?;
        check_document(process, &self.data)?;
        self.writes.iter().try_for_each(|write| check_write(process, write))?;
        self.timers.iter().try_for_each(|timer| check_timer(process, timer))?;
        let checked = |effect: Effect| effect.checked(process.name(), self.instance_id);
        let intents = self.effects.into_iter().map(checked).collect::<Result<Vec<Intent>, _>>()?;
        Ok(Advanced {
            path,
            state: self.to,
            data: self.data,
            version: self.version,
            intents,
            writes: self.writes,
            timers: self.timers,
            failure: self.failure,
        })
    }
}

fn check_path(
    process: &Description,
    from: &'static str,
    path: &[&'static str],
) -> Result<(), Refusal> {
    let steps = std::iter::once(&from).chain(path).zip(path);
    let declared = |(from, to)| process.edges.iter().any(|edge| (edge.from, edge.to) == (from, to));
    match steps.map(|(from, to)| (*from, *to)).find(|step| !declared(*step)) {
        Some((from, to)) => Err(Refusal::EdgeUndeclared { process: process.name(), from, to }),
        None => Ok(()),
    }
}

fn check_write(process: &Description, write: &DomainWrite) -> Result<(), Refusal> {
    let (described, what) = match write.target() {
        WriteTarget::Upsert(table) | WriteTarget::Delete(table) => {
            (process.domain_tables.contains(table), ("table", table.name))
        }
        WriteTarget::Run(statement) => {
            (process.statements.contains(statement), ("statement", statement.name()))
        }
    };
    let unknown = || format!("{} does not describe the {} {}", process.name(), what.0, what.1);
    let problem = (!described).then(unknown).or_else(|| write.problem());
    problem.map_or(Ok(()), |problem| Err(Refusal::DomainWriteInvalid { problem }))
}

fn check_timer(process: &Description, timer: &TimerChange) -> Result<(), Refusal> {
    let (name, heard) = match timer {
        TimerChange::Set { name, event_type, payload, .. } => {
            (name, check_heard(process, event_type, payload))
        }
        TimerChange::Cancel { name } => (name, Ok(())),
    };
    let named = check_text("its name", name, MAX_TIMER_CHARS);
    named.and(heard).map_err(|problem| Refusal::TimerInvalid { timer: name, problem })
}

/// A timer must come back as what it was set for: an event that the process reads, in the version
/// that it has now, even if a later version of the process is there when it fires.
fn check_heard(process: &Description, event_type: &str, payload: &Json) -> Result<(), String> {
    let Some(event) = process.events.iter().find(|event| event.name == event_type) else {
        return Err(format!("{} does not read the event {event_type}", process.name()));
    };
    let (newest, written) = (event.version, payload_version(payload).map_err(|e| e.to_string())?);
    if written == newest {
        return Ok(());
    }
    Err(format!("{event_type} is at v{newest}: its payload needs \"eventVersion\": {newest}"))
}
