//! Paths and queries, decoded.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The decoded segments of a path. Empty ones are left out: clients send `//` and a last `/`, and
/// Salesforce does not mind. `None`: it is not valid UTF-8 once decoded.
pub(crate) fn segments(path: &str) -> Option<Vec<String>> {
    path.split('/').filter(|segment| !segment.is_empty()).map(decoded).collect()
}

/// The decoded pairs of a query or of a form, in which `+` is a space.
pub(crate) fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let pair = |text: &str| {
        let text = text.replace('+', " ");
        let (name, value) = text.split_once('=').unwrap_or((&text, ""));
        Some((decoded(name)?, decoded(value)?))
    };
    query.split('&').filter(|text| !text.is_empty()).map(pair).collect()
}

/// The value of the first pair of that name.
pub(crate) fn value<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_decoded_segment_by_segment() {
        for (path, expected) in [
            ("//services/data/", Some(vec!["services", "data"])),
            ("/sobjects/X/E__c/a%2Fb%20c+d", Some(vec!["sobjects", "X", "E__c", "a/b c+d"])),
            ("/", Some(vec![])),
            ("/%ff", None),
            // A percent sign that begins nothing stands for itself.
            ("/100%", Some(vec!["100%"])),
        ] {
            let expected = expected.map(|list| list.into_iter().map(str::to_owned).collect());
            assert_eq!(segments(path), expected, "{path}");
        }
    }

    #[test]
    fn a_plus_in_a_query_is_a_space() {
        let found = pairs("q=SELECT+Id%20FROM&&x&y=a%3Db=c").unwrap();
        assert_eq!(value(&found, "q"), Some("SELECT Id FROM"));
        assert_eq!(value(&found, "x"), Some(""));
        assert_eq!(value(&found, "y"), Some("a=b=c"));
        assert_eq!(value(&found, "z"), None);
        assert_eq!(pairs("q=%ff"), None);
    }
}
