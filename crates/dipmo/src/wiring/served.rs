//! What the pure checks of a configuration leave to who knows the adapters: whether what is sent can go the way
//! that it is sent.

use dipmo_config::model::action::Send;
use dipmo_config::model::process::Process;
use dipmo_config::model::source::Source;
use dipmo_config::problem::codes;
use dipmo_config::{Config, Place, Problem, Problems};
use dipmo_domain::{Code, Destination, SalesforceApi};

use super::salesforce::DEFAULT_ORG;

/// Says of each destination what its adapter could not do, where it is written.
pub(super) fn check(config: &Config, problems: &mut Problems) {
    let destinations = config.destinations.as_ref();
    for to in sent(config).flat_map(|send| send.to.iter()) {
        let Destination::Salesforce { org, api, object } = &to.value else { continue };
        let org = org.as_deref().unwrap_or(DEFAULT_ORG);
        let found = destinations.and_then(|it| it.salesforce.get(org));
        let children = found.and_then(|org| org.objects.get(object)).map(|it| &it.children);
        let first = children.and_then(|children| children.iter().next());
        if let Some((child, _)) = first.filter(|_| !takes_children(*api)) {
            let code = Code::new("salesforce-children-unsupported");
            let message = format!(
                "`{object}` is mapped with children, which {api} cannot write all or nothing"
            );
            let problem = Problem::error(code, to.place, message).also(child.place, "a child");
            problems.push(problem.hint("Graph, Composite and Auto write them"));
        }
    }
    if destinations.is_none_or(|it| it.kafka.is_none()) {
        letters(config).for_each(|place| problems.push(no_kafka(place)));
    }
}

const fn takes_children(api: SalesforceApi) -> bool {
    matches!(api, SalesforceApi::Auto | SalesforceApi::Composite | SalesforceApi::Graph)
}

/// Where the file asks for dead letters.
fn letters(config: &Config) -> impl Iterator<Item = Place> {
    let engine = config.engine.iter().filter_map(|it| it.dead_letters.as_ref());
    let topics = config.sources.values().flat_map(Source::topics);
    let mirrors = topics.filter_map(|(_, topic)| topic.mirror_suffix.as_ref());
    engine.map(|letters| letters.place).chain(mirrors.map(|suffix| suffix.place))
}

fn no_kafka(place: Place) -> Problem {
    let message = "letters go to Kafka, which is no destination";
    Problem::error(codes::MISSING_KEY, place, message)
        .hint("add `destinations: {kafka: {}}`, and its cluster under `kafka`")
}

/// All that processes send.
pub(super) fn sent(config: &Config) -> impl Iterator<Item = &Send> {
    config.processes.values().flat_map(Process::sends)
}
