//! The key of an app: what its signatures are checked with.

use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, SubjectPublicKeyInfoDer};
use webpki::ring::RSA_PKCS1_2048_8192_SHA256;
use webpki::{EndEntityCert, RawPublicKeyEntity};

/// A certificate, of which the key is all that counts, or a bare public key.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    Certificate(CertificateDer<'static>),
    Public(SubjectPublicKeyInfoDer<'static>),
}

impl Key {
    /// Reads PEM, or says what is wrong with it.
    pub(crate) fn from_pem(pem: &str) -> Result<Self, String> {
        let key = if pem.contains("BEGIN PUBLIC KEY") {
            let found = SubjectPublicKeyInfoDer::from_pem_slice(pem.as_bytes());
            Key::Public(found.map_err(|error| error.to_string())?)
        } else {
            let found = CertificateDer::from_pem_slice(pem.as_bytes());
            Key::Certificate(found.map_err(|error| error.to_string())?)
        };
        // Otherwise a broken one would be noticed at the first login only.
        let readable = match &key {
            Key::Certificate(der) => EndEntityCert::try_from(der).map(|_| ()),
            Key::Public(der) => RawPublicKeyEntity::try_from(der).map(|_| ()),
        };
        readable.map_err(|error| error.to_string())?;
        Ok(key)
    }

    /// Whether the signature is RS256 of the message by this key.
    pub(crate) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let algorithm = RSA_PKCS1_2048_8192_SHA256;
        let verified = match self {
            Key::Certificate(der) => EndEntityCert::try_from(der)
                .and_then(|cert| cert.verify_signature(algorithm, message, signature)),
            Key::Public(der) => RawPublicKeyEntity::try_from(der)
                .and_then(|key| key.verify_signature(algorithm, message, signature)),
        };
        verified.is_ok()
    }
}
