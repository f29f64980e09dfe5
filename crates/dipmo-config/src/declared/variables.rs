//! The variables that expressions of a process see, each in its slot.

use std::collections::BTreeSet;
use std::sync::Arc;

use dipmo_api::{Evidence, FactRequest, FactRow, Facts, MessageView};
use dipmo_cel::{Object, Program, Scope, Type, Value};
use dipmo_domain::{Timestamp, Value as Cell};

/// What a variable is, in the order of the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// The payload.
    Event,
    /// What the instance remembers.
    Data,
    /// The state of the instance.
    State,
    /// The instance.
    Id,
    /// The `VERSION` that its row will have.
    Version,
    /// The last producer's version that it took from this source.
    LastVersion,
    /// The time of the database.
    Now,
    /// All about the message but its payload.
    Message,
    /// The first row of each fact.
    Fact,
    /// All rows of each fact.
    Facts,
    /// What a loop is at.
    Item,
}

impl Variable {
    const ALL: [Self; 11] = [
        Self::Event,
        Self::Data,
        Self::State,
        Self::Id,
        Self::Version,
        Self::LastVersion,
        Self::Now,
        Self::Message,
        Self::Fact,
        Self::Facts,
        Self::Item,
    ];

    /// As expressions name it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Data => "data",
            Self::State => "state",
            Self::Id => "id",
            Self::Version => "version",
            Self::LastVersion => "last_version",
            Self::Now => "now",
            Self::Message => "message",
            Self::Fact => "fact",
            Self::Facts => "facts",
            Self::Item => "item",
        }
    }

    pub(crate) const fn slot(self) -> usize {
        self as usize
    }
}

/// What is known of the variables of an event before it comes.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    pub(crate) event: Type,
    pub(crate) data: Type,
    /// The columns of each fact.
    pub(crate) facts: Vec<(String, Type)>,
}

impl Types {
    /// The scope of expressions about an event.
    pub(crate) fn scope(&self) -> Scope {
        Variable::ALL[..Variable::Item.slot()]
            .iter()
            .fold(Scope::new(), |scope, variable| scope.with(variable.name(), self.of(*variable)))
    }

    /// The same inside of a loop.
    pub(crate) fn scope_in_loop(&self, of: Type) -> Scope {
        self.scope().with(Variable::Item.name(), of)
    }

    fn of(&self, variable: Variable) -> Type {
        match variable {
            Variable::Event => self.event.clone(),
            Variable::Data => self.data.clone(),
            Variable::State | Variable::Id => Type::String,
            Variable::Version => Type::Int,
            Variable::LastVersion => Type::optional(Type::Int),
            Variable::Now => Type::Timestamp,
            Variable::Message => message_type(),
            Variable::Fact => self.fact_type("fact", |row| Type::optional(row.clone())),
            Variable::Facts => self.fact_type("facts", |row| Type::list(row.clone())),
            Variable::Item => Type::Dyn,
        }
    }

    fn fact_type(&self, name: &str, of: impl Fn(&Type) -> Type) -> Type {
        let fields = self.facts.iter().map(|(name, row)| (name.clone(), of(row))).collect();
        Type::Object(Arc::new(Object { name: name.to_owned(), fields, open: false }))
    }
}

fn message_type() -> Type {
    let text = || Type::optional(Type::String);
    let number = || Type::optional(Type::Int);
    let fields = [
        ("id", Type::String),
        ("source", Type::String),
        ("topic", Type::String),
        ("aggregate_id", text()),
        ("event_type", text()),
        ("event_version", number()),
        ("source_version", number()),
        ("event_time", Type::optional(Type::Timestamp)),
        ("received_at", Type::Timestamp),
        ("attempts", Type::Int),
        ("headers", Type::map(text())),
    ];
    let fields = fields.map(|(name, ty)| (name.to_owned(), ty)).to_vec();
    Type::Object(Arc::new(Object { name: "message".to_owned(), fields, open: false }))
}

/// Which variables any expression about an event reads: the others are not even made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Used {
    slots: [bool; 11],
    /// The fields of the payload that are read by name.
    fields: BTreeSet<String>,
    /// Whether somebody reads the payload as a whole.
    whole: bool,
}

impl Used {
    /// Those of one more expression.
    pub(crate) fn add(&mut self, program: &Program) {
        for (slot, used) in self.slots.iter_mut().enumerate() {
            *used |= program.uses(slot);
        }
        match program.paths(Variable::Event.slot()) {
            Some(fields) => self.fields.extend(fields),
            None => self.whole = true,
        }
    }

    /// Those that are read and are none of these, by their names.
    pub(crate) fn beyond(&self, known: &[Variable]) -> Vec<&'static str> {
        let read = Variable::ALL.into_iter().filter(|it| self.has(*it) && !known.contains(it));
        read.map(Variable::name).collect()
    }

    /// A variable that is needed though no expression reads it.
    pub(crate) const fn mark(&mut self, variable: Variable) {
        self.slots[variable.slot()] = true;
    }

    /// The fields of the payload that are read; `None` when that is all of it.
    pub(crate) fn event_fields(&self) -> Option<impl Iterator<Item = &str>> {
        (!self.whole).then(|| self.fields.iter().map(String::as_str))
    }

    pub(crate) const fn has(&self, variable: Variable) -> bool {
        self.slots[variable.slot()]
    }

    /// The value of a variable, if anybody asks for it.
    fn make(&self, variable: Variable, make: impl FnOnce() -> Value) -> Value {
        if self.has(variable) { make() } else { Value::Null }
    }
}

