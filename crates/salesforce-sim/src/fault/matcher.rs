//! Whether a rule is about a call, a row or a job.

use crate::fault::rule::When;
use crate::server::api::Api;

/// A call, as rules see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallTarget<'a> {
    pub(crate) api: Api,
    pub(crate) method: &'a str,
    /// With its query, as it was sent.
    pub(crate) path: &'a str,
    pub(crate) object: Option<&'a str>,
}

/// A row, as rules see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowTarget<'a> {
    pub(crate) api: Api,
    pub(crate) object: &'a str,
    /// Its external id in an upsert, its id otherwise, or nothing.
    pub(crate) key: &'a str,
}

/// A job, as rules see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobTarget<'a> {
    pub(crate) object: &'a str,
    pub(crate) operation: &'a str,
}

impl When {
    pub(crate) fn is_about_call(&self, call: &CallTarget<'_>) -> bool {
        self.is_of_api(call.api)
            && fits(self.method.as_deref(), call.method)
            && self.path.as_deref().is_none_or(|pattern| glob(pattern, call.path))
            && self.object.as_deref().is_none_or(|name| fits(Some(name), call.object.unwrap_or("")))
    }

    pub(crate) fn is_about_row(&self, row: &RowTarget<'_>) -> bool {
        self.is_of_api(row.api)
            && fits(self.object.as_deref(), row.object)
            && (self.keys.is_empty() || self.keys.iter().any(|key| key == row.key))
    }

    pub(crate) fn is_about_job(&self, job: &JobTarget<'_>) -> bool {
        fits(self.object.as_deref(), job.object) && fits(self.operation.as_deref(), job.operation)
    }

    fn is_of_api(&self, api: Api) -> bool {
        self.api.as_deref().is_none_or(|name| api.is_called(name))
    }
}

fn fits(wanted: Option<&str>, found: &str) -> bool {
    wanted.is_none_or(|wanted| wanted.eq_ignore_ascii_case(found))
}

/// Whether the whole text fits a pattern in which `*` stands for any characters.
fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // The last star, and where in the text it was met: a mismatch makes that star one longer.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            p = at + 1;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*/jobs/ingest/*", "/services/data/v62.0/jobs/ingest/750", true),
            ("*/jobs/ingest/*", "/services/data/v62.0/jobs/ingest", false),
            ("/a*b*c", "/aXbYbZc", true),
            ("/a*b*c", "/aXbYbZ", false),
            ("", "x", false),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
