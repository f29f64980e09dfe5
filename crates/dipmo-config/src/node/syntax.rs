//! What the YAML parser says, in words that help who writes a configuration.

use granit_parser::{ErrorKind, ScanError};

use crate::problem::codes;
use crate::{Place, Problem};

/// The problem that an error of the parser is.
pub(super) fn problem(file: u16, text: &str, error: &ScanError) -> Box<Problem> {
    let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
    let rest = text.get(at..).unwrap_or("");
    let length = rest.chars().next().filter(|c| !c.is_control()).map_or(0, char::len_utf8);
    let place = Place::new(file, at..at + length);
    let message = match error.kind() {
        ErrorKind::UnknownAnchor => {
            let name = rest.trim_start_matches('*');
            let name = name.split(|c: char| c.is_whitespace() || ",]}".contains(c)).next();
            format!("no anchor `&{}` comes before this alias", super::cut(name.unwrap_or("")))
        }
        _ => format!("this is no YAML: {}", error.info()),
    };
    let hint = hint(error.kind(), rest).map(str::to_owned);
    Box::new(Problem::error(codes::SYNTAX, place, message).maybe_hint(hint))
}

fn hint(kind: &ErrorKind, rest: &str) -> Option<&'static str> {
    let next = rest.chars().next();
    match (kind, next) {
        (_, Some('\t'))
        | (
            ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation,
            _,
        ) => Some("indent with blanks, not with tabs"),
        (_, Some('?')) => Some("a `?` behind brackets goes to the name: `tags?: [string]`"),
        (_, Some('*')) => Some("a text that begins with `*` is put in quotes"),
        (_, Some('@' | '`' | '%')) => {
            Some("a text that begins with this character is put in quotes")
        }
        (
            ErrorKind::ExpectedBlockMappingKey
            | ErrorKind::ExpectedBlockSequenceEntry
            | ErrorKind::InvalidIndentation,
            _,
        ) => Some("what belongs together begins in the same column"),
        (ErrorKind::UnclosedFlowCollection { .. }, _) => Some("close it"),
        (ErrorKind::UnclosedQuotedScalar, _) => Some("close the quotes"),
        (ErrorKind::UnknownQuotedScalarEscape, _) => {
            Some("in double quotes a backslash is written twice; in single quotes it is itself")
        }
        (ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey, _) => {
            Some("a key ends with a colon and a blank; a text with `: ` in it is put in quotes")
        }
        (ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator, _) => {
            Some(
                "between brackets, a comma stands before the next; a text with a comma in it is put in quotes",
            )
        }
        _ => None,
    }
}
