//! Sources: where messages come from, and how records of topics become messages.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use serde_json::{Value, json};

use super::http::{HttpPath, HttpSource};
use super::kafka::Properties;
use crate::node::{Kind, Node};
use crate::read::{choice, section, words};
use crate::schema::Schemas;
use crate::{AtLeastOne, Map, Name, OneOrMany, Problems, Read, Spanned, Template, UrlPath, Yes};

/// Where messages come from. One with the key `http` is a port, all others read topics.
#[derive(Clone, Debug)]
pub enum Source {
    /// Topics of Kafka.
    Kafka(Box<KafkaSource>),
    /// Requests over HTTP.
    Http(Box<HttpSource>),
}

impl Source {
    /// Topics and their rules; none for a port.
    pub fn topics(&self) -> impl Iterator<Item = (&Name, &Topic)> {
        let topics = match self {
            Self::Kafka(source) => Some(source.topics.iter()),
            Self::Http(_) => None,
        };
        topics.into_iter().flatten()
    }

    /// Paths and their rules; none for topics.
    pub fn paths(&self) -> impl Iterator<Item = (&UrlPath, &HttpPath)> {
        let paths = match self {
            Self::Kafka(_) => None,
            Self::Http(source) => Some(source.http.paths.iter()),
        };
        paths.into_iter().flatten()
    }
}

impl Read for Source {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let is_http = matches!(&node.kind, Kind::Map(entries) if entries.iter().any(|entry| entry.key == "http"));
        if is_http {
            HttpSource::read(node, problems).map(|source| Self::Http(Box::new(source)))
        } else {
            KafkaSource::read(node, problems).map(|source| Self::Kafka(Box::new(source)))
        }
    }

    fn schema(schemas: &mut Schemas) -> Value {
        json!({ "anyOf": [KafkaSource::schema(schemas), HttpSource::schema(schemas)] })
    }
}

section! {
    /// A consumer group that reads topics of a cluster into the inbox.
    pub struct KafkaSource("a source") {
        /// The cluster, by its name under `kafka`. Defaults to `default`.
        kafka: Option<Name>,
        /// The consumer group. Instances with the same one share the partitions.
        #[example("dipmo")]
        group: Template,
        /// Topics and the rules of each; `orders-*` is every topic with that beginning, `^orders-.+$` a
        /// regular expression. Of several that match a topic, the first is taken.
        topics: AtLeastOne<Map<Topic, Name>>,
        /// SOURCE_SYSTEM of messages that do not tell theirs. Defaults to the name of the source.
        source_system: Option<Template>,
        /// A name for this instance that outlives it: a restart within the session time-out moves no
        /// partitions. No two instances may have the same. Defaults to none.
        #[example("${env:HOSTNAME}")]
        instance_id: Option<Template>,
        /// Where to begin in a partition that neither the database nor the broker knows. Defaults to earliest.
        start: Option<Spanned<Start>>,
        /// Whether a group that the database does not know goes on where it committed to the broker. Defaults
        /// to true; otherwise `start` decides.
        adopt_committed: Option<Spanned<bool>>,
        /// When a batch is stored.
        batch: Option<Batch>,
        /// When reading pauses.
        pressure: Option<Pressure>,
        /// How often stored offsets are committed to the broker. Defaults to 500ms.
        commit_every: Option<Spanned<Duration>>,
        /// How long a batch may wait for the database before reading pauses. Defaults to 500ms.
        pause_after: Option<Spanned<Duration>>,
        /// How long storing may take when the source stops, 6s at most: the whole of dipmo ends within 10s.
        /// Defaults to 5s.
        #[example("5s")]
        grace: Option<Spanned<Duration>>,
        /// Any property of librdkafka, for this consumer only.
        properties: Properties,
    }
}

