//! Topics that are read and topics that processes listen to.

use super::destinations::cluster;
use crate::problem::{Problem, codes};
use crate::{Config, Problems, did_you_mean};

/// What does not come from a source of the file.
const OWN: [&str; 4] = ["internal:", "timer:", "outcome:", "http:"];

pub(super) fn check(config: &Config, problems: &mut Problems) {
    for (_, source) in config.sources.iter() {
        let named = source.kafka.as_ref().map(|name| (name.as_str(), name.place));
        cluster(config, named, source.place, problems);
    }
    unread(config, problems);
    unheard(config, problems);
}

/// What a process listens to and no source reads would be waited for in vain.
fn unread(config: &Config, problems: &mut Problems) {
    // A file without sources is one of processes that others feed.
    if config.sources.iter().next().is_none() {
        return;
    }
    let read = || config.sources.iter().flat_map(|(_, source)| source.topics.iter());
    for (name, process) in config.processes.iter() {
        for (topic, _) in process.listens.iter() {
            let is_own = OWN.iter().any(|own| topic.starts_with(own));
            if is_own || read().any(|(read, _)| meets(read, topic)) {
                continue;
            }
            let message = format!("{name} listens to {topic}, which no source reads");
            let near = did_you_mean(topic, read().map(|(topic, _)| topic.as_str()));
            let hint = near.unwrap_or_else(|| "add it to the `topics` of a source".to_owned());
            problems.push(Problem::error(codes::TOPIC_UNREAD, topic.place, message).hint(hint));
        }
    }
}

/// What a source reads and no process listens to ends as IGNORED.
fn unheard(config: &Config, problems: &mut Problems) {
    let heard = || config.processes.iter().flat_map(|(_, process)| process.listens.iter());
    for (topic, declared) in config.sources.iter().flat_map(|(_, source)| source.topics.iter()) {
        let brings_back = declared.dead_letters.as_ref().is_some_and(|it| it.value);
        if !brings_back && !heard().any(|(heard, _)| meets(topic, heard)) {
            let message = format!("no process listens to {topic}: its messages end as IGNORED");
            let hint = "add it to the `listens` of a process, or remove it";
            problems.push(Problem::warning(codes::TOPIC_UNHEARD, topic.place, message).hint(hint));
        }
    }
}

/// True when a topic or pattern of a source may be one that a process listens to.
fn meets(read: &str, heard: &str) -> bool {
    // A pattern of Kafka is a regular expression, which only Kafka knows how to read.
    if read.starts_with('^') {
        return true;
    }
    match heard.strip_suffix('*') {
        Some(beginning) => read.starts_with(beginning),
        None => read == heard,
    }
}
