//! What operators say of breakers and rates reaches the gates of the publisher, and ends there.

use std::sync::Arc;

use dipmo_domain::Timestamp;
use dipmo_processing::{Orders, Steering};
use dipmo_sink_salesforce::{BreakerState, LevelView, ResilienceHandle};
use dipmo_store::admin::{Control, Setting, Steered, SteeredThing};
use tokio::sync::watch;

use super::assembled;
use crate::wiring::nowhere::Nowhere;
use crate::wiring::valves::Valves;

const ALL: &str = include_str!("all.yaml");

fn control(destination: &str, setting: Setting, second: i64) -> Control {
    Control {
        of: SteeredThing { kind: Steered::Destination, name: destination.to_owned() },
        setting,
        actor: "ann".to_owned(),
        reason: "INC-17".to_owned(),
        since: Timestamp::from_micros(second * 1_000_000).unwrap(),
    }
}

fn level(handle: &ResilienceHandle, org: &str, object: &str) -> LevelView {
    let mut objects = handle.view().orgs.into_iter().flat_map(|org| org.objects);
    let is_it =
        |it: &LevelView| it.target.org == org && it.target.object.as_deref() == Some(object);
    objects.find(is_it).unwrap()
}

#[tokio::test]
async fn operators_change_one_object_whatever_its_api_and_the_file_comes_back() {
    let publisher = assembled(ALL).salesforce.unwrap().publisher(Arc::new(Nowhere)).unwrap();
    let (handle, tell) = (publisher.resilience(), watch::Sender::<Arc<Orders>>::default());
    let mut valves = Valves::new(&publisher, Steering::new(tell.subscribe()));
    let mut obey = |controls: Vec<Control>| {
        tell.send_replace(Arc::new(Orders::of(controls)));
        valves.obey();
        let order = level(&handle, "default", "Order__c");
        (order.rate.calls, order.rate.period_ms, order.breaker.state)
    };
    let (to, bulk) = ("HTTP:SFDC:Auto:Order__c", "HTTP:SFDC:BulkV2:Order__c");
    let breaker = |open, second| control(to, Setting::Breaker { open }, second);
    let by_file = (41, 1_000, BreakerState::Closed);
    let before = level(&handle, "second", "Note__c");
    assert_eq!(obey(vec![]), by_file);
    assert_eq!(obey(vec![control(to, Setting::Paused, 1)]), by_file);
    let rates = || vec![control(to, Setting::Rate(7), 1), control(bulk, Setting::Rate(5), 2)];
    assert_eq!(obey(rates()), (5, 1_000, BreakerState::Closed), "the lowest");
    assert_eq!(obey(vec![breaker(true, 3)]), (41, 1_000, BreakerState::Open));
    assert_eq!(obey(vec![breaker(false, 4)]), by_file);
    handle.open_breaker(&level(&handle, "default", "Order__c").target).unwrap();
    assert_eq!(obey(vec![breaker(false, 4)]).2, BreakerState::Open, "it was closed before that");
    assert_eq!(obey(vec![breaker(false, 5)]), by_file, "it is closed again");
    assert_eq!(obey(vec![breaker(true, 6)]).2, BreakerState::Open);
    assert_eq!(obey(vec![]), by_file);
    assert_eq!(obey(vec![control("KAFKA:out", Setting::Rate(1), 1)]), by_file);
    assert_eq!(level(&handle, "second", "Note__c"), before, "nobody else is touched");
}
