//! The private key that assertions are signed with.

use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;

use crate::error::Error;
use crate::secret::Secret;

/// An RSA key.
pub(crate) struct Key {
    pair: RsaKeyPair,
    random: SystemRandom,
}

impl Key {
    /// Reads PEM, or says what is wrong with it without repeating any of it.
    pub(crate) fn from_pem(pem: &Secret) -> Result<Self, Error> {
        let wrong = |problem: &str| Error::options_invalid(format!("private_key {problem}"));
        let der = PrivateKeyDer::from_pem_slice(pem.expose().as_bytes())
            .map_err(|_| wrong("is no private key in PEM (an encrypted one cannot be read)"))?;
        let pair = match &der {
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            _ => return Err(wrong("is no RSA key, which is what RS256 needs")),
        };
        let pair = pair.map_err(|reason| wrong(&format!("cannot be used: {reason}")))?;
        Ok(Self { pair, random: SystemRandom::new() })
    }

    /// The signature of a message by RS256.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let mut signature = vec![0; self.pair.public().modulus_len()];
        self.pair
            .sign(&RSA_PKCS1_SHA256, &self.random, message, &mut signature)
            .map_err(|_| Error::options_invalid("private_key cannot sign"))?;
        Ok(signature)
    }
}
