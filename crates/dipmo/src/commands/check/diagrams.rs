//! Processes as pictures.

use std::process::ExitCode;

use dipmo_api::{Description, ErasedProcess as _};
use dipmo_config::Loaded;
use serde_json::{Map, Value, json};

use super::{Args, judged};

/// Prints a diagram of each process.
pub(super) fn print(args: &Args, loaded: &Loaded) -> ExitCode {
    let declared = match judged(args, loaded) {
        Ok(declared) => declared,
        Err(code) => return code,
    };
    let all = declared.processes.iter().map(|process| process.description());
    let text = |it: &Description| format!("%% {}\n{}", it.name(), it.diagram().trim_end());
    args.output.format.print(
        || all.clone().map(text).collect::<Vec<_>>().join("\n\n"),
        || {
            let named = all.clone().map(|it| (it.name().to_owned(), json!(it.diagram())));
            json!({ "diagrams": named.collect::<Map<String, Value>>() })
        },
    );
    ExitCode::SUCCESS
}
