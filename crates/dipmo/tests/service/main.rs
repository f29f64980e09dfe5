//! What the service is made of, from the outside: a client, a manager, signals, a log.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

mod leaky;
mod logs;
mod port;
mod signals;
mod systemd;
