//! Data that are sent while they are made.

use std::fmt::Display;
use std::pin::pin;

use bytes::Bytes;
use futures_util::future::{Either, select};
use futures_util::{Stream, StreamExt as _, stream};
use tokio::sync::mpsc;

use crate::class::Class;
use crate::client::Client;
use crate::code::codes;
use crate::error::Error;
use crate::http::deadline::Deadline;
use crate::http::request::Request;
use crate::http::transport::To;

/// How much a job takes: 150 MB after Salesforce has encoded it as base64.
pub const MAX_UPLOAD_BYTES: u64 = 100_000_000;

/// How many pieces wait for the connection.
const AHEAD: usize = 2;

/// Sends a request whose body is this stream.
pub(super) async fn stream<S, E>(client: &Client, request: &Request, csv: S) -> Result<(), Error>
where
    S: Stream<Item = Result<Bytes, E>> + Send,
    E: Display + Send,
{
    let place = request.shown();
    let deadline = Deadline::after(client.transfer_timeout());
    let token = client.token(deadline).await?;
    // The stream may borrow, which a body may not: its pieces are handed over.
    let (pieces, taken) = mpsc::channel(AHEAD);
    let body = reqwest::Body::wrap_stream(body(taken));
    let sending = async {
        let to = To { base: &token.instance, token: Some(&token.access) };
        let response = client.transport().send_stream(request, to, body, deadline).await?;
        client.judge(request, response, &token, deadline).await?
    };
    let sent = match select(pin!(sending), pin!(hand_over(csv, pieces))).await {
        Either::Left((sent, _)) => sent,
        // The end of the body goes out only now.
        Either::Right((Ok(()), sending)) => sending.await,
        Either::Right((Err(error), _)) => Err(error),
    };
    match sent {
        Ok(_) => Ok(()),
        Err(error) if error.status() == Some(401) => {
            client.forget(&token);
            Err(error.with_class(Class::Transient).at(&place))
        }
        Err(error) => Err(error.at(&place)),
    }
}

/// What is handed over. The end is said: a body whose sender vanished must not look whole, or
/// Salesforce would take a part for all.
enum Piece {
    Data(Bytes),
    End,
}

#[derive(Debug, thiserror::Error)]
#[error("the data broke off")]
struct BrokenOff;

/// The body of what is handed over.
fn body(
    taken: mpsc::Receiver<Piece>,
) -> impl Stream<Item = Result<Bytes, BrokenOff>> + Send + 'static {
    stream::unfold(Some(taken), |taken| async {
        let mut taken = taken?;
        match taken.recv().await {
            Some(Piece::Data(data)) => Some((Ok(data), Some(taken))),
            Some(Piece::End) => None,
            // This ends the connection within the body.
            None => Some((Err(BrokenOff), None)),
        }
    })
}

/// Hands the pieces over until they end, or nobody takes them any more.
async fn hand_over<E: Display>(
    csv: impl Stream<Item = Result<Bytes, E>>,
    pieces: mpsc::Sender<Piece>,
) -> Result<(), Error> {
    let mut csv = pin!(csv);
    while let Some(piece) = csv.next().await {
        let data = piece.map_err(|error| {
            let message = format!("the data of the job broke off: {error}");
            Error::new(Class::Transient, codes::UPLOAD_BROKEN_OFF, message)
        })?;
        if pieces.send(Piece::Data(data)).await.is_err() {
            return Ok(());
        }
    }
    // Who does not take the end has answered already.
    let _ = pieces.send(Piece::End).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a body, and whether it came to its end.
    async fn sent(taken: mpsc::Receiver<Piece>) -> (Vec<Bytes>, bool) {
        let pieces: Vec<_> = body(taken).collect().await;
        let whole = pieces.iter().all(Result::is_ok);
        (pieces.into_iter().filter_map(Result::ok).collect(), whole)
    }

    #[tokio::test]
    async fn a_body_is_whole_only_if_its_end_was_said() {
        for (ends, whole) in [(true, true), (false, false)] {
            let (pieces, taken) = mpsc::channel(4);
            pieces.send(Piece::Data(Bytes::from_static(b"a\n"))).await.ok();
            if ends {
                pieces.send(Piece::End).await.ok();
            }
            drop(pieces);
            assert_eq!(sent(taken).await, (vec![Bytes::from_static(b"a\n")], whole));
        }
    }

    #[tokio::test]
    async fn a_source_that_breaks_off_says_no_end() {
        for (last, whole) in [(Ok(Bytes::from_static(b"1\n")), true), (Err("away"), false)] {
            let (pieces, taken) = mpsc::channel(4);
            let csv = stream::iter([Ok(Bytes::from_static(b"a\n")), last]);
            assert_eq!(hand_over(csv, pieces).await.is_ok(), whole);
            assert_eq!(sent(taken).await.1, whole);
        }
    }
}
