//! The rules of an org: what its objects are, who may log in, what is limited, how long things take.
//!
//! A schema never changes while the simulator runs, so names are looked up once and fields are
//! numbers from then on.

mod build;
mod build_field;
mod build_object;
mod build_rules;
mod distribution;
mod error;
mod field;
mod file;
mod label;
mod names;
mod object;
mod settings;
mod suggest;

use std::ops::Index;
use std::path::Path;

pub(crate) use distribution::Distribution;
pub use error::SchemaError;
pub(crate) use field::{Field, Kind, NumberForm, OnDelete, Source, TextForm};
pub(crate) use object::{Child, DuplicateAction, Object};
pub(crate) use settings::{App, Latency, Limits, Locks, OrgSettings, User};

pub use build::STANDARD;

use names::Names;

/// An object, by its place in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectId(pub(crate) u16);

/// A field, by its place in its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FieldId(pub(crate) u16);

impl FieldId {
    pub(crate) const ID: FieldId = FieldId(0);
    pub(crate) const IS_DELETED: FieldId = FieldId(1);
    pub(crate) const CREATED_DATE: FieldId = FieldId(2);
    pub(crate) const CREATED_BY: FieldId = FieldId(3);
    pub(crate) const MODIFIED_DATE: FieldId = FieldId(4);
    pub(crate) const MODIFIED_BY: FieldId = FieldId(5);
    pub(crate) const MODSTAMP: FieldId = FieldId(6);
    const SYSTEM: u16 = 7;

    /// Where a record keeps the value; `None` for the fields of the system, which it keeps otherwise.
    pub(crate) fn slot(self) -> Option<usize> {
        self.0.checked_sub(Self::SYSTEM).map(usize::from)
    }

    fn at(place: usize) -> Self {
        FieldId(u16::try_from(place).unwrap_or(u16::MAX))
    }
}

/// The rules of an org.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) org: OrgSettings,
    pub(crate) limits: Limits,
    pub(crate) latency: Latency,
    pub(crate) locks: Locks,
    objects: Vec<Object>,
    names: Names,
}

impl Schema {
    /// The standard objects alone.
    pub(crate) fn standard() -> Result<Self, SchemaError> {
        Self::parse("{}")
    }

    /// The standard objects and what the text adds to them; certificates are looked for in the
    /// working directory.
    pub(crate) fn parse(text: &str) -> Result<Self, SchemaError> {
        build::build(text, Path::new("."))
    }

    /// The same from a file; certificates are looked for next to it.
    pub(crate) fn load(path: &Path) -> Result<Self, SchemaError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| SchemaError::Read { path: path.to_owned(), source })?;
        build::build(&text, path.parent().unwrap_or(Path::new("."))).map_err(|problem| {
            SchemaError::InFile { path: path.to_owned(), problem: Box::new(problem) }
        })
    }

    /// The object of that name, in any case.
    pub(crate) fn object(&self, name: &str) -> Option<ObjectId> {
        self.names.get(name).map(ObjectId)
    }

    /// The object whose ids begin so.
    pub(crate) fn object_of_prefix(&self, prefix: [u8; 3]) -> Option<ObjectId> {
        self.objects().find_map(|(id, object)| (object.prefix == prefix).then_some(id))
    }

    /// All objects, in the order of their definition.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        (0..).map(ObjectId).zip(&self.objects)
    }
}

impl Index<ObjectId> for Schema {
    type Output = Object;

    fn index(&self, object: ObjectId) -> &Object {
        &self.objects[usize::from(object.0)]
    }
}
