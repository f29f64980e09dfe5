//! TLS to the database. What a URL says of it means what it means to libpq: `sslmode`, `sslrootcert`, `sslcert` and
//! `sslkey`, of which the driver knows the first, and of that not all.
//!
//! | `sslmode` | encrypted | whose certificate |
//! |---|---|---|
//! | `disable` | no | |
//! | `prefer`, or nothing said | if the server can | anybody's |
//! | `require` | yes | anybody's; with `sslrootcert`, as `verify-ca` |
//! | `verify-ca` | yes | one that somebody we trust has signed |
//! | `verify-full` | yes | the same, with the name of the host in it |
//!
//! **Invariant:** a URL that asks for TLS is never answered in the clear, and no key is in a print or an error.

mod connect;
mod judge;
mod wish;

use std::path::Path;
use std::sync::Arc;

use dipmo_domain::StoreError;
use rustls::ClientConfig;
use rustls::client::WantsClientCert;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_postgres::config::SslMode;

pub(crate) use connect::{Tls, TlsSocket};
pub(crate) use wish::Wish;

use judge::Judge;
use wish::Mode;

/// What a server may ask for that speaks TLS from the first byte on.
const PROTOCOL: &[u8] = b"postgresql";

impl Wish {
    /// What the driver is to insist on.
    pub(crate) const fn driver_mode(&self) -> SslMode {
        match self.mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        }
    }

    /// Reads the files that it names.
    pub(crate) fn prepare(&self) -> Result<Tls, StoreError> {
        let provider = Arc::new(ring::default_provider());
        let judge = Judge::new(self, &provider)?;
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| invalid(format!("TLS: {error}")))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(judge));
        let mut config = match &self.client {
            Some((certificate, key)) => with_client(builder, certificate, key)?,
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(Tls::new(config))
    }
}

/// Shows the server who we are.
fn with_client(
    builder: rustls::ConfigBuilder<ClientConfig, WantsClientCert>,
    certificate: &Path,
    key: &Path,
) -> Result<ClientConfig, StoreError> {
    let chain = certificates("sslcert", certificate)?;
    let key = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| unreadable("sslkey", key, &error.to_string()))?;
    builder
        .with_client_auth_cert(chain, key)
        .map_err(|error| invalid(format!("sslcert and sslkey do not go together: {error}")))
}

/// The certificates of a file, of which there is at least one.
fn certificates(parameter: &str, path: &Path) -> Result<Vec<CertificateDer<'static>>, StoreError> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(found) if found.is_empty() => {
            Err(unreadable(parameter, path, "there is no certificate in it"))
        }
        Ok(found) => Ok(found),
        Err(error) => Err(unreadable(parameter, path, &error.to_string())),
    }
}

fn unreadable(parameter: &str, path: &Path, problem: &str) -> StoreError {
    invalid(format!("{parameter}: {} cannot be used: {problem}", path.display()))
}

fn invalid(problem: String) -> StoreError {
    StoreError::UrlInvalid { problem }
}
