//! A client that keeps its connection and asks one thing after the other.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A connection.
pub(crate) struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: Vec::new() })
    }

    /// Posts a body, and answers the status.
    pub(crate) async fn post(&mut self, key: Option<&str>, body: &str) -> Result<u16> {
        let key = key.map_or_else(String::new, |key| format!("idempotency-key: {key}\r\n"));
        let length = body.len();
        let request = format!(
            "POST /orders HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{key}\
             content-length: {length}\r\n\r\n{body}"
        );
        self.stream.write_all(request.as_bytes()).await?;
        self.read.clear();
        loop {
            if let Some(status) = complete(&self.read)? {
                return Ok(status);
            }
            if self.stream.read_buf(&mut self.read).await? == 0 {
                bail!("the source closed a connection");
            }
        }
    }
}

/// The status of an answer, if all of it is there.
fn complete(read: &[u8]) -> Result<Option<u16>> {
    let text = str::from_utf8(read).context("an answer is no text")?;
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return Ok(None) };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.context("an answer has no length")?.parse()?;
    let status = head.split(' ').nth(1).context("an answer has no status")?.parse()?;
    Ok((body.len() >= length).then_some(status))
}
