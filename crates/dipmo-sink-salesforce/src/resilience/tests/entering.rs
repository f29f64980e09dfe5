//! Room and turns.

use futures_util::future::join_all;
use tokio::time::{advance, sleep, timeout};

use super::*;
use crate::resilience::{How, Target};

#[tokio::test(start_paused = true)]
async fn calls_wait_for_their_turn_in_order() {
    let world = World::new(|options| options.org.rate.calls = 3);
    let gate = world.contacts();
    let calls = (0..7).map(async |_| {
        gate.enter().await.unwrap().ended(How::Ok);
        world.time()
    });
    assert_eq!(join_all(calls).await, [0, 0, 0, 1_000, 1_000, 1_000, 2_000]);
    let waits = world.figures(&Target::org("emea")).rate_waits;
    assert_eq!((waits.count(), waits.sum), (4, secs(5)));
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_turn_is_too_far_away_is_not_made() {
    let world = World::new(|options| {
        (options.object.rate.calls, options.object.rate.period) = (1, secs(10));
    });
    let gate = world.contacts();
    gate.enter().await.unwrap().ended(How::Ok);
    advance(secs(1)).await;
    let held = at_once(&gate).unwrap().unwrap_err();
    assert_eq!((held.why.code(), held.after), ("salesforce-rate-limited", Some(secs(9))));
    // It would wait for 2 s itself, so that it is read 2 s before its turn.
    assert_eq!(later("salesforce-rate-limited", &gate), secs(7));
    advance(secs(7)).await;
    assert_eq!(gate.readiness(), Readiness::Ready);
    gate.enter().await.unwrap().ended(How::Ok);
    assert_eq!(world.time(), 10_000);
}

#[tokio::test(start_paused = true)]
async fn a_waiter_that_is_dropped_gives_back_its_room_and_its_turn() {
    let world = World::new(|options| {
        options.org.rate.calls = 1;
        (options.object.rate.calls, options.object.bulkhead.calls) = (2, 1);
    });
    let gate = world.contacts();
    gate.enter().await.unwrap().ended(How::Ok);
    // Has room and a turn of its object, and waits for the org's when its time is over.
    assert!(timeout(Duration::from_millis(300), gate.enter()).await.is_err());
    gate.enter().await.unwrap().ended(How::Ok);
    assert_eq!(world.time(), 1_000, "the org's turn, and nothing else was missing");
    let view = world.gates.handle().view();
    assert_eq!(view.orgs[0].objects[0].bulkhead.under_way, 0);
}

/// One call is under way in the org for half a second, another has the only turn of its object and
/// waits for so long at most, a third waits for that turn. Says when the third began.
async fn third_begins(patience: Duration) -> u128 {
    let world = World::new(|options| {
        options.org.bulkhead.calls = 1;
        let few = options.objects.entry("Contact".to_owned()).or_insert(options.object);
        (few.rate.calls, few.rate.period) = (1, Duration::from_millis(100));
    });
    let (contacts, accounts) = (world.contacts(), world.accounts());
    let first = accounts.enter().await.unwrap();
    let first_ends = async {
        sleep(Duration::from_millis(500)).await;
        first.ended(How::Ok);
    };
    let second = async {
        if let Ok(pass) = timeout(patience, contacts.enter()).await {
            pass.unwrap().ended(How::Ok);
        }
    };
    let third = async {
        contacts.enter().await.unwrap().ended(How::Ok);
        world.time()
    };
    tokio::join!(first_ends, second, third).2
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_turn_that_is_kept_hears_of_it_at_once() {
    assert_eq!(third_begins(secs(1)).await, 600, "a period after the second");
    let second_gives_up = Duration::from_millis(300);
    assert_eq!(third_begins(second_gives_up).await, 500, "with the turn of the second");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_held_at_the_last_moment_costs_no_turn() {
    let world = World::new(|options| {
        options.object.bulkhead.calls = 1;
        options.object.rate.calls = 2;
    });
    let gate = world.contacts();
    let pass = gate.enter().await.unwrap();
    let stops = async {
        sleep(secs(1)).await;
        gate.stop(failure("InvalidBatch"));
        pass.ended(How::Refused);
    };
    let (waits, ()) = tokio::join!(gate.enter(), stops);
    assert_eq!(code(waits), "InvalidBatch");
    world.gates.handle().start(&Target::object("emea", "Contact")).unwrap();
    for _ in 0..2 {
        at_once(&gate).unwrap().unwrap().ended(How::Ok);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_object_that_hang_leave_room_for_its_neighbours() {
    let world = World::new(|_| {});
    let (contacts, accounts) = (world.contacts(), world.accounts());
    let hang = join_all((0..8).map(|_| contacts.enter())).await;
    let held = contacts.enter().await.unwrap_err();
    assert_eq!((held.why.code(), world.time()), ("salesforce-bulkhead-full", 10_000));
    at_once(&accounts).unwrap().unwrap().ended(How::Ok);
    let contact = Target::object("emea", "Contact");
    assert_eq!(world.figures(&contact).room_waits.sum, secs(10));
    assert_eq!(world.figures(&contact).held["salesforce-bulkhead-full"], 1);
    drop(hang);
    at_once(&contacts).unwrap().unwrap().ended(How::Ok);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_its_object_keeps_nothing_that_its_neighbours_need() {
    let world = World::new(|options| {
        (options.org.bulkhead.calls, options.org.rate.calls) = (1, 100);
        let slow = options.objects.entry("Contact".to_owned()).or_insert(options.object);
        slow.rate.calls = 1;
    });
    let (contacts, accounts) = (world.contacts(), world.accounts());
    contacts.enter().await.unwrap().ended(How::Ok);
    let neighbour = async {
        sleep(Duration::from_millis(500)).await;
        at_once(&accounts).unwrap().unwrap().ended(How::Ok);
    };
    let (waits, ()) = tokio::join!(contacts.enter(), neighbour);
    waits.unwrap().ended(How::Ok);
    assert_eq!(world.time(), 1_000);
}

#[tokio::test(start_paused = true)]
async fn too_many_calls_at_once_become_fewer_and_slowly_more() {
    let world = World::new(|_| {});
    let gate = world.contacts();
    let passes = join_all((0..4).map(|_| gate.enter())).await;
    advance(secs(1)).await;
    for pass in passes {
        pass.unwrap().ended(How::Crowded);
    }
    let seats = || world.gates.handle().view().orgs[0].whole.bulkhead.calls_now;
    assert_eq!(seats(), 5, "halved once for all that were under way together");
    assert_eq!(world.figures(&Target::org("emea")).crowded, 1);
    advance(secs(10)).await;
    assert_eq!(seats(), 6);
    advance(secs(100)).await;
    assert_eq!(seats(), 10);
}
