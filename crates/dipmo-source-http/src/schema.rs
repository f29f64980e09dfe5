//! What bodies of a path must look like.

use jsonschema::Validator;
use serde_json::Value;

use crate::error::SourceError;
use crate::fields::{self, FieldError};

/// So many violations are told at once.
const MOST: usize = 20;
/// Of a body with more bytes only the first violation is told.
const LARGE: usize = 64 << 10;

/// A JSON Schema that was understood.
#[derive(Debug)]
pub(crate) struct Schema(Validator);

impl Schema {
    /// References lead within the document only: nothing is fetched.
    pub(crate) fn new(path: &str, schema: &Value) -> Result<Self, SourceError> {
        let path = path.to_owned();
        jsonschema::validator_for(schema)
            .map(Self)
            .map_err(|error| SourceError::Schema { path, problem: error.to_string() })
    }

    /// What is wrong with a body of so many bytes; empty when nothing is. All violations are looked for
    /// before the first is told, and a large body can have one in every second byte.
    pub(crate) fn violations(&self, body: &Value, bytes: usize) -> Vec<FieldError> {
        if self.0.is_valid(body) {
            return Vec::new();
        }
        if bytes > LARGE {
            let first = self.0.validate(body).err();
            return first.iter().flat_map(fields::of).take(MOST).collect();
        }
        self.0.iter_errors(body).flat_map(|error| fields::of(&error)).take(MOST).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Schema {
        let schema = json!({
            "type": "object",
            "required": ["orderId", "lines"],
            "additionalProperties": false,
            "properties": {
                "orderId": {"type": "string", "pattern": "^O-[0-9]+$"},
                "card": {"type": "string", "maxLength": 4},
                "kind": {"enum": ["web", "shop"]},
                "lines": {"type": "array", "items": {
                    "properties": {"quantity": {"type": "integer", "minimum": 1}},
                }},
            },
        });
        Schema::new("/orders", &schema).unwrap()
    }

    fn pointers(body: &Value) -> Vec<String> {
        let mut all: Vec<_> =
            schema().violations(body, 100).into_iter().map(|error| error.pointer).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn each_violation_points_at_its_field() {
        assert_eq!(pointers(&json!({"orderId": "O-1", "lines": []})), Vec::<String>::new());
        assert_eq!(pointers(&json!({"orderId": "x", "lines": 7})), ["/lines", "/orderId"]);
        assert_eq!(pointers(&json!({})), ["/lines", "/orderId"]);
        let lines = json!([{"quantity": 1}, {"quantity": 0}]);
        assert_eq!(pointers(&json!({"orderId": "O-1", "lines": lines})), ["/lines/1/quantity"]);
        let strange = json!({"orderId": "O-1", "lines": [], "a/b": 1});
        assert_eq!(pointers(&strange), ["/a~1b"]);
        assert_eq!(pointers(&json!([])), [""]);
    }

    #[test]
    fn of_a_large_body_the_first_violation_is_told() {
        let wrong = json!({"orderId": "x", "lines": [{"quantity": 0}, {"quantity": 0}]});
        let told = |body: &Value, bytes| schema().violations(body, bytes).len();
        assert_eq!([told(&wrong, LARGE), told(&wrong, LARGE + 1)], [3, 1]);
        assert_eq!(told(&json!({"orderId": "O-1", "lines": []}), LARGE + 1), 0);
    }

    #[test]
    fn no_violation_shows_a_value() {
        let secret = "4111111111111111";
        let body = json!({"orderId": secret, "card": secret, "kind": secret, "lines": secret});
        let said = format!("{:?}", schema().violations(&body, 100));
        assert!(said.matches("pointer").count() == 4 && !said.contains(secret), "{said}");
    }

    #[test]
    fn a_schema_that_is_none_is_refused() {
        for wrong in
            [json!({"type": "strin"}), json!({"$ref": "https://example.com/x.json"}), json!(7)]
        {
            let error = Schema::new("/orders", &wrong).unwrap_err();
            assert!(error.to_string().contains("/orders"), "{error}");
        }
    }
}
