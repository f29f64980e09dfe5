//! The address of a server, and the token that it is shown.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use dipmo::wiring::outside::is_here;
use reqwest::Url;

use super::refused::Refused;

/// Where the token is when no file is named.
const TOKEN: &str = "DIPMO_TOKEN";

/// An address such as `https://dipmo.example`, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server(String);

impl Server {
    /// False when whoever is on the way can read along.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.starts_with("https:")
    }

    /// Whether what is sent there leaves this machine in the clear.
    pub(crate) fn is_overheard(&self) -> bool {
        let is_here = Url::parse(&self.0).is_ok_and(|url| is_here(&url));
        !self.is_encrypted() && !is_here
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Server {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let url = Url::parse(text).map_err(|_| "say a URL, such as https://dipmo.example:8687")?;
        if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
            return Err("say a URL that begins with https:// or http://");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "a token is said in a file (--token-file) or in DIPMO_TOKEN, never in the URL",
            );
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("say the address alone, without a query");
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }
}

/// The token of a file, or else of the environment.
pub(crate) fn token(file: Option<&Path>) -> Result<Option<String>, Refused> {
    let token = match file {
        Some(path) => Some(std::fs::read_to_string(path).map_err(|error| {
            let message = format!("the token in {} cannot be read: {error}", path.display());
            Refused::wrong(message, "the file has the token in one line, and nothing else")
        })?),
        None => std::env::var(TOKEN).ok(),
    };
    Ok(token.map(|token| token.trim().to_owned()).filter(|token| !token.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(text: &str) -> Result<Server, &'static str> {
        text.parse()
    }

    #[test]
    fn a_server_is_an_address_without_secrets() {
        assert_eq!(server("http://127.0.0.1:8687/").unwrap().to_string(), "http://127.0.0.1:8687");
        assert_eq!(
            server("https://a.example/dipmo").unwrap().to_string(),
            "https://a.example/dipmo"
        );
        for wrong in
            ["", "a.example:80", "ftp://a.example", "http://me:x@a.example", "http://a?b=c"]
        {
            assert!(server(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_stays_on_the_machine_is_overheard_by_nobody() {
        for (url, expected) in [
            ("https://a.example", false),
            ("http://localhost:1", false),
            ("http://127.0.0.1:1", false),
            ("http://[::1]:1", false),
            ("http://127.example", true),
            ("http://a.example", true),
        ] {
            assert_eq!(server(url).unwrap().is_overheard(), expected, "{url}");
        }
    }
}
