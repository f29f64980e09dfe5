//! A small HTTP port that tells how the instance is, and nothing else.
//!
//! It has no login: it is for probes of the same machine or pod, and tells names of destinations,
//! never a payload or a secret. Nobody can keep it busy: each connection carries one request and has
//! a few seconds, and there are only so many at once.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::answer::{Answer, answer};
use super::health::Health;

/// Where health is told unless something else is said.
pub const DEFAULT_ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8686);

/// Connections at once; more wait to be accepted.
const CONNECTIONS: usize = 32;
/// How long a connection may take, from the first byte to the last.
const CONNECTION_TIME: Duration = Duration::from_secs(5);
/// The least that the library takes: a request of a probe has a tenth of it.
const REQUEST_BYTES: usize = 8_192;
/// The rest after a connection that could not be accepted: mostly there are no file descriptors
/// left for the moment.
const REST: Duration = Duration::from_millis(100);

/// The port, once it is bound.
pub struct HealthPort {
    listener: TcpListener,
}

impl HealthPort {
    /// Binds it; port 0 is any that is free.
    ///
    /// # Errors
    /// When somebody else has it, or the address is not ours.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        Ok(Self { listener: TcpListener::bind(address).await? })
    }

    /// Where it is.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until it is stopped, which ends connections that are open. Stop it last: while
    /// everything else ends, it tells that it does.
    pub async fn run(self, health: Health, stop: CancellationToken) {
        let seats = Arc::new(Semaphore::new(CONNECTIONS));
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
                    Ok((stream, _)) => {
                        let health = health.clone();
                        connections.spawn(async move {
                            let _seat = seat;
                            // A client that is too slow, or goes away, is no trouble of ours.
                            let _ = timeout(CONNECTION_TIME, serve(health, stream)).await;
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the health port cannot accept");
                        sleep(REST).await;
                    }
                },
            }
        }
        connections.shutdown().await;
    }
}

async fn serve(health: Health, stream: TcpStream) -> hyper::Result<()> {
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = answer(request.method(), request.uri().path(), || health.verdict());
        std::future::ready(Ok::<_, Infallible>(response(answer)))
    });
    http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(REQUEST_BYTES)
        // The time of the whole connection is limited.
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let Answer { status, body } = answer;
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET"));
    }
    response
}
