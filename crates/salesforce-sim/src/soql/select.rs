//! The `SELECT` of a query: which fields, and a record as the answer shows it.

use serde_json::{Map, Value as Json, json};

use super::error::{at, malformed};
use super::path::{Names, Path, parent};
use super::tree::{Group, Query, Selected};
use crate::data::url::version_path;
use crate::org::id::RecordId;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::schema::{FieldId, ObjectId};

/// With `FIELDS(ALL)` and `FIELDS(CUSTOM)`.
const MAX_ROWS_OF_ALL_FIELDS: usize = 200;

/// The fields of a record to show, and the parents that are shown within it.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) object: ObjectId,
    pub(super) fields: Vec<FieldId>,
    pub(super) parents: Vec<(FieldId, Shape)>,
}

impl Shape {
    pub(super) fn bind(
        names: &Names<'_>,
        query: &Query,
        selected: &[Selected],
    ) -> Result<Shape, Refusal> {
        let mut shape = Shape::of(names.object);
        for selected in selected {
            match selected {
                Selected::Group(group) => {
                    check_limit(*group, query.limit)?;
                    shape.add_group(names, *group)?;
                }
                Selected::Field(name) => {
                    if !shape.add(&names.path(name)?) {
                        let words = format!("duplicate field selected: {}", name.text);
                        return Err(malformed(names.query, name.offset, words));
                    }
                }
            }
        }
        Ok(shape)
    }

    fn of(object: ObjectId) -> Shape {
        Shape { object, fields: Vec::new(), parents: Vec::new() }
    }

    /// `false` if it is there already.
    fn add(&mut self, path: &Path) -> bool {
        let mut shape = self;
        for (reference, target) in &path.parents {
            let known = shape.parents.iter().position(|(known, _)| known == reference);
            let place = known.unwrap_or_else(|| {
                shape.parents.push((*reference, Shape::of(*target)));
                shape.parents.len() - 1
            });
            shape = &mut shape.parents[place].1;
        }
        let new = !shape.fields.contains(&path.field);
        if new {
            shape.fields.push(path.field);
        }
        new
    }

    fn add_group(&mut self, names: &Names<'_>, group: Group) -> Result<(), Refusal> {
        for (field, described) in names.schema[names.object].fields() {
            let custom = described.name.ends_with("__c");
            let wanted = match group {
                Group::All => true,
                Group::Custom => custom,
                Group::Standard => !custom,
            };
            if !wanted {
                continue;
            }
            if self.fields.contains(&field) {
                let words = format!("duplicate field selected: {}", described.name);
                return Err(at(names.query, 0, "MALFORMED_QUERY", words));
            }
            self.fields.push(field);
        }
        Ok(())
    }

    /// A record as an element of `records`.
    pub(super) fn show(&self, tx: &Transaction<'_>, record: RecordId, version: u32) -> Json {
        let object = &tx.schema()[self.object];
        let mut shown = Map::new();
        shown.insert("attributes".to_owned(), attributes(&object.name, tx, record, version));
        for field in &self.fields {
            shown.insert(object[*field].name.to_string(), tx.json(record, *field));
        }
        for (reference, shape) in &self.parents {
            let Some(described) = object[*reference].reference() else { continue };
            let parent = parent(tx, record, *reference);
            let parent = parent.map_or(Json::Null, |parent| shape.show(tx, parent, version));
            shown.insert(described.relationship.clone(), parent);
        }
        Json::Object(shown)
    }
}

fn attributes(object: &str, tx: &Transaction<'_>, record: RecordId, version: u32) -> Json {
    let id = tx.id_text(record);
    json!({ "type": object, "url": format!("{}/sobjects/{object}/{id}", version_path(version)) })
}

fn check_limit(group: Group, limit: Option<usize>) -> Result<(), Refusal> {
    let limited = limit.is_some_and(|limit| limit <= MAX_ROWS_OF_ALL_FIELDS);
    if limited || group == Group::Standard {
        return Ok(());
    }
    let words = "The SOQL FIELDS function must have a LIMIT of at most 200";
    Err(Refusal::new("MALFORMED_QUERY", words))
}
