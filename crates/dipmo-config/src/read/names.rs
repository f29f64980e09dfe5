//! Names: what a name looks like tells what it names.

use std::fmt;
use std::ops::Deref;

use serde_json::{Value, json};

use super::{MapKey, Read, invalid};
use crate::node::Node;
use crate::schema::Schemas;
use crate::{Place, Problems};

macro_rules! name {
    ($(#[doc = $doc:literal])+ $type:ident, $capitals:literal, $valid:expr, $what:literal, $example:literal, $pattern:literal) => {
        $(#[doc = $doc])+
        #[derive(Clone)]
        pub struct $type {
            text: String,
            /// Where it stands.
            pub place: Place,
        }

        impl $type {
            fn checked(text: &str, place: Place, problems: &mut Problems) -> Option<Self> {
                let valid: fn(&str) -> bool = $valid;
                if valid(text) {
                    return Some(Self { text: text.to_owned(), place });
                }
                let message = format!(concat!("`{}` is not ", $what), crate::node::cut(text));
                let near = respelled(text, $capitals).filter(|near| valid(near));
                let near = near.as_deref().unwrap_or($example);
                problems.push(invalid(place, message).hint(format!("such as `{near}`")));
                None
            }

            /// The name.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.text
            }
        }

        impl Deref for $type {
            type Target = str;

            fn deref(&self) -> &str {
                &self.text
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.text, f)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.text)
            }
        }

        impl Read for $type {
            fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
                let text = super::text::text(node, problems)?;
                Self::checked(&text.text, node.place, problems)
            }

            fn takes_text() -> bool {
                true
            }

            fn schema(_: &mut Schemas) -> Value {
                json!({"type": "string", "pattern": $pattern})
            }
        }

        impl MapKey for $type {
            fn read_key(text: &str, place: Place, problems: &mut Problems) -> Option<Self> {
                Self::checked(text, place, problems)
            }

            fn pattern() -> &'static str {
                $pattern
            }

            fn as_str(&self) -> &str {
                &self.text
            }
        }
    };
}

name! {
    /// A name in capitals, as of tables, columns, states and processes.
    Upper,
    true,
    |text| upper(text),
    "a name in capitals",
    "HIT_ID",
    "^[A-Z][A-Z0-9_]{0,62}$"
}

name! {
    /// A name in small letters that an expression can say, as of facts, actions and queries.
    Lower,
    false,
    |text| lower(text),
    "a name in small letters",
    "open_hits",
    "^[a-z_][A-Za-z0-9_]{0,62}$"
}

name! {
    /// Any name that is not empty, as of topics, events and fields.
    Name,
    false,
    |text| !text.is_empty() && text.len() <= 200 && !text.chars().any(char::is_control),
    "a name of 1 to 200 characters",
    "orders",
    "^.{1,200}$"
}

name! {
    /// The path of a URL, as of what can be posted to.
    UrlPath,
    false,
    |text| url_path(text),
    "a path of letters, digits, `.`, `_` and `-` behind each `/`",
    "/orders/publish",
    "^(/[A-Za-z0-9._-]+)+$"
}

/// No name of a database is longer.
const LONGEST: usize = 63;

/// A name in the other spelling: `hitId` is `HIT_ID`, and `Open-Hits` is `open_hits`.
fn respelled(text: &str, capitals: bool) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let mut out = String::new();
    let mut after_small = false;
    for c in text.chars() {
        if c.is_uppercase() && after_small {
            out.push('_');
        }
        out.push(if c.is_alphanumeric() { c } else { '_' });
        after_small = c.is_lowercase() || c.is_ascii_digit();
    }
    Some(if capitals { out.to_uppercase() } else { out.to_lowercase() })
}

fn upper(text: &str) -> bool {
    let others = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.len() <= LONGEST
        && text.chars().all(others)
}

fn url_path(text: &str) -> bool {
    let others = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let part = |part: &str| !part.is_empty() && part.chars().all(others);
    text.strip_prefix('/').is_some_and(|rest| rest.split('/').all(part)) && text.len() <= 200
}

fn lower(text: &str) -> bool {
    let others = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && text.len() <= LONGEST
        && text.chars().all(others)
}
