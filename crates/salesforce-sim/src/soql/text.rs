//! Text literals: their escapes, and what `%` and `_` mean in a `LIKE`.

/// What a literal stands for; the error is the escape that stands for nothing.
pub(super) fn unescape(raw: &str) -> Result<String, String> {
    Ok(pieces(raw)?.iter().map(|piece| piece.character).collect())
}

/// As many characters are compared while one value is read.
const COMPARED_IN_A_STEP: usize = 64;

/// A `LIKE`'s pattern. It does not distinguish capitals.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Vec<Part>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    One(char),
    AnyOne,
    AnyRun,
}

#[derive(Clone, Copy)]
struct Piece {
    character: char,
    escaped: bool,
}

impl Pattern {
    /// The error is the escape that stands for nothing.
    pub(super) fn parse(raw: &str) -> Result<Pattern, String> {
        let mut parts: Vec<Part> = Vec::new();
        for piece in pieces(raw)? {
            match piece {
                // Two runs match what one matches, only slower.
                Piece { character: '%', escaped: false } if parts.last() == Some(&Part::AnyRun) => {
                }
                Piece { character: '%', escaped: false } => parts.push(Part::AnyRun),
                Piece { character: '_', escaped: false } => parts.push(Part::AnyOne),
                Piece { character, .. } => parts.extend(character.to_lowercase().map(Part::One)),
            }
        }
        Ok(Pattern(parts))
    }

    /// How much work a match is at most, besides reading the text: each character may meet each
    /// part.
    pub(super) fn steps(&self, text: &str) -> usize {
        text.len() * self.0.len() / COMPARED_IN_A_STEP
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
        let (mut at, mut part) = (0, 0);
        // Where to go on if the last run has to take one character more.
        let mut again = None;
        loop {
            match self.0.get(part) {
                Some(Part::AnyRun) => {
                    again = Some((at + 1, part + 1));
                    part += 1;
                    continue;
                }
                Some(Part::AnyOne) if at < text.len() => {}
                Some(Part::One(character)) if text.get(at) == Some(character) => {}
                None if at == text.len() => return true,
                _ => match again {
                    Some((next, after)) if next <= text.len() => {
                        (at, part) = (next, after);
                        again = Some((next + 1, after));
                        continue;
                    }
                    _ => return false,
                },
            }
            at += 1;
            part += 1;
        }
    }
}

fn pieces(raw: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            pieces.push(Piece { character, escaped: false });
            continue;
        }
        let Some(escape) = characters.next() else { return Err("\\".to_owned()) };
        let character = match escape {
            'n' | 'N' => '\n',
            'r' | 'R' => '\r',
            't' | 'T' => '\t',
            'b' | 'B' => '\u{8}',
            'f' | 'F' => '\u{c}',
            '\'' | '"' | '\\' | '_' | '%' => escape,
            'u' => {
                let digits: String = characters.by_ref().take(4).collect();
                let hexadecimal =
                    digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| hexadecimal);
                code.and_then(char::from_u32).ok_or_else(|| format!("\\u{digits}"))?
            }
            other => return Err(format!("\\{other}")),
        };
        pieces.push(Piece { character, escaped: true });
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_what_cannot_be_written() {
        assert_eq!(unescape(r"O\'Neil\\\n\u0041\_\%").unwrap(), "O'Neil\\\nA_%");
        for (raw, wrong) in
            [(r"a\z", r"\z"), ("\\", "\\"), (r"\u00", r"\u00"), (r"\uD800", r"\uD800")]
        {
            assert_eq!(unescape(raw).unwrap_err(), wrong);
        }
    }

    #[test]
    fn a_pattern_matches_runs_and_single_characters() {
        for (pattern, text, expected) in [
            ("%", "", true),
            ("a%", "Abc", true),
            ("%c", "abC", true),
            ("a%c%e", "abcde", true),
            ("a%c%e", "abcdef", false),
            ("a_c", "abc", true),
            ("a_c", "ac", false),
            ("_", "", false),
            (r"50\%", "50%", true),
            (r"50\%", "505", false),
            (r"a\_b", "axb", false),
            ("%%%%a%%%%a", "aaab", false),
            ("", "", true),
            ("", "a", false),
        ] {
            let matches = Pattern::parse(pattern).unwrap().matches(text);
            assert_eq!(matches, expected, "{pattern} {text}");
        }
    }

    #[test]
    fn many_runs_do_not_hang() {
        let pattern = Pattern::parse(&"%a".repeat(1000)).unwrap();
        assert!(!pattern.matches(&"a".repeat(999)));
    }
}
