//! What can happen to a hit, by the table in `docs/processes/hit.md`.

use dipmo_domain::Outcome;
use serde_json::{Value, json};

use super::author::Author;
use super::story::{DONE, Story};
use crate::demo::book::{Expected, Fate};
use crate::demo::topics;

const STALE: Fate = Fate::Ended(Outcome::Stale);
const DUPLICATE: Fate = Fate::Ended(Outcome::Duplicate);

/// Notified, assessed and reviewed, in two events or three.
pub(crate) fn reviewed(author: &mut Author) -> Story {
    let mut story = hit(author, "reviewed");
    story.any_order = true;
    let reviewed = review(author, &mut story);
    story.or(|ending| ending.timed_out("FAILED").but(&reviewed, STALE));
    story
}

/// Assessed as harmless: it ends at once.
pub(crate) fn harmless(author: &mut Author) -> Story {
    let mut story = hit(author, "harmless");
    story.any_order = true;
    harmless_hit(author, &mut story);
    story
}

/// Aborted while it is reviewed, or before.
pub(crate) fn aborted(author: &mut Author) -> Story {
    let mut story = hit(author, "aborted");
    let in_review = author.chance(50);
    let notice = notice(&story, in_review.then_some(true));
    story.tell(0, "NotificationReceived", Some(1), &notice, DONE);
    let reason = json!({ "notificationId": notification(&story), "reason": "a mistake" });
    let aborted = story.tell(author.pause(), "HitAborted", Some(2), &reason, DONE);
    story.ending().state = Some("FAILED");
    if in_review {
        announce(&mut story, true);
        story.or(|ending| ending.timed_out("FAILED").but(&aborted, DUPLICATE));
    }
    story
}

/// Nobody reviews it, until its timer does.
pub(crate) fn overdue(author: &mut Author) -> Story {
    let mut story = hit(author, "overdue");
    let notice = notice(&story, Some(true));
    story.tell(0, "NotificationReceived", Some(1), &notice, DONE);
    announce(&mut story, true);
    *story.ending() = story.ending().clone().timed_out("FAILED");
    story
}

/// Reviewed, and then its past comes back under new ids.
pub(crate) fn echoed(author: &mut Author) -> Story {
    let mut story = hit(author, "echoed");
    let reviewed = review(author, &mut story);
    // Later than two pauses: the review is over, as far as the producer knows.
    let late = 850;
    let notice = notice(&story, None);
    story.tell(late + author.pause(), "NotificationReceived", Some(1), &notice, DUPLICATE);
    let reason = json!({ "notificationId": notification(&story), "reason": "too late" });
    let aborted = story.tell(late + 700, "HitAborted", Some(2), &reason, STALE);
    story.or(|ending| ending.timed_out("FAILED").but(&reviewed, STALE).but(&aborted, DUPLICATE));
    story
}

/// Its notification cannot be read, so that nothing of it may happen.
pub(crate) fn unreadable(author: &mut Author) -> Story {
    let mut story = hit(author, "unreadable");
    let poison = json!({ "notificationId": 126 });
    let fate = Fate::Failed("payload-unparsable");
    story.tell(0, "NotificationReceived", Some(1), &poison, fate);
    let verdict = json!({ "positive": true });
    story.tell(author.pause(), "HitAssessed", Some(2), &verdict, Fate::Held);
    story
}

/// Harmless, and then it is not: a contradiction that a person must see.
pub(crate) fn contradicted(author: &mut Author) -> Story {
    let mut story = hit(author, "contradicted");
    harmless_hit(author, &mut story);
    let changed = Fate::Failed("ASSESSMENT_CHANGED");
    story.tell(800, "HitAssessed", Some(3), &json!({ "positive": true }), changed);
    story.tell(900, "ReviewCompleted", Some(4), &json!({ "outcome": "real" }), Fate::Held);
    story
}

fn hit(author: &mut Author, plot: &'static str) -> Story {
    let aggregate = format!("H-{:06}", author.number());
    Story::new(plot, "HIT", aggregate, topics::HITS)
}

/// Through the review to its end; answers the id of the message that ends it.
fn review(author: &mut Author, story: &mut Story) -> String {
    let at_once = author.chance(40);
    let notice = notice(story, at_once.then_some(true));
    let notice = if author.chance(20) { in_version_1(notice) } else { in_version_2(notice) };
    story.tell(0, "NotificationReceived", Some(1), &notice, DONE);
    let (mut version, mut after) = (1, 0);
    if !at_once {
        (version, after) = (2, author.pause());
        story.tell(after, "HitAssessed", Some(2), &json!({ "positive": true }), DONE);
    }
    announce(story, true);
    story.ending().state = Some("COMPLETED");
    let outcome = json!({ "outcome": "real" });
    story.tell(after + author.pause(), "ReviewCompleted", Some(version + 1), &outcome, DONE)
}

fn harmless_hit(author: &mut Author, story: &mut Story) {
    let notice = in_version_2(notice(story, None));
    story.tell(0, "NotificationReceived", Some(1), &notice, DONE);
    story.tell(author.pause(), "HitAssessed", Some(2), &json!({ "positive": false }), DONE);
    announce(story, false);
    story.ending().state = Some("COMPLETED");
}

fn notification(story: &Story) -> String {
    format!("N-{}", story.promise.aggregate)
}

fn notice(story: &Story, positive: Option<bool>) -> Value {
    let mut notice = json!({ "notificationId": notification(story), "customerId": "C-126" });
    if let Some(positive) = positive {
        notice["assessment"] = json!({ "positive": positive });
    }
    in_version_2(notice)
}

fn in_version_2(mut notice: Value) -> Value {
    notice["eventVersion"] = json!(2);
    notice
}

/// As iHub wrote it before: the customer was called otherwise.
fn in_version_1(mut notice: Value) -> Value {
    notice["clientNumber"] = notice["customerId"].take();
    if let Some(fields) = notice.as_object_mut() {
        fields.remove("customerId");
        fields.remove("eventVersion");
    }
    notice
}

/// What the other modules and the outside hear of a qualified hit.
fn announce(story: &mut Story, positive: bool) {
    let hit = story.promise.aggregate.clone();
    let qualified = json!({ "hitId": hit, "positive": positive });
    let mut events = vec![("HitQualified", qualified)];
    if positive {
        events.push(("ReviewStarted", json!({ "hitId": hit })));
    }
    for (event_type, payload) in events {
        for destination in ["INTERNAL", "KAFKA:hit-events"] {
            story.ending().effects.push(Expected::new(destination, event_type, &payload));
        }
    }
}
