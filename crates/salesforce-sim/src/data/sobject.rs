//! `/sobjects`: one record at a time.

use serde_json::{Value as Json, json};

use super::body;
use super::describe;
use super::external;
use super::request::{DataAnswer, DataRequest, Method};
use super::row;
use crate::org::fields::Fields;
use crate::org::id::{IdText, RecordId};
use crate::org::not_in_data;
use crate::org::transaction::Transaction;
use crate::org::write::{Target, Write};
use crate::refusal::Refusal;
use crate::schema::{FieldId, ObjectId};

/// Answers what is below `/sobjects`.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    let mut answer = try_answer(tx, request).unwrap_or_else(DataAnswer::from);
    if request.method == Method::Head {
        answer.body = None;
    }
    answer
}

fn try_answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> Result<DataAnswer, Refusal> {
    let path: Vec<&str> = request.path.iter().skip(1).map(String::as_str).collect();
    let find = |name: &str| tx.schema().object(name).ok_or_else(Refusal::not_found);
    match path[..] {
        [] => describe::list(tx, request),
        [object] => {
            let object = find(object)?;
            match request.method {
                Method::Post => insert(tx, object, request),
                Method::Get | Method::Head => Ok(describe::basic(tx, object, request.version)),
                _ => Err(request.method_not_allowed("GET,HEAD,POST")),
            }
        }
        [object, word] if word.eq_ignore_ascii_case("describe") => {
            let object = find(object)?;
            describe::whole(tx, object, request)
        }
        [object, id] => {
            let object = find(object)?;
            by_id(tx, object, id, request)
        }
        [object, field, value] => {
            let object = find(object)?;
            external::answer(tx, object, field, value, request)
        }
        [..] => Err(Refusal::not_found()),
    }
}

fn insert(
    tx: &mut Transaction<'_>,
    object: ObjectId,
    request: &DataRequest<'_>,
) -> Result<DataAnswer, Refusal> {
    let fields = Fields::Json(body::object(request)?);
    let written = tx.write(object, &Write { target: Target::Insert, fields })?;
    Ok(created(tx, written.id, request, json!({})))
}

/// 201 with the id and where to find the record.
pub(super) fn created(
    tx: &Transaction<'_>,
    id: RecordId,
    request: &DataRequest<'_>,
    more: Json,
) -> DataAnswer {
    let mut body = json!({ "id": tx.id_text(id).as_str(), "success": true, "errors": [] });
    if let (Json::Object(body), Json::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    DataAnswer { location: Some(row::url(tx, id, request.version)), ..DataAnswer::json(201, body) }
}

fn by_id(
    tx: &mut Transaction<'_>,
    object: ObjectId,
    text: &str,
    request: &DataRequest<'_>,
) -> Result<DataAnswer, Refusal> {
    if IdText::parse(text).is_none() {
        // What does not look like an id is taken for the name of a field.
        return Err(external::no_such_key(text));
    }
    match request.method {
        Method::Get | Method::Head => {
            let id = find(tx, object, text, request)?;
            let fields = row::wanted_fields(tx, object, request)?;
            Ok(DataAnswer::json(200, row::show(tx, id, &fields, request.version)))
        }
        Method::Patch => {
            let id = find(tx, object, text, request)?;
            let members = body::object(request)?;
            if members.keys().any(|name| tx.schema()[object].field(name) == Some(FieldId::ID)) {
                return Err(not_in_data("Id"));
            }
            tx.write(object, &Write { target: Target::Update(id), fields: Fields::Json(members) })?;
            Ok(DataAnswer::empty())
        }
        Method::Delete => {
            let id = find(tx, object, text, request)?;
            tx.delete(id)?;
            Ok(DataAnswer::empty())
        }
        _ => Err(request.method_not_allowed("DELETE,GET,HEAD,PATCH")),
    }
}

/// In a path a record that does not exist is a path that does not exist.
fn find(
    tx: &Transaction<'_>,
    object: ObjectId,
    text: &str,
    request: &DataRequest<'_>,
) -> Result<RecordId, Refusal> {
    let reads = matches!(request.method, Method::Get | Method::Head);
    tx.resolve(object, text).map_err(|refusal| match refusal.code {
        "INVALID_CROSS_REFERENCE_KEY" => Refusal::not_found(),
        // Who only reads is not told what is wrong with an id.
        "MALFORMED_ID" if reads => Refusal::not_found(),
        _ => refusal,
    })
}
