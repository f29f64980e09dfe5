//! One connection: TLS, if there is any, and the requests on it.

use std::net::IpAddr;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::auth::Peer;
use crate::routes::events::Ending;
use crate::server::ServerLimits;

/// Room for the head of a request; one that is longer is answered with 431.
const HEAD_BYTES: usize = 32 << 10;

/// What all connections share.
pub(crate) struct Connections {
    pub(crate) router: Router,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) limits: ServerLimits,
    pub(crate) stop: CancellationToken,
}

impl Connections {
    /// Serves a connection until its client is done, is too slow, or has had its last answer.
    pub(crate) async fn serve(&self, stream: TcpStream, peer: IpAddr) {
        // Answers are small, and somebody waits for each.
        let _ = stream.set_nodelay(true);
        let Some(tls) = &self.tls else {
            return self.requests(TokioIo::new(stream), peer).await;
        };
        // Who does not get through the handshake is no trouble of ours.
        if let Ok(Ok(stream)) = timeout(self.limits.head_within, tls.accept(stream)).await {
            self.requests(TokioIo::new(stream), peer).await;
        }
    }

    async fn requests<S>(&self, stream: S, peer: IpAddr)
    where
        S: Read + Write + Unpin,
    {
        let ending = self.stop.child_token();
        let service = service_fn(|request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(peer));
            request.extensions_mut().insert(Ending(ending.clone()));
            self.router.clone().oneshot(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.head_within)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(stream, service);
        let mut connection = std::pin::pin!(connection);
        // A client that goes away, or speaks another language, is no trouble of ours.
        tokio::select! {
            _ = connection.as_mut() => return,
            () = ending.cancelled() => {}
            // Who never reads an answer would stay for ever.
            () = sleep(self.limits.life) => ending.cancel(),
        }
        connection.as_mut().graceful_shutdown();
        let _ = timeout(self.limits.grace, connection).await;
    }
}
