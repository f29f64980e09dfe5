//! The simulator over HTTP: logging in, calls and their refusals, faults, inspection.

mod binary;
mod client;
mod faults;
mod fuzz;
mod http;
mod inspect;
mod jwt;
mod oauth;
