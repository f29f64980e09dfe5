//! Broken JSON in the words of Salesforce, whose parser is another one.

use serde_json::error::Category;

use crate::refusal::Refusal;

/// What Salesforce says of a body that our parser stumbled over.
pub(crate) fn refusal(error: &serde_json::Error, body: &[u8]) -> Refusal {
    let (line, column) = (error.line(), error.column());
    let problem = match error.classify() {
        Category::Eof => "Unexpected end-of-input: expected close marker".to_owned(),
        Category::Syntax | Category::Data | Category::Io => {
            problem(&error.to_string(), found(body, line, column))
        }
    };
    Refusal::new("JSON_PARSER_ERROR", format!("{problem} at [line:{line}, column:{column}]"))
}

/// The byte at a place, which counts from 1; the parser says the one it has just read.
fn found(body: &[u8], line: usize, column: usize) -> Option<u8> {
    let text = body.split(|&byte| byte == b'\n').nth(line.checked_sub(1)?)?;
    text.get(column.checked_sub(1)?).copied()
}

fn problem(ours: &str, found: Option<u8>) -> String {
    let Some(found) = found else { return "Unexpected end-of-input".to_owned() };
    if ours.starts_with("control character") {
        return format!(
            "Illegal unquoted character ((CTRL-CHAR, code {found})): has to be escaped using \
             backslash to be included in string value"
        );
    }
    if ours.starts_with("recursion limit") {
        return "The JSON is nested too deeply".to_owned();
    }
    let expected = [
        ("key must be a string", "was expecting double-quote to start field name"),
        ("expected `,` or `}`", "was expecting comma to separate OBJECT entries"),
        ("expected `,` or `]`", "was expecting comma to separate ARRAY entries"),
        ("expected `:`", "was expecting a colon to separate field name and value"),
    ]
    .into_iter()
    .find(|(start, _)| ours.starts_with(start))
    .map_or(
        "expected a valid value (number, String, array, object, 'true', 'false' or 'null')",
        |(_, expected)| expected,
    );
    match found {
        b' '..=b'~' => {
            format!("Unexpected character ('{}' (code {found})): {expected}", char::from(found))
        }
        0x80.. => format!("Invalid UTF-8 start byte 0x{found:x}"),
        _ => format!("Illegal character ((CTRL-CHAR, code {found})): {expected}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;

    #[test]
    fn broken_json_is_told_with_its_place() {
        let deep = "[".repeat(200);
        for (body, expected) in [
            (
                "{a:1}",
                "Unexpected character ('a' (code 97)): was expecting double-quote to start field name at [line:1, column:2]",
            ),
            (
                "{\"a\":1,\n \"b\" 2}",
                "Unexpected character ('2' (code 50)): was expecting a colon to separate field name and value at [line:2, column:6]",
            ),
            (
                "{\"a\":x}",
                "Unexpected character ('x' (code 120)): expected a valid value (number, String, array, object, 'true', 'false' or 'null') at [line:1, column:6]",
            ),
            ("{\"a\":1", "Unexpected end-of-input: expected close marker at [line:1, column:6]"),
            (deep.as_str(), "The JSON is nested too deeply at [line:1, column:128]"),
        ] {
            let error = serde_json::from_slice::<Json>(body.as_bytes()).unwrap_err();
            let refusal = refusal(&error, body.as_bytes());
            assert_eq!((refusal.code, refusal.message.as_str()), ("JSON_PARSER_ERROR", expected));
        }
    }
}
