//! Problems for programs.

use serde_json::{Value, json};

use super::{Problem, Problems};
use crate::{Files, Place};

impl Problem {
    /// As JSON: `severity`, `code`, `message`, `file`, `line`, `column`, `end_line`, `end_column`, `hint`,
    /// `also` (places with a `label`) and `page`.
    #[must_use]
    pub fn to_json(&self, files: &Files) -> Value {
        let mut value = json!({
            "severity": self.severity.as_str(),
            "code": self.code.as_str(),
            "message": self.message,
            "hint": self.hint,
            "page": format!("docs/errors/{}.md", self.code),
        });
        if let Some(place) = self.place {
            merge(&mut value, place_json(files, place));
        }
        let also: Vec<Value> = self
            .also
            .iter()
            .map(|(place, label)| {
                let mut value = place_json(files, *place);
                value["label"] = json!(label);
                value
            })
            .collect();
        value["also"] = json!(also);
        value
    }
}

impl Problems {
    /// As a JSON array.
    #[must_use]
    pub fn to_json(&self, files: &Files) -> Value {
        self.iter().map(|problem| problem.to_json(files)).collect()
    }
}

fn place_json(files: &Files, place: Place) -> Value {
    let (start, end) = (files.position(place), files.end_position(place));
    json!({
        "file": files.name(place.file),
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    })
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

#[cfg(test)]
mod tests {
    use super::super::codes;
    use super::*;

    #[test]
    fn a_program_gets_lines_and_columns() {
        let mut files = Files::default();
        let file = files.add("dipmo.yaml", "dipmo: 1\nstoer: 2\n");
        let place = Place::new(file, 9..14);
        let problem = Problem::error(codes::UNKNOWN_KEY, place, "no such key").hint("use `store`");
        let json = problem.also(Place::new(file, 0..5), "see here").to_json(&files);
        assert_eq!(json["line"], 2);
        assert_eq!((&json["column"], &json["end_column"]), (&json!(1), &json!(6)));
        assert_eq!(json["also"][0]["label"], "see here");
        assert_eq!(json["page"], "docs/errors/config-unknown-key.md");
    }
}
