//! What runs: schema, instances, roles, health, clocks.

use std::collections::BTreeSet;
use std::time::Duration;

use dipmo_domain::Timestamp;
use dipmo_store::admin::InstanceRow;
use serde_json::Value;

use super::facts::{Facts, told};
use super::line::Line;

/// Clocks that are apart so far make times of logs and of the database hard to compare.
const APART: Duration = Duration::from_secs(5);
/// So far apart, tokens of Salesforce and certificates are refused.
const FAR_APART: Duration = Duration::from_secs(60);

const INSTANCES: &str = "dipmo instance list";

pub(super) fn lines(facts: &Facts) -> Vec<Line> {
    vec![
        schema(facts),
        instances(facts),
        versions(facts),
        roles(facts),
        health(facts),
        clock(facts),
    ]
}

fn schema(facts: &Facts) -> Line {
    told("schema", &facts.schema, |status| {
        let applied = status.applied.len();
        if let Err(error) = &status.may_run {
            let pending = status.pending.len();
            let evidence = format!("{applied} migrations are applied, {pending} are not: {error}");
            return Line::fail("schema", evidence, "dipmo migrate plan, then dipmo migrate apply");
        }
        match status.unknown.len() {
            0 => Line::ok("schema", format!("{applied} migrations are applied, none is left")),
            newer => Line::warn(
                "schema",
                format!("{newer} migrations are of a newer version: an upgrade is under way"),
                "finish the upgrade: dipmo instance list shows who is behind",
            ),
        }
    })
}

fn instances(facts: &Facts) -> Line {
    told("instances", &facts.alive(), |alive| {
        let silent = facts.fleet.as_ref().map_or(0, Vec::len) - alive.len();
        match (alive.len(), silent) {
            (0, silent) => Line::fail(
                "instances",
                format!(
                    "no instance is there; {silent} were, and have not been heard of for a minute"
                ),
                "dipmo run",
            ),
            (alive, 0) => Line::ok("instances", format!("{alive} are there")),
            (alive, silent) => Line::warn(
                "instances",
                format!(
                    "{alive} are there; {silent} ended without a word, or are cut off from the database"
                ),
                INSTANCES,
            ),
        }
    })
}

fn versions(facts: &Facts) -> Line {
    told("versions", &facts.alive(), |alive| {
        let versions: BTreeSet<&str> =
            alive.iter().map(|row| row.report.version.as_str()).collect();
        let named = versions.iter().copied().collect::<Vec<_>>().join(", ");
        match versions.len() {
            0 => Line::unknown("versions", "no instance is there", "dipmo run"),
            1 => Line::ok("versions", format!("all are {named}")),
            _ => Line::warn(
                "versions",
                format!("several are at work: {named}"),
                "finish the upgrade: dipmo instance list shows who is behind",
            ),
        }
    })
}

fn roles(facts: &Facts) -> Line {
    told("roles", &facts.alive(), |alive| {
        let plays = |role: &str| {
            alive
                .iter()
                .filter(|row| row.report.roles.split(',').any(|it| it.trim() == role))
                .count()
        };
        let mut wanted = vec!["process", "publish"];
        if facts.expected.is_none_or(|expected| expected.consumes) {
            wanted.insert(0, "consume");
        }
        let counts: Vec<(&str, usize)> = wanted.iter().map(|role| (*role, plays(role))).collect();
        let missing: Vec<&str> =
            counts.iter().filter(|(_, count)| *count == 0).map(|(role, _)| *role).collect();
        let each = counts.iter().map(|(role, count)| format!("{role} {count}"));
        let each = each.collect::<Vec<_>>().join(", ");
        match missing.is_empty() {
            true => Line::ok("roles", each),
            false => Line::fail(
                "roles",
                format!("nobody is there to {}: {each}", missing.join(" or ")),
                &format!("dipmo run --roles {}", missing.join(",")),
            ),
        }
    })
}

fn health(facts: &Facts) -> Line {
    told("health", &facts.alive(), |alive| {
        let mut unready = Vec::new();
        for row in alive {
            let report = report(row);
            if report["ready"] == false {
                let reasons = report["reasons"].as_array().into_iter().flatten();
                let names: Vec<&str> = reasons.filter_map(|it| it["name"].as_str()).collect();
                unready.push(format!("{} ({})", row.report.name, names.join(", ")));
            }
        }
        match (alive.len(), unready.len()) {
            (0, _) => Line::unknown("health", "no instance is there", "dipmo run"),
            (all, 0) => Line::ok("health", format!("{all} of {all} say that they are ready")),
            (all, some) => Line::fail(
                "health",
                format!("{some} of {all} are not ready: {}", unready.join("; ")),
                "dipmo health all --address HOST:PORT, which says why",
            ),
        }
    })
}

fn clock(facts: &Facts) -> Line {
    told("clock", &facts.alive(), |alive| {
        let apart = alive.iter().filter_map(|row| apart(row)).max();
        let evidence = |apart: Duration| {
            format!("the clock furthest from the database's is {:.1} s away", apart.as_secs_f64())
        };
        let next = "set the clocks of the machines by NTP";
        match apart {
            None => Line::unknown("clock", "no instance tells its clock", "dipmo run"),
            Some(apart) if apart >= FAR_APART => Line::fail("clock", evidence(apart), next),
            Some(apart) if apart >= APART => Line::warn("clock", evidence(apart), next),
            Some(apart) => Line::ok("clock", evidence(apart)),
        }
    })
}

/// How far the clock of an instance was from that of the database when it told last.
fn apart(row: &InstanceRow) -> Option<Duration> {
    let clock = Timestamp::from_rfc3339(report(row)["clock"].as_str()?)?;
    Some(clock.since(row.seen_at).max(row.seen_at.since(clock)))
}

fn report(row: &InstanceRow) -> Value {
    serde_json::from_str(row.report.report.as_str()).unwrap_or_default()
}
