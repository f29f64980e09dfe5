//! What the schema says about defaults is what the adapters have: a default that is written changes nothing.

use super::all::wired;
use super::{assembled_of, loaded_with, printed};

/// Nothing but what must be said.
const BASE: &str = "
dipmo: 1
store: {postgres: 'postgres://h/db'}
kafka: {default: {brokers: 'h:1', security: {}}}
sources:
  s: {group: g, topics: {t: {}}}
  h: {http: {listen: '127.0.0.1:1', auth: none, paths: {/p: {}}}}
legs: {l: {exactly_once: kafka, group: g, topics: t2, cases: {drop: true}}}
tables: {T: {columns: {ID: 'text(9), required', V: 'integer, required'}, key: ID}}
destinations:
  kafka: {}
  salesforce:
    default:
      url: https://a.b
      login: {client_credentials: {id: x, secret: '${env:S}'}}
      objects:
        A__c: {external_id: K__c, from: {table: T, by: ID, version: V}}
        B__c: {external_id: K__c}
  salesforce_delivery: {}
engine: {dead_letters: {}}
slo: {delivered: 0.9}
admin: {listen: '127.0.0.1:2'}
";

/// Where a section stands in it.
const SECTIONS: [(&str, &[&str]); 34] = [
    ("Admin", &["admin"]),
    ("Auto", &["destinations.salesforce_delivery.auto"]),
    ("Batch", &["sources.s.batch"]),
    ("Breaker", LEVELS_BREAKER),
    ("Bulk", &["destinations.salesforce_delivery.bulk"]),
    ("Bulkhead", LEVELS_BULKHEAD),
    ("Cluster", &["kafka.default"]),
    ("DeadLetters", &["engine.dead_letters"]),
    ("Delivery", &["destinations.salesforce_delivery"]),
    ("Dispatch", &["engine.dispatch"]),
    ("Engine", &["engine"]),
    ("From", &["destinations.salesforce.default.objects.A__c.from"]),
    ("HttpLimits", &["sources.h.http.limits"]),
    ("HttpPath", &["sources.h.http.paths./p"]),
    ("Jwt", &[]),
    ("KafkaSink", &["destinations.kafka"]),
    ("KafkaSource", &["sources.s"]),
    ("Leg", &["legs.l"]),
    ("LegBatch", &["legs.l.batch"]),
    ("Level", LEVELS),
    ("Object", &["destinations.salesforce.default.objects.B__c"]),
    ("Org", &["destinations.salesforce.default"]),
    ("Pressure", &["sources.s.pressure"]),
    ("Quota", &["destinations.salesforce_delivery.resilience.quota"]),
    ("Rate", LEVELS_RATE),
    ("Resilience", &["destinations.salesforce_delivery.resilience"]),
    ("Retention", &["retention"]),
    ("Retry", &["engine.retries.inbox", "engine.retries.outbox"]),
    ("Security", &["kafka.default.security"]),
    ("Shown", &["admin.show"]),
    ("Slo", &["slo"]),
    ("Store", &["store"]),
    ("Topic", &["sources.s.topics.t"]),
    ("Upkeep", &["engine.upkeep"]),
];
const WORKERS: (&str, &[&str]) = ("Workers", &["engine.workers"]);
const ORG: &str = "destinations.salesforce_delivery.resilience.org";
const LEVELS: &[&str] = &[ORG, "destinations.salesforce_delivery.resilience.object"];
const LEVELS_BREAKER: &[&str] = &[
    "destinations.salesforce_delivery.resilience.org.breaker",
    "destinations.salesforce_delivery.resilience.object.breaker",
];
const LEVELS_BULKHEAD: &[&str] = &[
    "destinations.salesforce_delivery.resilience.org.bulkhead",
    "destinations.salesforce_delivery.resilience.object.bulkhead",
];
const LEVELS_RATE: &[&str] = &[
    "destinations.salesforce_delivery.resilience.org.rate",
    "destinations.salesforce_delivery.resilience.object.rate",
];

/// Defaults that are no value, and values that stand beside the adapter's own default.
const SAID_OTHERWISE: [(&str, &str); 26] = [
    ("Cluster", "security"),
    ("Complaint", "message"),
    ("Dispatch", "units"),
    ("Engine", "dead_letters"),
    ("HttpPath", "cloud_events"),
    ("HttpPath", "headers"),
    ("HttpPath", "schema"),
    ("HttpSource", "source_system"),
    ("Jwt", "audience"),
    ("KafkaSink", "linger"),
    ("KafkaSink", "message_id_prefix"),
    ("KafkaSource", "instance_id"),
    ("KafkaSource", "source_system"),
    ("Leg", "instance_id"),
    ("LegCase", "when"),
    ("LegSend", "key"),
    ("LegSend", "value"),
    ("Mtls", "clients"),
    ("Object", "correlation"),
    ("Resilience", "restart_after"),
    ("Retention", "history"),
    ("Retention", "message_ids"),
    ("Security", "ca_file"),
    ("Store", "max_pages"),
    ("Topic", "mirror_suffix"),
    ("Topic", "most_retries"),
];

#[test]
fn a_default_that_is_written_changes_nothing() {
    let in_a_file = BASE.replace("postgres: 'postgres://h/db'", "sqlite: ./x.db");
    let mut checked = 0;
    for (section, key, schema) in wired(&dipmo_config::schema()) {
        let about = schema["description"].as_str().unwrap_or_default();
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some((_, default)) = about.split_once("Defaults to ") else { continue };
        if SAID_OTHERWISE.contains(&(&section, &key)) {
            continue;
        }
        let mut sections = SECTIONS.iter().chain([&WORKERS]);
        let places = sections.find(|(name, _)| *name == section);
        let (_, places) = places.unwrap_or_else(|| panic!("{section} has a default: where is it?"));
        // Only a file of SQLite has a durability.
        let base = if key == "durability" { &in_a_file } else { BASE };
        let before = printed(&assembled_of(&loaded_with(base, None)));
        for place in *places {
            let overlay = nested(place, &key, &value(default, place));
            let after = printed(&assembled_of(&loaded_with(base, Some(&overlay))));
            assert!(before == after, "{section}.{key} defaults to something else: {overlay}");
            checked += 1;
        }
    }
    assert!(checked > 75, "only {checked} defaults were found");
}

/// A key below a path.
fn nested(path: &str, key: &str, value: &str) -> String {
    path.rsplit('.').fold(format!("{key}: {value}"), |inner, outer| format!("{outer}: {{{inner}}}"))
}

/// The value that a description names: `10 for an object and 50 for an org` has two.
fn value(default: &str, place: &str) -> String {
    let of_level = if place.starts_with(ORG) { "for an org" } else { "for an object" };
    if let Some((before, _)) = default.split_once(of_level) {
        return before.split_whitespace().last().unwrap().to_owned();
    }
    if let Some((retries, delay)) = default.split_once(" retries, ") {
        return format!("{{retries: {retries}, delay: {}}}", delay.split(' ').next().unwrap());
    }
    let end = [". ", "; ", ": ", ", where"].iter().filter_map(|end| default.find(end)).min();
    let default = default[..end.unwrap_or(default.len())].trim_end_matches('.').replace('`', "");
    if default.contains('(') { format!("'{default}'") } else { default }
}
