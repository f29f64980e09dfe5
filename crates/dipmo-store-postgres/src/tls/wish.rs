//! What a URL says of TLS, taken out of it: the driver refuses what it does not know.

use std::path::PathBuf;

use dipmo_domain::StoreError;
use percent_encoding::percent_decode_str;

use super::invalid;

/// How much is asked of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

/// Whom to trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Roots {
    /// Whom the system trusts.
    System,
    /// Whoever is in a file.
    File(PathBuf),
}

/// What a URL says of TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(super) mode: Mode,
    pub(super) roots: Roots,
    /// The certificate that shows who we are, and its key.
    pub(super) client: Option<(PathBuf, PathBuf)>,
}

/// The parameters, as they were found.
#[derive(Default)]
struct Found {
    mode: Option<String>,
    roots: Option<String>,
    certificate: Option<String>,
    key: Option<String>,
}

impl Wish {
    /// Takes it out of a URL, or of PostgreSQL's `key=value` form; answers what is left for the driver.
    pub(crate) fn take(url: &str) -> Result<(String, Self), StoreError> {
        let mut found = Found::default();
        let is_url = url.starts_with("postgres://") || url.starts_with("postgresql://");
        let rest = if is_url { from_url(url, &mut found) } else { from_pairs(url, &mut found) };
        Ok((rest, found.wish()?))
    }
}

impl Found {
    /// True when it was one of ours.
    fn take(&mut self, name: &str, value: impl FnOnce() -> String) -> bool {
        let place = match name {
            "sslmode" => &mut self.mode,
            "sslrootcert" => &mut self.roots,
            "sslcert" => &mut self.certificate,
            "sslkey" => &mut self.key,
            _ => return false,
        };
        *place = Some(value());
        true
    }

    fn wish(self) -> Result<Wish, StoreError> {
        let roots = match self.roots.as_deref() {
            None | Some("system") => Roots::System,
            Some(path) => Roots::File(path.into()),
        };
        let mode = match self.mode.as_deref() {
            Some("disable") => Mode::Disable,
            None | Some("prefer") => Mode::Prefer,
            // As libpq has it: who names an authority wants it asked.
            Some("require") if self.roots.is_some() => Mode::VerifyCa,
            Some("require") => Mode::Require,
            Some("verify-ca") => Mode::VerifyCa,
            Some("verify-full") => Mode::VerifyFull,
            Some(other) => {
                let known = "disable, prefer, require, verify-ca or verify-full";
                return Err(invalid(format!("sslmode is {known}, not {other:?}")));
            }
        };
        if self.roots.is_some() && matches!(mode, Mode::Disable | Mode::Prefer) {
            let problem = "sslrootcert is asked for nothing here: add sslmode=verify-full";
            return Err(invalid(problem.to_owned()));
        }
        let client = match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => None,
            _ => return Err(invalid("sslcert and sslkey are only of use together".to_owned())),
        };
        Ok(Wish { mode, roots, client })
    }
}

fn from_url(url: &str, found: &mut Found) -> String {
    // As the driver reads it: a password may have a question mark in it.
    let host = url.find('@').or_else(|| url.find("://")).unwrap_or(0);
    let Some(mark) = url[host..].find('?').map(|at| host + at) else { return url.to_owned() };
    let is_others = |pair: &&str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        !found.take(name, || percent_decode_str(value).decode_utf8_lossy().into_owned())
    };
    let others: Vec<&str> = url[mark + 1..].split('&').filter(is_others).collect();
    let joint = if others.is_empty() { "" } else { "?" };
    format!("{}{joint}{}", &url[..mark], others.join("&"))
}

fn from_pairs(text: &str, found: &mut Found) -> String {
    let (mut rest, mut left) = (text.trim_start(), Vec::new());
    while let Some((name, behind)) = rest.split_once('=') {
        let (value, length) = value(behind);
        let end = name.len() + 1 + length;
        if !found.take(name.trim(), || value) {
            left.push(rest[..end].trim_end());
        }
        rest = rest[end..].trim_start();
    }
    // What is no pair is for the driver to complain of.
    left.push(rest);
    left.join(" ").trim_end().to_owned()
}

/// A value of the `key=value` form, in quotes or not, and how much of the text it is.
fn value(text: &str) -> (String, usize) {
    let begin = text.len() - text.trim_start().len();
    let quoted = text[begin..].starts_with('\'');
    let first = begin + usize::from(quoted);
    let (mut value, mut chars) = (String::new(), text[first..].char_indices());
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            '\'' if quoted => return (value, first + at + 1),
            _ if !quoted && char.is_whitespace() => return (value, first + at),
            _ => value.push(char),
        }
    }
    (value, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(url: &str) -> (String, Wish) {
        Wish::take(url).unwrap()
    }

    #[test]
    fn what_is_said_of_tls_is_taken_out_of_a_url() {
        let (rest, wish) = taken(
            "postgres://u:a?b@h:5/db?sslmode=verify-full&options=-c%20x&sslrootcert=%2Fca%20x.pem&sslcert=c&sslkey=k",
        );
        assert_eq!(rest, "postgres://u:a?b@h:5/db?options=-c%20x");
        let roots = Roots::File("/ca x.pem".into());
        let client = Some(("c".into(), "k".into()));
        assert_eq!(wish, Wish { mode: Mode::VerifyFull, roots, client });
        let (rest, wish) = taken("postgresql://h/db?sslmode=disable");
        assert_eq!((rest.as_str(), wish.mode), ("postgresql://h/db", Mode::Disable));
        assert_eq!(taken("postgres://h/db").0, "postgres://h/db");
    }

    #[test]
    fn what_is_said_of_tls_is_taken_out_of_pairs() {
        let (rest, wish) = taken(
            r"host=h password='it\'s sslmode=disable' sslmode = verify-ca sslrootcert='/a b.pem' dbname=d\ b",
        );
        assert_eq!(rest, r"host=h password='it\'s sslmode=disable' dbname=d\ b");
        assert_eq!((wish.mode, wish.roots), (Mode::VerifyCa, Roots::File("/a b.pem".into())));
        assert_eq!(taken("host=h garbage").0, "host=h garbage");
        assert_eq!(taken("host='h").0, "host='h");
        assert_eq!(taken("").0, "");
    }

    #[test]
    fn modes_are_those_of_libpq() {
        let mode = |said: &str| taken(&format!("postgres://h/db?{said}")).1.mode;
        assert_eq!(mode(""), Mode::Prefer);
        assert_eq!(mode("sslmode=prefer"), Mode::Prefer);
        assert_eq!(mode("sslmode=require"), Mode::Require);
        assert_eq!(mode("sslmode=require&sslrootcert=/ca"), Mode::VerifyCa);
        assert_eq!(mode("sslmode=verify-full&sslrootcert=system"), Mode::VerifyFull);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for (said, problem) in [
            ("sslmode=allow", "not \"allow\""),
            ("sslmode=verify", "verify-ca or verify-full"),
            ("sslrootcert=/ca", "add sslmode=verify-full"),
            ("sslmode=require&sslcert=/c", "only of use together"),
            ("sslmode=require&sslkey=/k", "only of use together"),
        ] {
            let error = Wish::take(&format!("postgres://u:s3cret@h/db?{said}")).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(problem) && !text.contains("s3cret"), "{text}");
        }
    }
}
