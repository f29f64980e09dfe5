//! Clients, and a server, that others wrote, for the tests that talk to them.
//!
//! Every version is pinned, transitive ones too, so that two machines never test with different
//! clients. The pins are the files in `xtask/clients`.

mod node;
mod python;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::folder::remove_all;
use super::maven::Partial;
use super::packages;
use super::registry::Registry;
use crate::workspace;

/// Programs that people type, and so do tests; each is the package of its name.
const TYPED: [&str; 4] = ["kcat", "curl", "jq", "sqlite3"];

/// Clients that are installed together, because one program runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clients {
    /// Of Kafka and of Salesforce: what people type, and a Python with confluent-kafka and simple-salesforce.
    Python,
    /// Of any API with a document: schemathesis, in a Python of its own.
    Schemathesis,
    /// Of Salesforce: jsforce, and the Node.js that runs it.
    Jsforce,
    /// No client but a server: oidc-provider, which says who people are. The Node.js of jsforce runs it.
    OidcProvider,
    /// The official command line of Salesforce, which takes a minute and 300 MB. The Node.js of
    /// jsforce runs it.
    Sf,
}

impl Clients {
    /// Those that `cargo xtask test` needs.
    pub(crate) const OF_TESTS: [Self; 4] =
        [Self::Python, Self::Schemathesis, Self::Jsforce, Self::OidcProvider];

    /// The variable that tells tests where they are, and names others to use instead of installing
    /// them: a Python, or a folder with `node_modules`.
    pub(crate) fn variable(self) -> &'static str {
        match self {
            Self::Python => "DIPMO_TEST_PYTHON",
            Self::Schemathesis => "DIPMO_TEST_SCHEMATHESIS",
            Self::Jsforce => "DIPMO_TEST_JSFORCE",
            Self::OidcProvider => "DIPMO_TEST_OIDC_PROVIDER",
            Self::Sf => "DIPMO_TEST_SF",
        }
    }

    /// What a person is told is being installed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Python => "confluent-kafka and simple-salesforce",
            Self::Schemathesis => "schemathesis",
            Self::Jsforce => "jsforce",
            Self::OidcProvider => "oidc-provider",
            Self::Sf => "the sf CLI",
        }
    }

    /// Makes sure that they are there; answers the value of their variable.
    pub(crate) fn ensure(self, registry: &Registry) -> Result<PathBuf> {
        let _changing = registry.lock()?;
        if self == Self::Python {
            for program in TYPED {
                packages::need(program, program)?;
            }
        }
        if let Some(named) = std::env::var_os(self.variable()).filter(|named| !named.is_empty()) {
            return Ok(named.into());
        }
        let folder = workspace::target_folder("tools")?.join(self.folder());
        // Written last: what was interrupted is made anew, and so is what has other pins.
        let made = fs::read_to_string(folder.join("pins")).unwrap_or_default();
        if made != self.pins() {
            println!("installing {}; this happens once", self.name());
            self.install(&folder).with_context(|| format!("{} not installed", self.name()))?;
        }
        let is_python = matches!(self, Self::Python | Self::Schemathesis);
        Ok(if is_python { folder.join("bin/python") } else { folder })
    }

    fn install(self, folder: &Path) -> Result<()> {
        let partial = Partial::new(folder.with_extension("partial"));
        remove_all(partial.path())?;
        match self {
            Self::Python | Self::Schemathesis => python::install(partial.path(), self.pins())?,
            Self::Jsforce => node::install(partial.path(), &node::JSFORCE)?,
            Self::OidcProvider => node::install(partial.path(), &node::OIDC_PROVIDER)?,
            Self::Sf => node::install(partial.path(), &node::SF)?,
        }
        fs::write(partial.path().join("pins"), self.pins())?;
        remove_all(folder)?;
        fs::rename(partial.path(), folder)
            .with_context(|| format!("cannot move the clients to {}", folder.display()))
    }

    fn folder(self) -> &'static str {
        match self {
            Self::Python => "python-clients",
            Self::Schemathesis => "schemathesis",
            Self::Jsforce => "jsforce",
            Self::OidcProvider => "oidc-provider",
            Self::Sf => "sf",
        }
    }

    fn pins(self) -> &'static str {
        match self {
            Self::Python => python::REQUIREMENTS,
            Self::Schemathesis => python::SCHEMATHESIS,
            Self::Jsforce => node::JSFORCE.lock,
            Self::OidcProvider => node::OIDC_PROVIDER.lock,
            Self::Sf => node::SF.lock,
        }
    }
}
