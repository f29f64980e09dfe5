//! Any crowd of calls, of two objects, that come, wait, give up and end at any time.

use proptest::prelude::*;
use tokio::time::{sleep, timeout};

use super::*;
use crate::resilience::{How, RateOptions};

/// A call: when it comes, how long it waits at most, and how long it takes.
#[derive(Clone, Copy, Debug)]
struct Call {
    contact: bool,
    comes: u64,
    patience: u64,
    takes: u64,
}

/// Begin and end of a call that was made.
type Made = (bool, Instant, Instant);

const ORG: (u32, u32) = (5, 4);
const OBJECT: (u32, u32) = (3, 3);
const PERIOD: Duration = Duration::from_millis(500);

fn call() -> impl Strategy<Value = Call> {
    (any::<bool>(), 0_u64..3_000, 0_u64..1_500, 0_u64..800)
        .prop_map(|(contact, comes, patience, takes)| Call { contact, comes, patience, takes })
}

fn crowd() -> World {
    let rate = |calls| RateOptions { calls, period: PERIOD, max_wait: secs(1) };
    World::new(|options| {
        (options.org.rate, options.org.bulkhead.calls) = (rate(ORG.0), ORG.1);
        (options.object.rate, options.object.bulkhead.calls) = (rate(OBJECT.0), OBJECT.1);
    })
}

async fn make(gate: Arc<Gate>, call: Call) -> Option<Made> {
    sleep(Duration::from_millis(call.comes)).await;
    let entered = timeout(Duration::from_millis(call.patience), gate.enter()).await;
    let (pass, began) = (entered.ok()?.ok()?, Instant::now());
    sleep(Duration::from_millis(call.takes)).await;
    pass.ended(How::Ok);
    Some((call.contact, began, Instant::now()))
}

async fn run(calls: Vec<Call>) -> (World, Vec<Made>) {
    let world = crowd();
    let (contacts, accounts) = (world.contacts(), world.accounts());
    let calls = calls.into_iter().map(|call| {
        tokio::spawn(make(Arc::clone(if call.contact { &contacts } else { &accounts }), call))
    });
    let made = futures_util::future::join_all(calls.collect::<Vec<_>>()).await;
    (world, made.into_iter().filter_map(Result::unwrap).collect())
}

/// Never more begun in a period, and never more under way, than allowed.
fn within(made: &[Made], (rate, room): (u32, u32)) {
    for (_, began, _) in made {
        let together = |(_, other, _): &&Made| *other >= *began && *other < *began + PERIOD;
        assert!(made.iter().filter(together).count() <= rate as usize, "too many in a period");
        let under_way = |(_, other, ends): &&Made| other <= began && ends > began;
        assert!(made.iter().filter(under_way).count() <= room as usize, "too many at once");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_crowd_keeps_within_every_limit_and_leaves_nothing_behind(
        calls in prop::collection::vec(call(), 0..60),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let (world, made) = run(calls).await;
            within(&made, ORG);
            for object in [true, false] {
                let of_object: Vec<Made> =
                    made.iter().copied().filter(|(contact, ..)| *contact == object).collect();
                within(&of_object, OBJECT);
            }
            sleep(PERIOD).await;
            let gate = world.contacts();
            let all: Vec<_> = (0..OBJECT.1).map(|_| at_once(&gate)).collect();
            assert!(all.iter().all(|entered| matches!(entered, Some(Ok(_)))), "a seat or turn is lost");
        });
    }
}
