//! The URL of a REST request, decoded.

use percent_encoding::percent_decode_str;

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
    /// `None` if it is not below `/services/data/vNN.N/`, or badly encoded.
    pub(crate) fn parse(url: &str) -> Option<Target> {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let mut segments = path.split('/').filter(|segment| !segment.is_empty());
        if !segments.next()?.eq_ignore_ascii_case("services")
            || !segments.next()?.eq_ignore_ascii_case("data")
        {
            return None;
        }
        let version = version(segments.next()?)?;
        let path = segments.map(|segment| decode(segment, false)).collect::<Option<_>>()?;
        let query = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Some((decode(name, true)?, decode(value, true)?))
            })
            .collect::<Option<_>>()?;
        Some(Target { version, path, query })
    }
}

/// `v62.0` as 620.
fn version(segment: &str) -> Option<u32> {
    let (major, minor) = segment.strip_prefix(['v', 'V'])?.split_once('.')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if minor.len() != 1 || major.len() > 3 || !digits(major) || !digits(minor) {
        return None;
    }
    Some(major.parse::<u32>().ok()? * 10 + minor.parse::<u32>().ok()?)
}

/// A `+` is a space in a query, and itself in a path.
fn decode(text: &str, plus_is_space: bool) -> Option<String> {
    let spaced = if plus_is_space { text.replace('+', " ") } else { text.to_owned() };
    percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
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
