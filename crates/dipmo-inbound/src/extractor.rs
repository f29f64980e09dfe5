//! One place to look at.

use std::fmt;
use std::str::FromStr;

use crate::Pointer;

/// Where a field may stand in a record.
///
/// ```text
/// header:<name>   the last header of that name, if it is text
/// json:/<path>    a JSON pointer into the value: a string, a number or a truth, as written
/// key             the record's key, if it is text
/// const:<text>    always this
/// ```
///
/// An empty text is nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Extractor {
    /// A header.
    Header(String),
    /// A place in the value.
    Json(Pointer),
    /// The key.
    Key,
    /// A constant.
    Const(String),
}

impl fmt::Display for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(f, "header:{name}"),
            Self::Json(pointer) => write!(f, "json:{pointer}"),
            Self::Key => f.write_str("key"),
            Self::Const(text) => write!(f, "const:{text}"),
        }
    }
}

impl FromStr for Extractor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').map_or((text, None), |(k, r)| (k, Some(r)));
        match (kind, rest) {
            ("header", None | Some("")) => Err("the name of the header is missing".to_owned()),
            ("header", Some(name)) => Ok(Self::Header(name.to_owned())),
            ("json", None | Some("")) => Err("the JSON pointer is missing".to_owned()),
            ("json", Some(pointer)) => pointer.parse().map(Self::Json),
            ("key", None) => Ok(Self::Key),
            ("key", Some(_)) => Err("a record has one key: write key alone".to_owned()),
            ("const", None | Some("")) => Err("the constant is missing".to_owned()),
            ("const", Some(text)) => Ok(Self::Const(text.to_owned())),
            _ => Err(format!("{kind:?} is no place to look at")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["header:ce_id", "header:a:b", "json:/payload/eventId", "key", "const:ihub"] {
            assert_eq!(text.parse::<Extractor>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, problem) in [
            ("", "\"\" is no place"),
            ("Header:x", "\"Header\" is no place"),
            ("header", "the name of the header"),
            ("header:", "the name of the header"),
            ("json:", "the JSON pointer is missing"),
            ("json:a", "a JSON pointer begins with '/'"),
            ("key:x", "a record has one key"),
            ("const:", "the constant is missing"),
        ] {
            let said = text.parse::<Extractor>().unwrap_err();
            assert!(said.starts_with(problem), "{text:?}: {said}");
        }
    }
}
