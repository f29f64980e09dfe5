//! How a client proves who it is, and how what it says is kept from others.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use dipmo_domain::Timestamp;

use crate::Secret;

/// The listener of the broker that is meant.
#[derive(Clone, Debug, Default)]
pub enum Security {
    /// Neither login nor encryption.
    #[default]
    Plaintext,
    /// Encrypted; with a certificate of our own, that is the login as well.
    Tls(Tls),
    /// A login on a connection that is not encrypted: anybody on the way can read PLAIN.
    SaslPlaintext(Sasl),
    /// A login on an encrypted connection.
    SaslTls(Sasl, Tls),
}

/// Files in PEM. Everything else about TLS is a property `ssl.…`.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// Who may sign the broker's certificate. Defaults to whom the system trusts.
    pub ca_file: Option<PathBuf>,
    /// Our own certificate, where the broker wants one.
    pub certificate_file: Option<PathBuf>,
    /// Its key.
    pub key_file: Option<PathBuf>,
    /// What the key file is encrypted with.
    pub key_password: Option<Secret>,
}

/// A login by SASL.
#[derive(Clone, Debug)]
pub enum Sasl {
    /// PLAIN: the password goes over the wire as it is.
    Plain(Login),
    /// SCRAM-SHA-256.
    ScramSha256(Login),
    /// SCRAM-SHA-512.
    ScramSha512(Login),
    /// OAUTHBEARER, with tokens from a source of yours.
    ///
    /// librdkafka could ask an OIDC server itself, but only when it is built with libcurl, which
    /// this one is not; a source asks with whatever HTTP client you have.
    OAuthBearer(Arc<dyn TokenSource>),
}

/// A name and a password.
#[derive(Clone, Debug)]
pub struct Login {
    /// The name.
    pub user: String,
    /// The password.
    pub password: Secret,
}

/// Gives tokens for OAUTHBEARER.
pub trait TokenSource: Send + Sync {
    /// A fresh token. Asked when a client starts and again in good time before the last one runs
    /// out, on the thread that serves the client: nothing else happens there meanwhile, so that it
    /// should give up after some seconds.
    ///
    /// # Errors
    /// In words for a log, without secrets. It is asked again after ten seconds.
    fn token(&self) -> Result<Token, String>;
}

impl fmt::Debug for dyn TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSource")
    }
}

/// A token of OAUTHBEARER.
#[derive(Clone, Debug)]
pub struct Token {
    /// The token, such as a JWT.
    pub value: Secret,
    /// Whom it is for.
    pub principal: String,
    /// When it runs out.
    pub expires_at: Timestamp,
}

impl Security {
    /// The properties that say so.
    pub(crate) fn properties(&self) -> Vec<(&'static str, String)> {
        let (protocol, sasl, tls) = match self {
            Self::Plaintext => ("plaintext", None, None),
            Self::Tls(tls) => ("ssl", None, Some(tls)),
            Self::SaslPlaintext(sasl) => ("sasl_plaintext", Some(sasl), None),
            Self::SaslTls(sasl, tls) => ("sasl_ssl", Some(sasl), Some(tls)),
        };
        let mut all = vec![("security.protocol", protocol.to_owned())];
        all.extend(sasl.into_iter().flat_map(Sasl::properties));
        all.extend(tls.into_iter().flat_map(Tls::properties));
        all
    }

    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let (sasl, tls) = match self {
            Self::Plaintext => (None, None),
            Self::Tls(tls) => (None, Some(tls)),
            Self::SaslPlaintext(sasl) => (Some(sasl), None),
            Self::SaslTls(sasl, tls) => (Some(sasl), Some(tls)),
        };
        let password = sasl.and_then(Sasl::login).map(|login| login.password.clone());
        password.into_iter().chain(tls.and_then(|tls| tls.key_password.clone())).collect()
    }

    pub(crate) fn token_source(&self) -> Option<Arc<dyn TokenSource>> {
        match self {
            Self::SaslPlaintext(Sasl::OAuthBearer(source))
            | Self::SaslTls(Sasl::OAuthBearer(source), _) => Some(Arc::clone(source)),
            _ => None,
        }
    }
}

impl Sasl {
    fn properties(&self) -> Vec<(&'static str, String)> {
        let mechanism = match self {
            Self::Plain(_) => "PLAIN",
            Self::ScramSha256(_) => "SCRAM-SHA-256",
            Self::ScramSha512(_) => "SCRAM-SHA-512",
            Self::OAuthBearer(_) => "OAUTHBEARER",
        };
        let mut all = vec![("sasl.mechanism", mechanism.to_owned())];
        if let Some(login) = self.login() {
            all.push(("sasl.username", login.user.clone()));
            all.push(("sasl.password", login.password.expose().to_owned()));
        }
        all
    }

    fn login(&self) -> Option<&Login> {
        match self {
            Self::Plain(login) | Self::ScramSha256(login) | Self::ScramSha512(login) => Some(login),
            Self::OAuthBearer(_) => None,
        }
    }
}

impl Tls {
    fn properties(&self) -> Vec<(&'static str, String)> {
        let files = [
            ("ssl.ca.location", &self.ca_file),
            ("ssl.certificate.location", &self.certificate_file),
            ("ssl.key.location", &self.key_file),
        ];
        let files = files.into_iter().filter_map(|(name, file)| {
            file.as_ref().map(|file| (name, file.to_string_lossy().into_owned()))
        });
        let password = self.key_password.as_ref();
        files.chain(password.map(|word| ("ssl.key.password", word.expose().to_owned()))).collect()
    }
}
