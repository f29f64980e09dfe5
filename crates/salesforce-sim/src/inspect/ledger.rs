//! `/__sim/ledger`: how often each external id was applied, and in what order.
//!
//! It is streamed: the ledger of 200,000 records is some tens of megabytes, and is made a slice at a
//! time while the client reads, so that calls go on meanwhile.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde_json::json;

use crate::inspect::records::known_object;
use crate::inspect::tracked::Tracked;
use crate::inspect::{Asked, wrong};
use crate::org::Org;
use crate::org::id::RecordId;
use crate::org::record::Record;
use crate::schema::{FieldId, Object, ObjectId};
use crate::server::answer::{Answer, JSON};
use crate::server::path::value;
use crate::server::world::World;

/// How many records are read under one lock of the org.
const SLICE: u32 = 500;

/// The ledger of an object by one of its external ids.
pub(crate) fn answer(world: &Arc<World>, query: &[(String, String)]) -> Asked {
    let name = value(query, "object").ok_or_else(|| wrong("which object? ?object=Contact"))?;
    let object = known_object(world, name)?;
    let rules = &world.schema[object];
    let mut external = rules.fields().filter(|(_, field)| field.external_id).map(|(at, _)| at);
    let field = match value(query, "field") {
        Some(name) => rules.field(name).filter(|wanted| external.any(|at| at == *wanted)),
        None => external.next(),
    };
    let field = field.ok_or_else(|| wrong(&format!("that is no external id of {}", rules.name)))?;
    let ledger = Ledger { world: Arc::clone(world), object, field, next: Next::Head };
    Ok(Answer::stream(200, JSON, Box::new(ledger)))
}

struct Ledger {
    world: Arc<World>,
    object: ObjectId,
    field: FieldId,
    next: Next,
}

enum Next {
    Head,
    /// The records from this serial number on.
    Slice(u32),
    Nothing,
}

impl Iterator for Ledger {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let rules = &self.world.schema[self.object];
        let text = match self.next {
            Next::Head => {
                self.next = Next::Slice(1);
                let (object, field) = (json!(rules.name), json!(&*rules[self.field].name));
                format!("{{\"object\":{object},\"field\":{field},\"entries\":[")
            }
            Next::Slice(first) => {
                let org = self.world.org();
                let (text, more) = slice(&org, rules, self.object, self.field, first);
                self.next = if more { Next::Slice(first + SLICE) } else { Next::Nothing };
                text
            }
            Next::Nothing => return None,
        };
        Some(Ok(Bytes::from(text)))
    }
}

/// The entries of a slice, and whether there are more.
fn slice(
    org: &Org,
    rules: &Object,
    object: ObjectId,
    field: FieldId,
    first: u32,
) -> (String, bool) {
    let mut text = String::new();
    for serial in first..first + SLICE {
        let id = RecordId { object, serial };
        let Some(record) = org.record(id) else {
            text.push_str("]}");
            return (text, false);
        };
        if serial > 1 {
            text.push(',');
        }
        text.push_str(&entry(org, rules, id, record, field));
    }
    (text, true)
}

/// What was applied to one record.
#[derive(Serialize)]
struct Entry<'a> {
    key: Option<&'a str>,
    id: &'a str,
    times: usize,
    sequence: Vec<u64>,
    calls: Vec<u64>,
    jobs: Vec<Option<&'a str>>,
    kinds: Vec<&'static str>,
    tracked: Vec<Tracked<'a>>,
}

/// Straight to text: building JSON values first takes most of the time for 200,000 records.
fn entry(org: &Org, rules: &Object, id: RecordId, record: &Record, field: FieldId) -> String {
    let id = org.id_text(id);
    let writes = || record.history.iter();
    let entry = Entry {
        key: field.slot().and_then(|slot| record.values[slot].as_text()),
        id: id.as_str(),
        times: record.history.len(),
        sequence: writes().map(|write| write.sequence).collect(),
        calls: writes().map(|write| write.call).collect(),
        jobs: writes().map(|write| write.job.as_deref()).collect(),
        kinds: writes().map(|write| write.kind.name()).collect(),
        tracked: writes().map(|write| Tracked::new(rules, write)).collect(),
    };
    serde_json::to_string(&entry).unwrap_or_default()
}
