//! Assertions, signed with the keys beside this file.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value as Json, json};

pub(crate) const APP: &str = include_str!("keys/app.key.pem");
pub(crate) const OTHER: &str = include_str!("keys/other.key.pem");

/// An assertion by RS256.
pub(crate) fn signed(claims: &Json, pem: &str) -> String {
    signed_as(&json!({ "alg": "RS256" }), claims, pem)
}

/// An assertion whose header says what it likes.
pub(crate) fn signed_as(header: &Json, claims: &Json, pem: &str) -> String {
    let part = |json: &Json| URL_SAFE_NO_PAD.encode(json.to_string());
    let message = format!("{}.{}", part(header), part(claims));
    let base64: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let key = RsaKeyPair::from_pkcs8(&STANDARD.decode(base64).unwrap()).unwrap();
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut signature).unwrap();
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}
