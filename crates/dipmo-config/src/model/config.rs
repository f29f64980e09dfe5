//! The whole file.

use super::admin::Admin;
use super::destinations::Destinations;
use super::engine::Engine;
use super::kafka::Cluster;
use super::leg::Leg;
use super::process::Process;
use super::retention::Retention;
use super::slo::Slo;
use super::source::Source;
use super::sql::{Query, Statement};
use super::store::Store;
use super::table::Table;
use crate::read::section;
use crate::{Lower, Map, Name, Read, Upper};

section! {
    /// A pipeline: where messages come from, what becomes of them, and where that goes.
    pub struct Config("a configuration") {
        /// The version of this language: 1.
        #[example(1)]
        dipmo: Language,
        /// The database that everything is kept in. Only a file that has nothing but legs needs none.
        store: Option<Store>,
        /// Clusters of Kafka by name; `default` is meant where none is named.
        kafka: Map<Cluster, Name>,
        /// Where messages come from, by name; the name is also their SOURCE_SYSTEM, unless they tell it.
        sources: Map<Source, Name>,
        /// Tables of the domain: written by processes, read by facts and mappings.
        tables: Map<Table, Upper>,
        /// SQL that reads, by name; sent for many messages at once.
        queries: Map<Query, Lower>,
        /// SQL that writes, by name; one row each, sent together.
        statements: Map<Statement, Lower>,
        /// Process managers by name; each has a table `<NAME>_PROCESS`.
        processes: Map<Process, Upper>,
        /// Topics that become topics without a database, by name: each record takes effect exactly once within Kafka.
        legs: Map<Leg, Name>,
        /// Where what processes send goes.
        destinations: Option<Destinations>,
        /// Workers, dispatchers, retries.
        engine: Option<Engine>,
        /// How long what is done with is kept.
        retention: Option<Retention>,
        /// What is promised of all that goes through.
        slo: Option<Slo>,
        /// The door of operators.
        admin: Option<Admin>,
    }
}

/// The version of the language; there is only one.
#[derive(Clone, Copy, Debug)]
pub struct Language;

impl Read for Language {
    fn read(node: &crate::node::Node, problems: &mut crate::Problems) -> Option<Self> {
        let version = u32::read(node, problems)?;
        if version != 1 {
            let message =
                format!("this version of dipmo reads version 1 of the language, not {version}");
            problems.push(crate::read::invalid(node.place, message).hint("write `dipmo: 1`"));
        }
        // The rest is read all the same: most of it can be judged.
        Some(Self)
    }

    fn schema(_: &mut crate::schema::Schemas) -> serde_json::Value {
        serde_json::json!({ "const": 1 })
    }
}
