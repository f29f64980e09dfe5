//! The files of a configuration, as commands are told of them, and what is said when they are wrong.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dipmo::service::colour;
use dipmo::wiring::Pipeline;
use dipmo_config::{
    Colour, Config, Files, Loaded, Problem, Problems, ProcessEnvironment, References,
};

use crate::COULD_NOT_RUN;
use crate::console::err;

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
    fn load(&self) -> Result<Loaded, ExitCode> {
        let overlays: Vec<&Path> = self.overlay.iter().map(PathBuf::as_path).collect();
        let references = References::Resolve(&ProcessEnvironment);
        Config::load(&self.config, &overlays, references).map_err(|rejected| {
            show(&rejected.problems, &rejected.files);
            ExitCode::from(COULD_NOT_RUN)
        })
    }

    /// Reads the files and puts everything together, or says what is wrong and how to end. Warnings are left
    /// to the caller.
    pub(crate) fn assemble(&self) -> Result<Pipeline, ExitCode> {
        let loaded = self.load()?;
        Pipeline::assemble(&loaded).map_err(|problems| {
            show(&problems, &loaded.files);
            ExitCode::from(COULD_NOT_RUN)
        })
    }
}

/// Says what is wrong, on standard error.
pub(crate) fn show(problems: &Problems, files: &Files) {
    if !problems.is_empty() {
        err(problems.render(files, colour_of_errors()).trim_end());
    }
}

/// Says one thing that is wrong, and how to end.
pub(crate) fn refuse(problem: &Problem, files: &Files) -> ExitCode {
    err(problem.render(files, colour_of_errors()).trim_end());
    ExitCode::from(COULD_NOT_RUN)
}

fn colour_of_errors() -> Colour {
    if colour::is_wanted(&std::io::stderr()) { Colour::Always } else { Colour::Never }
}
