//! Decisions, one after the other: what a message meets is what those before it have done.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_api::{
    Advanced, Description, ErasedOutcome, Evidence, FactDefinition, FactRequest, FactRow, Facts,
    MessageView, Opened, OutOfTurn, Registry, Route,
};
use dipmo_domain::Timestamp;

use super::Met;
use super::instances::{Instances, Row};
use super::rows::Rows;

/// Processes, and what they have come to.
pub(super) struct Stage {
    registry: Arc<Registry>,
    pub(super) instances: Instances,
    pub(super) rows: Rows,
    /// The time of all decisions.
    now: Timestamp,
    /// What queries found: only a database can run them.
    pub(super) answers: HashMap<FactRequest, Vec<FactRow>>,
}

/// What a message would read.
pub(super) struct Wants {
    pub(super) process: &'static str,
    pub(super) instance: String,
    pub(super) facts: Vec<(FactDefinition, FactRequest)>,
}

impl Stage {
    pub(super) fn new(registry: Arc<Registry>, now: Timestamp) -> Self {
        let (instances, rows) = (Instances::default(), Rows::default());
        Self { registry, instances, rows, now, answers: HashMap::new() }
    }

    /// What a message would read; `None` when no process decides about it.
    pub(super) fn wants(&self, message: &MessageView<'_>) -> Option<Wants> {
        let route = self.registry.route(message.topic, message.event_type);
        let Some(Route::Process(process)) = route else { return None };
        let Opened::Question(question) = process.open(message) else { return None };
        let description = process.description();
        let fact =
            |request: &FactRequest| Some((definition(description, request)?, request.clone()));
        Some(Wants {
            process: description.name(),
            instance: question.instance_id().to_owned(),
            facts: question.facts().iter().filter_map(fact).collect(),
        })
    }

    /// Lets a process decide, and remembers what it did.
    pub(super) fn meet(&mut self, message: &MessageView<'_>) -> Met {
        let registry = Arc::clone(&self.registry);
        let route = registry.route(message.topic, message.event_type);
        let process = match route {
            Some(Route::Process(process)) => process,
            Some(Route::Handler(_)) => return Met::Handled,
            None => return Met::Ignored,
        };
        let question = match process.open(message) {
            Opened::Question(question) => question,
            Opened::Ignored => return Met::Ignored,
            Opened::Refused(refusal) => return Met::Refused(refusal),
        };
        let description = process.description();
        let (name, id) = (description.name(), question.instance_id().to_owned());
        let seen = self.instances.seen(name, &id, message.source_system);
        let judged = message
            .source_version
            .and_then(|version| description.versions.judge(seen, version, |_| false));
        let (facts, unknown_facts) = self.facts(description, question.facts());
        let row = self.instances.row(name, &id);
        // As the engine has it: nobody can decide by what was erased.
        if row.is_some_and(Row::is_blank) {
            return Met::Ignored;
        }
        let initial = description.table.initial;
        let from = row.map_or(initial, |row| row.state.as_str()).to_owned();
        let instance = row.map(|row| row.view(seen));
        let evidence = Evidence { message, row: instance.as_ref(), facts: &facts, now: self.now };
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
        description: &Description,
        requests: &[FactRequest],
    ) -> (Facts, Vec<&'static str>) {
        let (mut facts, mut unknown) = (Facts::default(), Vec::new());
        for request in requests {
            let of_table = definition(description, request)
                .and_then(|definition| self.rows.find(&definition, request));
            match of_table.or_else(|| self.answers.get(request).cloned()) {
                Some(rows) => rows.into_iter().for_each(|row| facts.add(request.clone(), row)),
                None => unknown.push(request.name),
            }
        }
        (facts, unknown)
    }

    fn took(
        &mut self,
        process: &'static str,
        id: &str,
        message: &MessageView<'_>,
        step: &Advanced,
    ) {
        self.instances.took(process, id, step);
        if let Some(version) = message.source_version {
            self.instances.saw(process, id, message.source_system, version);
        }
        step.writes.iter().for_each(|write| self.rows.write(write));
    }
}

fn definition(description: &Description, request: &FactRequest) -> Option<FactDefinition> {
    description.facts.iter().find(|fact| fact.name == request.name).cloned()
}
