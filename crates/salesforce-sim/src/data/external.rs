//! `/sobjects/X/Field/value`: a record by its external id.

use serde_json::{Value as Json, json};

use super::body::{self, parameter};
use super::request::{DataAnswer, DataRequest, Method};
use super::row;
use super::sobject::created;
use crate::org::accept;
use crate::org::fields::Fields;
use crate::org::id::RecordId;
use crate::org::not_in_data;
use crate::org::transaction::Transaction;
use crate::org::write::{Target, Write};
use crate::refusal::Refusal;
use crate::schema::{FieldId, ObjectId};

/// The first version that tells in the body whether an upsert created the record.
const TELLS_CREATED: u32 = 460;

/// Answers what is below `/sobjects/X/Field/value`.
pub(super) fn answer(
    tx: &mut Transaction<'_>,
    object: ObjectId,
    name: &str,
    value: &str,
    request: &DataRequest<'_>,
) -> Result<DataAnswer, Refusal> {
    let field = key(tx, object, name)?;
    let found = find(tx, object, field, value)?;
    if found.len() > 1 {
        return Ok(several(tx, &found, request.version));
    }
    let found = found.first().copied();
    match request.method {
        Method::Get | Method::Head => {
            let id = found.ok_or_else(Refusal::not_found)?;
            let fields = row::wanted_fields(tx, object, request)?;
            Ok(DataAnswer::json(200, row::show(tx, id, &fields, request.version)))
        }
        Method::Delete => {
            tx.delete(found.ok_or_else(Refusal::not_found)?)?;
            Ok(DataAnswer::empty())
        }
        Method::Patch => upsert(tx, object, field, value, found, request),
        _ => Err(request.method_not_allowed("DELETE,GET,HEAD,PATCH")),
    }
}

fn upsert(
    tx: &mut Transaction<'_>,
    object: ObjectId,
    field: FieldId,
    value: &str,
    found: Option<RecordId>,
    request: &DataRequest<'_>,
) -> Result<DataAnswer, Refusal> {
    let members = body::object(request)?;
    let schema = tx.schema().clone();
    if members.keys().any(|name| schema[object].field(name) == Some(field)) {
        return Err(not_in_data(&schema[object][field].name));
    }
    let update_only =
        parameter(request, "updateOnly").is_some_and(|text| text.eq_ignore_ascii_case("true"));
    if found.is_none() && update_only {
        return Err(Refusal::not_found());
    }
    let target = Target::Upsert { field, value };
    let written = tx.write(object, &Write { target, fields: Fields::Json(members) })?;
    let tells = request.version >= TELLS_CREATED;
    Ok(match (written.created, tells) {
        (true, true) => created(tx, written.id, request, json!({ "created": true })),
        (true, false) => created(tx, written.id, request, json!({})),
        (false, true) => {
            let id = tx.id_text(written.id);
            let body =
                json!({ "id": id.as_str(), "success": true, "errors": [], "created": false });
            DataAnswer::json(200, body)
        }
        (false, false) => DataAnswer::empty(),
    })
}

/// The external id of that name.
pub(super) fn key(tx: &Transaction<'_>, object: ObjectId, name: &str) -> Result<FieldId, Refusal> {
    let object = &tx.schema()[object];
    let field =
        object.field(name).filter(|&field| field == FieldId::ID || object[field].external_id);
    field.ok_or_else(|| no_such_key(name))
}

fn find(
    tx: &Transaction<'_>,
    object: ObjectId,
    field: FieldId,
    value: &str,
) -> Result<Vec<RecordId>, Refusal> {
    if field == FieldId::ID {
        return tx.resolve(object, value).map(|id| vec![id]);
    }
    let value = accept::from_text(&tx.schema()[object][field], value)?;
    Ok(tx.find(object, field, &value).unwrap_or_default())
}

/// 300: Salesforce does not choose, it lists.
fn several(tx: &Transaction<'_>, found: &[RecordId], version: u32) -> DataAnswer {
    let urls = found.iter().map(|&id| Json::String(row::url(tx, id, version)));
    DataAnswer::json(300, urls.collect())
}

/// No external id has that name.
pub(super) fn no_such_key(name: &str) -> Refusal {
    let message = format!("Provided external ID field does not exist or is not accessible: {name}");
    Refusal::new("NOT_FOUND", message).with_status(404)
}
