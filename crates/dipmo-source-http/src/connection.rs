//! One connection: TLS, if there is any, and the requests on it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::door::Door;
use crate::handle::handle;
use crate::patient::Patient;
use crate::tls;

/// Room for the head of a request; one that is longer is answered with 431.
const HEAD_BYTES: usize = 32 << 10;

/// Serves a connection until its client is done, is too slow, or has had its last answer.
pub(crate) async fn serve(
    door: Door,
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    stop: CancellationToken,
) {
    // Answers are small, and somebody waits for each.
    let _ = stream.set_nodelay(true);
    let within = door.shared.limits.head_within;
    let stream = Patient::new(stream, within);
    let Some(tls) = tls else {
        return requests(door, Vec::new(), TokioIo::new(stream), stop).await;
    };
    match timeout(within, tls.accept(stream)).await {
        Ok(Ok(stream)) => {
            let names = tls::names(stream.get_ref().1.peer_certificates());
            requests(door, names, TokioIo::new(stream), stop).await;
        }
        _ => door.shared.metrics.change(|figures| figures.handshakes_failed += 1),
    }
}

async fn requests<S>(door: Door, certified: Vec<String>, stream: S, stop: CancellationToken)
where
    S: Read + Write + Unpin,
{
    let head_within: Duration = door.shared.limits.head_within;
    let certified: Arc<[String]> = certified.into();
    let service = service_fn(move |request: Request<Incoming>| {
        let (door, certified) = (door.clone(), Arc::clone(&certified));
        async move { Ok::<_, Infallible>(handle(&door, &certified, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_within)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(stream, service);
    let mut connection = std::pin::pin!(connection);
    // A client that goes away, or speaks another language, is no trouble of ours.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
