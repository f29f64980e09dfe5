//! A parent and its children as requests of one call.
//!
//! A child refers to its parent by what the request of the parent answers, so that a parent that is
//! made by this very call has an id for it.

use dipmo_salesforce::{
    Class, Error, Fields, MAX_COLLECTION_RECORDS, MAX_COMPOSITE_REQUESTS, RecordRef, RowError,
    SubRequest, SubResponse,
};
use serde_json::Value as Json;

use super::{Outcome, Refusal};
use crate::mapping::ChildMapping;
use crate::org::OrgContext;
use crate::shaping::{Shaped, ShapedChild};
use crate::slice::Write;

/// How much room a write takes in a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Load {
    /// Records, the parent included: the nodes of a graph.
    pub(crate) records: usize,
    /// Requests of a composite.
    pub(crate) requests: usize,
    /// Collections among them.
    pub(crate) collections: usize,
}

impl Load {
    pub(crate) fn of(org: &OrgContext, write: &Write) -> Self {
        let Write::Upsert(record) = write else {
            return Self { records: 1, requests: 1, collections: 0 };
        };
        let records = 1 + record.children.len();
        let collections = if fits_singly(record) {
            0
        } else {
            by_mapping(org, record)
                .map(|(_, children)| children.len().div_ceil(MAX_COLLECTION_RECORDS))
                .sum()
        };
        let requests = if collections == 0 { records } else { 1 + collections };
        Self { records, requests, collections }
    }
}

/// Whether each record of a family can be a request of its own in a composite.
fn fits_singly(record: &Shaped) -> bool {
    record.children.len() < MAX_COMPOSITE_REQUESTS
}

/// A family as a composite takes it: children in collections where there are many.
pub(super) fn requests(
    org: &OrgContext,
    name: &str,
    record: &Shaped,
) -> Result<Vec<SubRequest>, Error> {
    if fits_singly(record) {
        return nodes(org, name, record);
    }
    let mut requests = vec![parent(org, name, record)?];
    for (mapping, children) in by_mapping(org, record) {
        for chunk in children.chunks(MAX_COLLECTION_RECORDS) {
            let keyed = |child: &&ShapedChild| {
                super::collections::keyed(
                    fields(mapping, name, child),
                    &mapping.external_id,
                    &child.key,
                )
            };
            let records = chunk.iter().map(keyed);
            let reference = format!("{name}_{}", requests.len());
            let to = (&*mapping.object, &*mapping.external_id);
            let version = org.client.api_version();
            requests.push(SubRequest::collection(version, reference, to, records, true)?);
        }
    }
    Ok(requests)
}

/// A family as a graph takes it: a node for each record.
pub(super) fn nodes(
    org: &OrgContext,
    name: &str,
    record: &Shaped,
) -> Result<Vec<SubRequest>, Error> {
    let mut nodes = vec![parent(org, name, record)?];
    for (place, child) in record.children.iter().enumerate() {
        let Some(mapping) = org.mapping.children.get(child.mapping) else { continue };
        let (object, field) = (&*mapping.object, &*mapping.external_id);
        let at = RecordRef { object, field, key: &child.key };
        let reference = format!("{name}_{}", place + 1);
        let body = fields(mapping, name, child);
        nodes.push(SubRequest::upsert(org.client.api_version(), reference, &at, body)?);
    }
    Ok(nodes)
}

fn parent(org: &OrgContext, name: &str, record: &Shaped) -> Result<SubRequest, Error> {
    let (object, field) = (&*org.mapping.object, &*org.mapping.external_id);
    let at = RecordRef { object, field, key: &record.key };
    SubRequest::upsert(org.client.api_version(), name, &at, record.rest())
}

/// The fields of a child, with the id of its parent.
fn fields(mapping: &ChildMapping, parent: &str, child: &ShapedChild) -> Fields {
    let mut fields = child.rest();
    fields.insert(mapping.parent.clone(), Json::String(format!("@{{{parent}.id}}")));
    fields
}

/// The children of each mapping.
fn by_mapping<'a>(
    org: &'a OrgContext,
    record: &'a Shaped,
) -> impl Iterator<Item = (&'a ChildMapping, Vec<&'a ShapedChild>)> {
    org.mapping.children.iter().enumerate().map(|(place, mapping)| {
        let children = record.children.iter().filter(|child| child.mapping == place);
        (mapping, children.collect())
    })
}

/// What became of a family, by the answers to its requests: the id of the parent, or the first
/// refusal that is not just a consequence of another.
pub(super) fn outcome(responses: &[SubResponse]) -> Outcome {
    let mut innocent = None;
    let mut id = None;
    for (place, response) in responses.iter().enumerate() {
        for answer in response.outcomes() {
            match answer {
                Ok(written) if place == 0 => id = Some(written.id),
                Ok(_) => {}
                Err(error) if error.class() == Class::Innocent => {
                    innocent = innocent.or(Some(error));
                }
                Err(error) if place == 0 => return Err(Refusal::Row(error)),
                Err(error) => return Err(Refusal::Row(of_child(error))),
            }
        }
    }
    innocent.map_or(Ok(id.filter(|id| !id.is_empty())), |error| Err(Refusal::Row(error)))
}

/// Says that it was not the parent that was refused.
fn of_child(error: RowError) -> RowError {
    RowError { message: format!("a child was refused: {}", error.message), ..error }
}

/// Whether Salesforce would take a value for a reference to another request, and put something else
/// in its place.
pub(crate) fn looks_like_reference(record: &Shaped) -> bool {
    let fields = |fields: &Fields| {
        fields.values().any(|value| value.as_str().is_some_and(|text| text.contains("@{")))
    };
    let child = |child: &ShapedChild| child.key.contains("@{") || fields(&child.fields);
    record.key.contains("@{") || fields(&record.fields) || record.children.iter().any(child)
}
