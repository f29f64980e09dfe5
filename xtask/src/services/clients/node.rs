//! Packages of Node.js, each set in a folder of its own.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::services::maven::run;
use crate::services::packages;

/// What a folder is filled from.
pub(super) struct Manifest {
    pub(super) package: &'static str,
    /// Every version, with its checksum.
    pub(super) lock: &'static str,
}

/// Brings the Node.js that runs all of them, because Debian's is too old for them.
pub(super) const JSFORCE: Manifest = Manifest {
    package: include_str!("../../../clients/jsforce/package.json"),
    lock: include_str!("../../../clients/jsforce/package-lock.json"),
};

pub(super) const SF: Manifest = Manifest {
    package: include_str!("../../../clients/sf/package.json"),
    lock: include_str!("../../../clients/sf/package-lock.json"),
};

pub(super) const OIDC_PROVIDER: Manifest = Manifest {
    package: include_str!("../../../clients/oidc-provider/package.json"),
    lock: include_str!("../../../clients/oidc-provider/package-lock.json"),
};

/// Installs exactly what the lock says.
pub(super) fn install(folder: &Path, manifest: &Manifest) -> Result<()> {
    packages::need("node", "nodejs")?;
    packages::need("npm", "npm")?;
    fs::create_dir_all(folder)?;
    fs::write(folder.join("package.json"), manifest.package)?;
    fs::write(folder.join("package-lock.json"), manifest.lock)?;
    let mut npm = Command::new("npm");
    // Nothing of a package is run while it is installed.
    npm.current_dir(folder).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    run(npm)
}
