//! `KAFKA:<topic>`.

use std::sync::Arc;
use std::time::Duration;

use dipmo_config::model::destinations::KafkaSink;
use dipmo_config::model::kafka::Properties;
use dipmo_config::{Place, Problem, Problems};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};

use super::asked::set;
use super::kafka::{self, Clusters};
use super::problem::invalid;

/// The publisher, before it is made.
#[derive(Clone, Debug)]
pub(super) struct KafkaSinkPlan {
    pub(super) options: KafkaSinkOptions,
    /// The properties of this producer, for the places of what is wrong with them.
    properties: Properties,
    pub(super) place: Place,
    /// Where the brokers of its cluster are named.
    pub(super) brokers: Place,
}

/// The options of the publisher; its deadline is the dispatcher's, unless it has one of its own.
pub(super) fn plan(
    sink: &KafkaSink,
    clusters: &Clusters<'_>,
    dispatch_deadline: Duration,
    problems: &mut Problems,
) -> Option<KafkaSinkPlan> {
    let KafkaSink { place, cluster, linger, deadline, message_id_prefix, exactly_once, properties } =
        sink;
    let mut kafka = clusters.client(cluster.as_ref(), *place, properties, problems)?;
    if let Some(linger) = linger {
        let name = "linger.ms";
        if let Some((written, _)) = properties.0.entry(name) {
            let message = format!("`linger` says it already: `{name}` would say it twice");
            problems.push(invalid(written.place, message).also(linger.place, "here"));
        }
        kafka.properties.insert(name.to_owned(), linger.as_millis().to_string());
    }
    let mut options = KafkaSinkOptions::new(kafka);
    options.deadline = dispatch_deadline;
    set(&mut options.deadline, deadline.as_ref());
    set(&mut options.exactly_once, exactly_once.as_ref());
    if let Some(deadline) = deadline.filter(|it| it.value > dispatch_deadline) {
        // What is still on its way when the dispatcher thinks that nothing is could overtake.
        let message = format!("it is longer than the dispatcher's, which is {dispatch_deadline:?}");
        let hint = "make `engine.dispatch.deadline` longer, and `lease` three times that";
        problems.push(invalid(deadline.place, message).hint(hint));
    }
    if let Some(prefix) = message_id_prefix {
        prefix.expose().clone_into(&mut options.message_id_prefix);
    }
    let (properties, brokers) = (properties.clone(), clusters.brokers(cluster.as_ref(), *place));
    Some(KafkaSinkPlan { options, properties, place: *place, brokers })
}

impl KafkaSinkPlan {
    /// The publisher. Its producer looks for the brokers from now on.
    pub(super) fn publisher(&self) -> Result<Arc<KafkaPublisher>, Box<Problem>> {
        let made = KafkaPublisher::new(self.options.clone());
        made.map(Arc::new)
            .map_err(|error| kafka::about(&error, self.place, &[&self.properties]).into())
    }
}
