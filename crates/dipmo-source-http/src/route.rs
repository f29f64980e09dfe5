//! Which path a request is for, and what it wants there.

use hyper::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::error::SourceError;
use crate::key;
use crate::refusal::Refusal;

/// What stands between a path and the key of a request.
const REQUESTS: &str = "/requests/";

/// What a key may have in a URL as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What a request wants of a path, which is told by its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Its body is to be taken.
    Post { place: usize },
    /// Where a request with this key stands.
    Ask { place: usize, key: String },
}

/// Finds the route of a request.
pub(crate) fn find<'a>(
    paths: impl Iterator<Item = &'a str> + Clone,
    method: &Method,
    path: &str,
) -> Result<Route, Refusal> {
    if let Some(place) = paths.clone().position(|known| known == path) {
        return match *method {
            Method::POST => Ok(Route::Post { place }),
            _ => Err(Refusal::wrong_method("POST")),
        };
    }
    let asked = paths.enumerate().find_map(|(place, known)| {
        let key = path.strip_prefix(known)?.strip_prefix(REQUESTS)?;
        Some((place, percent_decode_str(key).decode_utf8().ok()?.into_owned()))
    });
    match asked {
        Some((place, key)) if key::read(&key) == Some(key.as_str()) => match *method {
            Method::GET => Ok(Route::Ask { place, key }),
            _ => Err(Refusal::wrong_method("GET")),
        },
        _ => Err(Refusal::unknown_path()),
    }
}

/// Where to ask how a request stands.
pub(crate) fn link(path: &str, key: &str) -> String {
    format!("{path}{REQUESTS}{}", utf8_percent_encode(key, PLAIN))
}

/// # Errors
/// When a path cannot be found, or not be told from another.
pub(crate) fn check(path: &str) -> Result<(), SourceError> {
    let wrong = |problem: &str| {
        Err(SourceError::Path { path: path.to_owned(), problem: problem.to_owned() })
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if !path.starts_with('/') {
        return wrong("it begins with `/`");
    }
    if path.len() < 2 || path.ends_with('/') || path.contains("//") {
        return wrong("something stands behind each `/`");
    }
    if !path.chars().all(allowed) {
        return wrong("it has letters, digits, `/`, `.`, `_` and `-` only");
    }
    if path.split('/').any(|part| part == "." || part == "..") {
        return wrong("clients leave out `.` and `..`");
    }
    if format!("{path}/").contains(REQUESTS) {
        return wrong("what is behind `/requests/` is the key of a request");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(method: &Method, path: &str) -> Result<Route, Refusal> {
        find(["/orders", "/orders/publish"].into_iter(), method, path)
    }

    #[test]
    fn a_path_is_posted_to_and_asked_behind() {
        let ask = |key: &str| Ok(Route::Ask { place: 1, key: key.to_owned() });
        assert_eq!(route(&Method::POST, "/orders"), Ok(Route::Post { place: 0 }));
        assert_eq!(route(&Method::POST, "/orders/publish"), Ok(Route::Post { place: 1 }));
        assert_eq!(route(&Method::GET, "/orders/publish/requests/K-1"), ask("K-1"));
        assert_eq!(
            route(&Method::GET, &link("/orders/publish", "a/b:c ?")),
            Err(Refusal::unknown_path())
        );
        assert_eq!(route(&Method::GET, &link("/orders/publish", "a/b:c%?")), ask("a/b:c%?"));
        for (method, path, refusal) in [
            (Method::GET, "/orders", Refusal::wrong_method("POST")),
            (Method::DELETE, "/orders/requests/K-1", Refusal::wrong_method("GET")),
            (Method::POST, "/order", Refusal::unknown_path()),
            (Method::POST, "/orders/", Refusal::unknown_path()),
            (Method::GET, "/orders/requests/", Refusal::unknown_path()),
            (Method::GET, "/orders/requests/%ff", Refusal::unknown_path()),
        ] {
            assert_eq!(route(&method, path), Err(refusal), "{method} {path}");
        }
    }

    #[test]
    fn a_path_that_nobody_could_post_to_is_refused() {
        for path in ["/orders", "/v1/orders.publish", "/a_b-c"] {
            assert!(check(path).is_ok(), "{path}");
        }
        for path in [
            "orders",
            "/",
            "",
            "/orders/",
            "//orders",
            "/a b",
            "/a:b",
            "/a/../b",
            "/x/requests/y",
            "/x/requests",
        ] {
            assert!(check(path).is_err(), "{path}");
        }
    }
}
