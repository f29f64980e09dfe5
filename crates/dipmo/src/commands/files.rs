//! The files of a configuration, as commands are told of them, and what is said when they are wrong.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dipmo::service::colour;
use dipmo::wiring::Pipeline;
use dipmo_config::{
    Colour, Config, Files, Loaded, Problem, Problems, ProcessEnvironment, References,
};

use serde_json::json;

use crate::COULD_NOT_RUN;
use crate::console::{err, out};
use crate::output::Output;

/// Which files to read.
#[derive(clap::Args, Debug)]
pub(crate) struct ConfigArgs {
    /// The configuration.
    #[arg(long, short, value_name = "FILE", default_value = "dipmo.yaml", global = true)]
    pub(crate) config: PathBuf,
    /// A file that changes what those before it say, such as one for an environment. May be repeated.
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) overlay: Vec<PathBuf>,
}

impl ConfigArgs {
    /// Reads the files, with the secrets that they name.
    fn load(&self, output: Output) -> Result<Loaded, ExitCode> {
        let overlays: Vec<&Path> = self.overlay.iter().map(PathBuf::as_path).collect();
        let references = References::Resolve(&ProcessEnvironment);
        Config::load(&self.config, &overlays, references)
            .map_err(|rejected| refuse(output, &rejected.problems, &rejected.files))
    }

    /// Reads the files and puts everything together, or says what is wrong and how to end. Warnings are left
    /// to the caller.
    pub(crate) fn assemble(&self, output: Output) -> Result<Pipeline, ExitCode> {
        let loaded = self.load(output)?;
        Pipeline::assemble(&loaded).map_err(|problems| refuse(output, &problems, &loaded.files))
    }
}

/// Says what is wrong: to people on standard error, to a script on standard output.
pub(crate) fn say(output: Output, problems: &Problems, files: &Files) {
    match output {
        Output::Text => show(problems, files),
        Output::Json => out(&json!({ "problems": problems.to_json(files) }).to_string()),
    }
}

/// Says what is wrong to people, on standard error.
pub(crate) fn show(problems: &Problems, files: &Files) {
    if !problems.is_empty() {
        err(problems.render(files, colour_of_errors()).trim_end());
    }
}

/// Says why nothing can be done, and how to end.
pub(crate) fn refuse(output: Output, problems: &Problems, files: &Files) -> ExitCode {
    say(output, problems, files);
    ExitCode::from(COULD_NOT_RUN)
}

/// As [`refuse`], for the only thing that is wrong.
pub(crate) fn refuse_one(output: Output, problem: Problem, files: &Files) -> ExitCode {
    let mut problems = Problems::default();
    problems.push(problem);
    refuse(output, &problems, files)
}

fn colour_of_errors() -> Colour {
    if colour::is_wanted(&std::io::stderr()) { Colour::Always } else { Colour::Never }
}
