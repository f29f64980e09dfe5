//! Values of others on a terminal.
//!
//! **Invariant:** nothing that somebody sent to dipmo can move a cursor, change a colour or turn the direction of what
//! an operator reads.

/// A value in one line, without anything that a terminal would act upon.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|sign| if is_harmless(sign) { sign } else { '·' }).collect()
}

/// A value in as many lines as it has.
pub(crate) fn lines(text: &str) -> String {
    text.lines().map(one_line).collect::<Vec<_>>().join("\n")
}

/// False for what is not shown but acted upon: control characters, marks and overrides of direction.
const fn is_harmless(sign: char) -> bool {
    !matches!(sign,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_upon_is_a_dot() {
        assert_eq!(one_line("a\u{1b}[31mb\u{9b}2Jc\r\n\u{202e}d\té"), "a·[31mb·2Jc···d·é");
        assert_eq!(lines("a\u{7}\n b"), "a·\n b");
    }
}
