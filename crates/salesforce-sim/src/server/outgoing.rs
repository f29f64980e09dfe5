//! The body of an answer on its way out: made while it is read, packed, counted, and spoilt where a
//! fault says so.

use std::future::Future as _;
use std::io::{self, Write as _};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::Sleep;

use crate::fault::apply::Spoil;
use crate::server::answer::Chunks;

/// How long the connection stays open after the last byte of an answer that is dropped: the bytes
/// before the end have to leave first.
const LINGER: Duration = Duration::from_millis(5);

/// The body of an answer.
pub(crate) struct Outgoing {
    chunks: Chunks,
    /// Of the chunk that is sent in pieces.
    rest: Bytes,
    length: Option<u64>,
    spoil: Option<Spoil>,
    left: u64,
    pause: Option<Pin<Box<Sleep>>>,
    sent: Arc<AtomicU64>,
}

impl Outgoing {
    /// The body of these chunks, `length` bytes together if that is known.
    pub(crate) fn new(
        chunks: Chunks,
        length: Option<u64>,
        spoil: Option<Spoil>,
        sent: Arc<AtomicU64>,
    ) -> Self {
        let (length, left) = match spoil {
            Some(Spoil::Truncate(bytes)) => (length.map(|length| length.min(bytes)), bytes),
            Some(Spoil::DropAfter(bytes)) => (length, bytes),
            _ => (length, u64::MAX),
        };
        Outgoing { chunks, rest: Bytes::new(), length, spoil, left, pause: None, sent }
    }

    /// The next piece, or what there is instead of it.
    fn next_piece(&mut self) -> Option<io::Result<Bytes>> {
        while self.rest.is_empty() {
            match self.chunks.next()? {
                Ok(chunk) => self.rest = chunk,
                Err(error) => return Some(Err(error)),
            }
        }
        let most = match self.spoil {
            Some(Spoil::Drip { bytes, .. }) => bytes,
            _ => self.left,
        };
        let length = usize::try_from(most).unwrap_or(usize::MAX).min(self.rest.len());
        self.left -= length as u64;
        Some(Ok(self.rest.split_to(length)))
    }
}

impl HttpBody for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
            if matches!(self.spoil, Some(Spoil::DropAfter(_))) && self.left == 0 {
                return Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())));
            }
        }
        if self.left == 0 {
            if matches!(self.spoil, Some(Spoil::Truncate(_))) {
                return Poll::Ready(None);
            }
            self.pause = Some(Box::pin(tokio::time::sleep(LINGER)));
            return self.poll_frame(context);
        }
        let Some(piece) = self.next_piece() else {
            if matches!(self.spoil, Some(Spoil::DropAfter(_))) {
                self.left = 0;
                return self.poll_frame(context);
            }
            return Poll::Ready(None);
        };
        if let Some(Spoil::Drip { every, .. }) = self.spoil {
            self.pause = Some(Box::pin(tokio::time::sleep(every)));
        }
        Poll::Ready(Some(piece.map(|piece| {
            self.sent.fetch_add(piece.len() as u64, Ordering::Relaxed);
            Frame::data(piece)
        })))
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

/// The chunks without the last byte of all: nobody knows the length of a body that is made while it
/// is read, and one that is to be cut must not come whole because it was short.
pub(crate) fn all_but_last_byte(chunks: Chunks) -> Chunks {
    let mut chunks = chunks.filter(|chunk| !chunk.as_ref().is_ok_and(Bytes::is_empty)).peekable();
    Box::new(std::iter::from_fn(move || {
        let chunk = chunks.next()?;
        let is_last = chunks.peek().is_none();
        Some(chunk.map(|mut chunk| {
            if is_last {
                chunk.truncate(chunk.len() - 1);
            }
            chunk
        }))
    }))
}

/// The chunks, packed.
pub(crate) fn gzip(chunks: Chunks) -> Chunks {
    Box::new(Gzip { chunks, packer: Some(GzEncoder::new(Vec::new(), Compression::fast())) })
}

struct Gzip {
    chunks: Chunks,
    /// `None` once its last bytes are out.
    packer: Option<GzEncoder<Vec<u8>>>,
}

impl Iterator for Gzip {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let packer = self.packer.as_mut()?;
            let Some(chunk) = self.chunks.next() else {
                return self.packer.take().map(|packer| packer.finish().map(Bytes::from));
            };
            if let Err(error) = chunk.and_then(|chunk| packer.write_all(&chunk)) {
                self.packer = None;
                return Some(Err(error));
            }
            let packed = std::mem::take(packer.get_mut());
            if !packed.is_empty() {
                return Some(Ok(Bytes::from(packed)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use http_body_util::BodyExt as _;

    use super::*;

    fn chunks(texts: &[&'static str]) -> Chunks {
        let texts: Vec<_> = texts.iter().map(|text| Ok(Bytes::from(*text))).collect();
        Box::new(texts.into_iter())
    }

    /// The pieces that come, and whether they end as they should.
    async fn pieces_of(
        chunks: Chunks,
        length: Option<u64>,
        spoil: Option<Spoil>,
    ) -> (Vec<String>, bool) {
        let mut body = Outgoing::new(chunks, length, spoil, Arc::default());
        let mut pieces = Vec::new();
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return (pieces, false) };
            pieces.push(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap());
        }
        (pieces, true)
    }

    #[tokio::test]
    async fn a_body_is_spoilt_as_asked() {
        let every = Duration::from_millis(1);
        for (spoil, expected, whole) in [
            (None, vec!["abcd", "ef"], true),
            (Some(Spoil::Truncate(5)), vec!["abcd", "e"], true),
            (Some(Spoil::Truncate(0)), vec![], true),
            (Some(Spoil::DropAfter(3)), vec!["abc"], false),
            (Some(Spoil::DropAfter(0)), vec![], false),
            (Some(Spoil::Drip { bytes: 3, every }), vec!["abc", "d", "ef"], true),
        ] {
            let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            let chunks = chunks(&["abcd", "", "ef"]);
            assert_eq!(pieces_of(chunks, Some(6), spoil).await, (expected, whole), "{spoil:?}");
        }
    }

    #[tokio::test]
    async fn a_body_of_unknown_length_is_cut_before_its_end() {
        for (texts, expected) in [
            (&["abcd", "ef"][..], &["abcd", "e"][..]),
            (&["abcd", "", "e", ""], &["abcd"]),
            (&[], &[]),
        ] {
            let cut = || all_but_last_byte(chunks(texts));
            let whole = pieces_of(cut(), None, Some(Spoil::Truncate(100))).await;
            let expected: Vec<String> = expected.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(whole, (expected.clone(), true));
            let dropped = pieces_of(cut(), None, Some(Spoil::DropAfter(100))).await;
            assert_eq!(dropped, (expected, false));
        }
    }

    #[test]
    fn packed_chunks_unpack_to_the_same() {
        let packed: Vec<u8> =
            gzip(chunks(&["abcd", "ef"])).flat_map(|chunk| chunk.unwrap().to_vec()).collect();
        let mut text = String::new();
        GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "abcdef");
    }
}
