//! What keeps a source from starting. Everything else it tells its clients, and its health.

use std::net::SocketAddr;

use dipmo_domain::{Code, Coded};
use thiserror::Error;

/// A source that cannot run as it is configured.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The address cannot be listened on.
    #[error("nobody can be listened to at {address}: {problem}")]
    Address {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        problem: String,
    },
    /// A path that cannot be.
    #[error("the path {path:?} cannot be: {problem}")]
    Path {
        /// The path.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A header that is not to be taken along.
    #[error("the header {header:?} of the path {path:?} cannot be taken along: {problem}")]
    Header {
        /// The path.
        path: String,
        /// The header.
        header: String,
        /// Why not.
        problem: String,
    },
    /// A JSON Schema that is none.
    #[error("the JSON Schema of the path {path:?} cannot be used: {problem}")]
    Schema {
        /// The path.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A token that can be guessed, or that two clients share.
    #[error("the token of the client {client:?} cannot be used: {problem}")]
    Token {
        /// The client.
        client: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Certificates or keys that cannot be used.
    #[error("TLS cannot be used: {problem}")]
    Tls {
        /// What is wrong.
        problem: String,
    },
    /// Bodies that could never be read.
    #[error("a body of the path {path:?} may have {limit} bytes, and all together {memory}")]
    Memory {
        /// The path.
        path: String,
        /// Its largest body.
        limit: usize,
        /// The memory of all.
        memory: usize,
    },
    /// Messages that come from nowhere.
    #[error("the source system of an HTTP source is empty")]
    System,
    /// The task that stores has ended, which only a panic does.
    #[error("the source at {address} broke: it cannot store any more")]
    Broken {
        /// Where.
        address: SocketAddr,
    },
    /// It runs already.
    #[error("the source at {address} runs already")]
    Running {
        /// Where.
        address: SocketAddr,
    },
}

impl Coded for SourceError {
    fn code(&self) -> Code {
        match self {
            Self::Address { .. } => Code::new("http-address-unavailable"),
            Self::Path { .. } => Code::new("http-path-invalid"),
            Self::Header { .. } => Code::new("http-header-refused"),
            Self::Schema { .. } => Code::new("http-schema-invalid"),
            Self::Token { .. } => Code::new("http-token-invalid"),
            Self::Tls { .. } => Code::new("http-tls-invalid"),
            Self::Memory { .. } | Self::System => Code::new("http-options-invalid"),
            Self::Broken { .. } => Code::new("http-source-broken"),
            Self::Running { .. } => Code::new("http-source-running"),
        }
    }
}
