//! A database of its own for each test, on a real server.

pub(crate) mod database;
pub(crate) mod fixture;
pub(crate) mod own_server;
pub(crate) mod proxy;
pub(crate) mod server;
pub(crate) mod waiting;
