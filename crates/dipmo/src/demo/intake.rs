//! The source as a user would set it up: topics, rules, and the inbox.

use std::borrow::Cow;
use std::sync::Arc;

use anyhow::Result;
use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_inbound::{Inbound, Rules};
use dipmo_inbox::{BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored};
use dipmo_processing::InboxGauge;
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use dipmo_store::Store;

use super::broker::Broker;
use super::failed::for_people;
use super::topics::{IN, Topics};
use super::wire::Wire;

/// Reads the topics of a run into its store, as long as that is not too full; the wire hears what
/// the inbox answers.
pub(crate) fn source(
    broker: &Broker,
    store: &Arc<dyn Store>,
    wire: &Arc<Wire>,
    gauge: &InboxGauge,
) -> Result<KafkaSource> {
    let topics = &broker.topics;
    let mut inbound = Inbound::new("kafka");
    for (topic, system) in IN {
        inbound = inbound
            .topic(&topics.full(topic), rules(system)?)
            .map_err(|error| for_people(&error))?;
    }
    let inbox =
        Overheard { store: Arc::clone(store), wire: Arc::clone(wire), topics: topics.clone() };
    let options = SourceOptions::new(broker.options.clone(), &topics.group(), topics.incoming());
    let source = KafkaSource::new(options, inbound, Arc::new(inbox));
    Ok(source.map_err(|error| for_people(&error))?.load(gauge.load()))
}

/// Who a record is stands in its headers and its key.
fn rules(system: &str) -> Result<Rules> {
    Ok(Rules {
        message_id: "header:message-id | required".parse()?,
        aggregate_id: "key | required".parse()?,
        event_type: "header:event-type".parse()?,
        source_system: format!("const:{system}").parse()?,
        source_version: "header:source-version".parse()?,
        ..Rules::default()
    })
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
