//! A rehearsal: records go through the rules of their source and the decisions of their process, one after the
//! other, and nothing outside is touched. Instances and rows are kept in memory, so that a record meets what
//! those before it have done. `live.rs` begins where a database stands.

mod instances;
mod live;
mod record;
mod rows;
mod stage;

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_api::{ErasedOutcome, Refusal, Stay};
use dipmo_config::{Loaded, Problems};
use dipmo_domain::{DedupeKey, Failure, Timestamp};
use dipmo_inbound::Inbound;
use dipmo_inbox::{Body, NewMessage};

pub(super) use self::live::Live;
pub use self::record::{RecordError, record};
use self::stage::Stage;
use super::sources;

/// Decisions without a database.
pub struct Rehearsal {
    stage: Stage,
    /// The rules of each source, and the topics that it reads.
    sources: Vec<(Inbound, Vec<String>)>,
    known: HashMap<DedupeKey, usize>,
    heard: usize,
}

/// What a record would do.
pub struct Rehearsed {
    /// Who the message is.
    pub message: NewMessage,
    /// What becomes of it.
    pub outcome: Met,
}

/// What becomes of a message.
pub enum Met {
    /// It could not be decoded, and would be kept as SERDE_ERROR.
    Undecodable(Failure),
    /// It came before, as so many of those that were heard.
    Known(usize),
    /// No process takes it: it would end as IGNORED.
    Ignored,
    /// A handler takes it, which is code that does things: nobody can rehearse that.
    Handled,
    /// It cannot be asked about: it would be FAILED.
    Refused(Refusal),
    /// Its process decided.
    Decided {
        /// The process.
        process: &'static str,
        /// The instance.
        instance: String,
        /// The state that it was in.
        from: String,
        /// What was decided.
        outcome: ErasedOutcome,
        /// Facts that a rehearsal cannot know: those of queries.
        unknown_facts: Vec<&'static str>,
    },
}

impl Rehearsal {
    /// For a configuration.
    ///
    /// # Errors
    /// With all that is wrong with it.
    pub fn new(loaded: &Loaded) -> Result<Self, Problems> {
        let checked = loaded.check();
        let mut problems = checked.problems;
        let registry = checked.declared.registry().ok();
        let sources = sources::inbounds(&loaded.config.sources, &mut problems);
        match registry {
            Some(registry) if !problems.any_error() => Ok(Self {
                stage: Stage::new(Arc::new(registry), Timestamp::EPOCH),
                sources,
                known: HashMap::new(),
                heard: 0,
            }),
            _ => Err(problems),
        }
    }

    /// Lets a record come.
    pub fn hear(&mut self, record: dipmo_inbox::Record) -> Rehearsed {
        self.heard += 1;
        let plain = Inbound::new("rehearsal");
        let reads = |topics: &[String]| topics.iter().any(|topic| fits(topic, &record.topic));
        let inbound = self.sources.iter().find(|(_, topics)| reads(topics));
        let message = inbound.map_or(&plain, |(inbound, _)| inbound).decode(record).message;
        let outcome = self.meet(&message);
        Rehearsed { message, outcome }
    }

    fn meet(&mut self, message: &NewMessage) -> Met {
        let payload = match &message.body {
            Body::Json(payload) => payload,
            Body::Undecodable { failure, .. } => return Met::Undecodable(failure.clone()),
        };
        if let Some(before) = self.known.get(&message.dedupe_key) {
            return Met::Known(*before);
        }
        self.known.insert(message.dedupe_key, self.heard);
        self.stage.meet(&record::view(message, payload, self.heard))
    }
}

/// True when a source that reads `pattern` reads `topic`.
fn fits(pattern: &str, topic: &str) -> bool {
    match pattern.split_once('*') {
        _ if pattern.starts_with('^') => true,
        Some((beginning, end)) => {
            topic.strip_prefix(beginning).is_some_and(|rest| rest.ends_with(end))
        }
        None => pattern == topic,
    }
}

/// What staying means, for people.
#[must_use]
pub const fn why(stay: Stay) -> &'static str {
    match stay {
        Stay::Duplicate => "duplicate: the instance has already taken this step",
        Stay::Stale => "stale: the instance has left this behind",
        Stay::Nothing => "nothing to do",
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_run_of_characters() {
        assert!(fits("orders", "orders") && fits("orders-*", "orders-de") && fits("*", "x"));
        assert!(!fits("orders", "orders-de") && !fits("orders-*-eu", "orders-de"));
    }
}
