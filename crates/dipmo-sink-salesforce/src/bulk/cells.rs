//! A record as a row of CSV, where it can be one.

use dipmo_salesforce::Cell;
use serde_json::Value as Json;

use crate::shaping::Shaped;

/// What Salesforce takes in a cell and in a row, in characters of UTF-16. More than that fails the
/// whole job.
const MOST_IN_A_CELL: usize = 32_000;
const MOST_IN_A_ROW: usize = 400_000;

/// In a cell this makes the field empty, and there is no way to write the text itself.
const NULL: &str = "#N/A";

/// The cells of a record in the order of the columns, the external id first; `None` where no row can
/// say what the record says.
pub(super) fn cells<'a>(columns: &[&str], record: &'a Shaped) -> Option<Vec<Cell<'a>>> {
    let (_, fields) = columns.split_first()?;
    let values = fields.iter().map(|column| Cell::of(&record.fields, column));
    let cells: Vec<Cell<'a>> = std::iter::once(Cell::Text(&record.key)).chain(values).collect();
    let mut whole = 0;
    for cell in &cells {
        let characters = match cell {
            Cell::Text(text) if text.trim() == NULL || text.contains('\0') => return None,
            Cell::Text(text) => text.encode_utf16().count(),
            Cell::Value(Json::Object(_) | Json::Array(_)) => return None,
            // Numbers and truth values.
            Cell::Value(_) | Cell::Null | Cell::Absent => 32,
        };
        if characters > MOST_IN_A_CELL {
            return None;
        }
        whole += characters;
    }
    (whole <= MOST_IN_A_ROW).then_some(cells)
}

/// At most so many bytes a row of these cells takes: every quote is written twice.
pub(super) fn most_bytes(cells: &[Cell<'_>]) -> u64 {
    let of_cell = |cell: &Cell<'_>| match cell {
        Cell::Text(text) => 2 * text.len() + 3,
        Cell::Value(_) | Cell::Null | Cell::Absent => 32,
    };
    cells.iter().map(of_cell).sum::<usize>() as u64
}

#[cfg(test)]
mod tests {
    use dipmo_salesforce::{CsvWriter, Fields};
    use serde_json::json;

    use super::*;

    const COLUMNS: [&str; 4] = ["Key__c", "Text", "Other", "Family__r.ExternalId__c"];

    fn record(key: &str, fields: Json) -> Shaped {
        let Json::Object(fields) = fields else { panic!("no object") };
        let fields: Fields = fields;
        Shaped { key: key.to_owned(), fields, version: None, full: true, children: Vec::new() }
    }

    fn written(record: &Shaped) -> Option<String> {
        let cells = cells(&COLUMNS, record)?;
        let mut writer = CsvWriter::new(&COLUMNS);
        let header = writer.bytes_written();
        writer.row(&cells).unwrap();
        assert!(writer.bytes_written() - header <= most_bytes(&cells));
        let csv = String::from_utf8(writer.take().to_vec()).unwrap();
        Some(csv.split_once('\n').unwrap().1.to_owned())
    }

    #[test]
    fn null_is_not_nothing_and_an_empty_text_is_null() {
        let row = record("K", json!({ "Text": "", "Other": null }));
        assert_eq!(written(&row).unwrap(), "K,#N/A,#N/A,\n");
        let row = record("K", json!({ "Text": true, "Other": -1.5e300 }));
        assert_eq!(written(&row).unwrap(), "K,true,-1.5e+300,\n");
    }

    #[test]
    fn parents_and_quotes_are_written() {
        let row = record(
            "a,\"b\"\nc",
            json!({ "Text": "\"\"\"", "Other": "ü", "Family__r.ExternalId__c": "F-1" }),
        );
        assert_eq!(written(&row).unwrap(), "\"a,\"\"b\"\"\nc\",\"\"\"\"\"\"\"\",ü,F-1\n");
    }

    #[test]
    fn what_no_row_can_say_is_told_apart() {
        for fields in [
            json!({ "Text": "#N/A" }),
            json!({ "Text": " #N/A " }),
            json!({ "Text": "nul\u{0}" }),
            json!({ "Text": "x".repeat(32_001) }),
            json!({ "Text": "😀".repeat(16_001) }),
        ] {
            assert_eq!(written(&record("K", fields)), None);
        }
        assert_eq!(written(&record("#N/A", json!({}))), None);
        assert!(written(&record("K", json!({ "Text": "x".repeat(32_000) }))).is_some());
        assert!(written(&record("K", json!({ "Text": "#N/A!" }))).is_some());
    }

    #[test]
    fn a_row_that_is_too_long_in_all_is_none() {
        let columns: Vec<String> = (0..14).map(|column| format!("C{column}")).collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let long = |columns: &[&str]| {
            let cell = |column: &&str| ((*column).to_owned(), json!("x".repeat(32_000)));
            let fields: Fields = columns.iter().map(cell).collect();
            record("K", Json::Object(fields))
        };
        assert!(cells(&columns[..13], &long(&columns[1..13])).is_some());
        assert!(cells(&columns, &long(&columns[1..])).is_none());
    }
}
