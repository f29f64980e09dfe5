//! `GET /me`: whom a token stands for.

use serde::Serialize;
use utoipa::ToSchema;

use super::lists::Nothing;
use crate::auth::Who;
use crate::body::Answer;
use crate::moment::Moment;
use crate::params::Asked;
use crate::roles::Role;

/// Who asks.
#[derive(Serialize, ToSchema)]
pub(crate) struct Me {
    /// Their name.
    name: String,
    /// What they may do.
    role: Role,
    /// Until when their token is good; null is for ever.
    until: Option<Moment>,
    /// The version of dipmo that answers.
    version: &'static str,
}

/// Whom the token stands for.
#[utoipa::path(get, path = "/me", tag = "access", responses((status = 200, body = Me)))]
pub(crate) async fn me(Who(identity): Who, _: Asked<Nothing>) -> Answer<Me> {
    Answer(Me {
        name: identity.name,
        role: identity.role,
        until: identity.until.map(Moment),
        version: env!("CARGO_PKG_VERSION"),
    })
}
