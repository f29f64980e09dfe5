//! What is declared and never named.

use std::collections::BTreeSet;

use crate::model::object::Origin;
use crate::problem::{Problem, codes};
use crate::{Config, Lower, Place, Problems, Upper};

pub(super) fn check(config: &Config, problems: &mut Problems) {
    let used = Names::of(config);
    for (name, _) in config.tables.iter() {
        check_one("table", name, name.place, &used.tables, problems);
    }
    for (name, _) in config.queries.iter() {
        check_one("query", name, name.place, &used.queries, problems);
    }
    for (name, _) in config.statements.iter() {
        check_one("statement", name, name.place, &used.statements, problems);
    }
    for (_, process) in config.processes.iter() {
        let done: BTreeSet<&str> =
            process.cases().flat_map(|case| case.actions.iter().map(Lower::as_str)).collect();
        for (name, _) in process.actions.iter() {
            check_one("action", name, name.place, &done, problems);
        }
    }
}

/// The names that are said somewhere.
#[derive(Default)]
struct Names<'a> {
    tables: BTreeSet<&'a str>,
    queries: BTreeSet<&'a str>,
    statements: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(config: &'a Config) -> Self {
        let mut names = Self::default();
        for (_, process) in config.processes.iter() {
            for write in process.writes() {
                names.tables.extend(write.upsert.iter().chain(&write.delete).map(Upper::as_str));
                names.statements.extend(write.statement.iter().map(Lower::as_str));
            }
            for (_, fact) in process.facts.iter() {
                names.tables.extend(fact.table.iter().map(Upper::as_str));
                names.queries.extend(fact.query.iter().map(Lower::as_str));
            }
        }
        let orgs = config.destinations.iter().flat_map(|all| all.salesforce.iter());
        for (_, object) in orgs.flat_map(|(_, org)| org.objects.iter()) {
            if let Some(Origin::Section(from)) = &object.from {
                names.tables.extend(from.table.iter().map(Upper::as_str));
                names.queries.extend(from.query.iter().map(Lower::as_str));
            }
            for (_, child) in object.children.iter() {
                names.tables.extend(child.from.table.iter().map(Upper::as_str));
            }
        }
        names
    }
}

fn check_one(what: &str, name: &str, place: Place, used: &BTreeSet<&str>, problems: &mut Problems) {
    if !used.contains(name) {
        let message = format!("nobody uses the {what} `{name}`");
        problems.push(Problem::warning(codes::NAME_UNUSED, place, message));
    }
}
