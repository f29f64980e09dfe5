//! Sources: what is read, as whom, and how records become messages.

use std::sync::Arc;
use std::time::Duration;

use dipmo_config::model::source as model;
use dipmo_config::{Map, Name, Place, Problems, Template};
use dipmo_inbound::Inbound;
use dipmo_source_kafka::{KafkaSource, SourceError, SourceOptions, Start};

use super::asked::{set, size};
use super::kafka::Clusters;
use super::nowhere::Nowhere;
use super::problem::{coded, invalid};
use super::{http, rules};

/// What a source may take to store its rest: it has to leave its group, too, before the process ends.
pub(super) const LONGEST_GRACE: Duration = Duration::from_secs(6);

/// A source, before there is an inbox.
#[derive(Clone, Debug)]
pub struct SourcePlan {
    /// As the file calls it.
    pub name: String,
    /// What is read, and as whom.
    pub options: SourceOptions,
    /// How records become messages.
    pub inbound: Inbound,
    /// Topics as the file writes them, and where.
    pub(super) topics: Vec<(String, Place)>,
    pub(super) place: Place,
    /// Where the brokers of its cluster are named.
    pub(super) brokers: Place,
}

/// The sources that can be.
pub(super) fn plan(
    sources: &Map<model::Source, Name>,
    clusters: &Clusters<'_>,
    problems: &mut Problems,
) -> Vec<SourcePlan> {
    let mut plans = Vec::new();
    for (name, source) in sources.iter() {
        if let model::Source::Kafka(source) = source {
            plans.extend(one(clusters, name, source, problems));
        }
    }
    plans
}

/// The rules of each source, and the topics that it reads.
pub(super) fn inbounds(
    sources: &Map<model::Source, Name>,
    problems: &mut Problems,
) -> Vec<(Inbound, Vec<String>)> {
    let system = |name: &Name, written: Option<&Template>| {
        written.map_or_else(|| name.to_string(), |it| it.expose().to_owned())
    };
    let of = |(name, source): (&Name, &model::Source)| match source {
        model::Source::Kafka(source) => {
            let topics = source.topics.iter().map(|(name, _)| name.to_string()).collect();
            let system = system(name, source.source_system.as_ref());
            Some((inbound(&system, source, problems)?, topics))
        }
        model::Source::Http(source) => {
            let topics = source.http.paths.iter().map(|(path, _)| http::topic(path)).collect();
            let system = system(name, source.source_system.as_ref());
            Some((http::inbound(&system, &source.http, problems)?, topics))
        }
    };
    sources.iter().filter_map(of).collect()
}

fn one(
    clusters: &Clusters<'_>,
    name: &Name,
    source: &model::KafkaSource,
    problems: &mut Problems,
) -> Option<SourcePlan> {
    let model::KafkaSource {
        place: _,
        kafka: cluster,
        group,
        topics,
        source_system,
        instance_id,
        start,
        adopt_committed,
        batch,
        pressure,
        commit_every,
        pause_after,
        grace,
        properties,
    } = source;
    let system = source_system.as_ref().map_or(name.as_str(), |it| it.expose());
    let inbound = inbound(system, source, problems);
    let kafka = clusters.client(cluster.as_ref(), name.place, properties, problems);
    let subscribed = topics.iter().map(|(name, _)| subscription(name));
    let mut options = SourceOptions::new(kafka?, group.expose(), subscribed);
    options.instance_id = instance_id.as_ref().map(|it| it.expose().to_owned());
    if let Some(start) = start {
        options.start = match start.value {
            model::Start::Earliest => Start::Earliest,
            model::Start::Latest => Start::Latest,
        };
    }
    set(&mut options.adopt_committed, adopt_committed.as_ref());
    if let Some(model::Batch { place: _, records, bytes, time }) = batch {
        if let Some(records) = records {
            options.batch.records = size(records.get());
        }
        if let Some(bytes) = bytes {
            options.batch.bytes = usize::try_from(bytes.get()).unwrap_or(usize::MAX);
        }
        set(&mut options.batch.time, time.as_ref());
    }
    if let Some(model::Pressure { place: _, depth, oldest }) = pressure {
        set(&mut options.pressure.depth, depth.as_ref());
        set(&mut options.pressure.oldest, oldest.as_ref());
    }
    set(&mut options.commit_every, commit_every.as_ref());
    set(&mut options.pause_after, pause_after.as_ref());
    set(&mut options.grace, grace.as_ref());
    if let Some(grace) = grace.filter(|it| it.value > LONGEST_GRACE) {
        let message =
            format!("a source may take {LONGEST_GRACE:?} to store its rest, not {:?}", grace.value);
        let hint = "all of dipmo ends within 10 s; what is not stored by then is read again";
        problems.push(invalid(grace.place, message).hint(hint));
    }
    let inbound = inbound?;
    // What the source itself has to say, long before it has an inbox.
    if let Err(error) = KafkaSource::new(options.clone(), inbound.clone(), Arc::new(Nowhere)) {
        problems.push(match &error {
            SourceError::Kafka(error) => {
                clusters.about(error, cluster.as_ref(), name.place, properties)
            }
            error => coded(error, group.place),
        });
        return None;
    }
    let topics = topics.iter().map(|(name, _)| (name.to_string(), name.place)).collect();
    let brokers = clusters.brokers(cluster.as_ref(), name.place);
    let (name, place) = (name.to_string(), name.place);
    Some(SourcePlan { name, options, inbound, topics, place, brokers })
}

/// The rules of all topics, in their order: the first that matches is taken.
fn inbound(system: &str, source: &model::KafkaSource, problems: &mut Problems) -> Option<Inbound> {
    let mut inbound = Some(Inbound::new(system));
    for (name, topic) in source.topics.iter() {
        let Some(rules) = rules::of_topic(topic, problems) else {
            inbound = None;
            continue;
        };
        if name.starts_with('^') {
            rules::of_expression(name, &rules, problems);
            continue;
        }
        inbound = match inbound.map(|inbound| inbound.topic(name, rules)) {
            Some(Ok(inbound)) => Some(inbound),
            Some(Err(error)) => {
                problems.push(rules::place_of(&error, name.place, topic));
                None
            }
            None => None,
        };
    }
    inbound
}

/// What the broker is asked for: `orders-*` is a regular expression there.
fn subscription(topic: &str) -> String {
    if topic.starts_with('^') || !topic.contains('*') {
        return topic.to_owned();
    }
    let pattern = topic.replace('.', r"\.").replace('*', ".*");
    format!("^{pattern}$")
}

#[cfg(test)]
mod tests {
    use dipmo_source_kafka::FAREWELL;

    use super::{LONGEST_GRACE, subscription};
    use crate::service::GRACE;

    #[test]
    fn whatever_a_source_may_take_to_end_fits_into_the_end_of_the_process() {
        assert!(LONGEST_GRACE + FAREWELL < GRACE);
    }

    #[test]
    fn a_star_is_any_run_of_characters_for_the_broker_too() {
        assert_eq!(subscription("orders"), "orders");
        assert_eq!(subscription("a.orders-*"), r"^a\.orders-.*$");
        assert_eq!(subscription("^orders-.+$"), "^orders-.+$");
    }
}
