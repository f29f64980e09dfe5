//! The check of a description: what no message should be the first to find.

use crate::{Description, EventTypes, FactDefinition, FactSource, RegistryError, Subscription};

/// The width of `EVENT_TYPE`, in characters.
const MAX_EVENT_TYPE_CHARS: usize = 200;

impl Description {
    /// Checks domain tables, edges, events, upcasters, facts and subscriptions.
    pub(crate) fn check(&self) -> Result<(), RegistryError> {
        for table in &self.domain_tables {
            table.as_ref().clone().checked()?;
        }
        let problem = self
            .bad_edge()
            .or_else(|| self.bad_event())
            .or_else(|| self.upcasters.problem(&self.events))
            .or_else(|| self.facts.iter().find_map(bad_fact))
            .or_else(|| self.subscriptions.iter().find_map(|claim| self.bad_claim(claim)));
        let name = self.name().to_owned();
        problem.map_or(Ok(()), |problem| Err(RegistryError::Definition { name, problem }))
    }

    fn bad_edge(&self) -> Option<String> {
        let known = |state: &str| self.table.states.contains(&state);
        let bad = self.edges.iter().find(|edge| !known(edge.from) || !known(edge.to))?;
        Some(format!("the edge {bad} leads from or to a state that is not there"))
    }

    fn bad_event(&self) -> Option<String> {
        self.events.iter().enumerate().find_map(|(at, event)| {
            if event.name.is_empty() || event.name.chars().count() > MAX_EVENT_TYPE_CHARS {
                return Some(format!(
                    "the event type {:?} must have 1 to {MAX_EVENT_TYPE_CHARS} characters",
                    event.name
                ));
            }
            let twice = self.events[..at].iter().any(|other| other.name == event.name);
            twice.then(|| format!("the event type {} stands there twice", event.name))
        })
    }

    fn bad_claim(&self, claim: &Subscription) -> Option<String> {
        let unread = match &claim.events {
            EventTypes::All => None,
            EventTypes::Named(names) => names.iter().find(|name| !self.reads(name)),
        };
        claim.problem().or_else(|| {
            let unread = unread?;
            Some(format!("it subscribes to {unread} of {}, but does not read it", claim.topic))
        })
    }
}

fn bad_fact(fact: &FactDefinition) -> Option<String> {
    let by = fact.by()?;
    let reads = match &fact.source {
        FactSource::Table { .. } => fact.reads().to_owned(),
        FactSource::Query { query, .. } => format!("query {}", query.name()),
    };
    let name = fact.name;
    let there = fact.column(by).is_some();
    (!there).then(|| format!("the fact {name:?} is read by {by}, but {reads} has no such column"))
}
