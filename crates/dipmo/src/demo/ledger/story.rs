//! One aggregate: what was promised about it, and what there is of it.

use std::collections::{BTreeMap, BTreeSet};

use dipmo_domain::{InboxStatus, Outcome};

use super::order::compare;
use super::{Complaint, Kind, destinations, is_dispatched};
use crate::demo::book::{Ending, Fate, Promise};
use crate::demo::facts::{Facts, IntentFact, MessageFact};
use crate::demo::recorder::Arrival;

/// Where announcements go that other processes hear.
const INTERNAL: &str = "INTERNAL";

/// The source systems of dipmo's own messages.
const OUR_SOURCES: [&str; 3] = ["internal", "timer", "outcome"];

/// What there is of one aggregate, in order.
#[derive(Default)]
pub(super) struct StoryFacts<'a> {
    pub(super) aggregate: String,
    pub(super) messages: Vec<&'a MessageFact>,
    pub(super) intents: Vec<&'a IntentFact>,
    pub(super) arrived: BTreeMap<&'a str, &'a [Arrival]>,
}

impl StoryFacts<'_> {
    /// Nothing, when it ended in one of the ways it may; else what is wrong, by the nearest way.
    pub(super) fn judge(&self, promise: &Promise, facts: &Facts) -> Vec<Complaint> {
        let mut nearest: Option<Vec<Complaint>> = None;
        for ending in &promise.endings {
            let complaints = self.judge_by(promise, ending, facts);
            if nearest.as_ref().is_none_or(|best| complaints.len() < best.len()) {
                nearest = Some(complaints);
            }
        }
        let mut complaints = nearest.unwrap_or_default();
        complaints.extend(self.judge_kept(promise));
        complaints
    }

    /// What could not be decoded is there byte for byte.
    fn judge_kept(&self, promise: &Promise) -> Vec<Complaint> {
        let kept = |id: &str| {
            let row = self.messages.iter().find(|message| message.id == id);
            row.and_then(|row| row.kept.as_deref())
        };
        let changed = promise.kept.iter().filter(|(id, bytes)| kept(id) != Some(bytes));
        let text = |id: &str| format!("message {id}: is not kept as it came ({})", promise.plot);
        changed.map(|(id, _)| complaint(Kind::Unexpected, text(id))).collect()
    }

    /// An aggregate that nobody promised.
    pub(super) fn unknown(&self) -> Vec<Complaint> {
        let messages = self.messages.iter().map(|message| format!("message {}", message.id));
        let intents = self.intents.iter().map(|intent| format!("intent #{}", intent.id));
        let arrived = self.arrived.values().flat_map(|list| list.iter());
        let arrived = arrived.map(|arrival| format!("delivery {}", arrival.key));
        let all = messages.chain(intents).chain(arrived);
        all.map(|what| complaint(Kind::Unexpected, format!("{what} is in no book"))).collect()
    }

    fn judge_by(&self, promise: &Promise, ending: &Ending, facts: &Facts) -> Vec<Complaint> {
        let mut complaints = Vec::new();
        self.judge_instance(promise, ending, facts, &mut complaints);
        self.judge_messages(ending, &mut complaints);
        self.judge_internal(ending, facts, &mut complaints);
        self.judge_timers(ending, &mut complaints);
        self.judge_deliveries(ending, facts, &mut complaints);
        self.judge_intents(ending, &mut complaints);
        self.judge_arrivals(&mut complaints);
        for complaint in &mut complaints {
            complaint.text = format!("{} ({})", complaint.text, promise.plot);
        }
        complaints
    }

    fn judge_instance(
        &self,
        promise: &Promise,
        ending: &Ending,
        facts: &Facts,
        complaints: &mut Vec<Complaint>,
    ) {
        let key = (promise.process, promise.aggregate.clone());
        let name = format!("{} {}", promise.process, promise.aggregate);
        match (ending.state, facts.states.get(&key).map(String::as_str)) {
            (Some(_), None) => complaints.push(complaint(Kind::Lost, format!("{name}: no row"))),
            (None, Some(state)) => {
                let text = format!("{name}: is {state}, and should not be there");
                complaints.push(complaint(Kind::Unexpected, text));
            }
            (Some(wanted), Some(state)) if wanted != state => {
                let text = format!("{name}: is {state}, not {wanted}");
                complaints.push(complaint(Kind::Unexpected, text));
            }
            _ => {}
        }
        let hit = facts.hits.get(&promise.aggregate).map(String::as_str);
        if promise.process == "HIT" && hit != ending.state {
            let text = format!("HITS {}: is {hit:?}, not {:?}", promise.aggregate, ending.state);
            complaints.push(complaint(Kind::Unexpected, text));
        }
    }

    /// The messages that the producer sent, and the answers of the other module.
    fn judge_messages(&self, ending: &Ending, complaints: &mut Vec<Complaint>) {
        let is_own = |message: &&&MessageFact| !OUR_SOURCES.contains(&message.source.as_str());
        let own: Vec<&&MessageFact> = self.messages.iter().filter(is_own).collect();
        for (id, fate) in &ending.messages {
            let rows: Vec<&&MessageFact> =
                own.iter().copied().filter(|message| message.id == *id).collect();
            match rows[..] {
                [] => complaints.push(complaint(Kind::Lost, format!("message {id}: no row"))),
                [row] => complaints.extend(judge_fate(row, *fate)),
                _ => {
                    let text = format!("message {id}: {} rows", rows.len());
                    complaints.push(complaint(Kind::Doubled, text));
                }
            }
        }
        let known: BTreeSet<&str> = ending.messages.iter().map(|(id, _)| id.as_str()).collect();
        for message in own.iter().filter(|message| !known.contains(message.id.as_str())) {
            let text = format!("message {}: was never sent", message.id);
            complaints.push(complaint(Kind::Unexpected, text));
        }
    }

    /// What the listener was told: as messages in the inbox, and as its memory. When a message of
    /// the aggregate waits for a person, what came after it waits with it.
    fn judge_internal(&self, ending: &Ending, facts: &Facts, complaints: &mut Vec<Complaint>) {
        let rows: Vec<_> = self.messages.iter().filter(|m| m.source == "internal").collect();
        let told: Vec<String> = rows.iter().map(|row| row.label.clone()).collect();
        let place = format!("{INTERNAL} {}", self.aggregate);
        complaints.extend(compared(&place, &self.written(INTERNAL), &told));
        for row in &rows {
            if is_stuck(row, ending) {
                let text = format!("message {}: {} and not ended", row.id, row.status);
                complaints.push(complaint(Kind::Lost, text));
            }
        }
        let ended = rows.iter().filter(|row| row.status == InboxStatus::Processed);
        let ended: Vec<String> = ended.map(|row| row.label.clone()).collect();
        let heard = facts.heard.get(&self.aggregate).map_or(&[][..], Vec::as_slice);
        complaints.extend(compared(&format!("LISTENER {}", self.aggregate), &ended, heard));
    }

    /// A timer that fired has ended, and moved the instance exactly when it was to.
    fn judge_timers(&self, ending: &Ending, complaints: &mut Vec<Complaint>) {
        let fired = self.messages.iter().filter(|message| message.source == "timer");
        let fired: Vec<_> = fired.collect();
        for timer in &fired {
            if is_stuck(timer, ending) {
                let text = format!("message {}: {} and not ended", timer.id, timer.status);
                complaints.push(complaint(Kind::Lost, text));
            }
        }
        let done = fired.iter().filter(|timer| timer.outcome == Some(Outcome::Done));
        let place = format!("timers of {}", self.aggregate);
        match (ending.by_timer, done.count()) {
            (true, 0) => complaints.push(complaint(Kind::Lost, format!("{place}: none came"))),
            (true, 1) | (false, 0) => {}
            (true, many) => {
                complaints.push(complaint(Kind::Doubled, format!("{place}: {many} came")));
            }
            (false, _) => {
                complaints.push(complaint(Kind::Unexpected, format!("{place}: one moved it")));
            }
        }
    }

    /// What processes heard of the deliveries that they asked for: how many records arrived, and
    /// which were refused.
    fn judge_deliveries(&self, ending: &Ending, facts: &Facts, complaints: &mut Vec<Complaint>) {
        let reports = self.messages.iter().filter(|message| message.source == "outcome");
        let ended = reports.filter(|report| report.outcome == Some(Outcome::Done)).count();
        if ended > ending.deliveries.len() {
            let text = format!("{}: {ended} reports of deliveries", self.aggregate);
            complaints.push(complaint(Kind::Doubled, text));
        }
        for promise in &ending.deliveries {
            let name = format!("{} {}", promise.process, promise.id);
            let Some(found) = facts.deliveries.get(&(promise.process, promise.id.clone())) else {
                complaints.push(complaint(Kind::Lost, format!("{name}: no row")));
                continue;
            };
            let mut failed = found.failed.clone();
            failed.sort_unstable();
            let mut promised = promise.failed.clone();
            promised.sort_unstable();
            let is_right = found.state == promise.state()
                && found.delivered == promise.delivered
                && failed == promised;
            if !is_right {
                let kind = if found.state == "REQUESTED" { Kind::Lost } else { Kind::Unexpected };
                let text = format!("{name}: {found:?}, not {promise:?}");
                complaints.push(complaint(kind, text));
            }
        }
    }

    /// The rows of the outbox, each destination in order.
    fn judge_intents(&self, ending: &Ending, complaints: &mut Vec<Complaint>) {
        let mut places = destinations(&self.intents);
        places.extend(ending.effects.iter().map(|effect| effect.destination));
        for destination in places {
            let place = format!("outbox {destination} {}", self.aggregate);
            let written = self.written(destination);
            complaints.extend(compared(&place, &ending.effects_to(destination), &written));
        }
        for intent in self.intents.iter().filter(|intent| !is_dispatched(intent)) {
            let text = format!("intent #{}: {}", intent.id, intent.status);
            complaints.push(complaint(Kind::Lost, text));
        }
    }

    /// What arrived at destinations outside, each in order. It is compared with the outbox, which
    /// was compared with the book: a loss counts once, where it happened.
    fn judge_arrivals(&self, complaints: &mut Vec<Complaint>) {
        let mut places: BTreeSet<&str> = self.arrived.keys().copied().collect();
        places.extend(destinations(&self.intents));
        places.remove(INTERNAL);
        // Salesforce has a ledger of its own.
        places.retain(|destination| !destination.starts_with("HTTP:"));
        for destination in places {
            let arrived = self.arrived.get(destination).copied().unwrap_or_default();
            let labels: Vec<String> = arrived.iter().map(|arrival| arrival.label.clone()).collect();
            let place = format!("{destination} {}", self.aggregate);
            complaints.extend(compared(&place, &self.written(destination), &labels));
        }
    }

    /// What the outbox has for a destination.
    fn written(&self, destination: &str) -> Vec<String> {
        let to = self.intents.iter().filter(|intent| intent.destination == destination);
        to.map(|intent| intent.label.clone()).collect()
    }
}

