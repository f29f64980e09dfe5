//! A connection that listens to other instances and tells them, for as long as it holds.

use std::future::poll_fn;
use std::sync::OnceLock;

use tokio::time::Instant;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Error, Notification, Socket};

use crate::sql::{self, Which};
use crate::tls::{Tls, TlsSocket};
use crate::wake::others::{Others, SIDES};

/// Our place in the database.
struct Place {
    /// The process of our connection.
    process: i32,
    schema: String,
}

/// Returns when the line is lost; true if it stood.
pub(super) async fn hold(others: &Others, (config, tls): &(Config, Tls)) -> bool {
    let Ok((client, connection)) = config.connect(tls.clone()).await else { return false };
    let place = OnceLock::new();
    // Listening drives the connection, so that neither goes on without the other.
    tokio::select! {
        () = listen(others, connection, &place) => {}
        // An error: the only way in which it ends.
        _ = tell(others, &client, &place) => {}
    }
    place.get().is_some()
}

async fn listen(
    others: &Others,
    mut connection: Connection<Socket, TlsSocket>,
    place: &OnceLock<Place>,
) {
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(notification) = message
            && let Some(place) = place.get()
        {
            hear(others, place, &notification);
        }
    }
}

/// Wakes who waits here, but not for what we told, nor for another dipmo in the same database.
fn hear(others: &Others, place: &Place, notification: &Notification) {
    if notification.process_id() == place.process || notification.payload() != place.schema {
        return;
    }
    let channel = notification.channel().strip_prefix("dipmo_");
    if let Some((side, _)) = SIDES.iter().find(|(_, name)| channel == Some(*name)) {
        others.arrivals.tell(*side);
    }
}

async fn tell(others: &Others, client: &Client, place: &OnceLock<Place>) -> Result<(), Error> {
    let row = client.query_one(&*sql::listener().text, &[]).await?;
    place.get_or_init(|| Place { process: row.get(0), schema: row.get(1) });
    for which in [Which::Inbox, Which::Outbox] {
        client.batch_execute(&sql::listen(which).text).await?;
    }
    // What came before we listened was told to nobody here.
    others.wake_all_here();
    let notify = client.prepare(&sql::notify().text).await?;
    let mut last = None;
    loop {
        let sides = others.untold(last).await;
        client.query(&notify, &[&sides]).await?;
        last = Some(Instant::now());
    }
}
