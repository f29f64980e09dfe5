//! `dipmo completions`: what lets a shell complete commands and options.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::console::out;

/// Shown below the options.
pub(crate) const EXAMPLES: &str = "Examples:
  source <(dipmo completions bash)              for this shell only

For every new shell:
  bash        dipmo completions bash > ~/.local/share/bash-completion/completions/dipmo
  zsh         dipmo completions zsh > ~/.zfunc/_dipmo
              and in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit; compinit
  fish        dipmo completions fish > ~/.config/fish/completions/dipmo.fish
  powershell  dipmo completions powershell >> $PROFILE
  elvish      dipmo completions elvish >> ~/.config/elvish/rc.elv

Folders that are not there have to be made first. Write it anew after an upgrade.";

/// Which shell to print for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "dipmo", &mut script);
    let script = String::from_utf8(script).context("the script is no text")?;
    out(script.trim_end());
    Ok(ExitCode::SUCCESS)
}
