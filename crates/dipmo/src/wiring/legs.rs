//! Legs: topics that become topics without a database.

use std::sync::Arc;
use std::time::Duration;

use dipmo_config::declared::{DeclaredLeg, LegOutcome, LegRecord};
use dipmo_config::model::{leg as model, source};
use dipmo_config::{Config, Declared, Name, Place, Problems};
use dipmo_inbox::Record;
use dipmo_leg_kafka::{Applied, KafkaLeg, LegError, LegOptions, Outgoing, Start, Transform};

use super::asked::{set, size};
use super::kafka::Clusters;
use super::problem::{coded, invalid};

/// What a leg may take to end its transaction: it has to leave its group, too, before the process ends.
const LONGEST_GRACE: Duration = Duration::from_secs(6);

/// A leg, before it runs.
#[derive(Clone)]
pub(super) struct LegPlan {
    /// As the file calls it.
    pub(super) name: String,
    pub(super) options: LegOptions,
    pub(super) declared: Arc<DeclaredLeg>,
    /// All topics that it needs, and where the file names them.
    pub(super) topics: Vec<(String, Place)>,
    pub(super) place: Place,
    /// Where the brokers of its cluster are named.
    pub(super) brokers: Place,
}

impl LegPlan {
    /// The leg itself. Nothing is connected yet.
    pub(super) fn leg(&self) -> Result<KafkaLeg, LegError> {
        KafkaLeg::new(self.options.clone(), Arc::new(Cases(Arc::clone(&self.declared))))
    }
}

/// The legs that can be.
pub(super) fn plan(
    config: &Config,
    declared: &Declared,
    clusters: &Clusters<'_>,
    problems: &mut Problems,
) -> Vec<LegPlan> {
    let legs = config.legs.iter();
    legs.filter_map(|(name, leg)| one(name, leg, declared, clusters, problems)).collect()
}

fn one(
    name: &Name,
    leg: &model::Leg,
    declared: &Declared,
    clusters: &Clusters<'_>,
    problems: &mut Problems,
) -> Option<LegPlan> {
    let model::Leg {
        place: _,
        exactly_once: _,
        kafka: cluster,
        group,
        topics,
        instance_id,
        start,
        cases,
        retries,
        dead_letter_suffix,
        batch,
        transaction_timeout,
        grace,
        properties,
    } = leg;
    let kafka = clusters.client(cluster.as_ref(), name.place, properties, problems)?;
    let names = topics.iter().map(Name::as_str);
    let mut options = LegOptions::new(kafka, name, group.expose(), names);
    options.instance_id = instance_id.as_ref().map(|it| it.expose().to_owned());
    if let Some(start) = start {
        options.start = match start.value {
            source::Start::Earliest => Start::Earliest,
            source::Start::Latest => Start::Latest,
        };
    }
    set(&mut options.chain.retries, retries.as_ref());
    if let Some(suffix) = dead_letter_suffix {
        suffix.expose().clone_into(&mut options.chain.dead_letters);
    }
    if let Some(model::LegBatch { place: _, records, bytes, time }) = batch {
        if let Some(records) = records {
            options.batch.records = size(records.get());
        }
        if let Some(bytes) = bytes {
            options.batch.bytes = usize::try_from(bytes.get()).unwrap_or(usize::MAX);
        }
        set(&mut options.batch.time, time.as_ref());
    }
    set(&mut options.transaction_timeout, transaction_timeout.as_ref());
    if let Some(grace) = grace {
        if grace.value > LONGEST_GRACE {
            let message = format!("a leg has {LONGEST_GRACE:?} at most to end its transaction");
            problems.push(invalid(grace.place, message));
        }
        options.grace = grace.value;
    }
    let plan = LegPlan {
        name: name.to_string(),
        topics: needed(leg, cases, &options),
        declared: declared.legs.iter().find(|it| it.name() == name.as_str()).map(Arc::clone)?,
        options,
        place: name.place,
        brokers: clusters.brokers(cluster.as_ref(), name.place),
    };
    match plan.leg() {
        Ok(_) => Some(plan),
        Err(LegError::Kafka(error)) => {
            problems.push(clusters.about(&error, cluster.as_ref(), name.place, properties));
            None
        }
        Err(error) => {
            problems.push(coded(&error, name.place));
            None
        }
    }
}

/// Topics that are read, those of the chain, and those that are sent to.
fn needed(
    leg: &model::Leg,
    cases: &[model::LegCase],
    options: &LegOptions,
) -> Vec<(String, Place)> {
    let mut all: Vec<(String, Place)> = Vec::new();
    let retried = leg.retries.as_ref().map(|it| it.place);
    for topic in leg.topics.iter() {
        all.push((topic.to_string(), topic.place));
        let retries = options.chain.retry_topics(topic);
        all.extend(retries.map(|retry| (retry, retried.unwrap_or(topic.place))));
        all.push((options.chain.dead_letter_topic(topic), topic.place));
    }
    for send in cases.iter().flat_map(|case| case.send.iter()) {
        if !all.iter().any(|(known, _)| known == send.to.as_str()) {
            all.push((send.to.to_string(), send.to.place));
        }
    }
    all
}

/// The cases of the file, as a leg asks them.
struct Cases(Arc<DeclaredLeg>);

impl Transform for Cases {
    fn apply(&self, record: &Record) -> Applied {
        match self.0.apply(record) {
            LegOutcome::Send(records) => Applied::Send(records.into_iter().map(outgoing).collect()),
            LegOutcome::Drop => Applied::Drop,
            LegOutcome::Undecodable(failure) => Applied::Undecodable(failure),
            LegOutcome::Fail(failure) => Applied::Fail(failure),
            LegOutcome::Retry(failure) => Applied::Retry(failure),
        }
    }
}

fn outgoing(record: LegRecord) -> Outgoing {
    let LegRecord { topic, key, headers, value } = record;
    Outgoing { topic, key, headers, value }
}
