//! A request to the API, as both ways of asking send it.

use std::fmt::Write as _;

use hyper::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Below this are all paths.
const BASE: &str = "/api/v1";

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The path with its query, safe to be sent.
    pub(crate) path: String,
    /// JSON, as it is sent.
    pub(crate) body: Option<String>,
    has_query: bool,
}

impl Request {
    /// Asks to see what is at a path, which is given in its parts.
    pub(crate) fn get(parts: &[&str]) -> Self {
        Self::new(Method::GET, parts, None)
    }

    /// Asks for something to be done.
    pub(crate) fn post(parts: &[&str], body: &Value) -> Self {
        Self::post_written(parts, body.to_string())
    }

    /// The same, with JSON that is sent to the letter.
    pub(crate) fn post_written(parts: &[&str], body: String) -> Self {
        Self::new(Method::POST, parts, Some(body))
    }

    /// Asks for something to be taken away.
    pub(crate) fn delete(parts: &[&str]) -> Self {
        Self::new(Method::DELETE, parts, None)
    }

    fn new(method: Method, parts: &[&str], body: Option<String>) -> Self {
        let mut path = BASE.to_owned();
        for part in parts {
            // Writing to a String cannot fail, here and below.
            let _ = write!(path, "/{}", utf8_percent_encode(part, NON_ALPHANUMERIC));
        }
        Self { method, path, body, has_query: false }
    }

    /// With a word of the query, when there is something to say.
    pub(crate) fn with(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            let sign = if self.has_query { '&' } else { '?' };
            let value = value.to_string();
            let _ =
                write!(self.path, "{sign}{name}={}", utf8_percent_encode(&value, NON_ALPHANUMERIC));
            self.has_query = true;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_changes_what_is_asked_for() {
        let request = Request::get(&["processes", "HIT/..", "instances", "a?b"])
            .with("text", Some("a&b=c d"))
            .with("code", None::<String>)
            .with("limit", Some(5));
        let expected = "/api/v1/processes/HIT%2F%2E%2E/instances/a%3Fb?text=a%26b%3Dc%20d&limit=5";
        assert_eq!(request.path, expected);
    }
}
