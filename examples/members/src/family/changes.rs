//! Rows that changed at the source, against those that are known.

use std::collections::HashMap;

use dipmo_api::{DomainWrite, FactRow, Stay, Transition};
use dipmo_domain::{SalesforceApi, Value};
use serde_json::json;

use super::FamilyState;
use super::process::{FamilyContext, Step};
use crate::salesforce;

/// Records that changed together.
pub(super) struct Changes<'a> {
    /// The fact that tells of each whether it is known.
    pub(super) fact: &'static str,
    /// The version that they have in common.
    pub(super) version: i64,
    /// The id and the row of each.
    pub(super) rows: Vec<(&'a str, DomainWrite)>,
}

impl Changes<'_> {
    /// Writes those that are newer than what is known. Those that were known are sent; the others
    /// are new, and will be announced.
    pub(super) fn step(
        self,
        state: FamilyState,
        (object, event_type): ((SalesforceApi, &str), &str),
        context: &FamilyContext<'_>,
    ) -> Step {
        let known: HashMap<&str, i64> = context.facts(self.fact).filter_map(version_of).collect();
        let is_newer = |id: &str| known.get(id).is_none_or(|at| *at < self.version);
        let newer: Vec<_> = self.rows.into_iter().filter(|(id, _)| is_newer(id)).collect();
        if newer.is_empty() {
            let is_past = known.values().any(|at| *at > self.version);
            let repeated = if known.is_empty() { Stay::Nothing } else { Stay::Duplicate };
            return Transition::stay(if is_past { Stay::Stale } else { repeated });
        }
        let sent: Vec<&str> =
            newer.iter().map(|(id, _)| *id).filter(|id| known.contains_key(id)).collect();
        let step = Transition::advance(state);
        let step = newer.into_iter().fold(step, |step, (_, row)| step.write(row));
        if sent.is_empty() {
            return step.into();
        }
        let payload = json!({ "familyId": context.instance_id(), "asOfVersion": self.version });
        step.effect(salesforce::upsert(object, event_type, sent, &payload)).into()
    }
}

fn version_of(row: &FactRow) -> Option<(&str, i64)> {
    let version = row.get("VERSION").and_then(Value::as_integer)?;
    Some((row.get("ID")?.as_text()?, version))
}
