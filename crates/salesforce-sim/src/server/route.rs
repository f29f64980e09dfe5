//! Where a call goes.

use crate::data::request::Method;
use crate::server::api::Api;

/// The versions of the API that are known, without the part after the point.
pub(crate) const VERSIONS: std::ops::RangeInclusive<u32> = 31..=67;

/// The part of the simulator that answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/__sim/…`: what the simulator tells about itself.
    Inspect,
    /// `/services/oauth2/…` and `/id/…`.
    Oauth,
    /// `/services/data`.
    Versions,
    /// `/services/data/vXX.X/…`, with the version times ten.
    Data { version: u32 },
    /// A version that is not known, or a path that cannot be decoded.
    NoVersion,
    /// Somewhere below `/services` where nothing is.
    NoService,
    /// No part of the API at all.
    Nowhere,
}

impl Route {
    /// The route of a path, and what is left of the path after it.
    pub(crate) fn of(path: &[String]) -> (Route, &[String]) {
        let word = |index: usize| path.get(index).map(|word| word.to_ascii_lowercase());
        match (word(0).as_deref(), word(1).as_deref(), word(2).as_deref()) {
            (Some("__sim"), _, _) => (Route::Inspect, &path[1..]),
            (Some("services"), Some("oauth2"), _) | (Some("id"), _, _) => (Route::Oauth, path),
            (Some("services"), Some("data"), None) => (Route::Versions, &[]),
            (Some("services"), Some("data"), Some(version)) => match version_number(version) {
                Some(version) => (Route::Data { version }, &path[3..]),
                None => (Route::NoVersion, path),
            },
            (Some("services"), _, _) => (Route::NoService, path),
            _ => (Route::Nowhere, path),
        }
    }

    /// The family that faults and counters know it by.
    pub(crate) fn api(&self, method: Option<Method>, rest: &[String]) -> Api {
        match self {
            Route::Oauth => Api::Oauth,
            Route::Versions => Api::Versions,
            Route::Data { .. } if rest.is_empty() => Api::Versions,
            Route::Data { .. } => method.map_or(Api::Other, |method| Api::of(method, rest)),
            Route::Inspect | Route::NoVersion | Route::NoService | Route::Nowhere => Api::Other,
        }
    }
}

fn version_number(word: &str) -> Option<u32> {
    let (whole, point) = word.strip_prefix('v')?.split_once('.')?;
    let whole: u32 = if whole.len() == 2 { whole.parse().ok()? } else { return None };
    (point == "0" && VERSIONS.contains(&whole)).then_some(whole * 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_a_route() {
        for (path, route, rest) in [
            ("__sim/calls", Route::Inspect, "calls"),
            ("services/oauth2/token", Route::Oauth, "services/oauth2/token"),
            ("id/00D/005", Route::Oauth, "id/00D/005"),
            ("services/data", Route::Versions, ""),
            ("services/data/v62.0", Route::Data { version: 620 }, ""),
            ("Services/Data/V46.0/limits", Route::Data { version: 460 }, "limits"),
            ("services/data/v31.0/limits", Route::Data { version: 310 }, "limits"),
            ("services/data/v30.0/limits", Route::NoVersion, "services/data/v30.0/limits"),
            ("services/data/v68.0", Route::NoVersion, "services/data/v68.0"),
            ("services/data/v62", Route::NoVersion, "services/data/v62"),
            ("services/data/v62.1", Route::NoVersion, "services/data/v62.1"),
            ("services/data/v+2.0", Route::NoVersion, "services/data/v+2.0"),
            ("services/apexrest/x", Route::NoService, "services/apexrest/x"),
            ("favicon.ico", Route::Nowhere, "favicon.ico"),
        ] {
            let segments: Vec<String> = path.split('/').map(str::to_owned).collect();
            let (found, left) = Route::of(&segments);
            assert_eq!((found, left.join("/").as_str()), (route, rest), "{path}");
        }
    }
}
