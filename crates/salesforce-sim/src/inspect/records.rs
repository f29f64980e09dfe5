//! `/__sim/records/…`: the records as they are, with what was ever applied to them.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::inspect::tracked::{Shown, Tracked};
use crate::inspect::{Asked, done, missing, number, wrong};
use crate::org::Org;
use crate::org::id::RecordId;
use crate::org::record::Applied;
use crate::schema::{Object, ObjectId};
use crate::server::answer::Answer;
use crate::server::world::World;
use crate::span::Span;
use crate::value::Value;

/// A page of the records of an object, deleted ones too, filtered by the values of fields.
pub(crate) fn page(world: &World, object: &str, query: &[(String, String)]) -> Asked {
    let object = known_object(world, object)?;
    let (limit, offset) = (number(query, "limit", 100)?, number(query, "offset", 0)?);
    let mut wanted = Vec::new();
    for (name, value) in query.iter().filter(|(name, _)| name != "limit" && name != "offset") {
        let field = world.schema[object].field(name);
        let unknown = || wrong(&format!("{} has no field {name:?}", world.schema[object].name));
        wanted.push((field.ok_or_else(unknown)?, value.as_str()));
    }
    let org = world.org();
    let fits =
        |id: &RecordId| wanted.iter().all(|(field, text)| plain(&org.value(*id, *field)) == *text);
    let found: Vec<RecordId> = org.records(object).map(|(id, _)| id).filter(fits).collect();
    let records: Vec<Json> =
        found.iter().skip(offset).take(limit).map(|&id| show(&org, id)).collect();
    Ok(Answer::json(200, json!({ "total": found.len(), "records": records })))
}

/// One record with its history.
pub(crate) fn one(world: &World, object: &str, id: &str) -> Asked {
    let object = known_object(world, object)?;
    let org = world.org();
    let id = org.record_id(id).filter(|id| id.object == object);
    let id = id.ok_or_else(|| missing("there is no such record"))?;
    let history: Vec<Json> = org
        .record(id)
        .map(|record| {
            record.history.iter().map(|write| show_write(&world.schema[object], write)).collect()
        })
        .unwrap_or_default();
    let mut shown = show(&org, id);
    shown["history"] = json!(history);
    Ok(Answer::json(200, shown))
}

/// Which records to lock for how long.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    object: String,
    ids: Vec<String>,
    hold: Span,
}

/// Locks records as if somebody else wrote them.
pub(crate) fn lock(world: &World, lock: &Lock) -> Asked {
    let object = known_object(world, &lock.object)?;
    let mut org = world.org();
    let mut records = Vec::new();
    for text in &lock.ids {
        let id = org.record_id(text).filter(|id| id.object == object);
        records.push(id.ok_or_else(|| missing(&format!("there is no record {text:?}")))?);
    }
    let until = world.clock.after(lock.hold.0).ok_or_else(|| wrong("that is too long"))?;
    for record in records {
        org.lock_row(record, until);
    }
    Ok(done())
}

pub(super) fn known_object(world: &World, name: &str) -> Result<ObjectId, Answer> {
    world.schema.object(name).ok_or_else(|| missing(&format!("there is no object {name:?}")))
}

fn show(org: &Org, id: RecordId) -> Json {
    let object = &org.schema[id.object];
    let fields: Map<String, Json> =
        object.fields().map(|(at, field)| (field.name.to_string(), org.json(id, at))).collect();
    json!({
        "id": org.id_text(id).as_str(),
        "deleted": org.record(id).is_none_or(|record| !record.is_live()),
        "writes": org.record(id).map_or(0, |record| record.history.len()),
        "fields": fields,
    })
}

/// A write with the values that the object's tracked fields had after it.
fn show_write(object: &Object, write: &Applied) -> Json {
    json!({
        "sequence": write.sequence,
        "call": write.call,
        "job": write.job.as_deref(),
        "at": write.at.to_string(),
        "kind": write.kind.name(),
        "tracked": Tracked::new(object, write),
    })
}

/// A value as a query has it.
fn plain(value: &Value) -> String {
    match json!(Shown(value)) {
        Json::Null => String::new(),
        Json::String(text) => text,
        other => other.to_string(),
    }
}