section! {
    /// How records of a topic become messages. A field with a rule is taken from that rule alone; without
    /// one, from the attributes of a CloudEvent, then from the header of its name.
    pub struct Topic("a topic") {
        /// MESSAGE_ID; without one, `topic:partition:offset` stands in.
        #[example({"header": "message-id"})]
        message_id: Option<Extraction>,
        /// AGGREGATE_ID; without one, messages are in order by the record's key.
        #[example([{"pointer": "/hitId"}, "key"])]
        aggregate_id: Option<Extraction>,
        /// EVENT_TYPE.
        #[example({"pointer": "/type"})]
        event_type: Option<Extraction>,
        /// SOURCE_SYSTEM; without one, that of the source stands in.
        source_system: Option<Extraction>,
        /// The producer's version of the aggregate, a whole number.
        source_version: Option<Extraction>,
        /// The version of the event's contract, 0 to 65,535.
        event_version: Option<Extraction>,
        /// When it happened: digits are milliseconds since 1970, all else is RFC 3339.
        event_time: Option<Extraction>,
        /// What is done with CloudEvents. Defaults to unwrap.
        cloud_events: Option<Spanned<CloudEvents>>,
        /// What happens to later messages of a key when one could not be decoded. Defaults to continue.
        on_serde_error: Option<Spanned<OnSerdeError>>,
        /// Mirrors records that cannot be decoded to the topic of the same name with this behind it.
        /// Defaults to none: they are in the inbox only.
        #[example("-dlt")]
        mirror_suffix: Option<Template>,
        /// True for a topic of dead letters: each comes back as the message that it was. Defaults to false.
        dead_letters: Option<Spanned<bool>>,
        /// How often a message may have been retried for its letter to be brought back. Defaults to 5.
        most_retries: Option<Spanned<u32>>,
    }
}

/// Where a field stands in a record: places in order, the first that has something wins.
pub type Extraction = AtLeastOne<OneOrMany<Spanned<Extractor>>>;

choice! {
    /// Where a field may stand in a record.
    pub enum Extractor("a place in a record", "{header: message-id}") {
        /// The last header of that name, if it is text.
        Header(Template) = "header",
        /// A JSON pointer into the value.
        Pointer(Template) = "pointer",
        /// The record's key, if it is text.
        Key(Yes) = "key",
        /// Always this text.
        Const(Template) = "const",
        /// At the end of a list: a record without the field cannot be decoded.
        Required(Yes) = "required",
    }
}

section! {
    /// When a batch is stored. It never waits for more when nothing more is there.
    pub struct Batch("a batch") {
        /// Records. Defaults to 2000.
        records: Option<Spanned<NonZeroU32>>,
        /// Bytes of keys, headers and values. Defaults to 4194304; a larger record is alone.
        bytes: Option<Spanned<NonZeroU64>>,
        /// How old the first record may get while others keep coming. Defaults to 50ms.
        time: Option<Spanned<Duration>>,
    }
}

section! {
    /// When reading pauses. It goes on when both figures are below half of these.
    pub struct Pressure("the limits of pressure") {
        /// More messages than this wait. Defaults to 1000000.
        depth: Option<Spanned<NonZeroU64>>,
        /// The oldest has waited longer than this. Defaults to 1h.
        oldest: Option<Spanned<Duration>>,
    }
}

words! {
    /// Where to begin in a partition that nobody knows.
    pub enum Start("a place to begin") {
        /// With the first record that the broker still has.
        Earliest = "earliest",
        /// With what comes from now on.
        Latest = "latest",
    }
}

words! {
    /// What is done with CloudEvents.
    pub enum CloudEvents("a way to read CloudEvents") {
        /// Attributes are read, and the payload is the data.
        Unwrap = "unwrap",
        /// Attributes are read, and the payload of the structured mode is the whole envelope.
        Keep = "keep",
        /// They are records like any other.
        Ignore = "ignore",
    }
}

words! {
    /// What happens to later messages of a key when one could not be decoded.
    pub enum OnSerdeError("a way to go on") {
        /// They are processed.
        Continue = "continue",
        /// They wait until somebody has decided about it.
        BlockKey = "block_key",
    }
}
