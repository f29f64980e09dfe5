//! The sources of the files, on the topics of this run, and the inbox that they store to.

use std::borrow::Cow;
use std::sync::Arc;

use anyhow::Result;
use async_trait::async_trait;
use dipmo::wiring::{Pipeline, SourcePlan};
use dipmo_domain::{DedupeKey, StoreError};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_processing::InboxGauge;
use dipmo_source_kafka::KafkaSource;
use dipmo_store::Store;

use super::failed::for_people;
use super::topics::Topics;
use super::wire::Wire;

/// Reads the topics of a run into its store, as long as that is not too full; the wire hears what
/// the inbox answers.
pub(crate) fn sources(
    pipeline: &Pipeline,
    topics: &Topics,
    store: &Arc<dyn Store>,
    wire: &Arc<Wire>,
    gauge: &InboxGauge,
) -> Result<Vec<KafkaSource>> {
    let inbox: Arc<dyn Inbox> = Arc::new(Overheard {
        store: Arc::clone(store),
        wire: Arc::clone(wire),
        topics: topics.clone(),
    });
    let source = |plan: &SourcePlan| {
        let mut options = plan.options.clone();
        options.group = topics.full(&options.group);
        options.topics = options.topics.iter().map(|topic| topics.full(topic)).collect();
        let inbound = plan.inbound.clone().behind(topics.prefix());
        let inbound = inbound.map_err(|error| for_people(&error))?;
        let source = KafkaSource::new(options, inbound, Arc::clone(&inbox));
        Ok(source.map_err(|error| for_people(&error))?.load(gauge.load()))
    };
    pipeline.sources().iter().map(source).collect()
}

/// The inbox of the store. What it answers is heard by the wire, and topics with a name of their
/// own for this run are stored under the name that the processes subscribe to.
struct Overheard {
    store: Arc<dyn Store>,
    wire: Arc<Wire>,
    topics: Topics,
}

#[async_trait]
impl Inbox for Overheard {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        let answers = self.store.store(&self.in_plain(messages), ranges).await?;
        self.wire.stored(messages, &answers);
        Ok(answers)
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        self.store.begin(offsets).await
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        self.store.bring_back(letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        self.store.offsets(group).await
    }

    async fn whereabouts(
        &self,
        keys: &[DedupeKey],
    ) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        self.store.whereabouts(keys).await
    }
}

impl Overheard {
    fn in_plain<'a>(&self, messages: &'a [NewMessage]) -> Cow<'a, [NewMessage]> {
        if self.topics.are_plain() {
            return Cow::Borrowed(messages);
        }
        let mut messages = messages.to_vec();
        for message in &mut messages {
            message.topic = self.topics.plain(&message.topic).to_owned();
        }
        Cow::Owned(messages)
    }
}
