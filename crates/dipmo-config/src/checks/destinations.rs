//! Where processes send to, and what is declared for it.

use dipmo_api::{DELIVERED, DELIVERY_FAILED};
use dipmo_domain::Destination;

use crate::declared::unknown;
use crate::problem::{Problem, codes};
use crate::{Config, Map, Place, Problems, Spanned};

/// The name of the org of `HTTP:SFDC:…`, and of the cluster that is meant where none is named.
pub(super) const DEFAULT: &str = "default";

pub(super) fn check(config: &Config, problems: &mut Problems) {
    for (_, process) in config.processes.iter() {
        for send in process.sends() {
            send.to.iter().for_each(|to| destination(config, to, problems));
            let wants = send.expects_outcome.as_ref().filter(|wanted| wanted.value);
            let lacks = [DELIVERED, DELIVERY_FAILED].map(|name| process.events.get(name).is_none());
            if let Some(wants) = wants.filter(|_| lacks.contains(&true)) {
                let message = "an outcome comes as `Delivered` or `DeliveryFailed`, and the \
                               process does not know both events";
                let hint =
                    "add `Delivered: {}` and `DeliveryFailed: {}` to its `events`, with cases";
                problems.push(error(codes::MISSING_KEY, wants.place, message).hint(hint));
            }
        }
    }
    for to in forwards(config) {
        if matches!(to.value, Destination::Kafka { .. }) {
            destination(config, to, problems);
        } else {
            let message = format!("a path goes to a topic of Kafka, and not to {}", to.value);
            let hint = "a process can send it anywhere: let one listen to the path";
            problems.push(error(codes::VALUE_INVALID, to.place, message).hint(hint));
        }
    }
    cluster_of_sink(config, problems);
}

/// Where the bodies of paths go as they are.
fn forwards(config: &Config) -> impl Iterator<Item = &Spanned<Destination>> {
    let paths = config.sources.iter().flat_map(|(_, source)| source.paths());
    paths.filter_map(|(_, path)| path.to.as_ref())
}

fn destination(config: &Config, to: &Spanned<Destination>, problems: &mut Problems) {
    let destinations = config.destinations.as_ref();
    match &to.value {
        Destination::Internal { .. } => {}
        Destination::Kafka { .. } => {
            if destinations.is_none_or(|all| all.kafka.is_none()) {
                let message = format!("{} needs Kafka, which is no destination", to.value);
                let hint = "add `destinations: {kafka: {}}`, and its cluster under `kafka`";
                problems.push(error(codes::MISSING_KEY, to.place, message).hint(hint));
            }
        }
        Destination::Salesforce { org, object, .. } => {
            let org = org.as_deref().unwrap_or(DEFAULT);
            let orgs = destinations.map(|all| &all.salesforce);
            let Some(found) = orgs.and_then(|orgs| orgs.get(org)) else {
                let known = orgs.into_iter().flat_map(Map::iter);
                let known = known.map(|(name, _)| name.as_str());
                problems.push(unknown("org of Salesforce", org, to.place, known));
                return;
            };
            if found.objects.get(object).is_none() {
                let known = found.objects.iter().map(|(name, _)| name.as_str());
                let mut problem = unknown("object", object, to.place, known);
                problem.message = format!("the org `{org}` has no object `{object}`");
                problems.push(problem);
            }
        }
    }
}

fn cluster_of_sink(config: &Config, problems: &mut Problems) {
    let Some(sink) = config.destinations.as_ref().and_then(|all| all.kafka.as_ref()) else {
        return;
    };
    let named = sink.cluster.as_ref().map(|name| (name.as_str(), name.place));
    cluster(config, named, sink.place, problems);
}

/// The cluster that is named, or else the default one, must be there.
pub(super) fn cluster(
    config: &Config,
    named: Option<(&str, Place)>,
    place: Place,
    problems: &mut Problems,
) {
    let (name, place) = named.unwrap_or((DEFAULT, place));
    if config.kafka.get(name).is_none() {
        let known = config.kafka.iter().map(|(name, _)| name.as_str());
        problems.push(unknown("cluster of Kafka", name, place, known));
    }
}

/// What is declared and nobody sends to.
pub(super) fn unused(config: &Config, problems: &mut Problems) {
    let Some(destinations) = &config.destinations else { return };
    let sent: Vec<&Destination> = config
        .processes
        .iter()
        .flat_map(|(_, process)| process.sends())
        .flat_map(|send| send.to.iter())
        .chain(forwards(config))
        .map(|to| &to.value)
        .collect();
    let to_kafka = |to: &&&Destination| matches!(to, Destination::Kafka { .. });
    if let Some(kafka) = &destinations.kafka
        && !sent.iter().any(|to| to_kafka(&to))
        && !mirrors(config)
    {
        problems.push(warning(kafka.place, "no process sends to Kafka"));
    }
    for (org, declared) in destinations.salesforce.iter() {
        for (object, _) in declared.objects.iter() {
            let is_it = |to: &&Destination| match to {
                Destination::Salesforce { org: named, object: of, .. } => {
                    named.as_deref().unwrap_or(DEFAULT) == org.as_str() && of == object.as_str()
                }
                _ => false,
            };
            if !sent.iter().any(is_it) {
                let message = format!("no process sends {object} to the org `{org}`");
                problems.push(warning(object.place, &message));
            }
        }
    }
}

fn error(code: dipmo_domain::Code, place: Place, message: impl Into<String>) -> Problem {
    Problem::error(code, place, message)
}

fn warning(place: Place, message: &str) -> Problem {
    let hint = "remove it, or name it in a `send`";
    Problem::warning(codes::DESTINATION_UNUSED, place, message).hint(hint)
}

/// Whether dead letters go out, which no process sends.
fn mirrors(config: &Config) -> bool {
    let of_engine = config.engine.as_ref().is_some_and(|engine| engine.dead_letters.is_some());
    let mut topics = config.sources.iter().flat_map(|(_, source)| source.topics());
    of_engine || topics.any(|(_, topic)| topic.mirror_suffix.is_some())
}
