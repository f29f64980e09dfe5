//! What a token allows. The roles are a ladder: each may do all that those below it may.

use std::fmt;
use std::str::FromStr;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use dipmo_domain::UnknownName;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::auth::Who;
use crate::problem::Problem;

/// A role.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Looks; what came in is masked.
    Viewer,
    /// Also begins operations, searches for texts, reveals what is masked, and reads the audit.
    Operator,
    /// Also makes and revokes tokens.
    Admin,
}

impl Role {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Operator, Self::Admin];

    /// The word for it, as tokens and the audit have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName { kind: "role", name: name.to_owned() };
        Self::ALL.into_iter().find(|role| role.as_str() == name).ok_or_else(unknown)
    }
}

/// Lets a request pass whose identity has at least the role of its route.
pub(crate) async fn require(
    State(least): State<Role>,
    Who(identity): Who,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    identity.may(least)?;
    Ok(next.run(request).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_a_ladder_and_are_read_as_they_are_written() {
        assert!(Role::Viewer < Role::Operator && Role::Operator < Role::Admin);
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
            assert_eq!(serde_json::to_string(&role).unwrap(), format!("\"{role}\""));
        }
        assert!("Admin".parse::<Role>().is_err() && "".parse::<Role>().is_err());
    }
}
