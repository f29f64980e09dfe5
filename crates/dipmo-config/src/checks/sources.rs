//! Topics that are read and topics that processes listen to.

use std::collections::BTreeMap;

use super::destinations::cluster;
use crate::model::source::Source;
use crate::problem::{Problem, codes};
use crate::{Config, Name, Problems, did_you_mean};

/// What does not come from a source of the file.
const OWN: [&str; 3] = ["internal:", "timer:", "outcome:"];
/// What stands before a path in the name of its topic.
const HTTP: &str = "http:";

pub(super) fn check(config: &Config, problems: &mut Problems) {
    for (_, source) in config.sources.iter() {
        let Source::Kafka(source) = source else { continue };
        let named = source.kafka.as_ref().map(|name| (name.as_str(), name.place));
        cluster(config, named, source.place, problems);
    }
    twice(config, problems);
    unread(config, problems);
    unheard(config, problems);
}

/// A path of two sources would be one topic with two rules, and an address of two is listened on by one.
fn twice(config: &Config, problems: &mut Problems) {
    let (mut paths, mut addresses) = (BTreeMap::new(), BTreeMap::new());
    for (_, source) in config.sources.iter() {
        let Source::Http(source) = source else { continue };
        let listen = &source.http.listen;
        // Port 0 is any that is free.
        if !listen.expose().ends_with(":0")
            && let Some(first) = addresses.insert(listen.expose(), listen.place)
        {
            let message = format!("another source listens at `{listen}`");
            let problem = Problem::error(codes::VALUE_INVALID, listen.place, message);
            problems.push(problem.also(first, "this one").hint("give each a port of its own"));
        }
        for (path, _) in source.http.paths.iter() {
            if let Some(first) = paths.insert(path.as_str(), path.place) {
                let message = format!("another source has the path {path}: both are http:{path}");
                let problem = Problem::error(codes::VALUE_INVALID, path.place, message);
                let hint = "give one another path: what is posted is told apart by it alone";
                problems.push(problem.also(first, "this one").hint(hint));
            }
        }
    }
}

/// What a process listens to and no source reads would be waited for in vain.
fn unread(config: &Config, problems: &mut Problems) {
    // A file without sources is one of processes that others feed.
    if config.sources.iter().next().is_none() {
        return;
    }
    let mut read: Vec<String> = Vec::new();
    for (_, source) in config.sources.iter() {
        read.extend(source.topics().map(|(topic, _)| topic.to_string()));
        let heard = source.paths().filter(|(_, path)| path.to.is_none());
        read.extend(heard.map(|(path, _)| format!("{HTTP}{path}")));
    }
    for (name, process) in config.processes.iter() {
        for (topic, _) in process.listens.iter() {
            let is_own = OWN.iter().any(|own| topic.starts_with(own));
            if is_own || forwarded(config, topic, problems) {
                continue;
            }
            if read.iter().any(|read| meets(read, topic)) {
                continue;
            }
            let message = format!("{name} listens to {topic}, which no source reads");
            let near = did_you_mean(topic, read.iter().map(String::as_str));
            let hint = near.unwrap_or_else(|| "add it to the `topics` of a source".to_owned());
            problems.push(Problem::error(codes::TOPIC_UNREAD, topic.place, message).hint(hint));
        }
    }
}

/// What a path sends on comes to no process: says so, and answers whether that is so.
fn forwarded(config: &Config, topic: &Name, problems: &mut Problems) -> bool {
    let paths = || config.sources.iter().flat_map(|(_, source)| source.paths());
    let of_it = |path: &str| topic.strip_prefix(HTTP) == Some(path);
    let to = paths().find_map(|(path, declared)| declared.to.as_ref().filter(|_| of_it(path)));
    let Some(to) = to else { return false };
    let message = format!("what is posted there goes on to {}, and to no process", to.value);
    let problem = Problem::error(codes::TOPIC_UNREAD, topic.place, message);
    problems.push(problem.also(to.place, "by this").hint("listen to that topic, or remove `to`"));
    true
}

/// What a source reads and no process listens to ends as IGNORED.
fn unheard(config: &Config, problems: &mut Problems) {
    let heard = || config.processes.iter().flat_map(|(_, process)| process.listens.iter());
    for (path, declared) in config.sources.iter().flat_map(|(_, source)| source.paths()) {
        let topic = format!("{HTTP}{path}");
        if declared.to.is_none() && !heard().any(|(heard, _)| meets(&topic, heard)) {
            let message = format!("no process listens to {topic}: what is posted ends as IGNORED");
            let hint = "add it to the `listens` of a process, or say where it goes: `to: KAFKA:…`";
            problems.push(Problem::warning(codes::TOPIC_UNHEARD, path.place, message).hint(hint));
        }
    }
    for (topic, declared) in config.sources.iter().flat_map(|(_, source)| source.topics()) {
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
