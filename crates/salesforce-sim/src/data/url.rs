//! The URLs of data: of a subrequest, read as that of a call, and those that answers name.

use crate::server::path::{pairs, segments};
use crate::server::route::Route;

/// Where a version begins: `/services/data/v62.0` for 620.
pub(crate) fn version_path(version: u32) -> String {
    format!("/services/data/v{}.{}", version / 10, version % 10)
}

/// `/services/data/v62.0/sobjects/Contact?fields=Id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The version times ten, such as 620.
    pub(crate) version: u32,
    /// The segments after the version; empty ones are left out.
    pub(crate) path: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
}

impl Target {
    /// `None` if it is not below `/services/data/` and a known version, or badly encoded.
    pub(crate) fn parse(url: &str) -> Option<Target> {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let path = segments(path)?;
        match Route::of(&path) {
            (Route::Data { version }, rest) => {
                Some(Target { version, path: rest.to_vec(), query: pairs(query)? })
            }
            _ => None,
        }
    }

    /// The decoded texts that may refer to other subrequests.
    pub(super) fn texts(&self) -> impl Iterator<Item = &String> {
        self.path.iter().chain(self.query.iter().map(|(_, value)| value))
    }

    /// The same, to be filled.
    pub(super) fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.path.iter_mut().chain(self.query.iter_mut().map(|(_, value)| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_and_parameters_are_decoded() {
        let target =
            Target::parse("//services/data/v62.0/sobjects/X/E__c/a%2Fb+c/?q=a+b%20c&flag&x=%3D")
                .unwrap();
        assert_eq!(target.version, 620);
        assert_eq!(target.path, ["sobjects", "X", "E__c", "a/b+c"]);
        let query: Vec<_> = target.query.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(query, [("q", "a b c"), ("flag", ""), ("x", "=")]);
    }

    #[test]
    fn what_is_not_below_a_version_is_no_target() {
        for url in [
            "",
            "/",
            "/services",
            "/services/data",
            "/services/data/62.0/x",
            "/services/data/v62/x",
            "/services/data/v6x.0",
            "/services/data/v62.00",
            "/services/data/v+6.0",
            "/services/data/v62.0/%FF",
            "/other/data/v62.0",
        ] {
            assert_eq!(Target::parse(url), None, "{url}");
        }
    }
}
