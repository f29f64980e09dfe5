//! `/composite/sobjects`: up to 200 records in one call, answered in the order of the request.

use serde_json::{Map, Value as Json, json};

use super::body::{self, parameter};
use super::collections_read::read;
use super::request::{DataAnswer, DataRequest, Method};
use crate::org::fields::Fields;
use crate::org::id::RecordId;
use crate::org::no_external_id;
use crate::org::repeats::{refuse_repeated, repeated};
use crate::org::transaction::Transaction;
use crate::org::write::{Target, Write};
use crate::refusal::{Refusal, Scope};
use crate::schema::{FieldId, Object, ObjectId, Schema};

const MOST_RECORDS: usize = 200;
/// A change of type begins a new chunk, and there may not be more of them.
const MOST_CHUNKS: usize = 10;

/// Answers what is below `/composite/sobjects`.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    try_answer(tx, request).unwrap_or_else(DataAnswer::from)
}

fn try_answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> Result<DataAnswer, Refusal> {
    let path: Vec<&str> = request.path.iter().skip(2).map(String::as_str).collect();
    match (&path[..], request.method) {
        ([], Method::Post) => write_all(tx, request, Operation::Insert),
        ([], Method::Patch) => write_all(tx, request, Operation::Update),
        ([], Method::Delete) => delete_all(tx, request),
        ([], _) => Err(request.method_not_allowed("DELETE,PATCH,POST")),
        ([object], Method::Get | Method::Post) => {
            let object = tx.schema().object(object).ok_or_else(Refusal::not_found)?;
            read(tx, object, request)
        }
        ([_], _) => Err(request.method_not_allowed("GET,POST")),
        ([object, field], Method::Patch) => {
            let schema = tx.schema().clone();
            let object = schema.object(object).ok_or_else(Refusal::not_found)?;
            let key = upsert_key(&schema[object], field)?;
            write_all(tx, request, Operation::Upsert { object, key })
        }
        ([_, _], _) => Err(request.method_not_allowed("PATCH")),
        _ => Err(Refusal::not_found()),
    }
}

/// What is done with each record.
#[derive(Clone, Copy)]
enum Operation {
    Insert,
    Update,
    Upsert { object: ObjectId, key: FieldId },
}

/// One record of the request.
struct Item<'a> {
    object: ObjectId,
    members: &'a Map<String, Json>,
    /// The id or the external id that says which record is meant.
    key: String,
    repeated: bool,
}

/// What became of one record.
struct Outcome {
    id: Option<RecordId>,
    result: Result<Option<bool>, Refusal>,
}

fn upsert_key(object: &Object, name: &str) -> Result<FieldId, Refusal> {
    let key = object.field(name).filter(|&key| key == FieldId::ID || object[key].external_id);
    key.ok_or_else(|| no_external_id(name, &object.name))
}

fn write_all(
    tx: &mut Transaction<'_>,
    request: &DataRequest<'_>,
    operation: Operation,
) -> Result<DataAnswer, Refusal> {
    let members = body::object(request)?;
    body::only(members, &["allOrNone", "records"])?;
    let all_or_none = body::flag(members, "allOrNone")?.unwrap_or(false);
    let records = body::list(members, "records")?;
    check_count(records.len())?;
    let schema = tx.schema().clone();
    let items = items(&schema, records, operation)?;
    check_chunks(items.iter().map(|item| item.object))?;
    let mut outcomes = Vec::with_capacity(items.len());
    let start = tx.savepoint();
    for item in &items {
        let outcome = write_one(tx, &schema, item, operation);
        if let Err(refusal) = &outcome.result
            && refusal.scope == Scope::Request
        {
            // [U] A record that cannot be read is a request that cannot be read.
            tx.rollback_to(start);
            return Err(refusal.clone());
        }
        outcomes.push(outcome);
    }
    if all_or_none && outcomes.iter().any(|outcome| outcome.result.is_err()) {
        tx.rollback_to(start);
        outcomes.iter_mut().for_each(|outcome| roll_back(outcome, operation));
    }
    Ok(DataAnswer::json(200, outcomes.iter().map(|outcome| show(tx, outcome)).collect()))
}

fn items<'a>(
    schema: &Schema,
    records: &'a [Json],
    operation: Operation,
) -> Result<Vec<Item<'a>>, Refusal> {
    let mut items = Vec::with_capacity(records.len());
    for record in records {
        let Json::Object(members) = record else { return Err(body::unfit("sobject", record)) };
        let object = type_of(schema, members, operation)?;
        let key = match operation {
            Operation::Insert => String::new(),
            Operation::Update => key_text(&schema[object], members, FieldId::ID)?,
            Operation::Upsert { key, .. } => key_text(&schema[object], members, key)?,
        };
        items.push(Item { object, members, key, repeated: false });
    }
    if let Some(first) = items.first() {
        let field = &schema[first.object][operation.key()];
        let repeated = repeated(items.iter().map(|item| item.key.as_str()), field);
        for (item, repeated) in items.iter_mut().zip(repeated) {
            item.repeated = repeated;
        }
    }
    Ok(items)
}

impl Operation {
    fn key(self) -> FieldId {
        match self {
            Operation::Insert | Operation::Update => FieldId::ID,
            Operation::Upsert { key, .. } => key,
        }
    }
}

fn type_of(
    schema: &Schema,
    members: &Map<String, Json>,
    operation: Operation,
) -> Result<ObjectId, Refusal> {
    let name = members.get("attributes").and_then(|attributes| attributes["type"].as_str());
    let Some(name) = name else {
        return Err(Refusal::new(
            "INVALID_TYPE",
            "The sObject type of a record must be specified in its attributes.",
        ));
    };
    let object = schema.object(name).ok_or_else(|| {
        Refusal::new("INVALID_TYPE", format!("sObject type '{name}' is not supported."))
    })?;
    match operation {
        Operation::Upsert { object: only, .. } if only != object => {
            let message = format!(
                "sObject type '{name}' does not match the type '{}' of the request.",
                schema[only].name
            );
            Err(Refusal::new("INVALID_TYPE", message))
        }
        _ => Ok(object),
    }
}

