//! The dependency table of ARCHITECTURE.md, and what breaks it.

use std::collections::{BTreeMap, BTreeSet};

const BEGIN: &str = "<!-- dependency-table -->";
const END: &str = "<!-- /dependency-table -->";

pub(crate) type Names = BTreeSet<String>;

/// What one crate may know, or what it does know.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Knowledge {
    pub(crate) normal: Names,
    pub(crate) in_tests: Names,
}

pub(crate) type Crates = BTreeMap<String, Knowledge>;

/// Reads the table: `| crate | may know | in its tests |`, the third column being optional.
pub(crate) fn read_table(page: &str) -> Result<Crates, String> {
    let (_, rest) = page.split_once(BEGIN).ok_or_else(|| format!("there is no line {BEGIN}"))?;
    let (table, _) = rest.split_once(END).ok_or_else(|| format!("there is no line {END}"))?;
    let mut crates = Crates::new();
    let rows = table.lines().map(str::trim).filter(|line| line.starts_with('|'));
    // The first two rows are the heading and the line below it.
    for row in rows.skip(2) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let name = backticked(cells[0]).ok_or_else(|| format!("no crate is named in: {row}"))?;
        let cell = |index: usize| read_names(cells.get(index).copied().unwrap_or("nothing"));
        let knowledge = Knowledge { normal: cell(1)?, in_tests: cell(2)? };
        if crates.insert(name.to_owned(), knowledge).is_some() {
            return Err(format!("{name} has two rows"));
        }
    }
    Ok(crates)
}

fn read_names(cell: &str) -> Result<Names, String> {
    if cell == "nothing" {
        return Ok(Names::new());
    }
    cell.split(',')
        .map(|name| {
            backticked(name.trim())
                .map(str::to_owned)
                .ok_or_else(|| format!("neither `a-crate` nor the word nothing: {name:?}"))
        })
        .collect()
}

fn backticked(text: &str) -> Option<&str> {
    text.strip_prefix('`')?.strip_suffix('`')
}

/// Says of every forbidden edge which it is and what to do.
pub(crate) fn complaints(table: &Crates, found: &Crates) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, knows) in found {
        let Some(row) = table.get(name) else {
            complaints.push(format!("{name} has no row: add it to the table in ARCHITECTURE.md"));
            continue;
        };
        for other in knows.normal.difference(&row.normal) {
            complaints.push(format!(
                "{name} depends on {other}, which its row forbids: remove the dependency, or \
                 allow it in the table in ARCHITECTURE.md and say why in the commit"
            ));
        }
        let allowed: Names = row.normal.union(&row.in_tests).cloned().collect();
        for other in knows.in_tests.difference(&allowed) {
            complaints.push(format!(
                "the tests of {name} depend on {other}, which its row forbids: remove the \
                 dev-dependency, or allow it in the column `in its tests` in ARCHITECTURE.md"
            ));
        }
    }
    for name in table.keys().filter(|name| !found.contains_key(*name)) {
        complaints.push(format!("{name} has a row but is no crate: remove it from the table"));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "
<!-- dependency-table -->
| crate | may know | in its tests |
|---|---|---|
| `domain` | nothing | nothing |
| `inbox` | `domain` | `store-tests`, `store` |
| `store` | `domain`, `inbox` | nothing |
<!-- /dependency-table -->
| `outside` | nothing |";

    /// Each crate with what it knows and what its tests know.
    fn crates(known: &[(&str, &[&str], &[&str])]) -> Crates {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        known
            .iter()
            .map(|(name, normal, in_tests)| {
                let knowledge = Knowledge { normal: names(normal), in_tests: names(in_tests) };
                ((*name).to_owned(), knowledge)
            })
            .collect()
    }

    #[test]
    fn an_allowed_tree_has_no_complaints() {
        let found = crates(&[
            ("domain", &[], &[]),
            ("inbox", &["domain"], &["domain", "store"]),
            ("store", &["inbox"], &[]),
        ]);
        assert_eq!(complaints(&read_table(PAGE).unwrap(), &found), Vec::<String>::new());
    }

    #[test]
    fn a_forbidden_edge_is_named_with_what_to_do() {
        let found = crates(&[
            ("domain", &["inbox"], &[]),
            ("inbox", &["store"], &[]),
            ("store", &[], &["late"]),
            ("late", &[], &[]),
        ]);
        let text = complaints(&read_table(PAGE).unwrap(), &found).join("\n");
        for part in [
            "domain depends on inbox",
            "inbox depends on store",
            "the tests of store depend on late",
            "late has no row",
        ] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
    }

    #[test]
    fn a_row_without_a_crate_is_stale() {
        let found = crates(&[("domain", &[], &[])]);
        let text = complaints(&read_table(PAGE).unwrap(), &found).join("\n");
        assert!(text.contains("store has a row but is no crate"), "{text}");
    }

    #[test]
    fn a_table_that_cannot_be_read_is_an_error() {
        assert!(read_table("no table here").is_err());
        let broken = PAGE.replace("`domain`, `inbox`", "domain and inbox");
        assert!(read_table(&broken).is_err());
        assert!(read_table(&PAGE.replace("| `store`", "| `inbox`")).is_err());
    }
}
