//! What a source can be told.

use std::net::SocketAddr;
use std::time::Duration;

use dipmo_inbox::PressureLimits;
use serde_json::Value;

use crate::auth::Auth;
use crate::tls::Tls;

/// Options of a source.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Where to listen; port 0 is any that is free.
    pub listen: SocketAddr,
    /// Who may post.
    pub auth: Auth,
    /// With whose certificate; without one, requests come in plain text.
    pub tls: Option<Tls>,
    /// `SOURCE_SYSTEM` of all messages.
    pub source_system: String,
    /// What can be posted to.
    pub paths: Vec<PathOptions>,
    /// How much, how long.
    pub limits: Limits,
    /// When the inbox is too full to take more.
    pub pressure: PressureLimits,
}

impl HttpOptions {
    /// A source without paths and TLS, with the limits that suit most.
    #[must_use]
    pub fn new(listen: SocketAddr, auth: Auth, source_system: impl Into<String>) -> Self {
        Self {
            listen,
            auth,
            tls: None,
            source_system: source_system.into(),
            paths: Vec::new(),
            limits: Limits::default(),
            pressure: PressureLimits::default(),
        }
    }
}

/// A path that can be posted to.
#[derive(Clone, Debug)]
pub struct PathOptions {
    /// Such as `/orders/publish`. Its messages have the topic `http:/orders/publish`.
    pub path: String,
    /// Whether a request must bring an `Idempotency-Key`.
    pub key: KeyRule,
    /// What bodies must look like.
    pub schema: Option<Value>,
    /// Headers of requests that become headers of messages, by their names. No others do.
    pub headers: Vec<String>,
    /// The largest body. Defaults to 1 MB.
    pub body_limit: usize,
}

impl PathOptions {
    /// A path that wants a key and takes any JSON.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            key: KeyRule::Required,
            schema: None,
            headers: Vec::new(),
            body_limit: 1 << 20,
        }
    }

    /// `TOPIC` of its messages.
    #[must_use]
    pub fn topic(&self) -> String {
        format!("http:{}", self.path)
    }
}

/// Whether a request must bring an `Idempotency-Key`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyRule {
    /// One without a key is refused. This is the default: only a key makes repeating safe.
    #[default]
    Required,
    /// One without a key is new every time.
    Optional,
}

/// How much at once, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; more wait to be accepted. Defaults to 1,024.
    pub connections: usize,
    /// Requests that may wait for the database. Defaults to 1,000; who comes then is told to come back.
    pub waiting: usize,
    /// Bytes of bodies in memory at once. Defaults to 64 MB; who comes then is told to come back.
    pub memory: usize,
    /// Messages in one transaction. Defaults to 500.
    pub batch: usize,
    /// How long a request may wait for the database before it is told to come back. Defaults to 5 s.
    pub answer_within: Duration,
    /// How long a client may take for the head of a request, and for its TLS handshake. Defaults to 10 s.
    pub head_within: Duration,
    /// How long a client may take for a body. Defaults to 10 s.
    pub body_within: Duration,
    /// How long requests that are under way may take when the source stops. Defaults to 6 s.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1_024,
            waiting: 1_000,
            memory: 64 << 20,
            batch: 500,
            answer_within: Duration::from_secs(5),
            head_within: Duration::from_secs(10),
            body_within: Duration::from_secs(10),
            grace: Duration::from_secs(6),
        }
    }
}
