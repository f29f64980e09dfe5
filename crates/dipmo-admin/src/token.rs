//! Tokens: `dipmo_` and 32 random bytes.
//!
//! What is kept is a plain BLAKE3 hash. A slow hash is for passwords, of which there are few enough to try; of
//! tokens there are 2^256. For the same reason a token is found by its hash, and not compared: whoever could
//! learn something from the time of a look-up would learn about a hash that they cannot choose.
//!
//! **Invariant:** a token is shown once, to who made it, and is in no print and no log.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dipmo_store::admin::TokenHash;

/// What every token begins with, so that people and scanners recognise one that leaked.
const PREFIX: &str = "dipmo_";
/// How many random bytes a token has.
pub(crate) const RANDOM_BYTES: usize = 32;
/// How many characters those are.
const CHARACTERS: usize = 43;

/// A token, whole.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// The token that is made of these bytes.
    pub(crate) fn of(random: &[u8; RANDOM_BYTES]) -> Self {
        Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random)))
    }

    /// What somebody showed, if it can be a token at all.
    pub(crate) fn shown(text: &str) -> Option<Self> {
        let random = text.strip_prefix(PREFIX)?;
        let can_be = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_one = random.len() == CHARACTERS && random.bytes().all(can_be);
        is_one.then(|| Self(text.to_owned()))
    }

    pub(crate) fn hash(&self) -> TokenHash {
        TokenHash(*blake3::hash(self.0.as_bytes()).as_bytes())
    }

    /// The text, for who made it.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_recognised_and_never_printed() {
        let token = Token::of(&[7; RANDOM_BYTES]);
        let text = token.clone().into_text();
        assert_eq!(Token::shown(&text), Some(token.clone()));
        assert_eq!(format!("{token:?} {:?}", token.hash()), "Token(…) TokenHash(…)");
        assert_ne!(token.hash(), Token::of(&[8; RANDOM_BYTES]).hash());
        for other in ["", "dipmo_", &text[1..], &text[..text.len() - 1], &format!("{text}A")] {
            assert_eq!(Token::shown(other), None, "{other}");
        }
        assert_eq!(Token::shown(&text.replace("Bw", "B ")), None);
    }
}