/// The key as text; a record without one has an empty key.
fn key_text(object: &Object, members: &Map<String, Json>, key: FieldId) -> Result<String, Refusal> {
    let given = members.iter().find(|(name, _)| object.field(name) == Some(key));
    match given.map(|(_, value)| value) {
        None | Some(Json::Null) => Ok(String::new()),
        Some(Json::String(text)) => Ok(text.clone()),
        Some(Json::Number(number)) => Ok(number.to_string()),
        Some(other @ (Json::Bool(_) | Json::Array(_) | Json::Object(_))) => {
            Err(body::unfit("string", other))
        }
    }
}

fn write_one(
    tx: &mut Transaction<'_>,
    schema: &Schema,
    item: &Item<'_>,
    operation: Operation,
) -> Outcome {
    let object = &schema[item.object];
    if item.repeated {
        let refusal = refuse_repeated(&object[operation.key()], &item.key);
        return Outcome { id: None, result: Err(refusal) };
    }
    let target = match operation {
        Operation::Insert => Target::Insert,
        Operation::Upsert { key, .. } => Target::Upsert { field: key, value: &item.key },
        Operation::Update if item.key.is_empty() => {
            let refusal = Refusal::new("MISSING_ARGUMENT", "Id not specified in an update call");
            return Outcome { id: None, result: Err(refusal.about(["Id"])) };
        }
        Operation::Update => match tx.resolve(item.object, &item.key) {
            Ok(id) => Target::Update(id),
            Err(refusal) => return Outcome { id: None, result: Err(refusal) },
        },
    };
    match tx.write(item.object, &Write { target, fields: Fields::Json(item.members) }) {
        Ok(written) => {
            let created = matches!(operation, Operation::Upsert { .. }).then_some(written.created);
            Outcome { id: Some(written.id), result: Ok(created) }
        }
        Err(refusal) => Outcome { id: None, result: Err(refusal) },
    }
}

fn delete_all(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> Result<DataAnswer, Refusal> {
    let ids = parameter(request, "ids")
        .filter(|ids| !ids.is_empty())
        .ok_or_else(|| Refusal::new("MISSING_ARGUMENT", "ids not specified").about(["ids"]))?;
    let ids: Vec<&str> = ids.split(',').map(str::trim).collect();
    check_count(ids.len())?;
    let all_or_none =
        parameter(request, "allOrNone").is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let known: Vec<_> = ids.iter().map(|id| tx.resolve_any(id)).collect();
    check_chunks(known.iter().flatten().map(|id| id.object))?;
    let start = tx.savepoint();
    let mut outcomes = Vec::with_capacity(ids.len());
    for text in ids {
        let point = tx.savepoint();
        let id = tx.resolve_any(text);
        let result = id.clone().and_then(|id| tx.delete(id));
        if result.is_err() {
            tx.rollback_to(point);
        }
        outcomes.push(Outcome { id: id.ok(), result: result.map(|()| None) });
    }
    if all_or_none && outcomes.iter().any(|outcome| outcome.result.is_err()) {
        tx.rollback_to(start);
        outcomes.iter_mut().for_each(|outcome| roll_back(outcome, Operation::Update));
    }
    Ok(DataAnswer::json(200, outcomes.iter().map(|outcome| show(tx, outcome)).collect()))
}

pub(super) fn check_count(count: usize) -> Result<(), Refusal> {
    if count <= MOST_RECORDS {
        return Ok(());
    }
    let message = format!(
        "record limit reached. cannot submit more than {MOST_RECORDS} records into this call"
    );
    Err(Refusal::new("EXCEEDED_ID_LIMIT", message))
}

fn check_chunks(objects: impl Iterator<Item = ObjectId>) -> Result<(), Refusal> {
    let mut chunks = 0;
    let mut last = None;
    for object in objects {
        chunks += usize::from(last != Some(object));
        last = Some(object);
    }
    if chunks <= MOST_CHUNKS {
        return Ok(());
    }
    let message = format!(
        "Cannot have more than {MOST_CHUNKS} chunks in a single operation. Please rearrange the data to reduce chunking."
    );
    Err(Refusal::new("LIMIT_EXCEEDED", message))
}

/// An innocent sibling keeps its id unless it was only just made.
fn roll_back(outcome: &mut Outcome, operation: Operation) {
    if outcome.result.is_err() {
        return;
    }
    let made = matches!(operation, Operation::Insert) || outcome.result == Ok(Some(true));
    outcome.id = outcome.id.filter(|_| !made);
    outcome.result = Err(Refusal::new(
        "ALL_OR_NONE_OPERATION_ROLLED_BACK",
        "Record rolled back because not all records were valid and the request was using AllOrNone header",
    ));
}

fn show(tx: &Transaction<'_>, outcome: &Outcome) -> Json {
    let mut shown = Map::new();
    let errors = outcome.result.as_ref().err().map(Refusal::in_collections);
    if let Some(id) = outcome.id {
        shown.insert("id".to_owned(), json!(tx.id_text(id).as_str()));
    }
    shown.insert("success".to_owned(), json!(errors.is_none()));
    shown.insert("errors".to_owned(), errors.into_iter().collect());
    if let Ok(Some(created)) = outcome.result {
        shown.insert("created".to_owned(), json!(created));
    }
    Json::Object(shown)
}
