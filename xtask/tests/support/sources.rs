//! The files that git tracks, or would track at the next commit.

use std::path::Path;
use std::process::Command;

/// Their paths from the root, without those that were deleted.
pub(crate) fn tracked(root: &Path) -> Vec<String> {
    let output = Command::new("git")
        .current_dir(root)
        .args(["-c", "core.quotePath=off", "ls-files", "-co", "--exclude-standard"])
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git ls-files failed: is this a git checkout?");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|file| root.join(file).is_file())
        .map(str::to_owned)
        .collect()
}

/// The content of a text file; nothing for any other file.
pub(crate) fn read(root: &Path, file: &str) -> Option<String> {
    std::fs::read_to_string(root.join(file)).ok()
}