/// The values of the variables, in their slots.
pub(crate) struct Variables([Value; 11]);

impl Variables {
    /// A payload and nothing else.
    pub(crate) fn of_event(event: Value) -> Self {
        let mut variables = Self(std::array::from_fn(|_| Value::Null));
        variables.set(Variable::Event, event);
        variables
    }

    /// Those that are known when a message is opened.
    pub(crate) fn of_message(used: &Used, event: &Value, message: &MessageView<'_>) -> Self {
        let mut variables = Self(std::array::from_fn(|_| Value::Null));
        variables.set(Variable::Event, used.make(Variable::Event, || event.clone()));
        variables.set(Variable::Message, used.make(Variable::Message, || message_value(message)));
        variables
    }

    /// Adds those that are known when its row and its facts are there.
    pub(crate) fn with_evidence(
        mut self,
        used: &Used,
        instance: &str,
        asked: Asked<'_>,
        evidence: &Evidence<'_>,
    ) -> Self {
        let row = evidence.row;
        let version = row.map_or(0, |row| row.version) + 1;
        let seen = row.and_then(|row| row.last_source_version);
        let facts = evidence.facts;
        self.know_instance(used, instance);
        self.set(Variable::Version, Value::Int(version));
        self.set(Variable::LastVersion, seen.into());
        self.set(Variable::Now, Value::Timestamp(evidence.now.as_micros()));
        self.set(Variable::Fact, used.make(Variable::Fact, || asked.first_rows(facts)));
        self.set(Variable::Facts, used.make(Variable::Facts, || asked.all_rows(facts)));
        self
    }

    /// Adds the instance that a message is for.
    pub(crate) fn know_instance(&mut self, used: &Used, instance: &str) {
        self.set(Variable::Id, used.make(Variable::Id, || instance.into()));
    }

    pub(crate) fn set(&mut self, variable: Variable, value: Value) {
        self.0[variable.slot()] = value;
    }

    pub(crate) fn get(&self, variable: Variable) -> &Value {
        &self.0[variable.slot()]
    }

    pub(crate) fn slots(&self) -> &[Value] {
        &self.0
    }
}

fn message_value(message: &MessageView<'_>) -> Value {
    let time = |time: Option<Timestamp>| time.map_or(Value::Null, at);
    Value::map([
        ("id", message.message_id.into()),
        ("source", message.source_system.into()),
        ("topic", message.topic.into()),
        ("aggregate_id", message.aggregate_id.into()),
        ("event_type", message.event_type.into()),
        ("event_version", message.event_version.map(i64::from).into()),
        ("source_version", message.source_version.into()),
        ("event_time", time(message.event_ts)),
        ("received_at", at(message.received_at)),
        ("attempts", Value::Int(message.attempts.into())),
        ("headers", headers(message)),
    ])
}

/// Headers that are text; of several of one name the last, as producers mean it.
fn headers(message: &MessageView<'_>) -> Value {
    let mut texts: Vec<(&str, Value)> = Vec::new();
    for header in message.headers.as_slice() {
        let name = header.name.as_str();
        if let Some(text) = message.headers.text(name) {
            texts.retain(|(known, _)| *known != name);
            texts.push((name, text.into()));
        }
    }
    Value::map(texts)
}

/// A fact, as expressions and as the registry name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactName {
    pub(crate) said: &'static str,
    pub(crate) registered: &'static str,
}

/// The facts of an event, and what was asked of them for a message.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) names: &'a [FactName],
    pub(crate) requests: &'a [FactRequest],
}

impl Asked<'_> {
    fn first_rows(self, facts: &Facts) -> Value {
        self.each(|name| self.rows(name, facts).next().map_or(Value::Null, row_value))
    }

    fn all_rows(self, facts: &Facts) -> Value {
        self.each(|name| Value::list(self.rows(name, facts).map(row_value)))
    }

    fn each(self, of: impl Fn(&'static str) -> Value) -> Value {
        Value::map(self.names.iter().map(|name| (name.said, of(name.registered))))
    }

    fn rows<'f>(self, name: &'static str, facts: &'f Facts) -> impl Iterator<Item = &'f FactRow> {
        let of_fact = self.requests.iter().filter(move |request| request.name == name);
        of_fact.flat_map(move |request| facts.rows(request))
    }
}

fn row_value(row: &FactRow) -> Value {
    Value::map(row.iter().map(|(column, cell)| (*column, cell_value(cell))))
}

fn cell_value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Text(text) => text.as_str().into(),
        Cell::Integer(number) => Value::Int(*number),
        Cell::Boolean(truth) => Value::Bool(*truth),
        Cell::Timestamp(time) => at(*time),
        // What a store gives as JSON can be read.
        Cell::Json(json) => json.read().unwrap_or(Value::Null),
    }
}

fn at(time: Timestamp) -> Value {
    Value::Timestamp(time.as_micros())
}
