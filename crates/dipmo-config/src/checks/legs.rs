//! Legs: what only shows when their keys are held beside each other.

use dipmo_domain::Backoff;

use super::destinations::{DEFAULT, cluster};
use crate::model::leg::Leg;
use crate::problem::{Problem, codes};
use crate::{Config, Place, Problems};

pub(super) fn check(config: &Config, problems: &mut Problems) {
    for (name, leg) in config.legs.iter() {
        let named = leg.kafka.as_ref().map(|name| (name.as_str(), name.place));
        cluster(config, named, name.place, problems);
        retries(leg, problems);
        loops(leg, problems);
    }
    groups(config, problems);
}

/// Two legs of one group would take each other's partitions, and fence each other as one instance.
fn groups(config: &Config, problems: &mut Problems) {
    let mut seen: Vec<(&str, &str, Place)> = Vec::new();
    for (_, leg) in config.legs.iter() {
        let cluster = leg.kafka.as_ref().map_or(DEFAULT, |name| name.as_str());
        let (group, place) = (leg.group.expose(), leg.group.place);
        match seen.iter().find(|(other, of, _)| (*other, *of) == (cluster, group)) {
            Some((_, _, first)) => {
                let message = "another leg of this cluster is the same consumer group";
                let problem = Problem::error(codes::VALUE_INVALID, place, message);
                let problem = problem.also(*first, "the other");
                problems.push(problem.hint("give each leg a group of its own"));
            }
            None => seen.push((cluster, group, place)),
        }
    }
}

/// A case that says `retry` where nothing is retried would fail at once.
fn retries(leg: &Leg, problems: &mut Problems) {
    let none = leg.retries.as_ref().is_none_or(|it| it.value == Backoff::None);
    let retry = leg.cases.iter().find_map(|case| case.retry.as_ref());
    if let (true, Some(retry)) = (none, retry) {
        let message = "a case says `retry`, and the leg has no `retries`";
        let hint = "add `retries: fixed(5s, 3)` to the leg, and make its retry topics";
        problems.push(Problem::error(codes::MISSING_KEY, retry.place, message).hint(hint));
    }
}

/// What a leg sends to a topic that it reads comes back to it without end.
fn loops(leg: &Leg, problems: &mut Problems) {
    for send in leg.cases.iter().flat_map(|case| case.send.iter()) {
        if leg.topics.iter().any(|topic| topic.as_str() == send.to.as_str()) {
            let message = format!("the leg reads {} itself: this would go round for ever", send.to);
            problems.push(Problem::error(codes::VALUE_INVALID, send.to.place, message));
        }
    }
}
