//! `/__sim/ledger`: how often each external id was applied, and in what order.
//!
//! An entry is about a key and not about a record: what a client sent twice, or deleted and sent
//! again, is in one place.
//!
//! It is streamed: the ledger of 200,000 records is some tens of megabytes, and is made a slice at a
//! time while the client reads, so that calls go on meanwhile.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde_json::json;

use crate::inspect::records::known_object;
use crate::inspect::tracked::{Shown, Tracked};
use crate::inspect::{Asked, wrong};
use crate::org::Org;
use crate::org::id::IdText;
use crate::org::keyed::WriteAt;
use crate::org::record::{Applied, AppliedKind};
use crate::schema::{FieldId, Object};
use crate::server::answer::{Answer, JSON};
use crate::server::path::value;
use crate::server::world::World;
use crate::value::Value;

/// How many keys are written under one lock of the org.
const SLICE: usize = 500;

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
    let keyed = world.org().keyed(object, field);
    let (object, column, without) = (json!(rules.name), json!(&*rules[field].name), keyed.without);
    let head =
        format!("{{\"object\":{object},\"field\":{column},\"withoutKey\":{without},\"entries\":[");
    let keys = keyed.keys.into_iter();
    let ledger = Ledger { world: Arc::clone(world), field, head: Some(head), keys, begun: false };
    let end = std::iter::once(Ok(Bytes::from_static(b"]}")));
    Ok(Answer::stream(200, JSON, Box::new(ledger.chain(end))))
}

struct Ledger {
    world: Arc<World>,
    field: FieldId,
    head: Option<String>,
    keys: std::vec::IntoIter<Vec<WriteAt>>,
    /// Whether the next entry follows another.
    begun: bool,
}

impl Iterator for Ledger {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(head) = self.head.take() {
            return Some(Ok(Bytes::from(head)));
        }
        if self.keys.len() == 0 {
            return None;
        }
        let mut text = String::new();
        let org = self.world.org();
        for writes in self.keys.by_ref().take(SLICE) {
            let Some(entry) = entry(&org, &writes, self.field) else { continue };
            if self.begun {
                text.push(',');
            }
            self.begun = true;
            text.push_str(&entry);
        }
        Some(Ok(Bytes::from(text)))
    }
}

/// What was applied under one key. The lists have one element for each write, in order.
#[derive(Serialize)]
struct Entry<'a> {
    key: Shown<'a>,
    /// The records that ever had it, in the order of their first write.
    ids: Vec<&'a str>,
    /// How often it was created or updated.
    applied: usize,
    /// How often it was deleted.
    deleted: usize,
    sequence: Vec<u64>,
    calls: Vec<u64>,
    jobs: Vec<Option<&'a str>>,
    kinds: Vec<&'static str>,
    tracked: Vec<Tracked<'a>>,
}

/// Straight to text: building JSON values first takes most of the time for 200,000 records. `None`
/// if the org was made anew meanwhile.
fn entry(org: &Org, writes: &[WriteAt], field: FieldId) -> Option<String> {
    let first = *writes.first()?;
    let rules: &Object = &org.schema[first.record.object];
    let key: &Value = org.key_of(first, field)?;
    let mut known = HashSet::new();
    let records = writes.iter().map(|write| write.record).filter(|record| known.insert(*record));
    let ids: Vec<IdText> = records.map(|record| org.id_text(record)).collect();
    let applied: Vec<&Applied> =
        writes.iter().map(|write| org.write_at(*write)).collect::<Option<_>>()?;
    let count = |kinds: [AppliedKind; 2]| {
        applied.iter().filter(|write| kinds.contains(&write.kind)).count()
    };
    let entry = Entry {
        key: Shown(key),
        ids: ids.iter().map(IdText::as_str).collect(),
        applied: count([AppliedKind::Created, AppliedKind::Updated]),
        deleted: count([AppliedKind::Deleted, AppliedKind::Erased]),
        sequence: applied.iter().map(|write| write.sequence).collect(),
        calls: applied.iter().map(|write| write.call).collect(),
        jobs: applied.iter().map(|write| write.job.as_deref()).collect(),
        kinds: applied.iter().map(|write| write.kind.name()).collect(),
        tracked: applied.iter().map(|write| Tracked::new(rules, write)).collect(),
    };
    serde_json::to_string(&entry).ok()
}
