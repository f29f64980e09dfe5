//! What can happen to an onboarding, by the table in `docs/processes/onboarding.md`.

use dipmo_domain::Outcome;
use serde_json::{Value, json};

use super::author::Author;
use super::story::{DONE, Story};
use crate::demo::blocks;
use crate::demo::book::{Ending, Expected, Fate};
use crate::demo::topics;

const DUPLICATE: Fate = Fate::Ended(Outcome::Duplicate);

/// The block is asked for, and comes.
pub(crate) fn welcome(author: &mut Author) -> Story {
    let mut story = onboarding(author, "welcome");
    let customer = format!("C-{}", story.promise.aggregate);
    ask_for_block(&mut story, &customer);
    with_block(&mut story, &customer);
    if author.chance(25) {
        // Who comes again under another id may even be served there first.
        author.remember(&customer);
        or_known_already(&mut story);
    }
    story
}

/// The block is asked for, and refused.
pub(crate) fn refused(author: &mut Author) -> Story {
    let mut story = onboarding(author, "refused");
    let customer = format!("C-{}{}", story.promise.aggregate, blocks::REFUSED);
    ask_for_block(&mut story, &customer);
    let answer = blocks::answer_id(&story.promise.aggregate);
    story.expect(&answer, DONE);
    story.ending().state = Some("FAILED");
    story.or(|ending| ending.timed_out("FAILED").but(&answer, DUPLICATE));
    story
}

/// The block is asked for, and nobody answers, until the timer does.
pub(crate) fn unanswered(author: &mut Author) -> Story {
    let mut story = onboarding(author, "unanswered");
    let customer = format!("C-{}{}", story.promise.aggregate, blocks::SILENT);
    ask_for_block(&mut story, &customer);
    *story.ending() = story.ending().clone().timed_out("FAILED");
    story
}

/// Without papers nobody is served, however often they ask.
pub(crate) fn turned_down(author: &mut Author) -> Story {
    let mut story = onboarding(author, "turned down");
    let customer = format!("C-{}", story.promise.aggregate);
    story.tell(0, REQUESTED, None, &request(&customer, false), DONE);
    story.tell(author.pause(), REQUESTED, None, &request(&customer, false), DUPLICATE);
    story.ending().state = Some("FAILED");
    story
}

/// A customer who has a block, or is about to get it, comes again under another id.
pub(crate) fn returning(author: &mut Author) -> Story {
    let Some(customer) = author.recall() else { return welcome(author) };
    let mut story = onboarding(author, "returning");
    ask_for_block(&mut story, &customer);
    with_block(&mut story, &customer);
    or_known_already(&mut story);
    story
}

/// Another customer under the same id: a person must see it, and what follows waits.
pub(crate) fn mistaken(author: &mut Author) -> Story {
    let mut story = onboarding(author, "mistaken");
    let customer = format!("C-{}", story.promise.aggregate);
    story.tell(0, REQUESTED, None, &request(&customer, false), DONE);
    let changed = Fate::Failed("CUSTOMER_CHANGED");
    story.tell(author.pause(), REQUESTED, None, &request("C-somebody", true), changed);
    story.tell(900, REQUESTED, None, &request(&customer, true), Fate::Held);
    story.ending().state = Some("FAILED");
    story
}

/// An answer that nobody asked for.
pub(crate) fn unasked(author: &mut Author) -> Story {
    let aggregate = format!("O-{:06}", author.number());
    let mut story = Story::new("unasked", "ONBOARDING", aggregate, topics::BLOCKS);
    let answer = json!({ "onboardingId": story.promise.aggregate });
    story.tell(0, "BlockCreated", None, &answer, Fate::Failed("ONBOARDING_UNKNOWN"));
    story
}

const REQUESTED: &str = "OnboardingRequested";

fn onboarding(author: &mut Author, plot: &'static str) -> Story {
    let aggregate = format!("O-{:06}", author.number());
    Story::new(plot, "ONBOARDING", aggregate, topics::ONBOARDINGS)
}

fn request(customer: &str, papers_complete: bool) -> Value {
    json!({ "customerId": customer, "name": "Ada", "papersComplete": papers_complete })
}

/// Qualified; the other modules hear of it, and one of them is asked for a block.
fn ask_for_block(story: &mut Story, customer: &str) {
    story.tell(0, REQUESTED, None, &request(customer, true), DONE);
    announce(story, "CustomerQualified", customer);
    let payload = about(story, customer);
    let asked = Expected::new("INTERNAL:blocks", "BlockRequested", &payload);
    story.ending().effects.push(asked);
}

/// The block comes; if the timer was first, it comes too late.
fn with_block(story: &mut Story, customer: &str) {
    let answer = blocks::answer_id(&story.promise.aggregate);
    story.expect(&answer, Fate::Failed("BLOCK_TOO_LATE"));
    let too_late = story.ending().clone().timed_out("FAILED");
    announce(story, "BlockCreated", customer);
    story.ending().state = Some("COMPLETED");
    *story.ending() = story.ending().clone().but(&answer, DONE);
    story.or(|_| too_late);
}

/// The customer has a block by then: no second one, and all in one step.
fn or_known_already(story: &mut Story) {
    let answer = blocks::answer_id(&story.promise.aggregate);
    story.or(|ending| {
        let messages = ending.messages.into_iter().filter(|(id, _)| *id != answer).collect();
        let effects = ending.effects.into_iter().take(2).collect();
        Ending { messages, effects, ..ending }
    });
}

fn announce(story: &mut Story, event_type: &str, customer: &str) {
    let payload = about(story, customer);
    for destination in ["INTERNAL", "KAFKA:onboarding-events"] {
        story.ending().effects.push(Expected::new(destination, event_type, &payload));
    }
}

fn about(story: &Story, customer: &str) -> Value {
    json!({ "onboardingId": story.promise.aggregate, "customerId": customer })
}
