//! What an instance does of all that is to be done.

use std::fmt;
use std::str::FromStr;

/// One of the things that an instance does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Reads sources into the inbox.
    Consume,
    /// Decides on messages. Timers and history belong to it.
    Process,
    /// Delivers what was decided.
    Publish,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Consume, Self::Process, Self::Publish];

    /// Its name: `consume`, `process` or `publish`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Consume => "consume",
            Self::Process => "process",
            Self::Publish => "publish",
        }
    }
}

/// At least one role, each once. Defaults to all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles(Vec<Role>);

impl Roles {
    /// True when a role is among them.
    #[must_use]
    pub fn has(&self, role: Role) -> bool {
        self.0.contains(&role)
    }

    /// The roles that the engine plays. Upkeep goes with both of its others: it is safe to do twice, and
    /// whoever runs alone needs it.
    pub(super) fn of_engine(&self) -> Vec<dipmo_processing::Role> {
        let mut roles = Vec::new();
        for (role, played) in [
            (Role::Process, dipmo_processing::Role::Process),
            (Role::Publish, dipmo_processing::Role::Publish),
        ] {
            if self.has(role) {
                roles.push(played);
            }
        }
        if !roles.is_empty() {
            roles.push(dipmo_processing::Role::Upkeep);
        }
        roles
    }
}

impl Default for Roles {
    fn default() -> Self {
        Self(Role::ALL.into())
    }
}

impl fmt::Display for Roles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|role| role.as_str()).collect();
        f.write_str(&names.join(","))
    }
}

/// Names with commas between them, such as `process,publish`.
impl FromStr for Roles {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut roles = Vec::new();
        for name in text.split(',').map(str::trim) {
            let Some(role) = Role::ALL.into_iter().find(|role| role.as_str() == name) else {
                return Err(format!("{name:?} is no role: say consume, process or publish"));
            };
            if !roles.contains(&role) {
                roles.push(role);
            }
        }
        roles.sort_unstable();
        Ok(Self(roles))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_names_with_commas() {
        let roles: Roles = "publish, consume,publish".parse().unwrap();
        assert_eq!(roles.to_string(), "consume,publish");
        assert!(!roles.has(Role::Process));
        assert_eq!(Roles::default().to_string(), "consume,process,publish");
        for wrong in ["", "proces", "process,"] {
            assert!(wrong.parse::<Roles>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn whoever_decides_or_delivers_does_the_upkeep_too() {
        let of = |text: &str| text.parse::<Roles>().unwrap().of_engine().len();
        assert_eq!([of("consume"), of("process"), of("publish")], [0, 2, 2]);
    }
}
