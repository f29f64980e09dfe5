//! Revealing what is masked: with a reason, and never without an entry in the audit.

use dipmo_store::admin::Operable;

use crate::app::Shared;
use crate::auth::Identity;
use crate::mask::Sight;
use crate::params::{Field, Given, Kind, Query};
use crate::problem::Problem;
use crate::roles::Role;
use crate::trail::{Reason, entry};

const FIELDS: [Field; 2] = [
    Field {
        name: "reveal",
        about: "Shows what is masked. Needs the role operator and a reason, and leaves an entry in the audit.",
        kind: Kind::Flag,
    },
    Field { name: "reason", about: "Why it is revealed.", kind: Kind::Reason },
];

/// Whether somebody wants to see what is masked, and why.
pub(crate) struct Reveal(Option<Reason>);

impl Query for Reveal {
    fn fields() -> Vec<&'static Field> {
        FIELDS.iter().collect()
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        let (reveal, said) = (given.flag("reveal")?, given.text("reason"));
        if !reveal && said.is_none() {
            return Ok(Self(None));
        }
        // A reason that is none is refused also where none is needed.
        let reason = Reason::new(&said.unwrap_or_default())?;
        Ok(Self(reveal.then_some(reason)))
    }
}

impl Reveal {
    /// How somebody sees `target`. What is revealed is in the audit before this answers; what cannot be
    /// written there is not revealed.
    pub(crate) async fn sight<'a>(
        self,
        shared: &'a Shared,
        identity: &Identity,
        target: &str,
    ) -> Result<Sight<'a>, Problem> {
        let Some(reason) = self.0 else { return Ok(Sight::Masked(&shared.shown)) };
        identity.may(Role::Operator)?;
        let entry = entry(identity, "reveal", target, reason, &serde_json::Map::new())?;
        let store: &dyn Operable = &*shared.store;
        store.note(&entry).await?;
        Ok(Sight::Revealed)
    }
}
