//! The pipeline of a demo: the files of the examples, laid one over the other as overlays are, and what a demo says
//! otherwise. What they name from outside is the database, the brokers and the org of this run.

use std::io;
use std::path::Path;

use anyhow::Result;
use dipmo::wiring::Pipeline;
use dipmo_config::load::Source;
use dipmo_config::{Config, Environment, Loaded, References};

use super::failed;
use super::org::Login;
use super::place::Database;
use super::processes::Processes;
use crate::commands::init::starters::{HITS, MEMBERS, ONBOARDING};

/// What every demo says otherwise; `docs/demo.md` shows these three files.
const DEMO: Source<'_> =
    Source { name: "overlays/demo.yaml", text: include_str!("overlays/demo.yaml") };
const SIMULATED: Source<'_> =
    Source { name: "overlays/simulated.yaml", text: include_str!("overlays/simulated.yaml") };
const SQLITE: Source<'_> =
    Source { name: "overlays/sqlite.yaml", text: include_str!("overlays/sqlite.yaml") };

/// What is outside of the files, under the names that they have for it.
pub(crate) struct Surroundings<'a> {
    pub(crate) database: &'a Database,
    pub(crate) brokers: &'a str,
    pub(crate) org: Login,
}

impl Environment for Surroundings<'_> {
    fn variable(&self, name: &str) -> io::Result<Option<String>> {
        Ok(match name {
            "DATABASE_URL" => Some(self.database.address().to_owned()),
            "KAFKA_BROKERS" => Some(self.brokers.to_owned()),
            "SALESFORCE_URL" => Some(self.org.url.clone()),
            "SALESFORCE_CLIENT_ID" => Some(self.org.client_id.clone()),
            "SALESFORCE_CLIENT_SECRET" => Some(self.org.client_secret.expose().to_owned()),
            _ => None,
        })
    }

    fn file(&self, path: &Path) -> io::Result<String> {
        let problem = format!("the demo reads no file, and so not {}", path.display());
        Err(io::Error::new(io::ErrorKind::NotFound, problem))
    }
}

/// Puts it together, with the processes that were asked for.
pub(crate) fn assemble(around: &Surroundings<'_>, processes: Processes) -> Result<Pipeline> {
    let loaded = load(around)?;
    let pipeline = Pipeline::assemble(&loaded)
        .map_err(|problems| failed::problems(&problems, &loaded.files))?;
    processes.run_in(pipeline)
}

fn load(around: &Surroundings<'_>) -> Result<Loaded> {
    let mut files = vec![
        Source { name: "examples/hits/dipmo.yaml", text: HITS.pipeline() },
        Source { name: "examples/onboarding/dipmo.yaml", text: ONBOARDING.pipeline() },
        Source { name: "examples/members/dipmo.yaml", text: MEMBERS.pipeline() },
        DEMO,
    ];
    files.extend(around.org.is_simulated.then_some(SIMULATED));
    files.extend(matches!(around.database, Database::Sqlite(_)).then_some(SQLITE));
    Config::from_texts(&files, References::Resolve(around))
        .map_err(|rejected| failed::problems(&rejected.problems, &rejected.files))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use dipmo_api::ErasedProcess as _;
    use dipmo_config::Colour;
    use dipmo_config::model::process::Process;
    use dipmo_config::model::source::Source;
    use dipmo_domain::Destination;
    use dipmo_salesforce::Secret;

    use super::*;
    use crate::demo::org::CALL_TIMEOUT;
    use crate::demo::processes::WITHIN;
    use crate::demo::topics::{GROUPS, IN, OUT};

    fn loaded(is_simulated: bool) -> Loaded {
        let database = Database::Sqlite("demo.db".to_owned());
        let org = Login {
            url: "http://127.0.0.1:1".to_owned(),
            client_id: "demo".to_owned(),
            client_secret: Secret::new("secret"),
            is_simulated,
        };
        load(&Surroundings { database: &database, brokers: "127.0.0.1:1", org }).unwrap()
    }

    #[test]
    fn the_files_fit_each_other_without_a_warning() {
        for is_simulated in [true, false] {
            let loaded = loaded(is_simulated);
            let checked = loaded.check();
            let said = checked.problems.render(&loaded.files, Colour::Never);
            assert!(checked.problems.is_empty() && loaded.warnings.is_empty(), "{said}");
            let names: Vec<&str> =
                checked.declared.processes.iter().map(|it| it.description().name()).collect();
            assert_eq!(
                names,
                ["HIT", "ONBOARDING", "FAMILY", "MEMBERS_CREATED", "BLOCKS_TO_CREATE"]
            );
        }
    }

    #[test]
    fn the_topics_are_those_that_the_files_name() {
        let config = loaded(true).config;
        let topics =
            config.sources.values().flat_map(Source::topics).map(|(name, _)| name.as_str());
        assert_eq!(topics.collect::<BTreeSet<_>>(), IN.map(|it| it.topic).into());
        let groups = config.sources.values().filter_map(|source| match source {
            Source::Kafka(source) => Some(source.group.expose()),
            Source::Http(_) => None,
        });
        assert_eq!(groups.collect::<BTreeSet<_>>(), GROUPS.into());
        let sends = config.processes.values().flat_map(Process::sends);
        let to = sends.flat_map(|send| send.to.iter()).filter_map(|to| match &to.value {
            Destination::Kafka { topic } => Some(topic.as_str()),
            _ => None,
        });
        assert_eq!(to.collect::<BTreeSet<_>>(), OUT.into());
    }

    #[test]
    fn a_call_that_takes_longer_than_the_file_says_has_no_answer() {
        let timeout = |is_simulated| {
            let config = loaded(is_simulated).config;
            let org = config.destinations.as_ref().and_then(|it| it.salesforce.get("default"));
            org.and_then(|org| org.call_timeout).map(|it| it.value)
        };
        assert_eq!([timeout(true), timeout(false)], [CALL_TIMEOUT, CALL_TIMEOUT * 10].map(Some));
    }

    #[test]
    fn a_review_and_a_block_may_take_as_long_in_rust() {
        let timer = format!("after: {}s,", WITHIN.as_secs());
        assert_eq!(DEMO.text.matches(&timer).count(), 2);
    }

    #[test]
    fn the_page_shows_what_is_said_otherwise() {
        let page = include_str!("../../../../docs/demo.md");
        for overlay in [DEMO, SIMULATED, SQLITE] {
            assert!(page.contains(overlay.text), "docs/demo.md does not show {}", overlay.name);
        }
    }
}
