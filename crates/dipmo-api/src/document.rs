//! The check of a context document: what the columns of the process table must be able to show.

use dipmo_domain::Json;
use serde_json::Value;

use crate::table::ProjectedColumn;
use crate::{Description, Refusal};

/// The width of a projected column, in characters.
const MAX_CHARS: usize = 200;

/// Refuses a document that the process row could not hold.
pub(crate) fn check_document(process: &Description, data: &Json) -> Result<(), Refusal> {
    let projected = &process.table.projected;
    // Most documents need no second look: they are read again only for what could be wrong.
    if projected.is_empty() && !data.as_str().contains("\\u0000") {
        return Ok(());
    }
    let refuse = |problem| Refusal::ContextInvalid { process: process.name(), problem };
    let document: Value = data.read().map_err(|e| refuse(format!("cannot be read back: {e}")))?;
    if has_nul(&document) {
        return Err(refuse("has a NUL character, which PostgreSQL cannot show".to_owned()));
    }
    let problem = projected.iter().find_map(|column| bad_field(column, document.get(column.field)));
    problem.map_or(Ok(()), |problem| Err(refuse(problem)))
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields.iter().any(|(name, v)| name.contains('\0') || has_nul(v)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn bad_field(column: &ProjectedColumn, value: Option<&Value>) -> Option<String> {
    let ProjectedColumn { name, field, required } = column;
    match value {
        None | Some(Value::Null) => required.then(|| format!("lacks {field}, which {name} needs")),
        // Oracle takes an empty text for NULL.
        Some(Value::String(text)) if text.is_empty() && *required => {
            Some(format!("has an empty {field}, which {name} needs"))
        }
        Some(value) if shown_chars(value) > MAX_CHARS => {
            Some(format!("has a {field} of more than {MAX_CHARS} characters, too long for {name}"))
        }
        Some(_) => None,
    }
}

/// A column shows a text as it is, and anything else as its JSON.
fn shown_chars(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().chars().count(), |text| text.chars().count())
}
