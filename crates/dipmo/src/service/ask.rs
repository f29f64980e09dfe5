//! Asks the health port of an instance: for images that have no other client in them.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long each step may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// No answer of the port is longer.
const MOST_BYTES: u64 = 1 << 20;

/// What the port answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// 200 when it is well, 503 when it is not.
    pub status: u16,
    /// The JSON.
    pub body: String,
}

/// Asks for `/live`, `/ready` or `/health`.
///
/// # Errors
/// When nobody answers, or something that is no health port does.
pub fn ask(address: SocketAddr, path: &str) -> io::Result<Asked> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(MOST_BYTES).read_to_string(&mut answer)?;
    read(&answer).ok_or_else(|| io::Error::other("what answers is no health port of dipmo"))
}

/// The port answers with a known length and closes: the body is what comes after the headers.
fn read(answer: &str) -> Option<Asked> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.split(' ').next()?.parse().ok()?;
    Some(Asked { status, body: body.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_answer_of_http_is_none() {
        let well = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(read(well), Some(Asked { status: 200, body: "{}".to_owned() }));
        for other in ["", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\n"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
