//! A record as REST shows it.

use serde_json::{Map, Value as Json, json};

use super::body::parameter;
use super::request::DataRequest;
use super::url::version_path;
use crate::org::id::RecordId;
use crate::org::no_such_column;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::schema::{FieldId, Object, ObjectId};

/// The fields that `?fields=` names; without it, all of them.
pub(super) fn wanted_fields(
    tx: &Transaction<'_>,
    object: ObjectId,
    request: &DataRequest<'_>,
) -> Result<Vec<FieldId>, Refusal> {
    let object = &tx.schema()[object];
    match parameter(request, "fields") {
        None => Ok(object.fields().map(|(field, _)| field).collect()),
        Some(names) => named_fields(object, names.split(',').map(str::trim)),
    }
}

/// The fields of these names.
pub(super) fn named_fields<'a>(
    object: &Object,
    names: impl Iterator<Item = &'a str>,
) -> Result<Vec<FieldId>, Refusal> {
    let find = |name: &str| object.field(name).ok_or_else(|| no_such_column(&object.name, name));
    names.map(find).collect()
}

/// The record with these fields.
pub(super) fn show(tx: &Transaction<'_>, id: RecordId, fields: &[FieldId], version: u32) -> Json {
    let object = &tx.schema()[id.object];
    let mut row = Map::new();
    row.insert(
        "attributes".to_owned(),
        json!({ "type": object.name, "url": url(tx, id, version) }),
    );
    for &field in fields {
        row.insert(object[field].name.to_string(), tx.json(id, field));
    }
    Json::Object(row)
}

/// The path of the record.
pub(super) fn url(tx: &Transaction<'_>, id: RecordId, version: u32) -> String {
    let object = &tx.schema()[id.object].name;
    format!("{}/sobjects/{object}/{}", version_path(version), tx.id_text(id))
}
