//! Who may post: whoever shows a token, whoever has a certificate, or anyone.

use std::fmt;

use blake3::Hash;
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;

use crate::error::SourceError;
use crate::refusal::Refusal;

/// The shortest token: what is shorter can be guessed.
const SHORTEST: usize = 16;

/// The name of a client where nobody has to tell theirs.
const ANYONE: &str = "anyone";

/// Who may post. There is no default: whoever wants an open door says so.
#[derive(Clone, Debug)]
pub enum Auth {
    /// Clients with a bearer token each.
    Tokens(Tokens),
    /// Clients with a certificate that the authority of [`Tls`](crate::Tls) signed, by the DNS names in it.
    Certificates {
        /// The names that may post. A certificate with several of them is the first of these; empty is
        /// every name that the authority signed, if it is the only one in its certificate.
        clients: Vec<String>,
    },
    /// Anyone who can reach the port.
    Anyone,
}

/// Tokens by client. What is kept are hashes: no print and no dump of memory has a token.
#[derive(Clone, Default)]
pub struct Tokens(Vec<(String, Hash)>);

impl Tokens {
    /// Lets a client in with a token. A client may have several, so that one can be replaced without
    /// a gap.
    ///
    /// # Errors
    /// When the name could be taken for another, or the token can be guessed or is another's.
    pub fn add(&mut self, client: &str, token: &str) -> Result<(), SourceError> {
        let wrong = |problem: &str| SourceError::Token {
            client: client.to_owned(),
            problem: problem.to_owned(),
        };
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if client.is_empty() || !client.chars().all(named) {
            return Err(wrong("a name has letters, digits, '.', '_' and '-' only"));
        }
        if token.len() < SHORTEST {
            return Err(wrong("it has less than 16 characters and can be guessed"));
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong("it has characters that no header can carry"));
        }
        let hash = blake3::hash(token.as_bytes());
        if self.0.iter().any(|(other, known)| other != client && *known == hash) {
            return Err(wrong("another client has the same"));
        }
        self.0.push((client.to_owned(), hash));
        Ok(())
    }

    /// Comparing hashes takes as long whatever is in them, and everybody is compared.
    fn client(&self, token: &str) -> Option<&str> {
        let shown = blake3::hash(token.as_bytes());
        let mut found = None;
        for (client, hash) in &self.0 {
            if *hash == shown {
                found = Some(client.as_str());
            }
        }
        found
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(client, _)| client)).finish()
    }
}

impl Auth {
    /// With names as they are compared.
    pub(crate) fn in_lower_case(self) -> Self {
        match self {
            Self::Certificates { clients } => {
                let clients = clients.iter().map(|name| name.to_ascii_lowercase()).collect();
                Self::Certificates { clients }
            }
            other => other,
        }
    }

    /// The client behind a request, if it may post. `certified` are the names in its certificate.
    pub(crate) fn client(
        &self,
        headers: &HeaderMap,
        certified: &[String],
    ) -> Result<String, Refusal> {
        match self {
            Self::Anyone => Ok(ANYONE.to_owned()),
            Self::Tokens(tokens) => {
                let shown = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
                let token = shown.and_then(bearer);
                let client = token.and_then(|token| tokens.client(token));
                client.map(str::to_owned).ok_or_else(Refusal::unauthorized)
            }
            Self::Certificates { clients } => {
                named(clients, certified).cloned().ok_or_else(Refusal::forbidden)
            }
        }
    }
}

/// The name of a client among those of its certificate. Their order tells nothing: a certificate that is
/// renewed may have another, and the same key would then be another's.
fn named<'a>(clients: &'a [String], certified: &'a [String]) -> Option<&'a String> {
    if clients.is_empty() {
        let first = certified.first()?;
        return certified.iter().all(|name| name == first).then_some(first);
    }
    clients.iter().find(|client| certified.contains(client))
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn shown(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))])
    }

    fn tokens() -> Auth {
        let mut tokens = Tokens::default();
        tokens.add("shop", "token-of-the-shop").unwrap();
        tokens.add("shop", "next-token-of-the-shop").unwrap();
        tokens.add("till", "token-of-the-till").unwrap();
        Auth::Tokens(tokens)
    }

    #[test]
    fn a_token_tells_its_client() {
        for (value, client) in [
            ("Bearer token-of-the-shop", Some("shop")),
            ("bearer next-token-of-the-shop", Some("shop")),
            ("Bearer token-of-the-till", Some("till")),
            ("Bearer token-of-the-tilL", None),
            ("Basic token-of-the-shop", None),
            ("token-of-the-shop", None),
            ("Bearer ", None),
        ] {
            let found = tokens().client(&shown(value), &["shop".to_owned()]).ok();
            assert_eq!(found.as_deref(), client, "{value}");
        }
        assert!(tokens().client(&HeaderMap::new(), &[]).is_err());
    }

    #[test]
    fn a_token_that_is_no_secret_is_refused() {
        let mut tokens = Tokens::default();
        tokens.add("shop", "token-of-the-shop").unwrap();
        for (client, token) in [
            ("till", "token-of-the-shop"),
            ("till", "short"),
            ("till", "token with spaces in it"),
            ("a:b", "token-of-somebody-else"),
            ("", "token-of-somebody-else"),
        ] {
            let said = tokens.add(client, token).unwrap_err().to_string();
            assert!(!said.contains(token), "{said}");
        }
    }

    #[test]
    fn no_print_has_a_token() {
        assert_eq!(format!("{:?}", tokens()), r#"Tokens(["shop", "shop", "till"])"#);
    }

    #[test]
    fn a_certificate_counts_by_a_name_that_may_post() {
        let client = |clients: &[&str], names: &[&str]| {
            let [clients, names] = [clients, names]
                .map(|all| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
            let auth = Auth::Certificates { clients }.in_lower_case();
            auth.client(&HeaderMap::new(), &names).ok()
        };
        let known = ["Shop.example", "till.example"];
        for names in [["till.example", "shop.example"], ["shop.example", "till.example"]] {
            assert_eq!(client(&known, &names).as_deref(), Some("shop.example"));
            assert_eq!(client(&[], &names), None, "one of two names would be a guess");
        }
        assert_eq!(client(&known, &["x.example", "till.example"]).as_deref(), Some("till.example"));
        assert_eq!(client(&known, &["x.example"]), None);
        assert_eq!(client(&[], &["x.example"; 2]).as_deref(), Some("x.example"));
        assert_eq!(client(&[], &[]), None, "a certificate without a name");
    }
}
