//! Processes as pictures.

use std::process::ExitCode;

use dipmo_api::ErasedProcess as _;
use dipmo_config::Loaded;
use serde_json::{Map, Value, json};

use super::{Args, Output, judged};
use crate::console::out;

/// Prints a diagram of each process.
pub(super) fn print(args: &Args, loaded: &Loaded) -> ExitCode {
    let declared = match judged(args, loaded) {
        Ok(declared) => declared,
        Err(code) => return code,
    };
    let all = declared.processes.iter().map(|process| process.description());
    match args.output {
        Output::Text => {
            let shown = all.map(|it| format!("%% {}\n{}", it.name(), it.diagram().trim_end()));
            out(&shown.collect::<Vec<_>>().join("\n\n"));
        }
        Output::Json => {
            let shown: Map<String, Value> =
                all.map(|it| (it.name().to_owned(), json!(it.diagram()))).collect();
            out(&json!({ "diagrams": shown }).to_string());
        }
    }
    ExitCode::SUCCESS
}
