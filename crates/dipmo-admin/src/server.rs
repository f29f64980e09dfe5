//! Accepts connections until it is stopped, and ends those that are open in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Code, Coded};
use rustls::ServerConfig;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::connection::Connections;

/// The rest after a connection that could not be accepted: mostly there are no file descriptors
/// left for the moment.
const REST: Duration = Duration::from_millis(100);

/// Where to listen, and how.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Where; port 0 is any that is free.
    pub listen: SocketAddr,
    /// With whose certificate; without one, requests and tokens come in plain text.
    pub tls: Option<Arc<ServerConfig>>,
    /// How much of anything there may be.
    pub limits: ServerLimits,
}

impl ServerOptions {
    /// Plain text, with the usual limits.
    #[must_use]
    pub fn new(listen: SocketAddr) -> Self {
        Self { listen, tls: None, limits: ServerLimits::default() }
    }
}

/// How much of anything there may be.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Connections at once. Those beyond wait to be accepted. Defaults to 256.
    pub connections: usize,
    /// How long a client may take for TLS, and for the head of a request. Defaults to 10 s.
    pub head_within: Duration,
    /// How old a connection may become. Defaults to 1 h.
    pub life: Duration,
    /// How long requests that are under way may take when a connection ends. Defaults to 6 s.
    pub grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 256,
            head_within: Duration::from_secs(10),
            life: Duration::from_secs(3_600),
            grace: Duration::from_secs(6),
        }
    }
}

/// A server that cannot be.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("operators cannot be listened to at {address}: {problem}")]
    Address {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        problem: String,
    },
}

impl Coded for ServerError {
    fn code(&self) -> Code {
        match self {
            Self::Address { .. } => Code::new("admin-address-unavailable"),
        }
    }
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    limits: ServerLimits,
}

impl Server {
    /// Listens. Nobody is answered before [`Server::run`].
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn bind(options: ServerOptions) -> Result<Self, ServerError> {
        let unavailable = |error: std::io::Error| ServerError::Address {
            address: options.listen,
            problem: error.to_string(),
        };
        let listener = TcpListener::bind(options.listen).await.map_err(unavailable)?;
        let address = listener.local_addr().map_err(unavailable)?;
        let tls = options.tls.map(TlsAcceptor::from);
        Ok(Self { listener, address, tls, limits: options.limits })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves whoever comes. When it is stopped nobody else is accepted, what is under way is answered, those who
    /// watch are told no more, and after the time of grace what is left is cut off.
    pub async fn run(self, app: &App, stop: CancellationToken) {
        let limits = self.limits;
        let all = Arc::new(Connections {
            router: app.router(),
            tls: self.tls,
            limits,
            stop: stop.clone(),
        });
        let seats = Arc::new(Semaphore::new(limits.connections.max(1)));
        let mut connections = JoinSet::new();
        loop {
            let next = async {
                // Nobody closes the semaphore.
                let seat = Arc::clone(&seats).acquire_owned().await.ok();
                (seat, self.listener.accept().await)
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(_) = connections.join_next() => {}
                (seat, accepted) = next => match accepted {
                    Ok((stream, peer)) => {
                        let all = Arc::clone(&all);
                        connections.spawn(async move {
                            let _seat = seat;
                            all.serve(stream, peer.ip()).await;
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the server for operators cannot accept");
                        sleep(REST).await;
                    }
                },
            }
        }
        drop(self.listener);
        let ended =
            timeout(limits.grace, async { while connections.join_next().await.is_some() {} });
        if ended.await.is_err() {
            let left = connections.len();
            tracing::warn!(left, "connections of operators that did not end in time are cut off");
            connections.shutdown().await;
        }
    }
}
