//! Any text is read, checked and answered: `cargo +nightly fuzz run config`, in the folder of dipmo-config.
#![no_main]

use dipmo_config::load::Source;
use dipmo_config::{Colour, Config, References};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source { name: "dipmo.yaml", text };
    match Config::from_texts(&[source], References::Keep) {
        Ok(loaded) => {
            let problems = loaded.check().problems;
            problems.render(&loaded.files, Colour::Never);
        }
        Err(rejected) => {
            rejected.problems.render(&rejected.files, Colour::Never);
        }
    }
});
