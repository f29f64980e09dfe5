//! The schema file as it is written.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_saphyr::Spanned;

use super::distribution::DistributionPart;
use super::settings::{LimitsPart, LocksPart, OrgSettings};

/// The whole file.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct File {
    pub(super) org: OrgSettings,
    pub(super) limits: LimitsPart,
    pub(super) latency: BTreeMap<String, DistributionPart>,
    pub(super) locks: LocksPart,
    pub(super) objects: Named<ObjectPart>,
}

/// An object.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ObjectPart {
    /// Forgets what the standard objects say of it.
    pub(super) replace: bool,
    pub(super) prefix: Option<String>,
    pub(super) label: Option<String>,
    pub(super) plural: Option<String>,
    pub(super) read_only: Option<bool>,
    pub(super) fields: Named<FieldPart>,
    pub(super) validation: Vec<Spanned<ValidationPart>>,
    pub(super) duplicates: Vec<Spanned<DuplicatePart>>,
    pub(super) track: Vec<String>,
}

/// A field.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldPart {
    pub(super) r#type: TypeName,
    pub(super) label: Option<String>,
    /// Of a text. Defaults to 255, of a phone to 40, of an email to 80, of a textarea to 32,768.
    pub(super) length: Option<usize>,
    /// Of a number: all its digits. Defaults to 18.
    pub(super) precision: Option<u8>,
    /// Of a number: its digits after the point. Defaults to 0, of a currency and a percent to 2.
    pub(super) scale: Option<u8>,
    #[serde(default)]
    pub(super) required: bool,
    #[serde(default)]
    pub(super) unique: bool,
    #[serde(default)]
    pub(super) external_id: bool,
    #[serde(default)]
    pub(super) case_sensitive: bool,
    #[serde(default)]
    pub(super) read_only: bool,
    pub(super) values: Option<Vec<String>>,
    #[serde(default)]
    pub(super) restricted: bool,
    pub(super) to: Option<OneOrMany>,
    pub(super) relationship: Option<String>,
    pub(super) on_delete: Option<OnDeletePart>,
    /// Written as a cell of a CSV would be.
    pub(super) default: Option<String>,
    /// The fields that it is made of, with blanks between.
    pub(super) joins: Option<Vec<String>>,
}

/// The types of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TypeName {
    String,
    TextArea,
    Email,
    Phone,
    Url,
    Boolean,
    Int,
    Double,
    Currency,
    Percent,
    Date,
    DateTime,
    Picklist,
    MultiPicklist,
    Reference,
}

/// What happens to children.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnDeletePart {
    Clear,
    Restrict,
    Cascade,
}

/// A validation rule.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ValidationPart {
    pub(super) name: String,
    pub(super) when: String,
    pub(super) message: String,
    pub(super) field: Option<String>,
}

/// A duplicate rule.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DuplicatePart {
    pub(super) name: String,
    pub(super) fields: Vec<String>,
    pub(super) action: ActionPart,
    /// Defaults to the words of the standard rules.
    #[serde(default = "use_one_of_these")]
    pub(super) message: String,
}

fn use_one_of_these() -> String {
    "Use one of these records?".to_owned()
}

/// What a duplicate rule does.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ActionPart {
    Block,
    Alert,
}

/// `to: Account` and `to: [Account, Contact]`.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(super) fn names(&self) -> &[String] {
        match self {
            OneOrMany::One(name) => std::slice::from_ref(name),
            OneOrMany::Many(names) => names,
        }
    }
}

/// A mapping whose order is that of the file: describe lists fields as they were written.
#[derive(Debug)]
pub(super) struct Named<T>(pub(super) Vec<(String, Spanned<T>)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Named(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping of names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Named(entries))
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}
