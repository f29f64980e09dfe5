//! The account that servers run as: `postgres` refuses root.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;

/// Either the person's own account, or `nobody` when the person is root.
pub(crate) enum Account {
    Own,
    Nobody { user: u32, group: u32 },
}

impl Account {
    pub(crate) fn choose() -> Result<Self> {
        if !is_root() {
            return Ok(Self::Own);
        }
        Ok(Self::Nobody { user: id("-u")?, group: id("-g")? })
    }

    /// A command that runs `program` in this account.
    pub(crate) fn command(&self, program: &Path) -> Command {
        match self {
            Self::Own => Command::new(program),
            Self::Nobody { user, group } => {
                let mut command = Command::new("setpriv");
                command.arg(format!("--reuid={user}")).arg(format!("--regid={group}"));
                command.arg("--clear-groups").arg("--").arg(program);
                command
            }
        }
    }

    /// Creates a folder that this account alone can enter.
    pub(crate) fn private_folder(&self, path: &Path) -> Result<()> {
        fs::DirBuilder::new()
            .mode(0o700)
            .create(path)
            .with_context(|| format!("cannot create {}", path.display()))?;
        self.give(path)
    }

    /// Makes this account the owner of `path`.
    pub(crate) fn give(&self, path: &Path) -> Result<()> {
        if let Self::Nobody { user, group } = self {
            chown(path, Some(*user), Some(*group))
                .with_context(|| format!("cannot give {} to nobody", path.display()))?;
        }
        Ok(())
    }

    /// Whether this account can walk down to `path`.
    pub(crate) fn can_reach(&self, path: &Path) -> bool {
        matches!(self, Self::Own) || path.ancestors().all(others_may_enter)
    }
}

/// Whether the person is root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn others_may_enter(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o001 != 0)
}

fn id(flag: &str) -> Result<u32> {
    let mut command = Command::new("id");
    command.args([flag, "nobody"]);
    let (ended, text) = process::output(command)?;
    if !ended.success {
        bail!("postgres refuses root and there is no account `nobody`: run this as another user");
    }
    text.trim().parse().with_context(|| format!("`id {flag} nobody` answered {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_cannot_reach_below_a_private_folder() {
        let folder = tempfile::tempdir().unwrap();
        let nobody = Account::Nobody { user: 65534, group: 65534 };
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(!nobody.can_reach(&below));
        assert!(Account::Own.can_reach(&below));
    }
}
