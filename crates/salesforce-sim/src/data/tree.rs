//! `composite/tree/X`: records and their children inserted in one call, all or none.

use std::collections::HashSet;

use serde_json::{Map, Value as Json, json};

use super::request::{DataAnswer, DataRequest, Method};
use crate::org::fields::Fields;
use crate::org::transaction::Transaction;
use crate::org::write::{Target, Write};
use crate::refusal::Refusal;
use crate::schema::{Child, FieldId, ObjectId, Schema};

const MAX_RECORDS: usize = 200;
const MAX_DEPTH: usize = 5;

/// A record to insert.
struct Node<'a> {
    object: ObjectId,
    reference: &'a str,
    fields: Map<String, Json>,
    /// The place of the parent in the list, and the look-up that points to it.
    parent: Option<(usize, FieldId)>,
}

/// Inserts the trees of records.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    let [_, _, object] = request.path else { return Refusal::not_found().into() };
    if request.method != Method::Post {
        return request.method_not_allowed("POST").into();
    }
    let schema = tx.schema().clone();
    let Some(object) = schema.object(object) else { return Refusal::not_found().into() };
    let mut nodes = Vec::new();
    if let Err((reference, refusal)) = collect(&schema, request.body, object, &mut nodes) {
        return failed(&[error(reference, &refusal)]);
    }
    insert(tx, &nodes)
}

fn collect<'a>(
    schema: &Schema,
    body: Option<&'a Json>,
    object: ObjectId,
    nodes: &mut Vec<Node<'a>>,
) -> Result<(), (&'a str, Refusal)> {
    let records = body.and_then(|body| body.get("records"));
    let invalid = |words: &str| ("", Refusal::new("INVALID_INPUT", words));
    let Some(records) = records else { return Err(invalid("No records were provided.")) };
    add(schema, records, object, None, 1, nodes)?;
    let mut seen = HashSet::new();
    match nodes.iter().find(|node| !seen.insert(node.reference)) {
        Some(twice) => {
            let words = "Duplicate ReferenceId provided in the request.";
            Err((twice.reference, Refusal::new("INVALID_INPUT", words)))
        }
        None if nodes.len() > MAX_RECORDS => {
            Err(invalid("The request can’t contain more than 200 records."))
        }
        None => Ok(()),
    }
}

fn add<'a>(
    schema: &Schema,
    records: &'a Json,
    object: ObjectId,
    parent: Option<(usize, FieldId)>,
    depth: usize,
    nodes: &mut Vec<Node<'a>>,
) -> Result<(), (&'a str, Refusal)> {
    let invalid = |reference, words: &str| (reference, Refusal::new("INVALID_INPUT", words));
    let Some(records) = records.as_array() else {
        return Err(invalid("", "records has to be a list."));
    };
    if depth > MAX_DEPTH {
        return Err(invalid("", "The request can’t contain more than 5 levels of records."));
    }
    for record in records {
        let attributes = record.get("attributes");
        let reference = attributes.and_then(|attributes| attributes.get("referenceId")?.as_str());
        let Some(reference) = reference else {
            return Err(invalid("", "Include a reference ID for each record in the request."));
        };
        let kind = attributes.and_then(|attributes| attributes.get("type")?.as_str());
        if kind.and_then(|kind| schema.object(kind)) != Some(object) {
            let words = "The type of a record differs from that of its place in the request.";
            return Err(invalid(reference, words));
        }
        let place = nodes.len();
        let fields = Map::new();
        nodes.push(Node { object, reference, fields, parent });
        for (name, value) in record.as_object().into_iter().flatten() {
            match value.get("records").and_then(|_| child(schema, object, name)) {
                Some((child, look_up)) => {
                    let records = &value["records"];
                    add(schema, records, child, Some((place, look_up)), depth + 1, nodes)?;
                }
                None => {
                    nodes[place].fields.insert(name.clone(), value.clone());
                }
            }
        }
    }
    Ok(())
}

/// The object and the look-up behind the name of a list of children, such as `Contacts`.
fn child(schema: &Schema, parent: ObjectId, name: &str) -> Option<(ObjectId, FieldId)> {
    schema[parent].children().iter().find_map(|child| {
        let own = list_name(schema, *child);
        own.eq_ignore_ascii_case(name).then_some((child.object, child.field))
    })
}

/// `Contacts` for a look-up of Salesforce's own, `Blocks__r` for one that an org made for itself.
fn list_name(schema: &Schema, child: Child) -> String {
    let object = &schema[child.object];
    let plural = object.plural.replace(' ', "");
    if object[child.field].name.ends_with("__c") { format!("{plural}__r") } else { plural }
}

fn insert(tx: &mut Transaction<'_>, nodes: &[Node<'_>]) -> DataAnswer {
    let schema = tx.schema().clone();
    let start = tx.savepoint();
    let mut inserted = Vec::with_capacity(nodes.len());
    let mut errors = Vec::new();
    for node in nodes {
        let mut fields = node.fields.clone();
        if let Some((parent, look_up)) = node.parent {
            // The children of a record that failed are not tried.
            let Some(id) = inserted.get(parent).copied().flatten() else {
                inserted.push(None);
                continue;
            };
            let id = tx.id_text(id).to_string();
            fields.insert(schema[node.object][look_up].name.to_string(), Json::String(id));
        }
        let write = Write { target: Target::Insert, fields: Fields::Json(&fields) };
        match tx.write(node.object, &write) {
            Ok(written) => inserted.push(Some(written.id)),
            Err(refusal) => {
                inserted.push(None);
                errors.push(error(node.reference, &refusal));
            }
        }
    }
    if !errors.is_empty() {
        tx.rollback_to(start);
        return failed(&errors);
    }
    let results = nodes
        .iter()
        .zip(inserted.into_iter().flatten())
        .map(|(node, id)| json!({ "referenceId": node.reference, "id": tx.id_text(id).as_str() }));
    let results: Vec<Json> = results.collect();
    DataAnswer::json(201, json!({ "hasErrors": false, "results": results }))
}

fn error(reference: &str, refusal: &Refusal) -> Json {
    json!({ "referenceId": reference, "errors": [refusal.in_collections()] })
}

fn failed(results: &[Json]) -> DataAnswer {
    DataAnswer::json(400, json!({ "hasErrors": true, "results": results }))
}
