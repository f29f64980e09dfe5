//! What stands where personal data was erased: the same in every store, so that everybody knows it again.

use dipmo_api::table::ProcessTable;
use dipmo_domain::{Failure, Json};

use crate::{StateRow, StateWrite};

/// A payload that was erased. The name is one that nobody gives a field of theirs.
pub const BLANK: &str = r#"{"dipmo.erased":true}"#;

/// A text that was erased where one must stand.
pub const BLANK_TEXT: &str = "erased";

/// True for a payload or a context that was erased.
#[must_use]
pub fn is_blank(json: &Json) -> bool {
    let open = BLANK.trim_end_matches('}');
    json.as_str().starts_with(open)
}

impl StateRow {
    /// True when nothing of its context is left, and nothing of a failure but its code.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        let said = self.failure.as_ref().map_or(BLANK_TEXT, Failure::message);
        is_blank(&self.context) && said == BLANK_TEXT
    }

    /// What is written over an instance so that it is blank. It has the next `VERSION` then: a worker who read it
    /// before cannot write the old context back.
    #[must_use]
    pub fn blanked(self, table: &ProcessTable) -> StateWrite {
        let failure = self.failure.map(|failure| Failure::new(failure.code(), BLANK_TEXT));
        StateWrite {
            key: self.key,
            expected_version: Some(self.version),
            version: self.version + 1,
            state: self.state,
            context: blank_context(table),
            event_versions: self.event_versions,
            attempts: self.attempts,
            last_event_ts: Some(self.last_event_ts),
            failure,
        }
    }
}

/// The context of an instance that was erased: fields that columns show and must not be NULL are there still.
fn blank_context(table: &ProcessTable) -> Json {
    let required = table.projected.iter().filter(|column| column.required);
    let fields = required.map(|column| format!(",{:?}:{BLANK_TEXT:?}", column.field));
    let open = BLANK.trim_end_matches('}');
    Json::from_store(format!("{open}{}}}", fields.collect::<String>()))
}

#[cfg(test)]
mod tests {
    use dipmo_api::table::ProjectedColumn;

    use super::*;

    #[test]
    fn a_blank_context_is_known_and_has_what_columns_must_show() {
        let column = |field, required| ProjectedColumn { name: "X", field, required };
        let table = ProcessTable {
            process: "ORDER",
            states: vec!["NEW"],
            initial: "NEW",
            state_check: "CK_ORDER_STATE",
            projected: vec![column("reference", true), column("note", false)],
        };
        let context = blank_context(&table);
        assert_eq!(context.as_str(), r#"{"dipmo.erased":true,"reference":"erased"}"#);
        assert!(is_blank(&context) && is_blank(&Json::from_store_str(BLANK)));
        assert!(!is_blank(&Json::from_store_str(r#"{"erased":true}"#)));
        assert!(Json::parse(context.as_str()).is_ok());
    }
}
