//! A slice when the engine ends.

use std::time::Duration;

use dipmo_outbox::{Ending, Published, Publisher as _};
use serde_json::json;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::support::{CALL_TIME, World, carried, is_delivered, unit};

/// An end, and what brings it about.
fn ending() -> (Ending, CancellationToken, CancellationToken) {
    let (begun, due) = (CancellationToken::new(), CancellationToken::new());
    (Ending::new(begun.clone(), due.clone()), begun, due)
}

/// Changes of one record, a call each.
fn changes(number: i64) -> Vec<dipmo_outbox::Delivery> {
    let change = |version| {
        let payload = json!({ "lastName": "Ada", "version": version });
        unit("HTTP:SFDC:Rest:Contact", version, "C-1", &payload)
    };
    (1..=number).map(change).collect()
}

/// Comes back when so many calls that write something have come to Salesforce.
async fn came(world: &World, calls: usize) {
    while world.writes().len() < calls {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn no_call_is_begun_once_the_engine_ends_and_what_was_answered_is_told() {
    let world = World::new(vec![carried().partial()]).await;
    let delay = json!({ "kind": "delay", "delay": "100ms" });
    world.faults(json!([{ "when": { "api": "rest" }, "fault": delay }]));
    let (ending, begun, _due) = ending();
    let slice = changes(100);
    let stop = async {
        came(&world, 2).await;
        begun.cancel();
    };
    let (answers, ()) = tokio::join!(world.publisher.publish_until(&slice, &ending), stop);
    let delivered = answers.iter().take_while(|answer| is_delivered(answer)).count();
    assert!((2..100).contains(&delivered), "{delivered}");
    assert!(answers[delivered..].iter().all(|answer| *answer == Published::NotTried));
    assert_eq!(world.writes().len(), delivered);
}

#[tokio::test]
async fn nothing_is_sent_for_an_engine_that_has_ended() {
    let world = World::new(vec![carried().partial()]).await;
    let (ending, begun, _due) = ending();
    begun.cancel();
    let answers = world.publisher.publish_until(&changes(3), &ending).await;
    assert_eq!(answers, vec![Published::NotTried; 3]);
    assert!(world.writes().is_empty());
}

#[tokio::test]
async fn trap_22_what_is_on_the_wire_at_the_end_waits_until_it_cannot_be_there_any_more() {
    let world = World::new(vec![carried().partial()]).await;
    // The first call is answered, the second never is.
    let silence = json!({ "kind": "timeout_before", "hold": "60s" });
    world.faults(json!([{ "when": { "api": "rest" }, "skip": 1, "fault": silence }]));
    let (ending, begun, due) = ending();
    let (slice, began) = (changes(3), Instant::now());
    let stop = async {
        came(&world, 2).await;
        begun.cancel();
        due.cancel();
    };
    let publishing = timeout(CALL_TIME, world.publisher.publish_until(&slice, &ending));
    let (answers, ()) = tokio::join!(publishing, stop);
    let answers = answers.expect("it waits for what nobody waits for");
    assert!(is_delivered(&answers[0]));
    let Published::Unanswered { failure, after } = &answers[1] else { panic!("{answers:?}") };
    assert_eq!(failure.code(), "salesforce-timeout");
    assert!(began.elapsed() + *after >= CALL_TIME && *after <= CALL_TIME, "{after:?}");
    assert_eq!(answers[2], Published::NotTried, "nothing overtakes it");
}
