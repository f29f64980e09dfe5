//! `/services/data`: the versions, and what a version has.

use serde_json::{Value as Json, json};

use crate::data::url::version_path;
use crate::server::answer::Answer;
use crate::server::call::Call;
use crate::server::route::VERSIONS;

/// All versions, the oldest first. This one call needs no session.
pub(crate) fn all() -> Answer {
    let versions: Vec<Json> = VERSIONS
        .map(|version| {
            json!({
                "label": label(version),
                "url": version_path(version * 10),
                "version": format!("{version}.0"),
            })
        })
        .collect();
    Answer::json(200, Json::Array(versions))
}

/// What a version is called: there are three in a year, and 31.0 was Summer '14.
fn label(version: u32) -> String {
    let releases = version.saturating_sub(31);
    let season = ["Summer", "Winter", "Spring"][releases as usize % 3];
    format!("{season} '{}", 14 + releases.div_ceil(3))
}

/// What there is below a version.
pub(crate) fn resources(call: &Call) -> Answer {
    let base = version_path(call.version);
    let names = ["sobjects", "query", "queryAll", "composite", "limits", "jobs"];
    let resources = names.map(|name| (name.to_owned(), json!(format!("{base}/{name}"))));
    let identity = ("identity".to_owned(), json!(call.identity));
    Answer::json(200, Json::Object(resources.into_iter().chain([identity]).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_the_names_of_seasons() {
        for (version, expected) in [
            (31, "Summer '14"),
            (32, "Winter '15"),
            (46, "Summer '19"),
            (47, "Winter '20"),
            (48, "Spring '20"),
            (49, "Summer '20"),
            (62, "Winter '25"),
            (67, "Summer '26"),
        ] {
            assert_eq!(label(version), expected);
        }
    }
}
