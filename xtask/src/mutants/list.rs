//! The lists of mutations: data beside the tests that must find them, so that a guard and its
//! mutation change in one commit.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// Where the lists are, from the root of the workspace.
const LISTS: [&str; 2] =
    ["crates/dipmo-store-tests/mutations.toml", "crates/dipmo-sim/mutations.toml"];

/// One guard to remove, and the test that must notice.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutation {
    pub(crate) name: String,
    /// One sentence on what was removed.
    pub(crate) guard: String,
    /// The file to change, from the root of the workspace.
    pub(crate) file: String,
    /// What to find there, exactly once.
    pub(crate) find: String,
    /// What to put in its place.
    pub(crate) replace: String,
    /// The package whose tests must fail.
    pub(crate) package: String,
    /// Only tests whose name contains this; all of the package's without it.
    pub(crate) test: Option<String>,
    /// Whether every `cargo xtask test` tries it, and not only `--full`.
    #[serde(default)]
    pub(crate) every_run: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    mutation: Vec<Mutation>,
}

/// Reads the lists of the workspace at `root`.
pub(crate) fn load(root: &Path) -> Result<Vec<Mutation>> {
    let mut all = Vec::new();
    for list in LISTS {
        let text = std::fs::read_to_string(root.join(list))
            .with_context(|| format!("cannot read the list {list}"))?;
        all.extend(parse(&text).with_context(|| format!("{list} is not a list of mutations"))?);
    }
    check_names(&all)?;
    Ok(all)
}

fn parse(text: &str) -> Result<Vec<Mutation>> {
    let list: List = toml::from_str(text)?;
    Ok(list.mutation)
}

fn check_names(all: &[Mutation]) -> Result<()> {
    for (index, mutation) in all.iter().enumerate() {
        if all[..index].iter().any(|other| other.name == mutation.name) {
            bail!("two mutations are called {}", mutation.name);
        }
    }
    Ok(())
}

impl Mutation {
    /// The text with the guard removed; an error when the list has gone stale.
    pub(crate) fn apply(&self, text: &str) -> Result<String> {
        let Self { name, file, find, replace, .. } = self;
        if find == replace {
            bail!("mutation {name} changes nothing");
        }
        match text.matches(find.as_str()).count() {
            1 => Ok(text.replacen(find.as_str(), replace, 1)),
            count => bail!(
                "mutation {name} is stale: its `find` occurs {count} times in {file}, not once"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"
[[mutation]]
name = "lease-owner-check"
guard = "A settlement is taken from any owner."
file = "crates/x/src/settle.rs"
find = "AND owner = $2"
replace = ""
package = "x"
"#;

    #[test]
    fn a_mutation_is_applied_where_it_fits_once() {
        let mutation = &parse(SAMPLE).unwrap()[0];
        assert_eq!(mutation.apply("WHERE id = $1 AND owner = $2").unwrap(), "WHERE id = $1 ");
        assert!(mutation.apply("WHERE id = $1").is_err());
        assert!(mutation.apply("AND owner = $2 AND owner = $2").is_err());
    }

    #[test]
    fn a_name_is_used_once() {
        assert!(check_names(&parse(SAMPLE).unwrap()).is_ok());
        assert!(check_names(&parse(&SAMPLE.repeat(2)).unwrap()).is_err());
    }

    #[test]
    fn every_mutation_of_the_workspace_fits_its_file() {
        let root = crate::workspace::root().unwrap();
        let stale: Vec<String> = load(&root)
            .unwrap()
            .iter()
            .filter_map(|mutation| {
                let text = std::fs::read_to_string(root.join(&mutation.file)).unwrap_or_default();
                mutation.apply(&text).err().map(|error| error.to_string())
            })
            .collect();
        assert!(stale.is_empty(), "{}", stale.join("\n"));
    }
}
