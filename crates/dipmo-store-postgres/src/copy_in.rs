//! COPY on the wire: it is opened, and then takes its rows.

use std::pin::Pin;

use bytes::Bytes;
use futures_util::SinkExt as _;
use tokio_postgres::{Client, CopyInSink, Error, Statement};

/// Rows are sent in pieces of this size: the database works on one while the next is on its way.
const PIECE: usize = 65_536;

/// A COPY that waits for its rows. Dropped without them, it fails, and its transaction with it.
pub(crate) struct OpenCopy(Pin<Box<CopyInSink<Bytes>>>);

/// Opens a COPY. Statements that are sent after it wait in the driver until it has its rows.
pub(crate) async fn open(client: &Client, statement: &Statement) -> Result<OpenCopy, Error> {
    client.copy_in(statement).await.map(|sink| OpenCopy(Box::pin(sink)))
}

impl OpenCopy {
    /// Sends the rows and ends the COPY.
    pub(crate) async fn finish(mut self, mut rows: Bytes) -> Result<(), Error> {
        while !rows.is_empty() {
            let piece = rows.split_to(rows.len().min(PIECE));
            self.0.feed(piece).await?;
        }
        self.0.as_mut().finish().await.map(|_| ())
    }
}
