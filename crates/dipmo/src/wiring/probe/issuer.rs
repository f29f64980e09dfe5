//! Whether the issuer of tokens says its keys.

use std::time::Duration;

use dipmo_config::Problem;
use dipmo_domain::Coded as _;
use tokio::time::timeout;

use super::Row;
use crate::wiring::issuer::IssuerPlan;

/// Asks for the keys. Tokens of dipmo's own are good without them, so that is a warning.
pub(super) async fn ask(plan: &IssuerPlan, within: Duration) -> Row {
    let (at, what, oidc) = ("issuer of tokens", "keys", plan.oidc());
    let warning = |code, message: String| {
        let hint = "is its address the right one, and can it be reached from here?";
        Row::wrong(at, what, Problem::warning(code, plan.place, message).hint(hint))
    };
    match timeout(within, oidc.ask()).await {
        Ok(Ok(keys)) => Row::ok(at, what, format!("{keys} can be used")),
        Ok(Err(error)) => warning(error.code(), error.to_string()),
        Err(_) => {
            let code = dipmo_domain::Code::new("admin-issuer-unreachable");
            warning(code, "the issuer did not answer in time".to_owned())
        }
    }
}
