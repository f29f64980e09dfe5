//! The links of a page in Markdown.

use std::ops::Range;

/// Where the targets of links and images stand in a text, in their order. Code has none.
pub(crate) fn targets(text: &str) -> Vec<Range<usize>> {
    let prose = without_code(text);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in prose.match_indices("](") {
        let start = at + 2;
        // A target has no space: behind one comes a title.
        if let Some(length) = prose[start..].find([')', ' ', '\n']) {
            found.push(start..start + length);
        }
    }
    let mut start = 0;
    for line in prose.split_inclusive('\n') {
        // A definition, which other lines refer to by its name.
        if line.starts_with('[')
            && let Some(at) = line.find("]: ")
        {
            let target = line[at + 3..].split_whitespace().next().unwrap_or_default();
            found.push(start + at + 3..start + at + 3 + target.len());
        }
        start += line.len();
    }
    found.sort_by_key(|range| range.start);
    found
}

/// The text with blanks where code is, byte for byte as long.
pub(crate) fn without_code(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, None) => prose.push_str(&without_spans(line)),
            (Some(open), Some(close)) if open == close => {
                fence = None;
                blank(&mut prose, line);
            }
            (open, mark) => {
                fence = open.or(mark);
                blank(&mut prose, line);
            }
        }
    }
    prose
}

/// A line without what stands between backticks, as many before it as behind it.
fn without_spans(line: &str) -> String {
    let mut prose = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        let ticks = rest[open..].len() - rest[open..].trim_start_matches('`').len();
        let inside = open + ticks;
        let Some(end) = span_end(&rest[inside..], ticks) else {
            prose.push_str(&rest[..inside]);
            rest = &rest[inside..];
            continue;
        };
        prose.push_str(&rest[..open]);
        blank(&mut prose, &rest[open..inside + end]);
        rest = &rest[inside + end..];
    }
    prose + rest
}

/// Where a run of exactly so many backticks ends.
fn span_end(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text[at..].find('`') {
        let start = at + next;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        at = start + run;
        if run == ticks {
            return Some(at);
        }
    }
    None
}

fn blank(prose: &mut String, code: &str) {
    let bytes = code.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' });
    prose.extend(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_where_no_code_is() {
        let text = "[a](b.md#c), ![d](e.png \"f\") `[no](no)` ``[`no`](no)`` é [g](h)\n\
                    ```\n[no](no)\n```\n[i]: j.md\n";
        let found: Vec<&str> = targets(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["b.md#c", "e.png", "h", "j.md"]);
    }

    #[test]
    fn a_backtick_alone_hides_nothing() {
        let text = "a ` b [c](d)";
        assert_eq!(without_code(text), text);
        assert_eq!(without_code("a `é` b").len(), "a `é` b".len());
    }
}
