//! `sqlite:` URLs.

use std::fmt;
use std::path::PathBuf;

use dipmo_domain::StoreError;

/// What a URL points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File(PathBuf),
    Memory,
}

impl Place {
    /// Reads `sqlite:<path>` or `sqlite::memory:`; `sqlite://` before an absolute path is fine too.
    pub(crate) fn parse(url: &str) -> Result<Self, StoreError> {
        let invalid = |problem: &str| {
            Err(StoreError::UrlInvalid {
                problem: format!("{problem}; expected sqlite:<path> or sqlite::memory:"),
            })
        };
        let Some(rest) = url.strip_prefix("sqlite:") else {
            return invalid("it does not begin with sqlite:");
        };
        if rest == ":memory:" {
            return Ok(Self::Memory);
        }
        let path = match rest.strip_prefix("//") {
            Some(path) if path.starts_with('/') => path,
            Some(_) => return invalid("after sqlite:// the path must begin with /"),
            None => rest,
        };
        match path {
            "" => invalid("the path is missing"),
            // SQLite would take these for a request: options of its own, or a database in memory.
            _ if path.contains('?') || path.starts_with(':') || path.starts_with("file:") => {
                invalid("the path has something in it that is not a path")
            }
            _ if path.ends_with('/') => invalid("the path is a folder"),
            _ => Ok(Self::File(PathBuf::from(path))),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Memory => f.write_str(":memory:"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_as_they_are() {
        for (url, path) in [
            ("sqlite:dipmo.db", "dipmo.db"),
            ("sqlite:./data/dipmo.db", "./data/dipmo.db"),
            ("sqlite:/var/lib/dipmo.db", "/var/lib/dipmo.db"),
            ("sqlite:///var/lib/dipmo.db", "/var/lib/dipmo.db"),
            ("sqlite:with space & ü%20.db", "with space & ü%20.db"),
        ] {
            assert_eq!(Place::parse(url), Ok(Place::File(path.into())));
        }
        assert_eq!(Place::parse("sqlite::memory:"), Ok(Place::Memory));
    }

    #[test]
    fn what_is_no_path_is_said_so() {
        for (url, problem) in [
            ("postgres://localhost/dipmo", "it does not begin with sqlite:"),
            ("sqlite:", "the path is missing"),
            ("sqlite://dipmo.db", "after sqlite:// the path must begin with /"),
            ("sqlite:data/", "the path is a folder"),
            ("sqlite:a.db?mode=ro", "the path has something in it"),
            ("sqlite:file:a.db", "the path has something in it"),
            ("sqlite::memory", "the path has something in it"),
        ] {
            let StoreError::UrlInvalid { problem: said } = Place::parse(url).unwrap_err() else {
                panic!("{url} gave another error");
            };
            assert!(said.starts_with(problem), "{url}: {said}");
        }
    }
}
