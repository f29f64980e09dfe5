//! The certificate of the source, and whose certificates of clients it believes.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use webpki::EndEntityCert;

use crate::auth::Auth;
use crate::error::SourceError;

/// Certificates and keys, all in PEM.
#[derive(Clone)]
pub struct Tls {
    /// The certificate of the source, and those between it and its authority.
    pub certificate: String,
    /// Its private key.
    pub key: String,
    /// The authority that signs the certificates of clients.
    pub client_authority: Option<String>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    /// What rustls is told by another port of the same program, which asks for no certificates of clients.
    ///
    /// # Errors
    /// When the certificate or the key is none, or they do not belong together.
    pub fn server(&self) -> Result<Arc<ServerConfig>, SourceError> {
        self.config(&Auth::Anyone)
    }

    /// What rustls is told. It brings its provider along instead of installing one for the process.
    pub(crate) fn config(&self, auth: &Auth) -> Result<Arc<ServerConfig>, SourceError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(error.to_string()))?;
        let wants_clients = matches!(auth, Auth::Certificates { .. });
        let builder = match (&self.client_authority, wants_clients) {
            (Some(authority), true) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates("the authority of clients", authority)? {
                    roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
                }
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                        .build()
                        .map_err(|error| wrong(error.to_string()))?;
                builder.with_client_cert_verifier(verifier)
            }
            (None, false) => builder.with_no_client_auth(),
            (Some(_), false) => {
                return Err(wrong(
                    "there is an authority of clients, and no client has to show a certificate"
                        .to_owned(),
                ));
            }
            (None, true) => {
                return Err(wrong(
                    "clients show certificates, and there is no authority that signs them"
                        .to_owned(),
                ));
            }
        };
        let chain = certificates("the certificate", &self.certificate)?;
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes())
            .map_err(|_| wrong("the key is no private key in PEM".to_owned()))?;
        let config = builder.with_single_cert(chain, key);
        config.map(Arc::new).map_err(|error| wrong(error.to_string()))
    }
}

/// The DNS names in the certificate that a client has shown.
pub(crate) fn names(shown: Option<&[CertificateDer<'_>]>) -> Vec<String> {
    let first = shown.and_then(|chain| chain.first());
    let Some(Ok(certificate)) = first.map(EndEntityCert::try_from) else { return Vec::new() };
    // A `:` or a `/` would make the id of one client's message that of another's.
    let is_name = |name: &&str| !name.contains([':', '/']);
    certificate.valid_dns_names().filter(is_name).map(str::to_ascii_lowercase).collect()
}

fn certificates(what: &str, pem: &str) -> Result<Vec<CertificateDer<'static>>, SourceError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    match read {
        Ok(all) if !all.is_empty() => Ok(all),
        _ => Err(wrong(format!("{what} is no certificate in PEM"))),
    }
}

const fn wrong(problem: String) -> SourceError {
    SourceError::Tls { problem }
}
