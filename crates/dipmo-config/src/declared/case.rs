//! Cases: in which states and under which condition an event means what.

use std::time::Duration;

use dipmo_api::sql::ValueKind;
use dipmo_api::{Stay, WriteTarget};
use dipmo_cel::Program;
use dipmo_domain::Destination;

use super::template::Template;
use super::variables::{Used, Variable};

/// One case of an event. The first one that fits decides.
#[derive(Debug)]
pub(crate) struct Case {
    /// The states that it is for; none means every state.
    pub(crate) states: Option<Vec<&'static str>>,
    pub(crate) when: Option<Program>,
    pub(crate) verdict: Verdict,
}

/// What a case decides.
#[derive(Debug)]
pub(crate) enum Verdict {
    Go(Box<Step>),
    Stay(Stay),
    Park { until: Program, at_most: Duration },
    Retry(Complaint),
    Reject(Complaint),
}

/// A code and a message for people.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) code: Template,
    pub(crate) message: Template,
}

/// A step: where it leads, and what is written and announced with it.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// The states that are entered, in order; none to act without moving.
    pub(crate) path: Vec<&'static str>,
    /// Fields of the data that change.
    pub(crate) set: Vec<(usize, Template)>,
    pub(crate) writes: Vec<Write>,
    pub(crate) sends: Vec<Send>,
    pub(crate) timers: Vec<Timer>,
    pub(crate) failure: Option<Complaint>,
}

/// When something is done, and how often.
#[derive(Debug, Default)]
pub(crate) struct Repeat {
    /// Only when this is true, for the item that the loop is at.
    pub(crate) when: Option<Program>,
    /// Once for each item of this list.
    pub(crate) for_each: Option<Program>,
}

/// A row that is written or deleted, or a statement that is run.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) repeat: Repeat,
    pub(crate) target: WriteTarget,
    /// Columns, or the parameters of the statement.
    pub(crate) set: Vec<(&'static str, ValueKind, Template)>,
}

/// What is announced, and to whom.
#[derive(Debug)]
pub(crate) struct Send {
    pub(crate) repeat: Repeat,
    pub(crate) to: Vec<Destination>,
    pub(crate) event: String,
    pub(crate) version: u16,
    pub(crate) payload: Body,
    /// `AGGREGATE_TYPE` and `AGGREGATE_ID`, where they are not those of the instance.
    pub(crate) about: (Option<Template>, Option<Template>),
    pub(crate) headers: Vec<(String, Template)>,
    pub(crate) records: Option<Program>,
    pub(crate) outcome: bool,
}

/// The payload of what is announced.
#[derive(Debug)]
pub(crate) enum Body {
    /// `{}`.
    Empty,
    /// That of the event, as it came: nobody reads it for that.
    AsItCame,
    Made(Template),
}

/// A timer that is set or cancelled.
#[derive(Debug)]
pub(crate) struct Timer {
    pub(crate) when: Option<Program>,
    pub(crate) change: Change,
}

/// What becomes of a timer.
#[derive(Debug)]
pub(crate) enum Change {
    Set { name: &'static str, after: Duration, event: &'static str, payload: Option<Template> },
    Cancel(&'static str),
}

impl Case {
    /// Notes which variables it reads.
    pub(crate) fn note(&self, used: &mut Used) {
        self.when.iter().for_each(|program| used.add(program));
        match &self.verdict {
            Verdict::Go(step) => step.note(used),
            Verdict::Stay(_) => {}
            Verdict::Park { until, .. } => used.add(until),
            Verdict::Retry(complaint) | Verdict::Reject(complaint) => complaint.note(used),
        }
    }
}

impl Step {
    fn note(&self, used: &mut Used) {
        if !self.set.is_empty() {
            // What is not set stays as it is, so it has to be known.
            used.mark(Variable::Data);
        }
        self.set.iter().for_each(|(_, template)| template.note(used));
        for write in &self.writes {
            write.repeat.note(used);
            write.set.iter().for_each(|(_, _, template)| template.note(used));
        }
        for send in &self.sends {
            send.note(used);
        }
        for timer in &self.timers {
            timer.when.iter().for_each(|program| used.add(program));
            if let Change::Set { payload: Some(payload), .. } = &timer.change {
                payload.note(used);
            }
        }
        self.failure.iter().for_each(|complaint| complaint.note(used));
    }
}

impl Repeat {
    fn note(&self, used: &mut Used) {
        self.when.iter().chain(&self.for_each).for_each(|program| used.add(program));
    }
}

impl Send {
    fn note(&self, used: &mut Used) {
        self.repeat.note(used);
        if let Body::Made(template) = &self.payload {
            template.note(used);
        }
        let (of, id) = &self.about;
        of.iter().chain(id).for_each(|template| template.note(used));
        self.headers.iter().for_each(|(_, template)| template.note(used));
        self.records.iter().for_each(|program| used.add(program));
    }
}

impl Complaint {
    fn note(&self, used: &mut Used) {
        self.code.note(used);
        self.message.note(used);
    }
}
