//! How to reach the database, and how to behave in it.

use std::fmt;
use std::str::FromStr as _;
use std::time::Duration;

use dipmo_domain::StoreError;
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config};

use crate::error;
use crate::tls::{Tls, Wish};

/// Where the database is and how many connections it gives us.
#[derive(Clone)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database`, or PostgreSQL's `key=value` form. `sslmode`, `sslrootcert`,
    /// `sslcert` and `sslkey` mean what they mean to libpq.
    pub url: String,
    /// The most connections for workers, sources and dispatchers. Defaults to 16.
    pub connections: usize,
    /// The most connections for reports and operators. Defaults to 4.
    pub report_connections: usize,
    /// A session that stands still inside a transaction for so long is ended by the database, and
    /// its lanes are free again. Longer than any pause of a healthy worker. Defaults to 30 s.
    pub idle_in_transaction: Duration,
    /// How long to wait for a connection or for a lock before the call fails as busy.
    /// Defaults to 10 s.
    pub patience: Duration,
    /// Whether instances wake each other with LISTEN and NOTIFY, on one connection more. Without
    /// it, what another instance stored is found by polling. Defaults to true.
    pub notify: bool,
}

impl PostgresOptions {
    /// The defaults, for a URL.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            connections: 16,
            report_connections: 4,
            idle_in_transaction: Duration::from_secs(30),
            patience: Duration::from_secs(10),
            notify: true,
        }
    }

    /// The driver's configuration, with settings for the whole session.
    pub(crate) fn config(&self, kind: SessionKind) -> Result<Config, StoreError> {
        let mut config = self.driver()?;
        let given = config.get_options().unwrap_or_default().to_owned();
        let settings = format!(
            "{given} -c idle_in_transaction_session_timeout={} -c lock_timeout={} \
             -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3 {}",
            self.idle_in_transaction.as_millis().max(1),
            self.patience.as_millis().max(1),
            kind.settings(),
        );
        if config.get_application_name().is_none() {
            config.application_name("dipmo");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(self.patience);
        }
        config.options(settings.trim());
        // A host that vanished is noticed within a minute, not after two hours: by us here, and by
        // the database with the settings above.
        config.keepalives(true).keepalives_idle(Duration::from_secs(30));
        config.keepalives_interval(Duration::from_secs(10)).keepalives_retries(3);
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(Duration::from_secs(60));
        }
        Ok(config)
    }

    /// What the URL says, and nothing else.
    fn driver(&self) -> Result<Config, StoreError> {
        let (url, tls) = Wish::take(&self.url)?;
        // The driver's message would repeat parts of the URL; what is wrong is said without it.
        let mut config = Config::from_str(&url).map_err(|error| StoreError::UrlInvalid {
            problem: std::error::Error::source(&error)
                .map_or_else(|| "it cannot be parsed".to_owned(), ToString::to_string),
        })?;
        if config.get_hosts().is_empty() {
            return Err(StoreError::UrlInvalid { problem: "the host is missing".to_owned() });
        }
        config.ssl_mode(tls.driver_mode());
        Ok(config)
    }

    /// How its connections are encrypted; reads the files that the URL names.
    pub(crate) fn tls(&self) -> Result<Tls, StoreError> {
        Wish::take(&self.url)?.1.prepare()
    }

    /// One connection beside those of a store, for who does something around it.
    ///
    /// # Errors
    /// As [`PostgresStore::connect`](crate::PostgresStore::connect).
    pub async fn client(&self) -> Result<Client, StoreError> {
        let (config, place) = (self.config(SessionKind::Report)?, self.place()?);
        let connected = config.connect(self.tls()?).await;
        let (client, connection) = connected.map_err(|error| error::of_connect(&place, &error))?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// What the URL sets for its sessions: `options`.
    ///
    /// # Errors
    /// When the URL is not valid.
    pub fn session_options(&self) -> Result<String, StoreError> {
        Ok(self.driver()?.get_options().unwrap_or_default().to_owned())
    }

    /// Where that is, for messages: without the password.
    pub(crate) fn place(&self) -> Result<Place, StoreError> {
        let config = self.config(SessionKind::Report)?;
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            None => String::new(),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        Ok(Place { host, port, user: config.get_user().unwrap_or_default().to_owned() })
    }
}

impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("connections", &self.connections)
            .field("report_connections", &self.report_connections)
            .field("idle_in_transaction", &self.idle_in_transaction)
            .field("patience", &self.patience)
            .field("notify", &self.notify)
            .finish_non_exhaustive()
    }
}

/// Host, port and user: what an error may show.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    host: String,
    port: u16,
    pub(crate) user: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// What a session is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SessionKind {
    /// Hot statements, each with one good plan: by index, whatever the tables held when it was
    /// planned. A plan made on an empty table must not scan it when it is full.
    Hot,
    /// Reports: the planner knows best.
    Report,
    /// The one that listens, for hours without a word, and tells others. What it tells is committed
    /// already, so that nothing of its own needs the disk.
    Wake,
}

impl SessionKind {
    pub(crate) const fn settings(self) -> &'static str {
        match self {
            Self::Hot => {
                "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off \
                 -c enable_mergejoin=off -c jit=off -c plan_cache_mode=force_generic_plan"
            }
            Self::Report => "-c jit=off",
            Self::Wake => "-c synchronous_commit=off -c idle_session_timeout=0",
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::SslMode;

    use super::*;

    #[test]
    fn a_password_is_in_no_debug_print_and_no_error() {
        let options = PostgresOptions::new("postgres://u:s3cret@h:5/db");
        assert!(!format!("{options:?}").contains("s3cret"));
        let broken = PostgresOptions::new("postgres://u:s3cret@h:notaport/db");
        let error = broken.config(SessionKind::Hot).unwrap_err();
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }

    #[test]
    fn a_url_that_asks_for_tls_is_never_sent_in_the_clear() {
        for (said, mode) in [
            ("", SslMode::Prefer),
            ("?sslmode=disable", SslMode::Disable),
            ("?sslmode=require", SslMode::Require),
            ("?sslmode=verify-ca", SslMode::Require),
            ("?sslmode=verify-full&sslrootcert=system", SslMode::Require),
        ] {
            let options = PostgresOptions::new(&format!("postgres://u@h/db{said}"));
            assert_eq!(options.config(SessionKind::Hot).unwrap().get_ssl_mode(), mode, "{said}");
        }
    }

    #[test]
    fn a_file_that_is_named_and_is_not_there_is_said() {
        let url = "postgres://u:s3cret@h/db?sslmode=verify-full&sslrootcert=/nowhere/ca.pem";
        let Err(error) = PostgresOptions::new(url).tls() else { panic!("there is no such file") };
        let text = error.to_string();
        assert!(text.contains("sslrootcert: /nowhere/ca.pem cannot be used"), "{text}");
        assert!(!text.contains("s3cret"), "{text}");
    }

    #[test]
    fn a_url_without_a_host_is_refused() {
        let error = PostgresOptions::new("dbname=x").config(SessionKind::Hot).unwrap_err();
        assert_eq!(error.to_string(), "the database URL is not valid: the host is missing");
    }
}
