//! Texts: plain ones, those that may come from outside, and those that must.

use std::fmt;

use serde_json::{Value, json};

use super::{Read, scalar, wrong_type};
use crate::node::{Kind, Node, Scalar, ScalarKind};
use crate::problem::{Problem, codes};
use crate::schema::{self, Schemas};
use crate::{Place, Problems};

impl Read for String {
    fn takes_text() -> bool {
        true
    }

    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        text(node, problems).map(|scalar| scalar.text.clone())
    }

    fn schema(_: &mut Schemas) -> Value {
        json!({"type": "string"})
    }
}

/// A scalar that is a text. A plain number is none: `62.10` would become `62.1` elsewhere.
pub(crate) fn text<'a>(node: &'a Node, problems: &mut Problems) -> Option<&'a Scalar> {
    let scalar = scalar(node, "a text", "\"some text\"", problems)?;
    if scalar.reference.is_some() || scalar.kind() == ScalarKind::Text {
        return Some(scalar);
    }
    let message = format!("expected a text, found {}", node.described());
    let hint = format!("put it in quotes: `\"{}\"`", scalar.text);
    problems.push(Problem::error(codes::WRONG_TYPE, node.place, message).hint(hint));
    None
}

/// A text that may hold `${env:NAME}`, `${env:NAME:-default}` or `${file:/path}`. What it says then is in
/// no print.
#[derive(Clone)]
pub struct Template {
    text: String,
    /// What was written, where that holds a reference.
    written: Option<String>,
    /// Where it stands.
    pub place: Place,
}

impl Template {
    /// What it says, references resolved. Not to be shown to anybody when [`Template::is_reference`].
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// True when something of it came from outside of the file.
    #[must_use]
    pub fn is_reference(&self) -> bool {
        self.written.is_some()
    }

    fn of(scalar: &Scalar, place: Place) -> Self {
        Self { text: scalar.text.clone(), written: scalar.reference.clone(), place }
    }
}

/// Shows what was written, never what it stands for.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.written.as_ref().unwrap_or(&self.text))
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl Read for Template {
    fn takes_text() -> bool {
        true
    }

    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        text(node, problems).map(|scalar| Self::of(scalar, node.place))
    }

    fn schema(_: &mut Schemas) -> Value {
        json!({"type": "string"})
    }
}

/// A secret: it must come from outside of the file.
#[derive(Clone, Debug)]
pub struct Secret(Template);

impl Secret {
    /// The secret itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    /// Where it stands.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.0.place
    }
}

impl Read for Secret {
    fn takes_text() -> bool {
        true
    }

    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.kind {
            Kind::Scalar(scalar) if scalar.reference.is_some() => {
                return Some(Self(Template::of(scalar, node.place)));
            }
            Kind::Scalar(_) if node.is_null() => {
                wrong_type(node, "a reference", "${env:NAME}", problems);
                return None;
            }
            _ => {}
        }
        problems.push(literal_secret(node.place, "a secret is written into the file"));
        None
    }

    fn schema(_: &mut Schemas) -> Value {
        schema::reference()
    }
}

/// A URL that must come from outside of the file when there is a password in it.
#[derive(Clone, Debug)]
pub struct SecretUrl(Template);

impl SecretUrl {
    /// The URL itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }

    /// Where it stands.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.0.place
    }
}

impl Read for SecretUrl {
    fn takes_text() -> bool {
        true
    }

    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let url = Template::read(node, problems)?;
        if !url.is_reference() && has_password(url.expose()) {
            problems.push(literal_secret(node.place, "a password is written into the file"));
            return None;
        }
        Some(Self(url))
    }

    fn schema(_: &mut Schemas) -> Value {
        json!({"type": "string", "examples": ["${env:DATABASE_URL}"]})
    }
}

/// `scheme://user:password@…`, or `password=…` among words.
fn has_password(url: &str) -> bool {
    let user = url.split_once("://").and_then(|(_, rest)| rest.rsplit_once('@'));
    user.is_some_and(|(user, _)| user.split('/').next().is_some_and(|user| user.contains(':')))
        || url.to_ascii_lowercase().contains("password=")
}

pub(crate) fn literal_secret(place: Place, message: &str) -> Problem {
    Problem::error(codes::SECRET_LITERAL, place, message)
        .hint("name where it is: `${env:NAME}` or `${file:/path}`")
        .hide(place)
}

/// Any scalar as it is written, such as the value of a property of librdkafka.
#[derive(Clone, Debug)]
pub struct Written(pub Template);

impl Read for Written {
    fn takes_text() -> bool {
        true
    }

    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let scalar = scalar(node, "a text, a number, or true or false", "10", problems)?;
        if scalar.reference.is_none() && matches!(scalar.kind(), ScalarKind::Null) {
            wrong_type(node, "a text, a number, or true or false", "10", problems);
            return None;
        }
        Some(Self(Template::of(scalar, node.place)))
    }

    fn schema(_: &mut Schemas) -> Value {
        json!({"type": ["string", "number", "boolean"]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_a_url_is_found() {
        for url in
            ["postgres://u:p@h/db", "postgres://u:p%40@h", "host=h password=x", "host=h PASSWORD=x"]
        {
            assert!(has_password(url), "{url}");
        }
        for url in ["postgres://u@h:5432/db", "postgres://h/db?x=a:b@c", "sqlite:./a.db", "host=h"]
        {
            assert!(!has_password(url), "{url}");
        }
    }
}
