//! Legs: topics that become topics, in transactions of Kafka and without a database.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use dipmo_domain::Backoff;

use super::case::Complaint;
use super::kafka::Properties;
use super::source::Start;
use crate::read::{section, words};
use crate::{AtLeastOne, Expr, Map, Name, OneOrMany, Spanned, Template, ValueExpr, Yes};

section! {
    /// A leg of Kafka: what is read, what is sent and how far it was read are one transaction of Kafka. No
    /// database takes part in it, and no call to anybody.
    pub struct Leg("a leg") {
        /// Within what each record takes effect exactly once: `kafka`, and nothing beyond it.
        #[example("kafka")]
        exactly_once: Spanned<Within>,
        /// The cluster, by its name under `kafka`. Defaults to `default`. All topics of the leg are there.
        kafka: Option<Name>,
        /// The consumer group. Instances with the same one share the partitions.
        #[example("orders-by-country")]
        group: Template,
        /// The topics that are read, by their names.
        #[example(["order-requests"])]
        topics: AtLeastOne<OneOrMany<Name>>,
        /// A name for this instance that outlives it: after a crash the transaction that was open is aborted
        /// as soon as the instance is back. No two instances may have the same. Defaults to none: then the
        /// broker waits for `transaction_timeout`.
        #[example("${env:HOSTNAME}")]
        instance_id: Option<Template>,
        /// Where to begin in a partition that the group has no offset of. Defaults to earliest.
        start: Option<Spanned<Start>>,
        /// What comes of a record: the first case whose `when` is true. A record that no case is for is a
        /// dead letter.
        cases: AtLeastOne<OneOrMany<LegCase>>,
        /// When a record is tried again whose case says `retry`, and how often. Each retry has a topic of its
        /// own, `<topic>-retry-1`, `-2` and so on, which must be there. Defaults to none.
        #[example("fixed(5s, 3)")]
        retries: Option<Spanned<Backoff>>,
        /// What is added to the name of a topic for its dead letters. Defaults to `-dlt`.
        #[example("-dlt")]
        dead_letter_suffix: Option<Template>,
        /// What fits into one transaction.
        batch: Option<LegBatch>,
        /// After so long the broker aborts a transaction that nobody ends: readers wait so long after a
        /// crash. At least four times the `time` of a batch. Defaults to 20s.
        transaction_timeout: Option<Spanned<Duration>>,
        /// How long the last transaction may take when the leg stops, 6s at most. Defaults to 5s.
        grace: Option<Spanned<Duration>>,
        /// Any property of librdkafka, for the consumer and the producer of this leg.
        properties: Properties,
    }
}

section! {
    /// What comes of a record: `send`, `drop`, `fail` or `retry`.
    pub struct LegCase("a case of a leg") one_of ["send", "drop", "fail", "retry"] {
        /// It is for records for which this is true. Defaults to all.
        #[example("event.country == \"CH\"")]
        when: Option<Expr>,
        /// Records that are sent, in this order.
        send: OneOrMany<LegSend>,
        /// Nothing comes of it.
        drop: Option<Yes>,
        /// It will never do: it goes to the dead letters.
        fail: Option<Complaint>,
        /// It may do later: it goes to the next retry topic, and after the last of them to the dead letters.
        /// Records of the same key that come behind it do not wait.
        retry: Option<Complaint>,
    }
}

section! {
    /// A record that is sent.
    pub struct LegSend("what is sent") {
        /// The topic, of the same cluster.
        #[example("orders-ch")]
        to: Name,
        /// Its key; null is none. Defaults to the key as it came.
        #[example("=event.customerId")]
        key: Option<ValueExpr>,
        /// Its value, as JSON; null is a tombstone. Defaults to the value as it came, byte for byte.
        #[example({"orderId": "=event.id"})]
        value: Option<ValueExpr>,
        /// Headers that are set; all others go along as they came.
        headers: Map<ValueExpr, Name>,
        /// Only when this is true.
        when: Option<Expr>,
        /// Once for each item of this list, which is `item` in the values.
        #[example("event.lines")]
        for_each: Option<Expr>,
    }
}

section! {
    /// When a transaction is committed. It never waits for more when nothing more is there.
    pub struct LegBatch("a batch of a leg") {
        /// Records that are read. Defaults to 10000.
        records: Option<Spanned<NonZeroU32>>,
        /// Bytes that are read and sent. Defaults to 8388608; a larger record is alone.
        bytes: Option<Spanned<NonZeroU64>>,
        /// How long it may be open while others keep coming. Defaults to 100ms.
        time: Option<Spanned<Duration>>,
    }
}

words! {
    /// Within what a record takes effect exactly once.
    pub enum Within("a promise") {
        /// Within one cluster of Kafka, for readers of committed records.
        Kafka = "kafka",
    }
}
