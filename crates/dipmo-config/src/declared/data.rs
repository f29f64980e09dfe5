//! What an instance remembers: fields in the order of their declaration, null until they are set.

use std::sync::Arc;

use dipmo_api::Refusal;
use dipmo_cel::{Type, Value};
use dipmo_domain::Json;

/// The fields of the data of a process.
#[derive(Debug)]
pub(crate) struct Fields {
    process: &'static str,
    names: Vec<Arc<str>>,
    all: Type,
}

impl Fields {
    /// With the type of all of them together.
    pub(crate) fn new(process: &'static str, names: Vec<Arc<str>>, all: Type) -> Self {
        Self { process, names, all }
    }

    /// What a new instance remembers.
    pub(crate) fn nothing(&self) -> Value {
        Value::map(self.names.iter().map(|name| (Arc::clone(name), Value::Null)))
    }

    /// What a row says. Fields that were added since are null, those that were dropped are forgotten.
    pub(crate) fn read(&self, document: &Json) -> Result<Value, Refusal> {
        let refuse = |problem: String| Refusal::ContextInvalid { process: self.process, problem };
        let found: Value =
            document.read().map_err(|error| refuse(format!("cannot be read: {error}")))?;
        let field =
            |name: &Arc<str>| (Arc::clone(name), found.get(name).cloned().unwrap_or(Value::Null));
        let known = Value::map(self.names.iter().map(field));
        self.all.conform(known).map_err(|error| refuse(format!("does not fit `data`: {error}")))
    }

    /// The same with some fields changed.
    pub(crate) fn changed(&self, data: &Value, changes: Vec<(usize, Value)>) -> Value {
        let mut values: Vec<Value> =
            self.names.iter().map(|name| data.get(name).cloned().unwrap_or(Value::Null)).collect();
        for (field, value) in changes {
            values[field] = value;
        }
        Value::map(self.names.iter().cloned().zip(values))
    }

    /// The document of a row.
    pub(crate) fn write(&self, data: &Value) -> Result<Json, Refusal> {
        Json::of(data).map_err(|error| {
            let problem = format!("cannot be written: {error}");
            Refusal::ContextInvalid { process: self.process, problem }
        })
    }
}
