//! A rehearsal: records go through the rules of their source and the decisions of their process, one after the
//! other, and nothing outside is touched. Instances and rows are kept in memory, so that a record meets what
//! those before it have done.

mod instances;
mod record;
mod rows;

use std::collections::HashMap;

use dipmo_api::{
    Advanced, ErasedOutcome, Evidence, FactRequest, Facts, Opened, OutOfTurn, Refusal, Registry,
    Route, Stay,
};
use dipmo_config::{Loaded, Problems};
use dipmo_domain::{DedupeKey, Failure, Timestamp};
use dipmo_inbound::Inbound;
use dipmo_inbox::{Body, NewMessage};

use self::instances::Instances;
pub use self::record::{RecordError, record};
use self::rows::Rows;
use super::sources;

/// Decisions without a database.
pub struct Rehearsal {
    registry: Registry,
    /// The rules of each source, and the topics that it reads.
    sources: Vec<(Inbound, Vec<String>)>,
    instances: Instances,
    rows: Rows,
    known: HashMap<DedupeKey, usize>,
    heard: usize,
}

/// What a record would do.
pub struct Rehearsed {
    /// Who the message is.
    pub message: NewMessage,
    /// What becomes of it.
    pub outcome: Met,
}

/// What becomes of a message.
pub enum Met {
    /// It could not be decoded, and would be kept as SERDE_ERROR.
    Undecodable(Failure),
    /// It came before, as so many of those that were heard.
    Known(usize),
    /// No process takes it: it would end as IGNORED.
    Ignored,
    /// It cannot be asked about: it would be FAILED.
    Refused(Refusal),
    /// Its process decided.
    Decided {
        /// The process.
        process: &'static str,
        /// The instance.
        instance: String,
        /// The state that it was in.
        from: String,
        /// What was decided.
        outcome: ErasedOutcome,
        /// Facts that a rehearsal cannot know: those of queries.
        unknown_facts: Vec<&'static str>,
    },
}

impl Rehearsal {
    /// For a configuration.
    ///
    /// # Errors
    /// With all that is wrong with it.
    pub fn new(loaded: &Loaded) -> Result<Self, Problems> {
        let checked = loaded.check();
        let mut problems = checked.problems;
        let registry = checked.declared.registry().ok();
        let sources = sources::inbounds(&loaded.config.sources, &mut problems);
        match registry {
            Some(registry) if !problems.any_error() => Ok(Self {
                registry,
                sources,
                instances: Instances::default(),
                rows: Rows::default(),
                known: HashMap::new(),
                heard: 0,
            }),
            _ => Err(problems),
        }
    }

    /// Lets a record come.
    pub fn hear(&mut self, record: dipmo_inbox::Record) -> Rehearsed {
        self.heard += 1;
        let plain = Inbound::new("rehearsal");
        let reads = |topics: &[String]| topics.iter().any(|topic| fits(topic, &record.topic));
        let inbound = self.sources.iter().find(|(_, topics)| reads(topics));
        let message = inbound.map_or(&plain, |(inbound, _)| inbound).decode(record).message;
        let outcome = self.meet(&message);
        Rehearsed { message, outcome }
    }

    fn meet(&mut self, message: &NewMessage) -> Met {
        let payload = match &message.body {
            Body::Json(payload) => payload,
            Body::Undecodable { failure, .. } => return Met::Undecodable(failure.clone()),
        };
        if let Some(before) = self.known.get(&message.dedupe_key) {
            return Met::Known(*before);
        }
        self.known.insert(message.dedupe_key, self.heard);
        let view = record::view(message, payload, self.heard);
        let Some(Route::Process(process)) = self.registry.route(view.topic, view.event_type) else {
            return Met::Ignored;
        };
        let question = match process.open(&view) {
            Opened::Question(question) => question,
            Opened::Ignored => return Met::Ignored,
            Opened::Refused(refusal) => return Met::Refused(refusal),
        };
        let description = process.description();
        let (name, id) = (description.name(), question.instance_id().to_owned());
        let seen = self.instances.seen(name, &id, &message.source_system);
        let judged = view
            .source_version
            .and_then(|version| description.versions.judge(seen, version, |_| false));
        let (facts, unknown_facts) = self.facts(description, question.facts());
        let row = self.instances.row(name, &id);
        let from = row.map_or(description.table.initial, |row| row.state).to_owned();
        let instance = row.map(|row| row.view(seen));
        let evidence = Evidence {
            message: &view,
            row: instance.as_ref(),
            facts: &facts,
            now: Timestamp::EPOCH,
        };
        let decided = match judged {
            Some(OutOfTurn::Stale(why)) => Ok(ErasedOutcome::Stay(why)),
            Some(OutOfTurn::Early(park)) => Ok(ErasedOutcome::Park(park)),
            None => question.try_decide(&evidence),
        };
        let outcome = match decided {
            Ok(outcome) => outcome,
            Err(refusal) => return Met::Refused(refusal),
        };
        if let ErasedOutcome::Advance(advanced) = &outcome {
            self.took(name, &id, message, advanced);
        }
        Met::Decided { process: name, instance: id, from, outcome, unknown_facts }
    }

    fn facts(
        &self,
        description: &dipmo_api::Description,
        requests: &[FactRequest],
    ) -> (Facts, Vec<&'static str>) {
        let (mut facts, mut unknown) = (Facts::default(), Vec::new());
        for request in requests {
            let definition = description.facts.iter().find(|fact| fact.name == request.name);
            match definition.and_then(|definition| self.rows.find(definition, request)) {
                Some(rows) => rows.into_iter().for_each(|row| facts.add(request.clone(), row)),
                None => unknown.push(request.name),
            }
        }
        (facts, unknown)
    }

    fn took(&mut self, process: &'static str, id: &str, message: &NewMessage, step: &Advanced) {
        self.instances.took(process, id, step);
        if let Some(version) = message.source_version {
            self.instances.saw(process, id, &message.source_system, version);
        }
        step.writes.iter().for_each(|write| self.rows.write(write));
    }
}

/// True when a source that reads `pattern` reads `topic`.
fn fits(pattern: &str, topic: &str) -> bool {
    match pattern.split_once('*') {
        _ if pattern.starts_with('^') => true,
        Some((beginning, end)) => {
            topic.strip_prefix(beginning).is_some_and(|rest| rest.ends_with(end))
        }
        None => pattern == topic,
    }
}

/// What staying means, for people.
#[must_use]
pub const fn why(stay: Stay) -> &'static str {
    match stay {
        Stay::Duplicate => "duplicate: the instance has already taken this step",
        Stay::Stale => "stale: the instance has left this behind",
        Stay::Nothing => "nothing to do",
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_run_of_characters() {
        assert!(fits("orders", "orders") && fits("orders-*", "orders-de") && fits("*", "x"));
        assert!(!fits("orders", "orders-de") && !fits("orders-*-eu", "orders-de"));
    }
}