/// Whether a message has neither ended nor waits behind one that failed as promised.
fn is_stuck(row: &MessageFact, ending: &Ending) -> bool {
    let waits = row.is_held && ending.is_blocked();
    row.status != InboxStatus::Processed && !waits
}

/// Whether a message ended as it should.
fn judge_fate(row: &MessageFact, fate: Fate) -> Option<Complaint> {
    let open = matches!(row.status, InboxStatus::Received | InboxStatus::Retry);
    let right = match fate {
        Fate::Ended(outcome) => row.outcome == Some(outcome),
        Fate::Failed(code) => {
            row.status == InboxStatus::Failed && row.code.as_deref() == Some(code)
        }
        Fate::Held => open && row.is_held,
        Fate::Undecodable => row.status == InboxStatus::SerdeError,
    };
    if right {
        return None;
    }
    let kind = if open { Kind::Lost } else { Kind::Unexpected };
    let how = row.outcome.map(Outcome::as_str).or(row.code.as_deref()).unwrap_or("");
    Some(complaint(kind, format!("message {}: {} {how}, not {fate:?}", row.id, row.status)))
}

fn compared(place: &str, expected: &[String], got: &[String]) -> Vec<Complaint> {
    let wrong = compare(expected, got).into_iter();
    wrong.map(|(kind, what)| complaint(kind, format!("{place}: {what}"))).collect()
}

fn complaint(kind: Kind, text: String) -> Complaint {
    Complaint { kind, text }
}
