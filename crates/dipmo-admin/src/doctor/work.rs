//! What is stuck: what could be worked on and is not, what failed, what waits for a person.

use std::time::Duration;

use dipmo_store::admin::{AgeingRow, OperationState};

use super::facts::{Facts, told};
use super::line::Line;

/// What could be worked on for so long waits for somebody: the longest transaction ends before.
const SLOW: Duration = Duration::from_secs(60);
/// So long, nobody works, or far too few do.
const STALLED: Duration = Duration::from_secs(300);
/// A failure is new for so long.
const NEW: Duration = Duration::from_secs(900);
/// A job that has not ended after so long is stuck.
const LONG_JOB: Duration = Duration::from_secs(2 * 3_600);
/// An operation that was paused for so long was forgotten.
const LONG_PAUSE: Duration = Duration::from_secs(24 * 3_600);

pub(super) fn lines(facts: &Facts) -> Vec<Line> {
    vec![
        backlog(facts),
        failed(facts),
        undecodable(facts),
        blocked(facts),
        retrying(facts),
        lanes(facts),
        jobs(facts),
        operations(facts),
        incidents(facts),
    ]
}

fn backlog(facts: &Facts) -> Line {
    told("backlog", &facts.backlog, |backlog| {
        let depth = backlog.inbox.depth()
            + backlog.outbox.values().map(dipmo_store::Waiting::depth).sum::<u64>();
        let Some(age) = backlog.oldest_age() else {
            return Line::ok(
                "backlog",
                format!("{depth} wait, and none of them could be worked on"),
            );
        };
        let evidence = format!(
            "{depth} wait; the oldest that could be worked on came {} s ago",
            age.as_secs()
        );
        let next = "dipmo report hot: is it one key or lane? Otherwise start another instance";
        match age {
            age if age >= STALLED => Line::fail("backlog", evidence, next),
            age if age >= SLOW => Line::warn("backlog", evidence, next),
            _ => Line::ok("backlog", evidence),
        }
    })
}

fn failed(facts: &Facts) -> Line {
    told("failed", &facts.groups, |groups| {
        let failed: u64 = groups.iter().map(|group| group.failed).sum();
        let is_new = |seen| facts.now.since(seen) <= NEW;
        let growing: Vec<_> =
            groups.iter().filter(|it| it.failed > 0 && is_new(it.last_seen)).collect();
        let next = "dipmo failures list";
        match (failed, growing.first()) {
            (0, _) => Line::ok("failed", "nothing has failed for good"),
            (_, None) => {
                Line::warn("failed", format!("{failed} wait for a person; none is new"), next)
            }
            (_, Some(first)) => Line::fail(
                "failed",
                format!(
                    "{failed} wait for a person, and {} groups grew in the last 15 minutes, {} last",
                    growing.len(),
                    first.code
                ),
                next,
            ),
        }
    })
}

/// How many stand in a way, and how old the oldest is.
fn counted<'a>(facts: &Facts, rows: impl Iterator<Item = &'a AgeingRow>) -> (u64, u64) {
    rows.fold((0, 0), |(count, oldest), row| {
        (count + row.count(), oldest.max(facts.now.since(row.oldest).as_secs()))
    })
}

fn undecodable(facts: &Facts) -> Line {
    told("undecodable", &facts.ageing, |ageing| {
        let rows = ageing.rows.iter().filter(|row| row.status == "SERDE_ERROR");
        match counted(facts, rows) {
            (0, _) => Line::ok("undecodable", "every message could be decoded"),
            (count, oldest) => Line::warn(
                "undecodable",
                format!(
                    "{count} are SERDE_ERROR, the oldest came {oldest} s ago: has a schema changed?"
                ),
                "dipmo inbox list --status SERDE_ERROR; correct the rules, then dipmo inbox reparse",
            ),
        }
    })
}

