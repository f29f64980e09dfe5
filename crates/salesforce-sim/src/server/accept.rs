//! Connections come in.

use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::server::life;
use crate::server::world::{World, until_stopped};

/// Takes connections until the simulator stops, and then ends those that are open.
pub(crate) async fn accept(
    world: Arc<World>,
    listener: TcpListener,
    mut stopped: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = until_stopped(&mut stopped) => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(Arc::clone(&world), stream));
                }
                // Mostly there are no file descriptors left for the moment.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            },
        }
    }
    connections.shutdown().await;
    world.tasks_ended().await;
}

/// Serves one connection. What a client does to its connection is no error of ours.
async fn serve(world: Arc<World>, stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| life::handle(Arc::clone(&world), request));
    // A client may keep a connection for later as long as it likes.
    let _ = http1::Builder::new()
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::schema::Schema;

    #[tokio::test]
    async fn the_end_waits_for_the_end_of_every_task() {
        let (stop, stopped) = watch::channel(false);
        let schema = Schema::standard().unwrap();
        let world = World::new(String::new(), schema, Clock::new(0), stopped.clone()).unwrap();
        let world = Arc::new(world);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let held = Arc::new(());
        let holds = Arc::clone(&held);
        world.spawn(async move {
            std::future::pending::<()>().await;
            drop(holds);
        });
        stop.send(true).unwrap();
        accept(world, listener, stopped).await;
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
