//! Every mirror has a copy of all that was sent to it, once, and in the order of each account.

use std::collections::BTreeMap;

use dipmo_domain::{Outcome, ProcessKey};
use dipmo_store::Inspect as _;

use super::end::{End, payload};
use crate::sim::Sim;
use crate::world::Copied;

pub(super) async fn check(sim: &Sim, end: &End) -> Result<(), String> {
    let mut expected: BTreeMap<String, Vec<Copied>> = BTreeMap::new();
    let copies = end.messages.values().filter(|row| row.message.topic == "internal:mirror");
    for row in copies.filter(|row| row.outcome == Some(Outcome::Done)) {
        let copy: Copied = payload(row)?;
        expected.entry(copy.to.clone()).or_default().push(copy);
    }
    for (mirror, expected) in expected {
        let key = ProcessKey { process: "MIRROR".to_owned(), id: mirror.clone() };
        let row = sim.store.instance(&key).await.map_err(|error| error.to_string())?;
        let row = row.ok_or_else(|| format!("mirror {mirror} is not there"))?;
        let kept: Vec<Copied> = row.context.read().map_err(|error| error.to_string())?;
        let of_each = |copies: &[Copied]| {
            let mut sorted: BTreeMap<String, Vec<u32>> = BTreeMap::new();
            for copy in copies {
                sorted.entry(copy.account.clone()).or_default().push(copy.n);
            }
            sorted
        };
        if of_each(&kept) != of_each(&expected) {
            return Err(format!("mirror {mirror} has {kept:?}, and not {expected:?}"));
        }
    }
    Ok(())
}
