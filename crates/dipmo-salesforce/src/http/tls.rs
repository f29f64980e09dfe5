//! Whom to trust.

use std::sync::Arc;

use rustls::client::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls_platform_verifier::Verifier;

use crate::error::Error;

/// TLS with the roots of the system and those of the options.
///
/// It brings its provider along instead of installing one for the whole process, which is for the
/// program to do.
pub(crate) fn config(extra_roots: &[String]) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let mut roots = Vec::new();
    for (index, pem) in extra_roots.iter().enumerate() {
        let wrong =
            |problem: String| Error::options_invalid(format!("extra_roots[{index}] {problem}"));
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
            roots.push(certificate.map_err(|error| wrong(format!("is no PEM: {error}")))?);
        }
        if roots.len() == before {
            return Err(wrong("has no certificate".to_owned()));
        }
    }
    let unable = |error: rustls::Error| Error::options_invalid(format!("TLS: {error}"));
    let verifier = Verifier::new_with_extra_roots(roots, Arc::clone(&provider)).map_err(unable)?;
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unable)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

/// TLS that trusts nobody, for orgs that are reached without it: a simulator needs no certificates
/// on its machine.
pub(crate) fn trusting_nobody() -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::options_invalid(format!("TLS: {error}")))?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth())
}
