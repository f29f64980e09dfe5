//! Cases: in which states and under which condition an event means what.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::Stay;
use dipmo_api::table::{Column, DomainTable};
use dipmo_cel::Program;
use dipmo_domain::Destination;

use super::template::Template;
use super::variables::Used;

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

/// A row that is written, or one for each item of a list.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) for_each: Option<Program>,
    pub(crate) table: Arc<DomainTable>,
    pub(crate) deletes: bool,
    pub(crate) set: Vec<(Column, Template)>,
}

/// What is announced, and to whom.
#[derive(Debug)]
pub(crate) struct Send {
    pub(crate) to: Vec<Destination>,
    pub(crate) event: String,
    pub(crate) version: u16,
    pub(crate) payload: Body,
    /// `AGGREGATE_TYPE` and `AGGREGATE_ID`, where they are not those of the instance.
    pub(crate) about: Option<(Template, Template)>,
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
pub(crate) enum Timer {
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
        self.set.iter().for_each(|(_, template)| template.note(used));
        for write in &self.writes {
            write.for_each.iter().for_each(|program| used.add(program));
            write.set.iter().for_each(|(_, template)| template.note(used));
        }
        for send in &self.sends {
            if let Body::Made(template) = &send.payload {
                template.note(used);
            }
            send.about.iter().for_each(|(of, id)| [of, id].iter().for_each(|it| it.note(used)));
            send.headers.iter().for_each(|(_, template)| template.note(used));
            send.records.iter().for_each(|program| used.add(program));
        }
        for timer in &self.timers {
            if let Timer::Set { payload: Some(payload), .. } = timer {
                payload.note(used);
            }
        }
        self.failure.iter().for_each(|complaint| complaint.note(used));
    }
}

impl Complaint {
    fn note(&self, used: &mut Used) {
        self.code.note(used);
        self.message.note(used);
    }
}
