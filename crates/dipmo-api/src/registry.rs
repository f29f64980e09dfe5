//! The registry: all processes and handlers of a deployment, and who takes which message.
//!
//! **Invariant:** what is registered was checked: its tables can be made, its upcasters have no
//! hole, and no message has two takers.

use std::fmt;
use std::sync::Arc;

use crate::routes::Routes;
use crate::sql::CheckedStatement;
use crate::table::{DomainTable, ProcessTable, TableError};
use crate::{
    Description, ErasedProcess, FactDefinition, Process, RegistryError, Route, Subscription, erase,
    outcome_topic, timer_topic,
};

/// The processes and handlers of a deployment.
///
/// ```
/// use dipmo_api::{Registry, Subscription};
///
/// let registry = Registry::new()
///     .handler("audit", vec![Subscription::all("internal:audit")])?
///     .handler("mail", vec![Subscription::of("internal:*", ["MailWanted"])]);
/// assert_eq!(
///     registry.unwrap_err().to_string(),
///     "audit and mail both take MailWanted of internal:*; a message has one taker"
/// );
/// # Ok::<(), dipmo_api::RegistryError>(())
/// ```
#[derive(Default)]
pub struct Registry {
    processes: Vec<Arc<dyn ErasedProcess>>,
    process_tables: Vec<Arc<ProcessTable>>,
    domain_tables: Vec<Arc<DomainTable>>,
    statements: Vec<Arc<CheckedStatement>>,
    facts: Vec<FactDefinition>,
    routes: Routes,
}

impl Registry {
    /// Without any process.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a process written in Rust.
    ///
    /// # Errors
    /// When its name is taken, its description has a flaw, or another takes its messages.
    pub fn process<P: Process>(self, process: P) -> Result<Self, RegistryError> {
        self.erased(erase(process))
    }

    /// Adds a process of any kind.
    ///
    /// # Errors
    /// As [`Registry::process`].
    pub fn erased(mut self, process: Arc<dyn ErasedProcess>) -> Result<Self, RegistryError> {
        let description = process.description();
        description.check()?;
        self.add_tables(description)?;
        self.add_facts(description)?;
        self.add_statements(description)?;
        let claims = all_claims(description);
        self.routes.add(&Route::Process(Arc::clone(&process)), claims)?;
        self.processes.push(process);
        Ok(self)
    }

    /// Adds the name of a transactional handler, which is itself registered with the store.
    ///
    /// # Errors
    /// When its name is taken, or another takes its messages.
    pub fn handler(
        mut self,
        name: &str,
        subscriptions: Vec<Subscription>,
    ) -> Result<Self, RegistryError> {
        if let Some(problem) = subscriptions.iter().find_map(Subscription::problem) {
            return Err(RegistryError::Definition { name: name.to_owned(), problem });
        }
        self.routes.add(&Route::Handler(name.to_owned()), subscriptions)?;
        Ok(self)
    }

    /// Who takes a message; `None` ends it as IGNORED.
    #[must_use]
    pub fn route(&self, topic: &str, event_type: Option<&str>) -> Option<&Route> {
        self.routes.find(topic, event_type)
    }

    /// All processes, in the order in which they were added.
    #[must_use]
    pub fn processes(&self) -> &[Arc<dyn ErasedProcess>] {
        &self.processes
    }

    /// The tables of all processes.
    #[must_use]
    pub fn process_tables(&self) -> &[Arc<ProcessTable>] {
        &self.process_tables
    }

    /// The tables of the domain that any process writes or reads.
    #[must_use]
    pub fn domain_tables(&self) -> &[Arc<DomainTable>] {
        &self.domain_tables
    }

    /// The statements that any process runs.
    #[must_use]
    pub fn statements(&self) -> &[Arc<CheckedStatement>] {
        &self.statements
    }

    /// The facts that any process reads.
    #[must_use]
    pub fn facts(&self) -> &[FactDefinition] {
        &self.facts
    }

    /// Two processes may share a table, but only if they mean the same by it.
    fn add_tables(&mut self, description: &Description) -> Result<(), RegistryError> {
        let own = description.table.clone().checked()?;
        for table in &description.domain_tables {
            match self.domain_tables.iter().find(|known| known.name == table.name) {
                Some(known) if known == table => {}
                Some(_) => return Err(defined_twice(table.name)),
                None => self.domain_tables.push(Arc::clone(table)),
            }
        }
        self.process_tables.push(own);
        let owned = |name: &str| self.process_tables.iter().any(|own| own.table_name() == name);
        match self.domain_tables.iter().find(|table| owned(table.name)) {
            Some(table) => Err(defined_twice(table.name)),
            None => Ok(()),
        }
    }

    /// Facts of one batch are kept by name, whichever process asked.
    fn add_facts(&mut self, description: &Description) -> Result<(), RegistryError> {
        for fact in &description.facts {
            match self.facts.iter().find(|known| known.name == fact.name) {
                Some(known) if known == fact => {}
                Some(_) => return Err(means_something_else(description, fact.name)),
                None => self.facts.push(fact.clone()),
            }
        }
        Ok(())
    }

    /// Errors and reports say which statement by its name alone.
    fn add_statements(&mut self, description: &Description) -> Result<(), RegistryError> {
        for statement in &description.statements {
            match self.statements.iter().find(|known| known.name() == statement.name()) {
                Some(known) if known == statement => {}
                Some(_) => return Err(means_something_else(description, statement.name())),
                None => self.statements.push(Arc::clone(statement)),
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registry").field(&self.routes.names()).finish()
    }
}

/// What a process asked for, and its own timers and outcomes.
fn all_claims(description: &Description) -> Vec<Subscription> {
    let events: Vec<_> = description.events.iter().map(|event| event.name).collect();
    let own = [timer_topic(description.name()), outcome_topic(description.name())];
    let own = own.iter().map(|topic| Subscription::of(topic, events.iter().copied()));
    description.subscriptions.iter().cloned().chain(own).collect()
}

fn means_something_else(description: &Description, name: &str) -> RegistryError {
    let problem = format!("another process means something else by {name:?}");
    RegistryError::Definition { name: description.name().to_owned(), problem }
}

fn defined_twice(table: &str) -> RegistryError {
    let problem = "is defined twice, and not in the same way".to_owned();
    RegistryError::Table(TableError { table: table.to_owned(), problem })
}
