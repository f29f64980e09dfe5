//! What of a page can be linked to.

use std::collections::BTreeSet;

/// The names of its headings, as forges and the book make them: of several that are the same, the second ends in `-1`.
pub(crate) fn of(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for heading in headings(text) {
        let name = name(&plain(heading));
        let mut unique = name.clone();
        let mut count = 0;
        while !anchors.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}-{count}");
        }
    }
    anchors
}

/// The headings that are not in a block of code.
fn headings(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter_map(move |line| {
        is_code ^= line.trim_start().starts_with("```");
        let rest = line.trim_start_matches('#');
        (!is_code && rest.len() < line.len()).then(|| rest.strip_prefix(' ')).flatten()
    })
}

/// A text without its links: what they say stays.
pub(crate) fn plain(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('[') {
        let link =
            after.split_once("](").and_then(|(said, more)| Some((said, more.split_once(')')?.1)));
        plain.push_str(before);
        rest = match link {
            Some((said, more)) => {
                plain.push_str(said);
                more
            }
            None => {
                plain.push('[');
                after
            }
        };
    }
    plain + rest
}

fn name(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        c if c.is_whitespace() => Some('-'),
        c if c.is_alphanumeric() || "-_".contains(c) => Some(c),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

#[test]
fn headings_have_names() {
    let text = "# `jobs`: What goes\n```\n# no\n```\n## A [b](c.md)\n## A b\n#no\n";
    let names = ["a-b", "a-b-1", "jobs-what-goes"].map(str::to_owned);
    assert_eq!(of(text), names.into());
    assert_eq!(plain("[a](b) and [c"), "a and [c");
}
