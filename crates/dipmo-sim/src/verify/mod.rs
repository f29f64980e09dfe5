//! What must hold when everything has come to an end.

mod accounts;
mod end;
mod inbox;
mod jobs;
mod mirrors;
mod outbox;
mod rest;

use std::sync::Arc;

use dipmo_store::Inspect as _;

use crate::sim::Sim;
use crate::world::Book;
pub(crate) use rest::{Rest, rest};

/// Checks everything; answers how many messages there were.
pub(crate) async fn everything(sim: &Arc<Sim>, book: &Book) -> Result<usize, String> {
    if sim.is_broken() {
        return Ok(0);
    }
    let end = end::End::read(sim).await.map_err(|error| error.to_string())?;
    inbox::check(sim, &end, book)?;
    accounts::check(sim, &end).await?;
    mirrors::check(sim, &end).await?;
    outbox::check(sim, &end)?;
    jobs::check(sim).await?;
    let incidents = sim.store.incidents(u32::MAX).await.map_err(|error| error.to_string())?;
    if let Some(answer) = incidents.iter().find(|it| it.source_system == "outcome") {
        return Err(format!("an answer had the id of another: {answer:?}"));
    }
    if incidents.is_empty() && book.entries.iter().any(|entry| entry.conflict) {
        return Err("another message with the same id left no incident".to_owned());
    }
    let now = dipmo_store::Store::now(&sim.store).await.map_err(|error| error.to_string())?;
    let leases = sim.witness().leases_left(now);
    if !leases.is_empty() {
        return Err(format!("leases are left after all engines stopped: {leases:?}"));
    }
    Ok(end.messages.len())
}
