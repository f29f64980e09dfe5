//! The cargo that runs this tool, ready to run again.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

/// `cargo` with `arguments`, in `folder`.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.current_dir(folder).args(arguments);
    command
}

/// As [`command`], with output that is shown to a person rather than parsed.
pub(crate) fn shown(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = command(folder, arguments);
    let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if std::io::stdout().is_terminal() && !is_unwanted {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command
}

/// As [`command`], with output that this tool can parse whatever the person's settings are.
pub(crate) fn parsed(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = command(folder, arguments);
    command.env("CARGO_TERM_COLOR", "never").env_remove("CARGO_TERM_QUIET");
    command
}
