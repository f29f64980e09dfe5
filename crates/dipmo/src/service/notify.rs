//! Tells systemd how it goes: a datagram to the socket that it names in `NOTIFY_SOCKET`.
//!
//! A few lines of the standard library do; the protocol is text, and old. Nothing fails because
//! nobody listens.

use std::ffi::{OsStr, OsString};
use std::io;
use std::time::Duration;

/// The way to the manager, or nowhere when there is none.
#[derive(Clone, Debug, Default)]
pub struct Notify {
    socket: Option<OsString>,
    watchdog: Option<Duration>,
}

impl Notify {
    /// As the environment says.
    #[must_use]
    pub fn from_env() -> Self {
        let text = |name| std::env::var(name).ok();
        let watchdog = watchdog(
            text("WATCHDOG_USEC").as_deref(),
            text("WATCHDOG_PID").as_deref(),
            std::process::id(),
        );
        Self { socket: std::env::var_os("NOTIFY_SOCKET"), watchdog }
    }

    /// To a socket: a path, or an abstract name that begins with `@`.
    #[must_use]
    pub fn to(socket: &OsStr, watchdog: Option<Duration>) -> Self {
        Self { socket: Some(socket.to_owned()), watchdog }
    }

    /// Within which time the manager wants a sign of life, if it does.
    #[must_use]
    pub const fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    /// It does what it is there for.
    pub fn ready(&self) {
        self.tell("READY=1");
    }

    /// It ends.
    pub fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    /// It lives.
    pub fn alive(&self) {
        self.tell("WATCHDOG=1");
    }

    /// It needs so much longer, from now on, to start or to end.
    pub fn wait(&self, time: Duration) {
        self.tell(&format!("EXTEND_TIMEOUT_USEC={}", time.as_micros()));
    }

    /// A line for people, shown by `systemctl status`.
    pub fn status(&self, line: &str) {
        let line = line.replace(['\n', '\r'], " ");
        self.tell(&format!("STATUS={line}"));
    }

    fn tell(&self, state: &str) {
        let Some(socket) = &self.socket else { return };
        if let Err(error) = send(socket, state) {
            tracing::debug!(%error, "systemd does not listen");
        }
    }
}

#[cfg(target_os = "linux")]
fn send(socket: &OsStr, state: &str) -> io::Result<()> {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let address = match socket.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(socket)?,
    };
    let datagram = UnixDatagram::unbound()?;
    // A manager that does not read must not keep us waiting.
    datagram.set_nonblocking(true)?;
    datagram.send_to_addr(state.as_bytes(), &address).map(drop)
}

#[cfg(not(target_os = "linux"))]
fn send(_: &OsStr, _: &str) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// The watchdog is for us if it names our process, or none.
fn watchdog(micros: Option<&str>, pid: Option<&str>, ours: u32) -> Option<Duration> {
    let is_ours = pid.is_none_or(|pid| pid.parse() == Ok(ours));
    let micros: u64 = micros?.parse().ok().filter(|micros| *micros > 0)?;
    is_ours.then(|| Duration::from_micros(micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watchdog_of_another_process_is_not_ours() {
        let second = Some(Duration::from_secs(1));
        assert_eq!(watchdog(Some("1000000"), None, 7), second);
        assert_eq!(watchdog(Some("1000000"), Some("7"), 7), second);
        assert_eq!(watchdog(Some("1000000"), Some("8"), 7), None);
        assert_eq!(watchdog(Some("1000000"), Some("x"), 7), None);
        assert_eq!(watchdog(Some("0"), None, 7), None);
        assert_eq!(watchdog(None, None, 7), None);
    }
}
