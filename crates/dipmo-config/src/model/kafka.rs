//! Clusters of Kafka.

use serde_json::Value;

use crate::node::Node;
use crate::read::{literal_secret, section, words};
use crate::schema::Schemas;
use crate::{Map, Name, Problems, Read, Secret, Spanned, Template, Written};

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
        properties: Properties,
    }
}

/// Properties of librdkafka by name. Those that are secrets must come from outside of the file.
#[derive(Clone, Debug, Default)]
pub struct Properties(pub Map<Written, Name>);

/// What the name of a property that is a secret has in it.
const SECRETS: [&str; 7] =
    ["password", "secret", "pem", "token", "jaas", "sasl.oauthbearer.config", "private.key"];

impl Read for Properties {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let properties = Map::<Written, Name>::read(node, problems)?;
        for (name, value) in properties.iter() {
            let secret = SECRETS.iter().any(|mark| name.contains(mark));
            if secret && !value.0.is_reference() {
                problems.push(literal_secret(value.0.place, "a secret is written into the file"));
            }
        }
        Some(Self(properties))
    }

    fn schema(schemas: &mut Schemas) -> Value {
        Map::<Written, Name>::schema(schemas)
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
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
