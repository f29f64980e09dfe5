//! What goes to the terminal: text without a panic when nobody reads it, and colour where wanted.

use std::io::Write as _;

use dipmo::service::colour;

/// Prints a line to standard output. A reader that went away is no error of ours.
pub(crate) fn out(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints a line to standard error.
pub(crate) fn err(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Whether text on standard output may have colour.
pub(crate) fn has_colour() -> bool {
    colour::is_wanted(&std::io::stdout())
}

/// A text in a colour of the terminal, such as 32 for green.
pub(crate) fn painted(text: &str, colour: u8, has_colour: bool) -> String {
    if has_colour { format!("\x1b[1;{colour}m{text}\x1b[0m") } else { text.to_owned() }
}

/// A number as people read it: 12,345.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let shown = [0, 999, 1_000, 12_345, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }
}
