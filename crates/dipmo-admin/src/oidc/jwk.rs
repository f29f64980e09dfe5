//! The keys of an issuer (RFC 7517).
//!
//! Keys of kinds that are not known are passed over, as the standard wants it: an issuer may have others beside them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
    RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::Value;

use super::jwt::{Algorithm, Jwt};

/// So many keys of an issuer are looked at; none has so many.
const MOST: usize = 100;

/// Keys that can be used.
#[derive(Clone)]
pub(super) struct KeySet(Vec<Key>);

#[derive(Clone)]
struct Key {
    kid: Option<String>,
    /// What it says that it is for.
    algorithm: Option<Algorithm>,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// A point, uncompressed.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Deserialize)]
struct WrittenSet {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct Written {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    r#use: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl KeySet {
    /// The keys of a document.
    ///
    /// # Errors
    /// What is wrong with it; nothing of it is repeated.
    pub(super) fn read(document: &[u8]) -> Result<Self, &'static str> {
        let set: WrittenSet =
            serde_json::from_slice(document).map_err(|_| "what it says is no set of keys")?;
        let written = set.keys.into_iter().take(MOST);
        let written = written.filter_map(|key| serde_json::from_value::<Written>(key).ok());
        let keys: Vec<Key> = written.filter_map(|key| Key::of(&key)).collect();
        if keys.is_empty() {
            Err("it has no key for RS256, PS256, ES256 or EdDSA")
        } else {
            Ok(Self(keys))
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether a token could be signed with one of these keys.
    pub(super) fn has_key_of(&self, token: &Jwt<'_>) -> bool {
        self.key_of(token).is_some()
    }

    /// Whether a token is signed with one of these keys.
    pub(super) fn signed(&self, token: &Jwt<'_>) -> bool {
        self.key_of(token).is_some_and(|key| key.signed(token))
    }

    /// The key that a token names. One that names none is meant for the only one that there is.
    fn key_of(&self, token: &Jwt<'_>) -> Option<&Key> {
        let mut fitting = self.0.iter().filter(|key| key.fits(token.algorithm));
        if token.kid.is_some() {
            return fitting.find(|key| key.kid == token.kid);
        }
        let only = fitting.next()?;
        fitting.next().is_none().then_some(only)
    }
}

/// Nothing of a key is printed.
impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeySet({})", self.0.len())
    }
}

impl Key {
    fn of(written: &Written) -> Option<Self> {
        if written.r#use.as_deref().is_some_and(|usage| usage != "sig") {
            return None;
        }
        let kind = match (written.kty.as_str(), written.crv.as_deref()) {
            ("RSA", _) => {
                Kind::Rsa { n: number(written.n.as_deref())?, e: number(written.e.as_deref())? }
            }
            ("EC", Some("P-256")) => {
                let (x, y) = (bytes(written.x.as_deref())?, bytes(written.y.as_deref())?);
                // Of a point with other lengths a part could be taken for the other.
                let fits = x.len() == 32 && y.len() == 32;
                Kind::P256(fits.then(|| [&[4], &x[..], &y[..]].concat())?)
            }
            ("OKP", Some("Ed25519")) => Kind::Ed25519(bytes(written.x.as_deref())?),
            _ => return None,
        };
        let algorithm = match written.alg.as_deref() {
            Some(name) => Some(Algorithm::named(name)?),
            None => None,
        };
        Some(Self { kid: written.kid.clone(), algorithm, kind })
    }

    /// Whether this key may be used so: as it says itself, and as its kind allows.
    fn fits(&self, algorithm: Algorithm) -> bool {
        let by_kind = matches!(
            (&self.kind, algorithm),
            (Kind::Rsa { .. }, Algorithm::Rs256 | Algorithm::Ps256)
                | (Kind::P256(_), Algorithm::Es256)
                | (Kind::Ed25519(_), Algorithm::EdDsa)
        );
        by_kind && self.algorithm.is_none_or(|said| said == algorithm)
    }

    fn signed(&self, token: &Jwt<'_>) -> bool {
        let (signed, signature) = (token.signed, &token.signature);
        let checked = match &self.kind {
            Kind::Rsa { n, e } => {
                let parameters = match token.algorithm {
                    Algorithm::Ps256 => &RSA_PSS_2048_8192_SHA256,
                    _ => &RSA_PKCS1_2048_8192_SHA256,
                };
                RsaPublicKeyComponents { n, e }.verify(parameters, signed, signature)
            }
            Kind::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature)
            }
            Kind::Ed25519(point) => {
                UnparsedPublicKey::new(&ED25519, point).verify(signed, signature)
            }
        };
        checked.is_ok()
    }
}

fn bytes(text: Option<&str>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text?).ok()
}

/// A number without the zeros that some write before it.
fn number(text: Option<&str>) -> Option<Vec<u8>> {
    let mut number = bytes(text)?;
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.drain(..zeros);
    Some(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(keys: &Value) -> Result<usize, &'static str> {
        KeySet::read(json!({"keys": keys}).to_string().as_bytes()).map(|keys| keys.len())
    }

    #[test]
    fn keys_that_can_be_used_are_kept_and_others_passed_over() {
        let half = URL_SAFE_NO_PAD.encode([7; 32]);
        let rsa = json!({"kty": "RSA", "kid": "a", "use": "sig", "n": half, "e": "AQAB"});
        let point = json!({"kty": "EC", "crv": "P-256", "x": half, "y": half, "alg": "ES256"});
        let edwards = json!({"kty": "OKP", "crv": "Ed25519", "x": half});
        assert_eq!(set(&json!([rsa, point, edwards])), Ok(3));
        let others = json!([
            rsa,
            {"kty": "oct", "k": half, "alg": "HS256"},
            {"kty": "RSA", "use": "enc", "n": half, "e": "AQAB"},
            {"kty": "RSA", "alg": "HS256", "n": half, "e": "AQAB"},
            {"kty": "RSA", "n": half},
            {"kty": "EC", "crv": "P-256", "x": half, "y": "AQ"},
            {"kty": "EC", "crv": "P-521", "x": half, "y": half},
            {"kid": 7},
            "key",
        ]);
        assert_eq!(set(&others), Ok(1));
        assert!(set(&json!([])).is_err() && set(&json!({})).is_err());
        assert!(KeySet::read(b"<html>").is_err());
    }

    #[test]
    fn nothing_of_a_key_is_printed() {
        let document =
            json!({"keys": [{"kty": "RSA", "kid": "secret-kid", "n": "AQ", "e": "AQAB"}]});
        let keys = KeySet::read(document.to_string().as_bytes()).unwrap();
        assert_eq!(format!("{keys:?}"), "KeySet(1)");
    }
}
