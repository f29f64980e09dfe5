//! A pipeline and its cases.

use std::path::{Path, PathBuf};

use dipmo_config::cases::{Report, Suite};
use dipmo_config::load::Source;
use dipmo_config::{Colour, Config, Declared, Files, Loaded, Problems, References};

/// The folder of the examples.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// What a pipeline declares.
pub(crate) struct Setting {
    pub(crate) config: Config,
    pub(crate) declared: Declared,
    pub(crate) files: Files,
}

impl Setting {
    /// An example.
    pub(crate) fn example(name: &str) -> Self {
        let loaded = Config::load(&examples().join(name).join("dipmo.yaml"), &[], References::Keep);
        Self::of(loaded.unwrap_or_else(|it| panic!("{}", said(&it.problems, &it.files))))
    }

    /// A pipeline from its text.
    pub(crate) fn text(text: &str) -> Self {
        let sources = [Source { name: "dipmo.yaml", text }];
        let loaded = Config::from_texts(&sources, References::Keep);
        Self::of(loaded.unwrap_or_else(|it| panic!("{}", said(&it.problems, &it.files))))
    }

    fn of(loaded: Loaded) -> Self {
        let mut problems = loaded.warnings;
        let declared = Declared::of(&loaded.config, &loaded.files, &mut problems);
        assert!(problems.is_empty(), "{}", said(&problems, &loaded.files));
        Self { config: loaded.config, declared, files: loaded.files }
    }

    /// Runs a text of cases; `Err` with what is wrong with it.
    pub(crate) fn run(&mut self, text: &str) -> Result<Report, String> {
        let (mut suite, mut problems) = (Suite::default(), Problems::default());
        suite.add(Source { name: "cases.yaml", text }, &mut self.files, &mut problems);
        let report = suite.run(&self.config, &self.declared, &mut problems);
        match report {
            Some(report) if problems.is_empty() => Ok(report),
            _ => Err(said(&problems, &self.files)),
        }
    }
}

fn said(problems: &Problems, files: &Files) -> String {
    problems.render(files, Colour::Never)
}
