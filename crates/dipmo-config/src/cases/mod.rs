//! Cases for `dipmo test`: given an instance, when messages come, then this is what happens.
//!
//! A file of cases is read like `dipmo.yaml`, with places, hints and a JSON Schema of its own. Names that
//! the pipeline does not have are said before anything runs; see `docs/guide/declared-tests.md`.
//!
//! | file | what is there |
//! |---|---|
//! | `model.rs`, `expected.rs`, `plain.rs` | what can be written |
//! | `ready.rs`, `names.rs` | a case with all that it names |
//! | `world.rs`, `message.rs` | the instance, and a message that comes to it |
//! | `wanted.rs`, `happened.rs` | both sides as trees |
//! | `compare.rs`, `yaml.rs`, `diff.rs` | whether they are the same, and how they differ |
//! | `report.rs`, `coverage.rs` | what came of all of it |

mod compare;
mod coverage;
mod diff;
mod expected;
mod happened;
mod message;
mod model;
mod names;
mod plain;
mod ready;
mod report;
mod wanted;
mod world;
mod yaml;

use std::collections::HashMap;
use std::path::Path;

pub use coverage::{Coverage, Way};
pub use diff::Line;
pub use expected::{Sent, Then, Timed, Written};
pub use model::{CaseFile, Given, Moment, TestCase, When};
pub use plain::{Plain, PlainKind};
pub use report::{Miss, Ran, Report};

use crate::load::{Source, read_text};
use crate::problem::codes;
use crate::schema::Schemas;
use crate::{Config, Declared, Files, Problem, Problems, Read as _, node, read};

/// The JSON Schema of a file of cases, draft 2020-12.
#[must_use]
pub fn schema() -> serde_json::Value {
    Schemas::document("cases.yaml", CaseFile::schema)
}

/// The cases of some files.
#[derive(Clone, Debug, Default)]
pub struct Suite(pub Vec<TestCase>);

impl Suite {
    /// Reads files, and adds them to those that places refer to. What is wrong is added to `problems`.
    #[must_use]
    pub fn load(paths: &[&Path], files: &mut Files, problems: &mut Problems) -> Self {
        let mut suite = Self::default();
        for path in paths {
            let name = path.display().to_string();
            match read_text(path) {
                Ok(text) => suite.add(Source { name: &name, text: &text }, files, problems),
                Err(problem) => {
                    let message = format!("{name} cannot be read: {problem}");
                    let problem = Problem::error(codes::FILE_UNREADABLE, None, message);
                    problems.push(problem.hint("cases are in `cases.yaml` beside `dipmo.yaml`"));
                }
            }
        }
        suite
    }

    /// The same from one text.
    pub fn add(&mut self, source: Source<'_>, files: &mut Files, problems: &mut Problems) {
        let file = files.add(source.name, source.text);
        let root = match node::parse(files, file) {
            Ok(root) => root,
            Err(problem) => return problems.push(*problem),
        };
        let Some(read) = CaseFile::read(&root, problems) else { return };
        twice(&read.cases, problems);
        self.0.extend(read.cases.0);
    }

    /// Only the cases whose name has a text in it.
    #[must_use]
    pub fn named(mut self, text: &str) -> Self {
        self.0.retain(|case| case.name.contains(text));
        self
    }

    /// Runs all cases, if every name in them is known.
    #[must_use]
    pub fn run(
        &self,
        config: &Config,
        declared: &Declared,
        problems: &mut Problems,
    ) -> Option<Report> {
        let ready: Vec<_> =
            self.0.iter().map(|case| ready::Ready::new(case, config, declared, problems)).collect();
        let ready: Vec<_> = ready.into_iter().collect::<Option<_>>()?;
        Some(Report::of(&ready, config))
    }
}

/// A name that two cases have tells neither.
fn twice(cases: &[TestCase], problems: &mut Problems) {
    let mut known = HashMap::new();
    for case in cases {
        let name = &case.name;
        if let Some(first) = known.insert(name.as_str(), name.place) {
            let message = format!("there are two cases `{}`", node::cut(name));
            let problem = read::invalid(name.place, message);
            problems.push(problem.also(first, "here for the first time"));
        }
    }
}
