//! How to reach an org.

use std::time::Duration;

use reqwest::Url;

use crate::error::Error;
use crate::secret::Secret;

/// How to reach an org, and how long to wait for it.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Where to log in: `https://acme.my.salesforce.com`. Client credentials are taken on a My Domain
    /// host only; an assertion also on `https://login.salesforce.com` or `https://test.salesforce.com`.
    pub login_url: String,
    /// Who logs in.
    pub auth: Auth,
    /// The version of the API. Defaults to `62.0`.
    pub api_version: String,
    /// How long a call may last, with all that belongs to it: logging in, sending, reading the
    /// answer. Defaults to 30 s.
    pub call_timeout: Duration,
    /// How long an upload may last, and how long all of the download of a result may be waited for;
    /// the time that its reader takes does not count. Defaults to 10 min.
    pub transfer_timeout: Duration,
    /// How long a connection may take to come about, with TLS. Defaults to 10 s.
    pub connect_timeout: Duration,
    /// Whether bodies of JSON over 1 KB go out packed, and answers may come packed. Defaults to true.
    /// Data of bulk jobs go out as they are: packing is documented for their results only.
    pub gzip: bool,
    /// Certificates of authorities in PEM that are trusted besides those of the system.
    pub extra_roots: Vec<String>,
    /// How the client calls itself. Defaults to the name and version of this crate.
    pub user_agent: String,
}

/// Who logs in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Auth {
    /// The client credentials of a connected app that has a user to run as.
    ClientCredentials {
        /// The consumer key.
        client_id: String,
        /// The consumer secret.
        client_secret: Secret,
    },
    /// An assertion that is signed by RS256 (the JWT bearer flow).
    Jwt {
        /// The consumer key.
        client_id: String,
        /// Who to act as.
        username: String,
        /// Whom the assertion is for. Defaults to `https://login.salesforce.com` or, where the login
        /// host is that of sandboxes, `https://test.salesforce.com`.
        audience: Option<String>,
        /// An RSA key in PEM, PKCS #8 or PKCS #1, of at least 2048 bits.
        private_key: Secret,
    },
}

impl ClientOptions {
    /// Options with all defaults.
    #[must_use]
    pub fn new(login_url: impl Into<String>, auth: Auth) -> Self {
        Self {
            login_url: login_url.into(),
            auth,
            api_version: "62.0".to_owned(),
            call_timeout: Duration::from_secs(30),
            transfer_timeout: Duration::from_secs(600),
            connect_timeout: Duration::from_secs(10),
            gzip: true,
            extra_roots: Vec::new(),
            user_agent: concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }

    /// Where to log in, without a slash at the end.
    pub(crate) fn login_base(&self) -> Result<String, Error> {
        base_url(&self.login_url)
            .map_err(|problem| Error::options_invalid(format!("login_url {problem}")))
    }

    /// What can be seen to be wrong without asking anybody.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.login_base()?;
        let version = self.api_version.split_once('.').is_some_and(|(major, minor)| {
            let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
            matches!(major.len(), 2..=3) && digits(major) && minor.len() == 1 && digits(minor)
        });
        if !version {
            let message = format!("api_version {:?} is none such as 62.0", self.api_version);
            return Err(Error::options_invalid(message));
        }
        for (name, timeout) in [
            ("call_timeout", self.call_timeout),
            ("transfer_timeout", self.transfer_timeout),
            ("connect_timeout", self.connect_timeout),
        ] {
            if timeout.is_zero() {
                return Err(Error::options_invalid(format!("{name} is zero")));
            }
        }
        let (Auth::ClientCredentials { client_id, .. } | Auth::Jwt { client_id, .. }) = &self.auth;
        if client_id.is_empty() {
            return Err(Error::options_invalid("client_id is empty"));
        }
        Ok(())
    }
}

/// The scheme, host and port of a URL that has nothing else, or what is wrong with it. The URL is
/// not repeated: somebody may have written a password into it.
pub(crate) fn base_url(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| format!("is no URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err("must begin with https:// and a host".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not have a user or a password in it".to_owned());
    }
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err("must end behind the host: paths are added".to_owned());
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_is_a_scheme_and_a_host() {
        let base = base_url("https://acme.my.salesforce.com/").unwrap();
        assert_eq!(base, "https://acme.my.salesforce.com");
        assert_eq!(base_url("http://127.0.0.1:8080").unwrap(), "http://127.0.0.1:8080");
        for wrong in [
            "",
            "acme.my.salesforce.com",
            "ftp://acme.my.salesforce.com",
            "https://user:hush@acme.my.salesforce.com",
            "https://acme.my.salesforce.com/services/oauth2/token",
            "https://acme.my.salesforce.com?token=hush",
        ] {
            assert!(!base_url(wrong).unwrap_err().contains("hush"), "{wrong}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let auth = |client_id: &str| Auth::ClientCredentials {
            client_id: client_id.to_owned(),
            client_secret: Secret::new("hush"),
        };
        let good = ClientOptions::new("https://acme.my.salesforce.com", auth("app"));
        assert!(good.check().is_ok());
        let wrong = [
            (ClientOptions { login_url: "acme".to_owned(), ..good.clone() }, "login_url"),
            (ClientOptions { api_version: "v62.0".to_owned(), ..good.clone() }, "api_version"),
            (ClientOptions { api_version: "62".to_owned(), ..good.clone() }, "api_version"),
            (ClientOptions { call_timeout: Duration::ZERO, ..good.clone() }, "call_timeout"),
            (ClientOptions { auth: auth(""), ..good.clone() }, "client_id"),
        ];
        for (options, named) in wrong {
            let error = options.check().unwrap_err();
            assert!(error.to_string().contains(named), "{error}");
            assert_eq!(error.code(), "salesforce-options-invalid");
        }
        assert!(!format!("{good:?}").contains("hush"));
    }
}
