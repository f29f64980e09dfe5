//! Where the workspace is, and where this tool keeps its things in it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The root of the workspace.
///
/// Cargo tells it at run time; the path at compile time is the fallback for a binary started by
/// hand. Run time goes first because a shared target directory may hold the binary of another
/// copy of the tree.
pub(crate) fn root() -> Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = manifest
        .parent()
        .with_context(|| format!("{} has no parent folder", manifest.display()))?;
    root.canonicalize().with_context(|| format!("the workspace {} is not there", root.display()))
}

/// A folder under the workspace's own `target`, created if it is missing.
///
/// It is always this one, whatever `CARGO_TARGET_DIR` says, so that `cargo test` finds the state
/// files of services that another shell started.
pub(crate) fn target_folder(name: &str) -> Result<PathBuf> {
    let folder = root()?.join("target").join(name);
    create(&folder)?;
    Ok(folder)
}

/// `path` as a person types it: relative to the workspace where possible.
pub(crate) fn shown(path: &Path) -> String {
    root()
        .ok()
        .and_then(|root| path.strip_prefix(root).ok().map(Path::to_path_buf))
        .unwrap_or_else(|| path.to_path_buf())
        .display()
        .to_string()
}

fn create(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}
