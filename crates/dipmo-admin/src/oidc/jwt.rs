//! A JWT as somebody shows it (RFC 7515, RFC 7519): its three parts, before anything of it is believed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// The longest token that is looked at: some issuers name every group of a person in it.
const LONGEST: usize = 16 << 10;

/// How a token may be signed. There is no `none`, and nothing with a secret that both sides have: whoever knows the
/// public key of an issuer could sign with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Ps256,
    Es256,
    EdDsa,
}

impl Algorithm {
    /// As a header or a key names it.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "PS256" => Some(Self::Ps256),
            "ES256" => Some(Self::Es256),
            "EdDSA" | "Ed25519" => Some(Self::EdDsa),
            _ => None,
        }
    }
}

/// A token that has the shape of one.
pub(super) struct Jwt<'a> {
    pub(super) algorithm: Algorithm,
    /// Which key it says that it is signed with.
    pub(super) kid: Option<String>,
    /// What is signed.
    pub(super) signed: &'a [u8],
    pub(super) signature: Vec<u8>,
    payload: &'a str,
}

/// What is read of a header. That it may name keys itself is of no interest here.
#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<IgnoredAny>,
}

/// Whether a text has the shape of a JWT: three parts with points between.
pub(crate) fn looks_like_one(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// The parts of a token; `None` when it cannot be one that is good.
pub(super) fn read(text: &str) -> Option<Jwt<'_>> {
    if text.len() > LONGEST || !looks_like_one(text) {
        return None;
    }
    let (signed, signature) = text.rsplit_once('.')?;
    let (header, payload) = signed.split_once('.')?;
    let header: Header = serde_json::from_slice(&decoded(header)?).ok()?;
    // Whoever says that something must be understood means something that is not understood here.
    if header.crit.is_some() || !header.typ.as_deref().is_none_or(is_access) {
        return None;
    }
    Some(Jwt {
        algorithm: Algorithm::named(&header.alg)?,
        kid: header.kid,
        signed: signed.as_bytes(),
        signature: decoded(signature)?,
        payload,
    })
}

/// Whether tokens of this type are for letting somebody in: an issuer signs others with the same keys.
fn is_access(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    matches!(kind.trim_start_matches("application/"), "jwt" | "at+jwt")
}

fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}

impl Jwt<'_> {
    /// What it says, which is worth as much as its signature.
    pub(super) fn claims(&self) -> Option<Map<String, Value>> {
        serde_json::from_slice(&decoded(self.payload)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn token(header: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        format!(
            "{}.{}.{}",
            part(header),
            part(&json!({"sub": "jane"})),
            URL_SAFE_NO_PAD.encode("s")
        )
    }

    #[test]
    fn only_what_could_be_good_is_read() {
        let good = token(&json!({"alg": "RS256", "kid": "a", "typ": "at+jwt", "jku": "http://x"}));
        let read_one = read(&good).unwrap();
        assert_eq!((read_one.algorithm, read_one.kid.as_deref()), (Algorithm::Rs256, Some("a")));
        assert_eq!(read_one.claims().unwrap()["sub"], "jane");
        for header in [
            json!({"alg": "none"}),
            json!({"alg": "None"}),
            json!({"alg": "HS256"}),
            json!({"alg": "rs256"}),
            json!({"alg": "RS1"}),
            json!({"alg": 1}),
            json!({"kid": "a"}),
            json!({"alg": "RS256", "crit": ["b64"], "b64": false}),
            json!({"alg": "RS256", "typ": "logout+jwt"}),
            json!(["RS256"]),
        ] {
            assert!(read(&token(&header)).is_none(), "{header}");
        }
        for (wrong, why) in [
            (String::new(), "nothing"),
            ("..".to_owned(), "no parts"),
            (good.replace('.', ""), "one part"),
            (format!("{good}="), "padded"),
            (format!("{good}.{good}"), "six parts"),
            (format!("{good}\u{e9}"), "no base64"),
            (format!("{good}{}", "A".repeat(LONGEST)), "too long"),
        ] {
            assert!(read(&wrong).is_none(), "{why}");
        }
    }

    #[test]
    fn a_shape_is_seen_without_reading() {
        assert!(looks_like_one("a.b.c") && looks_like_one(".."));
        assert!(
            !looks_like_one("a.b") && !looks_like_one("dipmo_AAA") && !looks_like_one("a.b.c.d.e")
        );
    }
}
