//! The ledger: the producer's book against what dipmo says happened. A pure function, so that a
//! test can show it a loss.

mod order;
mod salesforce;
#[cfg(test)]
mod salesforce_tests;
mod story;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use dipmo_domain::{InboxStatus, OutboxStatus, Outcome};
use serde::Serialize;

use super::book::Book;
use super::facts::{Facts, IntentFact, MessageFact};
pub(crate) use salesforce::SalesforceFigures;
use story::StoryFacts;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Something that must be there is not, or never ended.
    Lost,
    /// Something is there more than once.
    Doubled,
    /// Something overtook something else.
    Reordered,
    /// Something is there that nobody promised, or is not as it was promised.
    Unexpected,
}

/// One thing that is wrong, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

/// The figures of a run, and what is wrong with it.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Ledger {
    pub(crate) sent: u64,
    pub(crate) stored: u64,
    pub(crate) deduplicated: u64,
    pub(crate) conflicts: u64,
    pub(crate) serde_errors: u64,
    pub(crate) processed: u64,
    pub(crate) outcomes: BTreeMap<&'static str, u64>,
    pub(crate) failed: u64,
    pub(crate) held: u64,
    pub(crate) waiting: u64,
    pub(crate) instances: u64,
    pub(crate) intents: u64,
    pub(crate) delivered: u64,
    pub(crate) redelivered: u64,
    pub(crate) published: u64,
    pub(crate) repeated: u64,
    pub(crate) read_again: u64,
    pub(crate) salesforce: SalesforceFigures,
    pub(crate) lost: u64,
    pub(crate) doubled: u64,
    pub(crate) reordered: u64,
    pub(crate) unexpected: u64,
    #[serde(skip)]
    pub(crate) complaints: Vec<Complaint>,
}

impl Ledger {
    /// Compares all of it.
    pub(crate) fn settle(book: &Book, facts: &Facts) -> Self {
        let mut ledger = Self::count(facts);
        let mut stories = Self::by_story(book, facts);
        for promise in &book.promises {
            let mut story = stories.remove(promise.aggregate.as_str()).unwrap_or_default();
            story.aggregate.clone_from(&promise.aggregate);
            ledger.complaints.extend(story.judge(promise, facts));
        }
        for story in stories.values() {
            ledger.complaints.extend(story.unknown());
        }
        let told: HashSet<&str> = book.promises.iter().map(|it| it.aggregate.as_str()).collect();
        for hit in facts.hits.keys().filter(|hit| !told.contains(hit.as_str())) {
            ledger.complain(Kind::Unexpected, format!("HITS {hit}: is in no book"));
        }
        let (figures, complaints) = salesforce::judge(book, facts);
        ledger.salesforce = figures;
        ledger.complaints.extend(complaints);
        for record in &facts.lost_on_the_wire {
            ledger.complain(Kind::Lost, format!("record {record}: was never stored"));
        }
        for record in &facts.found_on_the_wire {
            ledger.complain(Kind::Unexpected, format!("record {record}: was never sent"));
        }
        for wrong in &facts.sent.wrong_answers {
            ledger.complain(Kind::Unexpected, format!("the inbox answered for {wrong}"));
        }
        if facts.incidents as u64 != facts.sent.conflicts {
            let (kept, told) = (facts.incidents, facts.sent.conflicts);
            let text = format!("{kept} incidents were kept, and {told} conflicts were answered");
            ledger.complain(Kind::Unexpected, text);
        }
        let count = |kind| {
            ledger.complaints.iter().filter(|complaint| complaint.kind == kind).count() as u64
        };
        (ledger.lost, ledger.doubled) = (count(Kind::Lost), count(Kind::Doubled));
        (ledger.reordered, ledger.unexpected) = (count(Kind::Reordered), count(Kind::Unexpected));
        ledger
    }

    /// True when nothing is wrong.
    pub(crate) fn is_clean(&self) -> bool {
        self.complaints.is_empty()
    }

    pub(crate) fn complain(&mut self, kind: Kind, text: String) {
        self.complaints.push(Complaint { kind, text });
    }

    fn count(facts: &Facts) -> Self {
        let messages = |wanted: &dyn Fn(&&MessageFact) -> bool| {
            facts.inbox.iter().filter(wanted).count() as u64
        };
        let status = |status| messages(&|message| message.status == status);
        let mut outcomes = BTreeMap::new();
        for outcome in Outcome::ALL {
            outcomes.insert(outcome.as_str(), messages(&|m| m.outcome == Some(*outcome)));
        }
        let open =
            |m: &&MessageFact| matches!(m.status, InboxStatus::Received | InboxStatus::Retry);
        let internal = |m: &&MessageFact| m.source == "internal";
        let arrived: usize = facts.arrived.values().map(Vec::len).sum();
        Self {
            sent: facts.sent.sent,
            stored: facts.sent.stored,
            deduplicated: facts.sent.deduplicated,
            conflicts: facts.sent.conflicts,
            serde_errors: status(InboxStatus::SerdeError),
            processed: status(InboxStatus::Processed),
            outcomes,
            failed: status(InboxStatus::Failed),
            held: messages(&|m| open(m) && m.is_held),
            waiting: messages(&|m| open(m) && !m.is_held),
            instances: (facts.states.len() + facts.heard.len() + facts.deliveries.len()) as u64,
            intents: facts.outbox.len() as u64,
            delivered: arrived as u64 + messages(&internal),
            redelivered: facts.redelivered,
            published: facts.read_back.records,
            repeated: facts.read_back.repeats,
            read_again: facts.sent.read_again,
            ..Self::default()
        }
    }

    /// Everything that is about one aggregate, together; a delivery belongs to the story of who
    /// asked for it.
    fn by_story<'a>(book: &'a Book, facts: &'a Facts) -> HashMap<&'a str, StoryFacts<'a>> {
        let mut owners: HashMap<&str, &str> = HashMap::new();
        for promise in &book.promises {
            for delivery in promise.endings.iter().flat_map(|ending| &ending.deliveries) {
                owners.insert(&delivery.id, &promise.aggregate);
            }
        }
        let owner = |aggregate: &'a str| owners.get(aggregate).copied().unwrap_or(aggregate);
        let mut stories: HashMap<&str, StoryFacts<'_>> = HashMap::new();
        for message in &facts.inbox {
            stories.entry(owner(&message.aggregate)).or_default().messages.push(message);
        }
        for intent in &facts.outbox {
            stories.entry(owner(&intent.aggregate)).or_default().intents.push(intent);
        }
        for ((destination, aggregate), arrived) in &facts.arrived {
            let story = stories.entry(aggregate).or_default();
            story.arrived.insert(destination, arrived);
        }
        stories
    }
}

/// The destinations that intents have.
fn destinations<'a>(intents: &[&'a IntentFact]) -> HashSet<&'a str> {
    intents.iter().map(|intent| intent.destination.as_str()).collect()
}

/// Whether an intent reached its end. Those to Salesforce are looked at record by record.
fn is_dispatched(intent: &IntentFact) -> bool {
    intent.status == OutboxStatus::Dispatched || intent.object().is_some()
}
