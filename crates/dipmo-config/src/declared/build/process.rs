//! A process: its states, its data, its events, and the description that the registry wants.

use std::sync::Arc;

use dipmo_api::table::{ProcessTable, ProjectedColumn};
use dipmo_api::{Description, EventKind, Registry, Subscription, Upcasters, Versions, WriteTarget};
use dipmo_cel::{Object, Type};

use super::facts::{Known, define};
use super::graph::Graph;
use super::{Declared, types, unknown};
use crate::declared::DeclaredProcess;
use crate::declared::case::Verdict;
use crate::declared::data;
use crate::declared::event::Event;
use crate::declared::intern::intern;
use crate::model::process::{self, Process};
use crate::problem::{Problem, codes};
use crate::{Config, Files, Name, Problems, Upper};

/// How long contiguous versions wait for the one that is missing, unless the process says otherwise.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60 * 60);

/// Builds one process.
pub(super) struct Builder<'a> {
    pub(super) config: &'a Config,
    pub(super) declared: &'a Declared,
    pub(super) files: &'a Files,
    pub(super) process: &'a Process,
    name: &'a Upper,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        config: &'a Config,
        declared: &'a Declared,
        files: &'a Files,
        name: &'a Upper,
        process: &'a Process,
    ) -> Self {
        Self { config, declared, files, process, name }
    }

    /// The process, unless something is wrong with it.
    pub(super) fn build(&self, problems: &mut Problems) -> Option<DeclaredProcess> {
        let before = problems.len();
        self.state(&self.process.initial, problems);
        self.check_names(problems);
        let facts: Vec<Known<'_>> = self
            .process
            .facts
            .iter()
            .filter_map(|(name, fact)| define(self.name, name, fact, self.declared, problems))
            .collect();
        let (mut kinds, mut upcasters) = (Vec::new(), Upcasters::default());
        let mut events: Vec<Event> = Vec::new();
        for (name, event) in self.process.events.iter() {
            kinds.push(Self::kind(name, event));
            self.upcasts(name, event, &mut upcasters, problems);
            events.extend(self.event(name, event, &facts, problems));
        }
        let graph = Graph::of(self.process);
        graph.check(self.name, self.process, problems);
        if problems.iter().skip(before).any(|it| it.severity == crate::Severity::Error)
            || problems.left_out() > 0
        {
            return None;
        }
        let description = self.description(&graph, kinds, upcasters, &facts, &events);
        let names = self.process.data.0.iter().map(|field| Arc::from(field.name.as_str()));
        let data = data::Fields::new(intern(self.name), names.collect(), self.data_type());
        self.registered(DeclaredProcess::new(description, data, events), problems)
    }

    /// What only the registry finds is said at the name of the process.
    fn registered(
        &self,
        process: DeclaredProcess,
        problems: &mut Problems,
    ) -> Option<DeclaredProcess> {
        match Registry::new().erased(Arc::new(process.clone())) {
            Ok(_) => Some(process),
            Err(error) => {
                let problem =
                    Problem::error(codes::PROCESS_INVALID, self.name.place, error.to_string());
                problems.push(problem);
                None
            }
        }
    }

    fn description(
        &self,
        graph: &Graph,
        events: Vec<EventKind>,
        upcasters: Upcasters,
        facts: &[Known<'_>],
        built: &[Event],
    ) -> Description {
        let projected =
            |(name, shown): (&Upper, &crate::Spanned<process::Shown>)| ProjectedColumn {
                name: intern(name),
                field: intern(&shown.field),
                required: shown.required,
            };
        let table = ProcessTable {
            process: intern(self.name),
            states: self.process.states.iter().map(|(name, _)| intern(name)).collect(),
            initial: intern(&self.process.initial),
            state_check: intern(&format!("CK_{}_STATE", self.name)),
            projected: self.process.columns.iter().map(projected).collect(),
        };
        let listens = self.process.listens.iter();
        let mut description = Description {
            table,
            edges: graph.edges(),
            events,
            upcasters,
            domain_tables: Vec::new(),
            facts: Vec::new(),
            statements: Vec::new(),
            subscriptions: listens
                .map(|(topic, events)| Subscription::of(topic, events.iter().map(Name::as_str)))
                .collect(),
            versions: self.versions(),
        };
        for fact in facts {
            if let dipmo_api::FactSource::Table { table, .. } = &fact.definition.source {
                description = description.domain_table(table);
            }
            description.facts.push(fact.definition.clone());
        }
        for target in built.iter().flat_map(|event| &event.cases).flat_map(targets) {
            description = match target {
                WriteTarget::Upsert(table) | WriteTarget::Delete(table) => {
                    description.domain_table(table)
                }
                WriteTarget::Run(statement) => description.statement(statement),
            };
        }
        description
    }

    fn versions(&self) -> Versions {
        match self.process.versions.as_deref() {
            None | Some(process::Versions::Any) => Versions::Free,
            Some(process::Versions::Growing) => Versions::Increasing,
            Some(process::Versions::Contiguous(contiguous)) => Versions::Contiguous {
                first: contiguous.first.as_ref().map_or(1, |first| first.value),
                wait: contiguous.wait.as_ref().map_or(PATIENCE, |wait| wait.value),
            },
        }
    }

    /// Events that are named and not declared, and columns of fields that are not there.
    fn check_names(&self, problems: &mut Problems) {
        let Process { listens, on, columns, facts, .. } = self.process;
        let listened = listens.iter().flat_map(|(_, events)| events.iter());
        let read = facts.iter().flat_map(|(_, fact)| fact.on.iter());
        for name in listened.chain(on.iter().map(|(name, _)| name)).chain(read) {
            self.event_name(name, problems);
        }
        for (_, shown) in columns.iter() {
            if self.process.data.get(&shown.field).is_none() {
                let known = self.process.data.0.iter().map(|field| field.name.as_str());
                problems.push(unknown("field of the data", &shown.field, shown.place, known));
            }
        }
    }

    /// A state of the process.
    pub(super) fn state(&self, name: &Upper, problems: &mut Problems) -> Option<&'static str> {
        let states = &self.process.states;
        if states.get(name).is_none() {
            let known = states.iter().map(|(name, _)| name.as_str());
            problems.push(unknown("state", name, name.place, known));
            return None;
        }
        Some(intern(name))
    }

    /// An event of the process.
    pub(super) fn event_name(&self, name: &Name, problems: &mut Problems) -> Option<&'static str> {
        let events = &self.process.events;
        if events.get(name).is_none() {
            let known = events.iter().map(|(name, _)| name.as_str());
            problems.push(unknown("event", name, name.place, known));
            return None;
        }
        Some(intern(name))
    }

    /// Which field of the data it is, and what it takes.
    pub(super) fn data_field(&self, name: &Name, problems: &mut Problems) -> Option<(usize, Type)> {
        let fields = &self.process.data.0;
        let Some(at) = fields.iter().position(|field| field.name.as_str() == name.as_str()) else {
            let known = fields.iter().map(|field| field.name.as_str());
            problems.push(unknown("field of the data", name, name.place, known));
            return None;
        };
        let Type::Object(all) = self.data_type() else { return None };
        Some((at, all.fields[at].1.clone()))
    }

    /// What an instance remembers: each field may be null, as all are at first.
    pub(super) fn data_type(&self) -> Type {
        let Type::Object(all) = types::object("data", &self.process.data) else {
            return Type::Dyn;
        };
        let optional = |(name, ty): &(String, Type)| (name.clone(), Type::optional(ty.clone()));
        let fields = all.fields.iter().map(optional).collect();
        Type::Object(Arc::new(Object { name: "data".to_owned(), fields, open: false }))
    }
}

fn targets(case: &crate::declared::case::Case) -> impl Iterator<Item = &WriteTarget> {
    let step = match &case.verdict {
        Verdict::Go(step) => Some(step),
        _ => None,
    };
    step.into_iter().flat_map(|step| step.writes.iter().map(|write| &write.target))
}
