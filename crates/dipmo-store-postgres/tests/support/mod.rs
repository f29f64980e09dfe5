//! A database of its own for each test, on a real server.

pub mod database;
pub mod fixture;
pub mod proxy;
pub mod server;
