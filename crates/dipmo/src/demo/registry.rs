//! The processes of the demo, and the tables that Salesforce gets.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dipmo_api::Registry;
use dipmo_api::table::DomainTable;
use hits::HitProcess;
use members::{BlocksToCreateProcess, FamilyProcess, MembersCreatedProcess, Tables};
use onboarding::{Blocking, OnboardingProcess};

use super::listener::Listener;

/// How long a review and a block may take: short, so that timers are seen to fire.
const WITHIN: Duration = Duration::from_secs(2);

/// The tables whose rows go to Salesforce, and what they become there.
pub(crate) const SENT_TABLES: [(&str, &str); 3] =
    [("FAMILIES", "Family__c"), ("MEMBERS", "Contact"), ("FAMILY_BLOCKS", "Block__c")];

/// The tables of families. Onboardings have a table BLOCKS of their own, so that of families has
/// another name here.
pub(crate) fn tables() -> Tables {
    let tables = Tables::default();
    let blocks = DomainTable { name: "FAMILY_BLOCKS", ..(*tables.blocks).clone() };
    Tables { blocks: Arc::new(blocks), ..tables }
}

/// All processes.
pub(crate) fn registry(tables: &Tables) -> Result<Registry> {
    let registry = Registry::new()
        .process(HitProcess::new(WITHIN))?
        .process(OnboardingProcess::new(Blocking::Asynchronous { within: WITHIN }))?
        .process(FamilyProcess::new(tables.clone()))?
        .process(MembersCreatedProcess)?
        .process(BlocksToCreateProcess)?
        .process(Listener)?;
    Ok(registry)
}
