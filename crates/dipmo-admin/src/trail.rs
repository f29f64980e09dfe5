//! What goes into the audit.

use dipmo_domain::{Json, cut_to_bytes};
use dipmo_store::admin::AuditEntry;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::auth::Identity;
use crate::problem::Problem;

/// The longest reason, in characters.
const LONGEST_REASON: usize = 2_000;
/// What a reason looks like.
const REASON: &str = r"^[^\x00]*\S[^\x00]*$";
/// The longest name of what something was done to, in bytes.
const LONGEST_TARGET: usize = 400;

/// Why somebody does something, in their own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason(String);

impl Reason {
    /// A text that says something.
    pub(crate) fn new(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Problem::reason("is missing"));
        }
        if text.chars().count() > LONGEST_REASON || text.contains('\0') {
            return Err(Problem::reason("is too long, or no text"));
        }
        Ok(Self(text.to_owned()))
    }

    /// A text in the OpenAPI document, told that it is a reason: not only blanks, not too long, and without a
    /// NUL.
    pub(crate) fn schema(text: ObjectBuilder) -> ObjectBuilder {
        text.min_length(Some(1)).max_length(Some(LONGEST_REASON)).pattern(Some(REASON))
    }
}

/// In a body it is a text; whether it says something is told by [`Reason::new`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Said(String);

impl Said {
    /// These words.
    pub(crate) fn of(words: &str) -> Self {
        Self(words.to_owned())
    }

    /// Refuses what is said and is no reason; a dry run needs none.
    pub(crate) fn for_dry_run(&self) -> Result<(), Problem> {
        if self.0.is_empty() { Ok(()) } else { self.reason().map(drop) }
    }

    pub(crate) fn reason(&self) -> Result<Reason, Problem> {
        Reason::new(&self.0)
    }
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

impl PartialSchema for Said {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::String))
            .description(Some("Why, in your own words: the audit keeps it."));
        Reason::schema(text).into()
    }
}

impl ToSchema for Said {}

/// An entry of the audit; `detail` has no payload and no secret.
pub(crate) fn entry(
    identity: &Identity,
    action: &str,
    target: &str,
    reason: Reason,
    detail: &impl Serialize,
) -> Result<AuditEntry, Problem> {
    let detail = Json::of(detail).map_err(|_| Problem::body("it cannot be written down"))?;
    Ok(AuditEntry {
        actor: identity.name.clone(),
        role: identity.role.as_str().to_owned(),
        action: action.to_owned(),
        target: cut_to_bytes(target, LONGEST_TARGET),
        reason: reason.0,
        detail,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_says_something() {
        assert_eq!(Reason::new("  because  "), Ok(Reason("because".to_owned())));
        assert!(Reason::new(" \n ").is_err() && Reason::new("a\0b").is_err());
        assert!(
            Reason::new(&"é".repeat(2_000)).is_ok() && Reason::new(&"é".repeat(2_001)).is_err()
        );
    }
}
