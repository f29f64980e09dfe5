//! JSON pointers (RFC 6901): where in a payload something stands.

use std::fmt;
use std::str::FromStr;

use dipmo_domain::MAX_JSON_DEPTH;

/// A path such as `/payload/eventId` or `/members/0/id`; `~1` is a slash in a name, `~0` a tilde.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    text: String,
    tokens: Vec<String>,
}

impl Pointer {
    /// The names and places to step through.
    pub(crate) fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// The pointer to a field at the top of an object.
    pub(crate) fn to_field(name: &str) -> Self {
        Self { text: format!("/{name}"), tokens: vec![name.to_owned()] }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Pointer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(path) = text.strip_prefix('/') else {
            return Err(format!("a JSON pointer begins with '/', as in json:/{text}"));
        };
        let tokens = path.split('/').map(token).collect::<Result<Vec<_>, _>>()?;
        if tokens.len() > MAX_JSON_DEPTH {
            return Err(format!("no payload is deeper than {MAX_JSON_DEPTH} levels"));
        }
        Ok(Self { text: text.to_owned(), tokens })
    }
}

fn token(text: &str) -> Result<String, String> {
    let bare = text.replace("~0", "").replace("~1", "");
    if bare.contains('~') {
        return Err(format!("in {text:?} a '~' stands alone; write ~0 for '~' and ~1 for '/'"));
    }
    Ok(text.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        text.parse::<Pointer>().unwrap().tokens
    }

    #[test]
    fn steps_are_read_as_the_rfc_says() {
        assert_eq!(tokens("/a/0/b"), ["a", "0", "b"]);
        assert_eq!(tokens("/a~1b/m~0n/~01"), ["a/b", "m~n", "~1"]);
        assert_eq!(tokens("/"), [""]);
        assert_eq!("/a~1b".parse::<Pointer>().unwrap().to_string(), "/a~1b");
    }

    #[test]
    fn a_broken_pointer_says_what_would_be_right() {
        assert!("a/b".parse::<Pointer>().unwrap_err().contains("json:/a/b"));
        assert!("/a~2".parse::<Pointer>().unwrap_err().contains("~0 for '~'"));
        assert!("/a~".parse::<Pointer>().is_err());
        assert!("/a".repeat(129).parse::<Pointer>().is_err());
    }
}
