//! What Salesforce says about a query that it does not take.

use crate::refusal::Refusal;

/// Longer lines are shown in part, around the place.
const SHOWN_BEFORE: usize = 40;
const SHOWN_AFTER: usize = 40;

/// A refusal with the line of the query, a caret below the place, and the place's row and column.
pub(super) fn at(
    query: &str,
    offset: usize,
    code: &'static str,
    words: impl std::fmt::Display,
) -> Refusal {
    let before = query.get(..offset).unwrap_or(query);
    let row = before.matches('\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[line_start..].chars().count();
    let line = query[line_start..].lines().next().unwrap_or_default();
    let hidden = column.saturating_sub(SHOWN_BEFORE);
    let shown: String = line.chars().skip(hidden).take(SHOWN_BEFORE + SHOWN_AFTER).collect();
    let caret = " ".repeat(column - hidden);
    let message = format!("\n{shown}\n{caret}^\nERROR at Row:{row}:Column:{}\n{words}", column + 1);
    Refusal::new(code, message)
}

/// A query that is not SOQL, or not the part of it that is known here.
pub(super) fn malformed(query: &str, offset: usize, words: impl std::fmt::Display) -> Refusal {
    at(query, offset, "MALFORMED_QUERY", words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_shown_with_row_and_column() {
        let query = "SELECT Id, Status, Location, Body from ApexLog";
        assert_eq!(
            malformed(query, 29, "no").message,
            "\nSELECT Id, Status, Location, Body from ApexLog\n                             ^\n\
             ERROR at Row:1:Column:30\nno"
        );
        assert!(
            malformed("a\nbä c", 6, "no")
                .message
                .contains("\nbä c\n   ^\nERROR at Row:2:Column:4\n")
        );
        assert!(malformed("a", 1, "no").message.contains("\na\n ^\n"));
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let query = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let message = malformed(&query, 500, "no").message;
        let mut lines = message.lines().skip(1);
        let (shown, caret) = (lines.next().unwrap(), lines.next().unwrap());
        assert_eq!(shown.len(), 80);
        assert_eq!(shown.find('X'), caret.find('^'));
    }
}
