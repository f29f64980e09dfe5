//! HTTP: a call comes in, and its answer goes out.

pub(crate) mod accept;
pub(crate) mod answer;
pub(crate) mod api;
pub(crate) mod body;
pub(crate) mod call;
mod dispatch;
mod in_flight;
pub(crate) mod json_error;
mod latency;
mod life;
mod limits;
pub(crate) mod log;
mod outgoing;
pub(crate) mod path;
mod respond;
pub(crate) mod route;
mod run;
mod tasks;
mod versions;
pub(crate) mod world;
