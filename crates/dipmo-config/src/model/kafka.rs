//! Clusters of Kafka.

use crate::read::{section, words};
use crate::{Map, Name, Secret, Spanned, Template, Written};

section! {
    /// How to reach a cluster of Kafka.
    pub struct Cluster("a cluster") {
        /// Some of its brokers, `host:port,host:port`; they tell about the others.
        #[example("${env:KAFKA_BROKERS}")]
        #[example("localhost:9092")]
        brokers: Template,
        /// What the brokers call us in their logs, quotas and metrics. Defaults to `dipmo`.
        client_id: Option<Template>,
        /// Login and encryption. Defaults to neither.
        security: Option<Security>,
        /// Any property of librdkafka. One that it does not know, or that dipmo's guarantees hang on, is an
        /// error at start.
        #[example({"socket.keepalive.enable": true})]
        properties: Map<Written, Name>,
    }
}

section! {
    /// How a client proves who it is, and how what it says is kept from others.
    pub struct Security("the security of a cluster") {
        /// The kind of listener that is meant. Defaults to plaintext.
        protocol: Option<Spanned<Protocol>>,
        /// The mechanism of the login, for `sasl_plaintext` and `sasl_ssl`.
        mechanism: Option<Spanned<Mechanism>>,
        /// The name that logs in.
        user: Option<Template>,
        /// Its password: a reference.
        #[example("${env:KAFKA_PASSWORD}")]
        password: Option<Secret>,
        /// A file in PEM: who may sign the broker's certificate. Defaults to whom the system trusts.
        ca_file: Option<Template>,
        /// A file in PEM: our own certificate, where the broker wants one.
        certificate_file: Option<Template>,
        /// A file in PEM: the key of our certificate.
        key_file: Option<Template>,
        /// What the key file is encrypted with: a reference.
        #[example("${env:KAFKA_KEY_PASSWORD}")]
        key_password: Option<Secret>,
    }
}

words! {
    /// The kind of listener of a broker.
    pub enum Protocol("a protocol of Kafka") {
        /// Neither login nor encryption.
        Plaintext = "plaintext",
        /// Encrypted; with a certificate of our own, that is the login as well.
        Ssl = "ssl",
        /// A login on a connection that is not encrypted.
        SaslPlaintext = "sasl_plaintext",
        /// A login on an encrypted connection.
        SaslSsl = "sasl_ssl",
    }
}

words! {
    /// The mechanism of a login.
    pub enum Mechanism("a mechanism of SASL") {
        /// The password goes over the wire as it is.
        Plain = "plain",
        /// SCRAM-SHA-256.
        ScramSha256 = "scram_sha_256",
        /// SCRAM-SHA-512.
        ScramSha512 = "scram_sha_512",
    }
}
