//! A copy of the sources to mutate, so that an interrupt never leaves a mutated source behind.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::list::Mutation;
use crate::process;

/// The copy, in `target/mutants/tree`.
pub(crate) struct Tree {
    folder: PathBuf,
}

impl Tree {
    /// Brings the copy up to date with the files that git tracks or would track.
    ///
    /// A file that is the same is left alone: its time stamp tells cargo what to build again.
    pub(crate) fn copy(root: &Path, folder: PathBuf) -> Result<Self> {
        let mut kept = BTreeSet::new();
        for file in source_files(root)? {
            let target = folder.join(&file);
            let content = fs::read(root.join(&file))
                .with_context(|| format!("cannot read {}", file.display()))?;
            write_if_changed(&target, &content)?;
            kept.insert(target);
        }
        remove_others(&folder, &kept)?;
        Ok(Self { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Applies a mutation until the returned value is dropped.
    pub(crate) fn mutate(&self, mutation: &Mutation) -> Result<Mutated> {
        let path = self.folder.join(&mutation.file);
        let original = fs::read_to_string(&path).with_context(|| {
            format!("mutation {}: cannot read {}", mutation.name, mutation.file)
        })?;
        fs::write(&path, mutation.apply(&original)?)?;
        Ok(Mutated { path, original })
    }
}

/// A file of the copy that is restored when this is dropped.
pub(crate) struct Mutated {
    path: PathBuf,
    original: String,
}

impl Drop for Mutated {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.path, &self.original) {
            eprintln!("warning: {} stays mutated: {error}", self.path.display());
        }
    }
}

fn source_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut command = Command::new("git");
    command.current_dir(root).args(["-c", "core.quotePath=off", "ls-files", "-co"]);
    command.arg("--exclude-standard");
    let (ended, output) = process::output(command)?;
    if !ended.success {
        bail!("git ls-files failed:\n{output}");
    }
    // Git also lists tracked files that were deleted.
    Ok(output.lines().map(PathBuf::from).filter(|file| root.join(file).is_file()).collect())
}

fn write_if_changed(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|found| found == content) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

/// Removes what is no longer in the sources: a stray `tests/*.rs` would be built and run.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, kept)?;
        } else if !kept.contains(&path) && path.file_name().is_none_or(|name| name != "Cargo.lock")
        {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutated_file_is_restored() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.rs"), "if owner { settle() }").unwrap();
        let tree = Tree { folder: folder.path().to_path_buf() };
        let mutation = Mutation {
            name: "owner".into(),
            guard: "No owner is needed.".into(),
            file: "a.rs".into(),
            find: "if owner".into(),
            replace: "if true".into(),
            package: "a".into(),
            test: None,
            every_run: false,
        };
        let mutated = tree.mutate(&mutation).unwrap();
        let read = || fs::read_to_string(folder.path().join("a.rs")).unwrap();
        assert_eq!(read(), "if true { settle() }");
        drop(mutated);
        assert_eq!(read(), "if owner { settle() }");
    }

    #[test]
    fn what_left_the_sources_leaves_the_copy() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tests")).unwrap();
        let (kept, gone) = (folder.path().join("kept.rs"), folder.path().join("tests/gone.rs"));
        fs::write(&kept, "").unwrap();
        fs::write(&gone, "").unwrap();
        remove_others(folder.path(), &BTreeSet::from([kept.clone()])).unwrap();
        assert!(kept.exists() && !gone.exists());
    }
}
