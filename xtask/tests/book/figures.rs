//! Every figure that an instance counts is explained to who reads it.

use crate::{sources, support};

/// Where figures are defined, and the page that explains them; a folder stands for all files in it.
const FIGURES: [(&str, &str); 7] = [
    ("crates/dipmo-processing/src/metrics/", "docs/metrics.md"),
    ("crates/dipmo-store/src/backlog.rs", "docs/metrics.md"),
    ("crates/dipmo-sink-salesforce/src/metrics/", "docs/metrics.md"),
    ("crates/dipmo-source-kafka/src/metrics.rs", "docs/guide/kafka-in.md"),
    ("crates/dipmo-source-http/src/metrics.rs", "docs/guide/http-in.md"),
    ("crates/dipmo-leg-kafka/src/metrics.rs", "docs/guide/kafka-leg.md"),
    ("crates/dipmo-sink-kafka/src/metrics.rs", "docs/guide/kafka-out.md"),
];

#[test]
fn every_figure_is_explained() {
    let root = support::root();
    let files = sources::tracked(&root);
    let read = |file: &str| sources::read(&root, file).unwrap_or_default();
    let mut unexplained = Vec::new();
    for (place, page) in FIGURES {
        let explained = read(page);
        let of_place = files.iter().filter(|file| file.starts_with(place) && file.ends_with(".rs"));
        let figures: Vec<String> = of_place.flat_map(|file| fields(&read(file))).collect();
        assert!(!figures.is_empty(), "{place} defines no figure: is it somewhere else now?");
        let missing = figures.iter().filter(|figure| !explained.contains(&format!("`{figure}`")));
        unexplained
            .extend(missing.map(|figure| format!("{page} does not explain `{figure}` of {place}")));
    }
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
}

#[test]
fn nothing_is_explained_that_nobody_counts_any_more() {
    let root = support::root();
    let files = sources::tracked(&root);
    let read = |file: &str| sources::read(&root, file).unwrap_or_default();
    let mut gone = Vec::new();
    for (_, page) in FIGURES {
        let places: Vec<&str> =
            FIGURES.iter().filter(|(_, of)| *of == page).map(|(place, _)| *place).collect();
        let of_page = files.iter().filter(|file| places.iter().any(|it| file.starts_with(it)));
        let there: Vec<String> = of_page.flat_map(|file| names(&read(file))).collect();
        let explained = explained(&read(page));
        assert!(!explained.is_empty(), "{page} explains nothing");
        let missing = explained.into_iter().filter(|name| !there.contains(name));
        gone.extend(missing.map(|name| format!("{page} explains `{name}`, which is no more")));
    }
    assert!(gone.is_empty(), "{}", gone.join("\n"));
}

/// The names that the tables of a page begin their rows with, below a heading that speaks of figures.
fn explained(page: &str) -> Vec<String> {
    let (mut is_of_figures, mut names) = (false, Vec::new());
    for line in page.lines() {
        if line.starts_with("# ") || line.starts_with("## ") {
            is_of_figures =
                line.ends_with("Figures") || is_of_figures && page.starts_with("# Figures");
        }
        let cell = line.strip_prefix("| `").and_then(|rest| rest.split('|').next());
        if let Some(cell) = cell.filter(|_| is_of_figures) {
            // `depth()` is a name as well.
            let spans = cell.split('`').step_by(2).filter_map(|span| span.split('(').next());
            names.extend(spans.filter(|it| is_name(it)).map(str::to_owned));
        }
    }
    names
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !text.is_empty() && text.chars().all(is_part)
}

/// The public fields and methods of a source.
fn names(source: &str) -> Vec<String> {
    let method = |line: &str| {
        let rest = line.strip_prefix("    pub ")?;
        let name = rest.trim_start_matches("const ").strip_prefix("fn ")?.split('(').next()?;
        is_name(name).then(|| name.to_owned())
    };
    fields(source).into_iter().chain(source.lines().filter_map(method)).collect()
}

#[test]
fn every_file_of_figures_is_looked_at() {
    let files = sources::tracked(&support::root());
    let is_of_figures =
        |file: &&String| file.ends_with("src/metrics.rs") || file.ends_with("src/metrics/mod.rs");
    let missed: Vec<&String> = files
        .iter()
        .filter(is_of_figures)
        .filter(|file| !FIGURES.iter().any(|(place, _)| file.starts_with(place)))
        .collect();
    assert!(missed.is_empty(), "say in FIGURES which page explains {missed:?}");
}

/// The public fields of a source.
fn fields(source: &str) -> Vec<String> {
    let field = |line: &str| {
        let (name, _) = line.strip_prefix("    pub ")?.split_once(": ")?;
        is_name(name).then(|| name.to_owned())
    };
    source.lines().filter_map(field).collect()
}

#[test]
fn fields_are_those_that_others_see() {
    let source = "pub struct A {\n    /// B.\n    pub b: u64,\n    c: u64,\n    pub fn d(x: u64) {\n    pub(crate) e: u64,\n";
    assert_eq!(fields(source), ["b"]);
}

#[test]
fn a_row_explains_the_names_in_its_first_cell() {
    let page = "# A\n## Options\n| `o` | x |\n## Figures\n| `a`, `b()` | `c` |\n| d | e |\n## More\n| `f` | g |\n";
    assert_eq!(explained(page), ["a", "b"]);
    assert_eq!(explained("# Figures\n## `x`: some\n| `a` | b |\n"), ["a"]);
    assert_eq!(names("    pub a: u64,\n    pub const fn b(&self) {\n    fn c() {\n"), ["a", "b"]);
}
