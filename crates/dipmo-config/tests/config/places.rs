//! A flaw inside of an expression is found in the file, however the expression is written.

use dipmo_config::References;

use crate::valid::load;

/// Where a word of the expression `when` stands, by the passage: what is there, and its line and column.
fn found(scalar: &str, word: &str) -> (String, usize, usize) {
    let text = format!(
        "dipmo: 1\nprocesses:\n  P:\n    listens: {{t: E}}\n    events: {{E: }}\n    states: {{A: }}\n    \
         initial: A\n    on:\n      E:\n        - go: A\n          when: {scalar}\n"
    );
    let loaded = load(&text, References::Keep).unwrap();
    let case = &loaded.config.processes.get("P").unwrap().on.get("E").unwrap()[0];
    let when = case.when.as_ref().unwrap();
    let at = when.text.find(word).unwrap_or_else(|| panic!("{word:?} is not in {:?}", when.text));
    let place = when.locate(&loaded.files, at..at + word.len());
    let position = loaded.files.position(place);
    (loaded.files.slice(place).to_owned(), position.line, position.column)
}

#[test]
fn a_word_is_found_in_every_style() {
    for (scalar, line, column) in [
        ("event.a == xyz", 11, 28),
        ("'event.a == ''b'' + xyz'", 11, 37),
        (r#""event.a == \"\u00e9\x41\n\" + xyz""#, 11, 48),
        ("event.a ==\n            xyz", 12, 13),
        ("event.a ==\n\n\n            xyz", 14, 13),
        ("'event.a\n            == ''\n\n            xyz'", 14, 13),
        ("\"event.a \\\n            == xyz\"", 12, 16),
        ("|\n            event.a ==\n\n              xyz", 14, 15),
        ("|-\n            é == xyz\n", 12, 18),
        (">\n            event.a\n            == xyz", 13, 16),
        (">\n            event.a\n\n            == xyz", 14, 16),
        (">-\n            event.a\n              && b\n            == xyz\n", 14, 16),
        ("|2\n            event.a ==\n              xyz", 13, 15),
    ] {
        assert_eq!(found(scalar, "xyz"), ("xyz".to_owned(), line, column), "{scalar}");
    }
}

#[test]
fn windows_lines_do_not_shift_anything() {
    let scalar = "|\r\n            event.a ==\r\n            xyz\r\n";
    assert_eq!(found(scalar, "xyz"), ("xyz".to_owned(), 13, 13));
    assert_eq!(found("event.a ==\r\n            xyz", "xyz"), ("xyz".to_owned(), 12, 13));
}

#[test]
fn an_escape_is_found_as_a_whole() {
    let (written, _, _) = found(r#""a == '\u00e9' + xyz""#, "é");
    assert_eq!(written, r"\u00e9");
}

#[test]
fn a_mark_at_the_beginning_of_the_file_is_no_part_of_it() {
    let loaded = load("\u{feff}dipmo: 1\nstore: {sqlite: a}\n", References::Keep).unwrap();
    let place = loaded.config.store.unwrap().sqlite.unwrap().place;
    assert_eq!(loaded.files.slice(place), "a");
    assert_eq!(loaded.files.position(place).column, 17);
}
