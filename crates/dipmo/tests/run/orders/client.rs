//! Somebody who posts orders, and asks again until each was taken.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::service::PATIENCE;

/// How long one answer may take: after that nobody knows, and it is asked again.
const ANSWER: Duration = Duration::from_secs(10);

/// A client with one connection, which it makes anew when that breaks.
pub(super) struct Client {
    address: SocketAddr,
    token: String,
    connection: Option<BufReader<TcpStream>>,
}

impl Client {
    pub(super) fn new(address: SocketAddr, token: &str) -> Self {
        Self { address, token: token.to_owned(), connection: None }
    }

    /// Posts until somebody takes it: whatever happened before, asking again is safe.
    pub(super) fn post(&mut self, key: &str, body: &Value) {
        let began = Instant::now();
        loop {
            let answered = self.try_to_post(key, body);
            match answered {
                Ok(202) => return,
                // Nobody is there, or it is too much now.
                Ok(503) | Err(_) => self.connection = None,
                Ok(status) => panic!("{status} for {key}"),
            }
            assert!(began.elapsed() < PATIENCE * 5, "{key}: {answered:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn try_to_post(&mut self, key: &str, body: &Value) -> io::Result<u16> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            None => {
                let stream = TcpStream::connect_timeout(&self.address, ANSWER)?;
                stream.set_read_timeout(Some(ANSWER))?;
                stream.set_nodelay(true)?;
                self.connection.insert(BufReader::new(stream))
            }
        };
        let (body, token, host) = (body.to_string(), &self.token, self.address);
        let request = format!(
            "POST /orders/publish HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
             idempotency-key: {key}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        connection.get_mut().write_all(request.as_bytes())?;
        answer(connection)
    }
}

/// Reads an answer to its end; answers its status.
fn answer(connection: &mut BufReader<TcpStream>) -> io::Result<u16> {
    let (mut status, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(rest) = line.strip_prefix("http/1.1 ") {
            status = rest.split(' ').next().and_then(|status| status.parse().ok());
        }
        if let Some(bytes) = line.strip_prefix("content-length:") {
            length = bytes.trim().parse().map_err(io::Error::other)?;
        }
    }
    io::copy(&mut connection.take(length), &mut io::sink())?;
    status.ok_or_else(|| io::Error::other("no answer of HTTP"))
}
