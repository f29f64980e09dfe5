//! Which field of a body is wrong, and why, without the value that stands there.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde::Serialize;

/// A field that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FieldError {
    /// A JSON pointer to it; empty for the body itself.
    pub(crate) pointer: String,
    /// What the schema asks for.
    pub(crate) detail: String,
}

/// What stands for the value in a message.
const VALUE: &str = "the value";
/// The longest pointer or detail that is told.
const LONGEST: usize = 500;

/// What a violation says, each at the field that it is about.
pub(crate) fn of(error: &ValidationError<'_>) -> Vec<FieldError> {
    let at = error.instance_path().as_str();
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![field(&below(at, name), "is missing")]
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| field(&below(at, name), "is not known here")).collect()
        }
        _ => vec![field(at, &error.masked_with(VALUE).to_string())],
    }
}

fn field(pointer: &str, detail: &str) -> FieldError {
    let cut = |text: &str| text.chars().take(LONGEST).collect();
    FieldError { pointer: cut(pointer), detail: cut(detail) }
}

/// A pointer to a property.
fn below(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}
