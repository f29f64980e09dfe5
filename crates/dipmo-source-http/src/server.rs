//! Accepts connections until it is stopped, and ends those that are open in order.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::connection;
use crate::door::Door;

/// The rest after a connection that could not be accepted: mostly there are no file descriptors
/// left for the moment.
const REST: Duration = Duration::from_millis(100);

/// Serves whoever comes. When it is stopped nobody else is accepted, what is under way is answered, and
/// after the time of grace what is left is cut off.
pub(crate) async fn run(
    door: Door,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    stop: CancellationToken,
) {
    let limits = door.shared.limits;
    let seats = Arc::new(Semaphore::new(limits.connections.max(1)));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            // Nobody closes the semaphore.
            let seat = Arc::clone(&seats).acquire_owned().await.ok();
            (seat, listener.accept().await)
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => {}
            (seat, accepted) = next => match accepted {
                Ok((stream, _)) => {
                    door.shared.metrics.change(|figures| figures.connections += 1);
                    let served = connection::serve(door.clone(), stream, tls.clone(), stop.clone());
                    connections.spawn(async move {
                        let _seat = seat;
                        served.await;
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "the HTTP source cannot accept");
                    sleep(REST).await;
                }
            },
        }
    }
    drop(listener);
    let ended = timeout(limits.grace, async { while connections.join_next().await.is_some() {} });
    if ended.await.is_err() {
        let left = connections.len();
        tracing::warn!(left, "connections that did not end in time are cut off");
        connections.shutdown().await;
    }
}
