//! Style that a machine can check: small files, and nothing left over from somebody's desk.

#[path = "support/sources.rs"]
mod sources;
mod support;

/// One idea per file keeps a file about this long.
const MEDIAN_LINES: usize = 150;

#[test]
fn half_of_the_rust_files_are_short() {
    let root = support::root();
    let mut sizes: Vec<usize> = sources::tracked(&root)
        .iter()
        .filter(|file| file.ends_with(".rs"))
        .filter(|file| ["crates/", "examples/", "xtask/"].iter().any(|top| file.starts_with(top)))
        .map(|file| sources::read(&root, file).unwrap_or_default().lines().count())
        .collect();
    sizes.sort_unstable();
    let median = *sizes.get(sizes.len() / 2).expect("there are Rust files");
    assert!(
        median <= MEDIAN_LINES,
        "the median Rust file has {median} lines, more than {MEDIAN_LINES}: look for files that \
         hold two ideas"
    );
}

#[test]
fn every_statement_says_first_what_it_is_for() {
    let root = support::root();
    let silent: Vec<String> = sources::tracked(&root)
        .into_iter()
        .filter(|file| file.contains("/sql/") && file.ends_with(".sql"))
        .filter(|file| !sources::read(&root, file).unwrap_or_default().starts_with("-- "))
        .collect();
    assert!(silent.is_empty(), "these begin without a comment: {}", silent.join(", "));
}

#[test]
fn nothing_is_left_unfinished_and_no_machine_is_named() {
    let root = support::root();
    let complaints: Vec<String> = sources::tracked(&root)
        .iter()
        .filter_map(|file| Some((file, sources::read(&root, file)?)))
        .flat_map(|(file, text)| complaints(file, &text))
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn complaints(file: &str, text: &str) -> Vec<String> {
    // Written in halves, because this file is checked as well.
    let unfinished = [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("FIX", "ME")];
    let machine = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/tmp/", "target")];
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for needle in unfinished.iter().filter(|needle| line.contains(**needle)) {
            found.push(format!("{file}:{number}: {needle} is unfinished: finish or remove it"));
        }
        for needle in machine.iter().filter(|needle| starts_a_path(line, needle)) {
            found.push(format!("{file}:{number}: {needle} is a path of one machine: remove it"));
        }
    }
    found
}

/// Whether `needle` is the beginning of an absolute path, not the middle of `src/…/mod.rs`.
fn starts_a_path(line: &str, needle: &str) -> bool {
    line.match_indices(needle).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.}*>/".contains(c))
    })
}

#[cfg(test)]
mod checker {
    use super::complaints;

    #[test]
    fn leftovers_are_found_with_their_line() {
        let text =
            format!("fine\n    to{}\n// FIX{}: later\nlet p = \"/ro{}\";", "do!()", "ME", "ot/x");
        let found = complaints("a.rs", &text);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("a.rs:2: "));
    }

    #[test]
    fn a_folder_of_the_same_name_is_no_machine() {
        assert!(complaints("a.md", &format!("see crates/x/src/wo{}mod.rs", "rk/")).is_empty());
    }
}
