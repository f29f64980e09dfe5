//! Sources over HTTP: who may post what, and how bodies become messages.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use dipmo_domain::Destination;

use super::source::{CloudEvents, Extraction, Pressure};
use crate::read::{choice, section, words};
use crate::{AtLeastOne, Map, Name, OneOrMany, Secret, Spanned, Template, UrlPath};

section! {
    /// A port that takes JSON over HTTP into the inbox.
    pub struct HttpSource("an HTTP source") {
        /// Where it listens, who may post, and what.
        http: Http,
        /// SOURCE_SYSTEM of its messages. Defaults to the name of the source.
        source_system: Option<Template>,
    }
}

section! {
    /// Where to listen, who may post, and what.
    pub struct Http("the HTTP of a source") {
        /// The address and the port.
        #[example("127.0.0.1:8080")]
        listen: Template,
        /// Who may post. There is no default: whoever wants an open door says `none`.
        #[example({"tokens": {"shop": "${env:SHOP_TOKEN}"}})]
        auth: Auth,
        /// The certificate of this source. Without it, requests come in plain text.
        tls: Option<Tls>,
        /// Paths that can be posted to. A process listens to `http:` and the path.
        paths: AtLeastOne<Map<HttpPath, UrlPath>>,
        /// How much at once, and how long.
        limits: Option<HttpLimits>,
        /// When the inbox is too full: whoever posts is told to come back.
        pressure: Option<Pressure>,
    }
}

choice! {
    /// Who may post.
    pub enum Auth("a way to know clients", "tokens: {shop: \"${env:SHOP_TOKEN}\"}") {
        /// Whoever shows a bearer token: tokens by the name of their client, each a reference. Several are for
        /// replacing one without a gap.
        Tokens(AtLeastOne<Map<OneOrMany<Secret>, Name>>) = "tokens",
        /// Whoever has a certificate; needs `tls`.
        Mtls(Mtls) = "mtls",
        /// Anyone who can reach the port.
        Anyone = "none",
    }
}

section! {
    /// Clients that show a certificate: each is called by a DNS name in it.
    pub struct Mtls("the certificates of clients") {
        /// The authority that signs them, in PEM.
        #[example("${file:/etc/dipmo/clients.pem}")]
        authority: Template,
        /// The names that may post; a certificate with several of them is the first here. Defaults to all that the
        /// authority signed, where a certificate has one name.
        #[example(["shop.example.com"])]
        clients: OneOrMany<Template>,
    }
}

section! {
    /// The certificate of a source.
    pub struct Tls("the certificate of a source") {
        /// In PEM, with those between it and its authority.
        #[example("${file:/etc/dipmo/server.pem}")]
        certificate: Template,
        /// Its private key in PEM: a reference.
        #[example("${file:/run/secrets/server.key}")]
        key: Secret,
    }
}

section! {
    /// A path that can be posted to, and how its bodies become messages. MESSAGE_ID is made of the path, the
    /// client and the key.
    pub struct HttpPath("a path") {
        /// Whether a request must have an Idempotency-Key. Defaults to required.
        idempotency_key: Option<Spanned<KeyRule>>,
        /// A file with the JSON Schema of bodies, from the folder of this file. Defaults to any JSON.
        #[example("schemas/order.json")]
        schema: Option<Template>,
        /// Where bodies go as they are, by way of inbox and outbox, without a process.
        #[example("KAFKA:order-requests")]
        to: Option<Spanned<Destination>>,
        /// Headers of requests that become headers of messages. Defaults to Content-Type alone.
        #[example(["traceparent"])]
        headers: OneOrMany<Template>,
        /// The largest body, in bytes; where `to` is said, 900000 if nothing else is. Defaults to 1048576.
        body_limit: Option<Spanned<NonZeroU32>>,
        /// AGGREGATE_ID; messages of one are in order. Without one, each is alone.
        #[example({"pointer": "/orderId"})]
        aggregate_id: Option<Extraction>,
        /// EVENT_TYPE.
        #[example({"const": "OrderRequested"})]
        event_type: Option<Extraction>,
        /// The client's version of the aggregate, a whole number.
        source_version: Option<Extraction>,
        /// The version of the event's contract, 0 to 65,535.
        event_version: Option<Extraction>,
        /// When it happened: digits are milliseconds since 1970, all else is RFC 3339.
        event_time: Option<Extraction>,
        /// What is done with CloudEvents. Defaults to unwrap, and with `to` to keep.
        cloud_events: Option<Spanned<CloudEvents>>,
    }
}

words! {
    /// Whether a request must have an Idempotency-Key.
    pub enum KeyRule("a rule for keys") {
        /// One without is refused.
        Required = "required",
        /// One without is new every time, also when it is repeated.
        Optional = "optional",
    }
}

section! {
    /// How much at once, and how long. Whoever comes when it is too much is told to come back.
    pub struct HttpLimits("the limits of an HTTP source") {
        /// Connections; more wait to be accepted. Defaults to 1024.
        connections: Option<Spanned<NonZeroU32>>,
        /// Requests that wait for the database. Defaults to 1000.
        waiting: Option<Spanned<NonZeroU32>>,
        /// Bytes of bodies in memory. Defaults to 67108864.
        memory: Option<Spanned<NonZeroU64>>,
        /// Messages in one transaction. Defaults to 500.
        batch: Option<Spanned<NonZeroU32>>,
        /// How long a request waits for the database. Defaults to 5s.
        answer_within: Option<Spanned<Duration>>,
        /// How long a client may take for the head of a request, and for its TLS handshake. Defaults to 10s.
        head_within: Option<Spanned<Duration>>,
        /// How long a client may take for a body. Defaults to 10s.
        body_within: Option<Spanned<Duration>>,
        /// How long requests that are under way may take when the source stops. Defaults to 6s; more is not possible.
        grace: Option<Spanned<Duration>>,
    }
}
