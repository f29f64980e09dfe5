//! Searching in what is masked: for operators, and never without an entry in the audit.
//!
//! Whoever may ask whether a text occurs in a payload can find out what is in it, so a search is a way to reveal.

use crate::app::Shared;
use crate::auth::Identity;
use crate::params::{Filter, Wanted};
use crate::problem::Problem;
use crate::roles::Role;
use crate::trail::{Reason, entry};

/// Notes who searches for what, if the filter looks into payloads. What cannot be written there is not searched.
pub(crate) async fn note<T: Filter>(
    shared: &Shared,
    identity: &Identity,
    wanted: &Wanted<T>,
) -> Result<(), Problem> {
    if wanted.filter.searched().is_none() {
        return Ok(());
    }
    identity.may(Role::Operator)?;
    let reason = Reason::new("a search in payloads")?;
    let entry = entry(identity, "search", T::TARGET, reason, &wanted.audited())?;
    Ok(shared.store.note(&entry).await?)
}
