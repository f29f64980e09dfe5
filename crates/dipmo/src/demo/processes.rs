//! Who decides: the processes of the files, or the same in Rust; beside them the listener, which is no example.

use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::ValueEnum;
use dipmo::wiring::Pipeline;
use dipmo_api::Registry;
use hits::HitProcess;
use members::{BlocksToCreateProcess, FamilyProcess, MembersCreatedProcess, Tables};
use onboarding::{Blocking, OnboardingProcess};
use serde::Serialize;

use super::listener::Listener;

/// How long a review and a block may take in Rust: as long as the overlay of the files says.
pub(crate) const WITHIN: Duration = Duration::from_secs(2);

/// The tables whose rows go to Salesforce, and what they become there.
pub(crate) const SENT_TABLES: [(&str, &str); 3] =
    [("FAMILIES", "Family__c"), ("MEMBERS", "Contact"), ("BLOCKS", "Block__c")];

/// Which processes are played. Both must do what the book says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Processes {
    /// Those that the files of the examples declare.
    File,
    /// Those of the example crates; sources, tables and mappings are those of the files.
    Rust,
}

impl Processes {
    /// For people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::File => "the files",
            Self::Rust => "the processes in Rust",
        }
    }

    /// The pipeline with these processes.
    pub(crate) fn run_in(self, pipeline: Pipeline) -> Result<Pipeline> {
        let registry = match self {
            Self::File => {
                let registry = pipeline.declared().registry();
                registry.map_err(|(name, error)| anyhow!("{name}: {error}"))?
            }
            Self::Rust => Registry::new()
                .process(HitProcess::new(WITHIN))?
                .process(OnboardingProcess::new(Blocking::Asynchronous { within: WITHIN }))?
                .process(FamilyProcess::new(Tables::default()))?
                .process(MembersCreatedProcess)?
                .process(BlocksToCreateProcess)?,
        };
        Ok(pipeline.with_processes(registry.process(Listener)?))
    }
}
