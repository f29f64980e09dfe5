//! Whether a certificate of the server will do.

use std::sync::Arc;

use dipmo_domain::StoreError;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_platform_verifier::Verifier;

use super::wish::{Mode, Roots, Wish};
use super::{certificates, invalid};

/// Judges as the mode says. That the server has the key of its certificate is asked in every mode.
#[derive(Debug)]
pub(super) struct Judge {
    provider: Arc<CryptoProvider>,
    /// Who knows whom to trust; nobody is asked where anybody will do.
    signed_by: Option<Arc<dyn ServerCertVerifier>>,
    /// Whether the name of the host has to be in it.
    named: bool,
}

impl Judge {
    pub(super) fn new(wish: &Wish, provider: &Arc<CryptoProvider>) -> Result<Self, StoreError> {
        let signed_by = match wish.mode {
            Mode::Disable | Mode::Prefer | Mode::Require => None,
            Mode::VerifyCa | Mode::VerifyFull => Some(trusting(&wish.roots, provider)?),
        };
        let named = wish.mode == Mode::VerifyFull;
        Ok(Self { provider: Arc::clone(provider), signed_by, named })
    }
}

fn trusting(
    roots: &Roots,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, StoreError> {
    let provider = Arc::clone(provider);
    let path = match roots {
        Roots::System => {
            let verifier = Verifier::new(provider);
            let verifier = verifier.map_err(|error| invalid(format!("TLS: {error}")))?;
            return Ok(Arc::new(verifier));
        }
        Roots::File(path) => path,
    };
    let unusable = |problem: String| {
        invalid(format!("sslrootcert: {} cannot be used: {problem}", path.display()))
    };
    let mut store = RootCertStore::empty();
    for certificate in certificates("sslrootcert", path)? {
        store.add(certificate).map_err(|error| unusable(error.to_string()))?;
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider).build();
    Ok(verifier.map_err(|error| unusable(error.to_string()))?)
}

impl ServerCertVerifier for Judge {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(signed_by) = &self.signed_by else { return Ok(ServerCertVerified::assertion()) };
        match signed_by.verify_server_cert(certificate, between, name, ocsp, now) {
            // The name is looked at last: all else is in order.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.named => Ok(ServerCertVerified::assertion()),
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
