//! Asking others over HTTP: whom to trust, and what went wrong.

use std::error::Error as _;
use std::net::IpAddr;
use std::sync::Arc;

use reqwest::Url;
use rustls::client::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt as _;

/// Whom to trust: those that the system trusts; nobody where nothing is encrypted, which needs no certificates.
///
/// # Errors
/// When the system says of nobody that they are to be trusted.
pub fn tls(is_encrypted: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let builder = match is_encrypted {
        true => builder.with_platform_verifier()?,
        false => builder.with_root_certificates(rustls::RootCertStore::empty()),
    };
    Ok(builder.with_no_client_auth())
}

/// The last cause of an error; the others have its URL in them, and so what was asked for.
#[must_use]
pub fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it takes too long".to_owned();
    }
    let mut last = error.source();
    while let Some(cause) = last.and_then(|cause| cause.source()) {
        last = Some(cause);
    }
    last.map_or_else(|| "no cause is known".to_owned(), ToString::to_string)
}

/// Whether what is sent there stays on this machine.
#[must_use]
pub fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
