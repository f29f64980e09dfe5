//! The process of the bench, from a file.

use std::sync::Arc;

use anyhow::{Result, bail};
use dipmo_api::Registry;
use dipmo_config::load::Source;
use dipmo_config::{Colour, Config, Declared, References};

const FILE: Source<'static> = Source { name: "account.yaml", text: include_str!("account.yaml") };

/// The registry with the declared process.
pub(super) fn registry() -> Result<Arc<Registry>> {
    let loaded = match Config::from_texts(&[FILE], References::Keep) {
        Ok(loaded) => loaded,
        Err(rejected) => bail!("{}", rejected.problems.render(&rejected.files, Colour::Never)),
    };
    let mut problems = loaded.warnings;
    let declared = Declared::of(&loaded.config, &loaded.files, &mut problems);
    if !problems.is_empty() {
        bail!("{}", problems.render(&loaded.files, Colour::Never));
    }
    match declared.registry() {
        Ok(registry) => Ok(Arc::new(registry)),
        Err((name, error)) => bail!("{name}: {error}"),
    }
}
