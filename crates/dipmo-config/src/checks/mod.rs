//! What only shows when sections are held beside each other: names that lead nowhere, messages that nobody
//! reads, destinations that nobody uses.

mod destinations;
mod events;
mod legs;
mod objects;
mod routes;
mod sources;
mod unused;

use crate::{Declared, Loaded, Problems};

/// A configuration that was checked, and all that is said about it.
pub struct Checked {
    /// What it declares; without what is wrong.
    pub declared: Declared,
    /// Errors and warnings, from top to bottom.
    pub problems: Problems,
}

impl Loaded {
    /// Checks all that can be checked without asking anybody.
    #[must_use]
    pub fn check(&self) -> Checked {
        let mut problems = self.warnings.clone();
        let declared = Declared::of(&self.config, &self.files, &mut problems);
        destinations::check(&self.config, &mut problems);
        legs::check(&self.config, &mut problems);
        objects::check(&self.config, &mut problems);
        sources::check(&self.config, &mut problems);
        routes::check(&self.config, &declared, &mut problems);
        // A name that is misspelt is one that nobody uses: it is said once.
        if !problems.any_error() {
            destinations::unused(&self.config, &mut problems);
            events::check(&self.config, &mut problems);
            unused::check(&self.config, &mut problems);
        }
        problems.sort();
        Checked { declared, problems }
    }
}