fn blocked(facts: &Facts) -> Line {
    told("blocked", &facts.ageing, |ageing| {
        let rows = ageing.rows.iter().filter(|row| row.waits.is_some());
        match counted(facts, rows) {
            (0, _) => Line::ok("blocked", "nothing waits behind another"),
            (count, oldest) => {
                let evidence = format!(
                    "{count} are held behind the head of their key, or parked; the oldest came {oldest} s ago"
                );
                let next = "dipmo report hot names the heads: retry, skip or release them";
                if Duration::from_secs(oldest) >= STALLED {
                    Line::fail("blocked", evidence, next)
                } else {
                    Line::warn("blocked", evidence, next)
                }
            }
        }
    })
}

fn retrying(facts: &Facts) -> Line {
    told("retrying", &facts.ageing, |ageing| {
        let again = |row: &&AgeingRow| row.status == "RETRY" && row.waits.is_none();
        let rows = ageing.rows.iter().filter(again);
        match counted(facts, rows) {
            (0, _) => Line::ok("retrying", "nothing is tried again"),
            (count, oldest) if Duration::from_secs(oldest) >= STALLED => Line::warn(
                "retrying",
                format!("{count} are tried again and again; the oldest came {oldest} s ago"),
                "dipmo failures list: `retrying` says why",
            ),
            (count, _) => Line::ok("retrying", format!("{count} are tried again, none for long")),
        }
    })
}

/// Lanes of a destination where something could be delivered, and whose lease ran out.
fn lanes(facts: &Facts) -> Line {
    told("lanes", &facts.lanes, |lanes| {
        let waits = |destination: &str| {
            let backlog = facts.backlog.as_ref().ok();
            let waiting = backlog.and_then(|it| it.outbox.get(destination).zip(Some(it)));
            waiting.and_then(|(side, it)| it.age(side)).is_some_and(|age| age >= SLOW)
        };
        let left = lanes.iter().filter(|line| {
            line.owner.is_some()
                && line.lease_until.is_some_and(|until| until < facts.now)
                && waits(&line.destination)
        });
        let leased = lanes.iter().filter(|line| line.owner.is_some()).count();
        match left.count() {
            0 => Line::ok("lanes", format!("{leased} are leased, and none is left alone")),
            left => Line::fail(
                "lanes",
                format!(
                    "{left} of {leased} leases ran out while something waits, and nobody took them over"
                ),
                "dipmo instance list: does anybody have the role publish? Then dipmo lane list",
            ),
        }
    })
}

fn jobs(facts: &Facts) -> Line {
    told("jobs", &facts.backlog, |backlog| {
        let count: u64 = backlog.jobs.values().map(|open| open.jobs).sum();
        match backlog.oldest_job_age() {
            None => Line::ok("jobs", "no job is open"),
            Some(age) if age >= LONG_JOB => Line::fail(
                "jobs",
                format!("{count} are open, the oldest since {} s", age.as_secs()),
                "dipmo job list, then look at the destination",
            ),
            Some(age) => {
                Line::ok("jobs", format!("{count} are open, the oldest since {} s", age.as_secs()))
            }
        }
    })
}

fn operations(facts: &Facts) -> Line {
    told("operations", &facts.operations, |operations| {
        let running = operations.iter().filter(|it| it.state == OperationState::Running);
        let (running, alive) = (running.count(), facts.alive().map_or(0, |alive| alive.len()));
        let forgotten = operations.iter().filter(|it| {
            it.state == OperationState::Paused && facts.now.since(it.created_at) >= LONG_PAUSE
        });
        let forgotten = forgotten.count();
        if running > 0 && alive == 0 {
            let evidence =
                format!("{running} are running, and no instance is there to perform them");
            return Line::fail("operations", evidence, "dipmo run, or dipmo operation watch ID");
        }
        match forgotten {
            0 => Line::ok("operations", format!("{running} are running")),
            _ => Line::warn(
                "operations",
                format!("{forgotten} were begun more than a day ago and are paused"),
                "dipmo operation list; resume or cancel them",
            ),
        }
    })
}

fn incidents(facts: &Facts) -> Line {
    told("incidents", &facts.incidents, |incidents| match incidents.first() {
        None => Line::ok("incidents", "no message came with the id of another"),
        Some(newest) => Line::warn(
            "incidents",
            format!(
                "{} came with the id of another message and another content, the newest at {}",
                incidents.len(),
                newest.received_at
            ),
            "tell who sends them: ids must be unique (GET /api/v1/incidents)",
        ),
    })
}
