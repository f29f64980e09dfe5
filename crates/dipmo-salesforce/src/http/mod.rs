//! Requests, answers, and what an answer that is none means.

pub(crate) mod answer;
pub(crate) mod deadline;
pub(crate) mod failure;
mod packed;
pub(crate) mod request;
mod retry_after;
mod tls;
pub(crate) mod transport;
