//! Whether a source over HTTP could listen where it is to.

use std::io::ErrorKind;

use dipmo_config::Problem;
use dipmo_domain::Code;
use tokio::net::TcpListener;

use super::Row;
use crate::wiring::http::HttpPlan;

/// Listens for a moment. Whoever has the address may be dipmo itself, so that is a warning.
pub(super) async fn listens(plan: &HttpPlan) -> Row {
    let (at, what) = (format!("source {}", plan.name), "address");
    let address = plan.options.listen;
    match TcpListener::bind(address).await {
        Ok(_) => Row::ok(&at, what, format!("{address} is free")),
        Err(error) => {
            let code = Code::new("http-address-unavailable");
            let message = format!("nobody can be listened to at {address}: {error}");
            let problem = if error.kind() == ErrorKind::AddrInUse {
                Problem::warning(code, plan.listen, message).hint("does dipmo run there already?")
            } else {
                Problem::error(code, plan.listen, message)
            };
            Row::wrong(&at, what, problem)
        }
    }
}
