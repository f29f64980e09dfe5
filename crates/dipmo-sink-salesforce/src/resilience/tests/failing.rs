//! Breakers, stops and waits that the destination asks for.

use futures_util::future::join_all;
use tokio::time::{advance, sleep};

use super::*;
use crate::resilience::{BreakerState, How, Target};

/// Makes calls one after the other.
async fn calls(gate: &Gate, how: How, times: usize) {
    for _ in 0..times {
        gate.enter().await.unwrap().ended(how);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_passes_while_the_breaker_is_open_and_the_probes_decide() {
    let world = World::new(|_| {});
    let gate = world.contacts();
    calls(&gate, How::Failed, 10).await;
    assert_eq!(later("salesforce-breaker-open", &gate), secs(30));
    assert_eq!(code(gate.enter().await), "salesforce-breaker-open");
    advance(secs(30)).await;
    assert_eq!(gate.readiness(), Readiness::Ready);
    let probes = join_all((0..3).map(|_| gate.enter())).await;
    assert_eq!(code(gate.enter().await), "salesforce-breaker-open");
    for probe in probes {
        probe.unwrap().ended(How::Ok);
    }
    calls(&gate, How::Ok, 1).await;
    let figures = world.figures(&Target::object("emea", "Contact"));
    for state in [BreakerState::Open, BreakerState::HalfOpen, BreakerState::Closed] {
        assert_eq!(figures.breaker[&state], 1);
    }
    assert_eq!(figures.held["salesforce-breaker-open"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_while_the_breaker_opens_is_not_made() {
    let world = World::new(|options| {
        options.object.bulkhead.calls = 2;
        options.object.breaker.minimum_calls = 2;
    });
    let gate = world.contacts();
    let passes = join_all((0..2).map(|_| gate.enter())).await;
    let fails = async {
        sleep(secs(1)).await;
        // Dropped: a call that nobody tells the end of has failed.
        drop(passes);
    };
    let (waits, ()) = tokio::join!(gate.enter(), fails);
    assert_eq!(code(waits), "salesforce-breaker-open");
}

#[tokio::test(start_paused = true)]
async fn refusals_and_crowds_do_not_open_the_breaker() {
    let world = World::new(|_| {});
    let gate = world.contacts();
    calls(&gate, How::Refused, 30).await;
    calls(&gate, How::Crowded, 30).await;
    assert_eq!(gate.readiness(), Readiness::Ready);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_fails_does_not_keep_its_neighbours_from_sending() {
    let world = World::new(|_| {});
    let (contacts, accounts) = (world.contacts(), world.accounts());
    for _ in 0..10 {
        calls(&contacts, How::Failed, 10).await;
        calls(&accounts, How::Ok, 1).await;
        advance(secs(30)).await;
        // The probes fail as well.
        calls(&contacts, How::Failed, 2).await;
        world.gates.handle().close_breaker(&Target::object("emea", "Contact")).unwrap();
    }
    assert_eq!(accounts.readiness(), Readiness::Ready);
}

#[tokio::test(start_paused = true)]
async fn an_org_whose_objects_fail_is_left_alone() {
    let world = World::new(|options| {
        // The objects themselves would not notice.
        options.object.breaker.minimum_calls = 1_000;
        options.object.breaker.window = 1_000;
    });
    let (contacts, accounts) = (world.contacts(), world.accounts());
    calls(&contacts, How::Failed, 25).await;
    calls(&accounts, How::Failed, 25).await;
    assert_eq!(code(world.gates.gate("emea", "Lead").enter().await), "salesforce-breaker-open");
    assert!(at_once(&world.gates.gate("apac", "Contact")).unwrap().is_ok(), "another org goes on");
}

#[tokio::test(start_paused = true)]
async fn a_broken_configuration_stops_its_destination_only() {
    let world = World::new(|_| {});
    let (contacts, accounts) = (world.contacts(), world.accounts());
    contacts.stop(failure("InvalidBatch"));
    contacts.stop(failure("InvalidBatch"));
    assert_eq!(contacts.readiness(), Readiness::Stopped { why: failure("InvalidBatch") });
    assert_eq!(code(contacts.enter().await), "InvalidBatch");
    assert_eq!(code(world.gates.bulk_gate("emea", "Contact").enter().await), "InvalidBatch");
    calls(&accounts, How::Ok, 1).await;
    calls(&world.gates.gate("apac", "Contact"), How::Ok, 1).await;
    assert_eq!(world.figures(&Target::object("emea", "Contact")).stopped, 1);
    // Time does not repair it.
    advance(secs(365 * 24 * 3_600)).await;
    assert_eq!(code(contacts.enter().await), "InvalidBatch");
    assert_eq!(world.gates.handle().start(&Target::object("emea", "Contact")), Ok(true));
    calls(&contacts, How::Ok, 1).await;
}

#[tokio::test(start_paused = true)]
async fn what_the_options_allow_is_tried_again_after_a_stop() {
    let world = World::new(|options| options.restart_after = Some(secs(600)));
    let gate = world.contacts();
    gate.stop(failure("InvalidBatch"));
    assert_eq!(later("InvalidBatch", &gate), secs(600));
    advance(secs(600)).await;
    calls(&gate, How::Ok, 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_wrong_login_stops_its_org_only() {
    let world = World::new(|_| {});
    let (contacts, accounts) = (world.contacts(), world.accounts());
    contacts.stop_org(failure("invalid_grant"));
    assert_eq!(code(accounts.enter().await), "invalid_grant");
    calls(&world.gates.gate("apac", "Contact"), How::Ok, 1).await;
}

#[tokio::test(start_paused = true)]
async fn what_the_destination_says_about_when_is_honoured_for_an_hour_at_most() {
    let world = World::new(|_| {});
    let gate = world.contacts();
    gate.back_off(failure("UNAVAILABLE"), secs(7));
    assert_eq!(later("UNAVAILABLE", &world.accounts()), secs(7));
    advance(secs(7)).await;
    calls(&gate, How::Ok, 1).await;
    gate.back_off(failure("UNAVAILABLE"), secs(1_000_000));
    assert_eq!(later("UNAVAILABLE", &gate), secs(3_600));
}
