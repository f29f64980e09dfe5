//! An assertion: who an app says that it acts for, signed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::oauth::key::Key;

/// An assertion whose signature is not checked yet.
#[derive(Debug)]
pub(crate) struct Assertion<'a> {
    signed: &'a str,
    signature: Vec<u8>,
    claims: Claims,
}

/// What it claims.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Claims {
    /// The client id.
    pub(crate) iss: String,
    /// The username. `prn` is its old name, which Salesforce still takes.
    #[serde(alias = "prn")]
    pub(crate) sub: String,
    pub(crate) aud: Json,
    exp: Json,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
}

impl<'a> Assertion<'a> {
    /// Takes an assertion apart; `None` if it is none of RS256.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (signed, signature) = text.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header: Header = serde_json::from_slice(&decoded(header)?).ok()?;
        if header.alg != "RS256" {
            return None;
        }
        let claims = serde_json::from_slice(&decoded(claims)?).ok()?;
        Some(Assertion { signed, signature: decoded(signature)?, claims })
    }

    /// Whom to ask for the key.
    pub(crate) fn issuer(&self) -> &str {
        &self.claims.iss
    }

    /// The claims, if the owner of the key has made them.
    pub(crate) fn verify(self, key: &Key) -> Option<Claims> {
        key.has_signed(self.signed.as_bytes(), &self.signature).then_some(self.claims)
    }
}

impl Claims {
    /// When the assertion ends, in milliseconds. Clients send seconds as a number or as text, and
    /// the official one sends milliseconds.
    pub(crate) fn expires_ms(&self) -> Option<i64> {
        let number = match &self.exp {
            Json::Number(number) => number.as_f64()?,
            Json::String(text) => text.parse().ok()?,
            _ => return None,
        };
        // In seconds this is the year 5138.
        let ms = if number > 1e11 { number } else { number * 1_000.0 };
        ms.is_finite().then_some(ms as i64)
    }

    /// Whether it is meant for one of these.
    pub(crate) fn is_for(&self, audiences: &[&str]) -> bool {
        let fits = |aud: &Json| {
            aud.as_str().is_some_and(|aud| audiences.contains(&aud.trim_end_matches('/')))
        };
        match &self.aud {
            Json::Array(list) => list.iter().any(fits),
            one => fits(one),
        }
    }
}

/// Some clients pad, which Salesforce lets pass.
fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok()
}
