//! How a command prints what it found: for people, or for a script. One option for all of them.

use clap::ValueEnum;
use serde_json::Value;

use crate::console::out;

/// Whom it is printed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people.
    #[default]
    Text,
    /// For a script: JSON on standard output, and nothing else there.
    Json,
}

/// The option of every command that a script may want to read.
#[derive(clap::Args, Debug)]
pub(crate) struct OutputArgs {
    /// How to print it.
    #[arg(
        long = "output",
        value_enum,
        value_name = "FORMAT",
        default_value = "text",
        global = true
    )]
    pub(crate) format: Output,
}

impl Output {
    /// Prints a text without the line breaks at its end, or an object on one line.
    pub(crate) fn print(self, text: impl FnOnce() -> String, object: impl FnOnce() -> Value) {
        match self {
            Self::Text => out(text().trim_end()),
            Self::Json => out(&object().to_string()),
        }
    }
}
