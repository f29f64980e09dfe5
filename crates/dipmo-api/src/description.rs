//! Descriptions: all that is known of a process before its first message.

use std::sync::Arc;

use serde_json::Value;

use crate::sql::{CheckedQuery, CheckedStatement};
use crate::table::{DomainTable, ProcessTable, ProjectedColumn};
use crate::{
    Edge, EventKind, FactDefinition, Process, ProcessEvent, ProcessState, Subscription, Upcasters,
    Versions, diagram,
};

/// What a process is made of: its table, edges, events, facts and subscriptions.
#[derive(Clone, Debug)]
#[must_use = "a description does nothing until describe returns it"]
pub struct Description {
    /// Its own table: one row per instance.
    pub table: ProcessTable,
    /// The steps that an instance may take.
    pub edges: Vec<Edge>,
    /// The events that it reads.
    pub events: Vec<EventKind>,
    /// How older versions of them are lifted.
    pub upcasters: Upcasters,
    /// The tables that it writes, or reads as facts.
    pub domain_tables: Vec<Arc<DomainTable>>,
    /// The statements that it runs.
    pub statements: Vec<Arc<CheckedStatement>>,
    /// The facts that it may ask for.
    pub facts: Vec<FactDefinition>,
    /// What it takes, beside its own timers and outcomes.
    pub subscriptions: Vec<Subscription>,
    /// What the producer's versions mean.
    pub versions: Versions,
}

impl Description {
    /// What the types of a process say. `state_check` names the CHECK on its states, such as
    /// `CK_HIT_STATE`.
    pub fn of<P: Process>(state_check: &'static str) -> Self {
        let table = ProcessTable {
            process: P::NAME,
            states: P::State::ALL.iter().map(|state| state.name()).collect(),
            initial: P::State::INITIAL.name(),
            state_check,
            projected: Vec::new(),
        };
        Self {
            table,
            edges: P::State::EDGES.to_vec(),
            events: P::Event::KINDS.to_vec(),
            upcasters: Upcasters::default(),
            domain_tables: Vec::new(),
            statements: Vec::new(),
            facts: Vec::new(),
            subscriptions: Vec::new(),
            versions: Versions::default(),
        }
    }

    /// Takes all events of the process from a topic.
    pub fn subscribe(self, topic: &str) -> Self {
        let names: Vec<_> = self.events.iter().map(|event| event.name).collect();
        self.subscribe_to(topic, names)
    }

    /// Takes some events from a topic.
    pub fn subscribe_to(
        mut self,
        topic: &str,
        events: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        self.subscriptions.push(Subscription::of(topic, events));
        self
    }

    /// Ends stale messages, and parks those that come too early, before the process sees them.
    pub const fn versions(mut self, versions: Versions) -> Self {
        self.versions = versions;
        self
    }

    /// Shows a field of the context document as a column of the process table.
    pub fn project(self, name: &'static str, field: &'static str) -> Self {
        self.projected(ProjectedColumn { name, field, required: false })
    }

    /// The same, NOT NULL: a transition to a document without the field is refused.
    pub fn project_required(self, name: &'static str, field: &'static str) -> Self {
        self.projected(ProjectedColumn { name, field, required: true })
    }

    fn projected(mut self, column: ProjectedColumn) -> Self {
        self.table.projected.push(column);
        self
    }

    /// A table that the process writes.
    pub fn domain_table(mut self, table: &Arc<DomainTable>) -> Self {
        if !self.domain_tables.contains(table) {
            self.domain_tables.push(Arc::clone(table));
        }
        self
    }

    /// A fact that the process may ask for: rows of a table by one of its columns.
    pub fn fact(mut self, name: &'static str, table: &Arc<DomainTable>, by: &'static str) -> Self {
        self.facts.push(FactDefinition::table(name, Arc::clone(table), by));
        self.domain_table(table)
    }

    /// A fact that the process may ask for: what a query finds.
    pub fn query(mut self, name: &'static str, query: &Arc<CheckedQuery>) -> Self {
        self.facts.push(FactDefinition::query(name, Arc::clone(query)));
        self
    }

    /// A statement that the process runs.
    pub fn statement(mut self, statement: &Arc<CheckedStatement>) -> Self {
        if !self.statements.contains(statement) {
            self.statements.push(Arc::clone(statement));
        }
        self
    }

    /// How an event of version `from` becomes one of the next version.
    pub fn upcast(
        mut self,
        event_type: &'static str,
        from: u16,
        step: impl Fn(Value) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        self.upcasters.add(event_type, from, step);
        self
    }

    /// Says that an event was never sent in a version before `oldest`.
    pub fn begin_at(mut self, event_type: &'static str, oldest: u16) -> Self {
        self.upcasters.begin_at(event_type, oldest);
        self
    }

    /// The name of the process.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.table.process
    }

    /// True for an event type that the process knows.
    #[must_use]
    pub fn reads(&self, event_type: &str) -> bool {
        self.events.iter().any(|event| event.name == event_type)
    }

    /// The states that lead nowhere: the process has ended in them.
    pub fn ends(&self) -> impl Iterator<Item = &str> {
        diagram::ends(&self.table.states, &self.edges)
    }

    /// The states and edges, as Mermaid draws them.
    #[must_use]
    pub fn diagram(&self) -> String {
        diagram::draw(&self.table.states, self.table.initial, &self.edges)
    }
}
