//! Why a simulator does not start, or does not do what a test asks.

use std::io;
use std::net::SocketAddr;

use thiserror::Error;

use crate::schema::SchemaError;

/// Why a simulator does not start, or does not do what a test asks.
#[derive(Debug, Error)]
pub enum Error {
    /// The schema cannot be read or does not make sense.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The certificate or public key of an app cannot be used.
    #[error("the certificate of the app {client_id:?} cannot be used: {problem}")]
    Certificate {
        /// The app.
        client_id: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// What a test asks for is wrong, such as a fault rule or the name of an object.
    #[error("{problem}")]
    Asked {
        /// What is wrong with it.
        problem: String,
    },
}
