//! The names of what operators can steer, as a file has them.

use std::collections::BTreeSet;

use dipmo_admin::SourceInfo;
use dipmo_config::Template;
use dipmo_config::model::source::Source;
use dipmo_inbox::dead_letter;

use super::Pipeline;
use super::served::sent;

impl Pipeline {
    /// The sources, in their order.
    pub(super) fn source_names(&self) -> Vec<SourceInfo> {
        let kind = |source: &Source| match source {
            Source::Kafka(_) => "kafka",
            Source::Http(_) => "http",
        };
        let sources = self.config.sources.iter();
        sources.map(|(name, it)| SourceInfo { name: name.to_string(), kind: kind(it) }).collect()
    }

    /// Where anything of this file goes. Letters of topics that are patterns are known once something waits.
    pub(super) fn destination_names(&self) -> Vec<String> {
        let sent = sent(&self.config).flat_map(|send| send.to.iter()).map(|to| to.value.clone());
        let forwarded = self.engine.worker.forwards.values().cloned();
        let topics = self.config.sources.values().flat_map(Source::topics);
        let of_engine = self.engine.worker.dead_letters.as_ref().map(|it| it.suffix.as_str());
        let letters = topics.flat_map(|(name, topic)| {
            let mirror = topic.mirror_suffix.as_ref().map(Template::expose);
            let suffixes = [of_engine, mirror].into_iter().flatten();
            suffixes.filter_map(|suffix| dead_letter::destination(name, suffix).ok()?)
        });
        let all = sent.chain(forwarded).chain(letters).map(|to| to.to_string());
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }
}
