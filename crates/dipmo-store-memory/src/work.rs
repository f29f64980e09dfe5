//! The drive of a batch: claim, let the logic decide wave after wave, commit.
//!
//! Nothing is locked but the lanes while the logic decides: others read and write. Each wave reads
//! the newest committed state with the batch's own changes on it, as READ COMMITTED does; the
//! commit puts the same changes on the state that is newest then.

use async_trait::async_trait;
use dipmo_domain::{InboxId, OrderKey, StoreError};
use dipmo_store::{
    BatchLogic, BatchReport, ClaimLimits, Found, MOST_PASSED_OVER, Needs, PassedOver, Side, Work,
};

use crate::MemoryStore;
use crate::apply::{Applied, Step};
use crate::claim::Claim;
use crate::database::Database;
use crate::domain::read_facts;
use crate::inbox::InboxTables;
use crate::states::read_states;
use crate::timers::fire;

#[async_trait]
impl Work for MemoryStore {
    async fn process_batch(
        &self,
        limits: ClaimLimits,
        mut logic: Box<dyn BatchLogic>,
    ) -> Result<(BatchReport, Box<dyn BatchLogic>), StoreError> {
        let report = match self.claim(limits)? {
            None => BatchReport::default(),
            Some(claim) => self.drive(&claim, logic.as_mut())?,
        };
        Ok((report, logic))
    }

    async fn release(&self, limit: u32) -> Result<usize, StoreError> {
        self.release_messages(limit).await.map(|count| self.waking(Side::Inbox, count))
    }

    async fn fire_timers(&self, limit: u32) -> Result<usize, StoreError> {
        self.transact(|database, now| fire(database, limit, now))
            .map(|count| self.waking(Side::Inbox, count))
    }
}

impl MemoryStore {
    fn drive(&self, claim: &Claim, logic: &mut dyn BatchLogic) -> Result<BatchReport, StoreError> {
        let mut steps = Vec::new();
        logic.claimed(claim.batch());
        while let Some(needs) = logic.needs() {
            let mut database = self.view(claim, &steps)?;
            let mut found = read(&database, &needs)?;
            let (handled, writes) = self.call_handlers(&mut database, &needs.handlers)?;
            found.handled = handled;
            steps.push(Step::Handled(writes));
            steps.push(Step::Decided(logic.decide(found)));
        }
        self.commit(claim, &steps)
    }

    fn view(&self, claim: &Claim, steps: &[Step]) -> Result<Database, StoreError> {
        let newest = self.newest(claim)?;
        Ok(Applied::on(newest, claim, steps)?.database)
    }

    fn newest(&self, claim: &Claim) -> Result<Database, StoreError> {
        let shared = self.lock();
        shared.locks.check(claim.guard.session(), &claim.lanes)?;
        Ok(shared.database.clone())
    }

    fn commit(&self, claim: &Claim, steps: &[Step]) -> Result<BatchReport, StoreError> {
        let mut shared = self.lock();
        shared.locks.check(claim.guard.session(), &claim.lanes)?;
        let done = Applied::on(shared.database.clone(), claim, steps)?.finish()?;
        shared.database = done.database;
        drop(shared);
        self.waking(Side::Inbox, done.let_go);
        self.waking(Side::Outbox, done.report.intents);
        Ok(done.report)
    }
}

fn read(database: &Database, needs: &Needs) -> Result<Found, StoreError> {
    let blocks = needs.blocks.iter().filter_map(|key| {
        let row = database.inbox.blocks.get(key)?;
        Some((key.clone(), row.into()))
    });
    Ok(Found {
        states: read_states(database, &needs.states)?,
        facts: read_facts(database, &needs.facts)?,
        blocks: blocks.collect(),
        passed_over: passed_over(&database.inbox, &needs.passed_over),
        ..Found::default()
    })
}

fn passed_over(inbox: &InboxTables, keys: &[OrderKey]) -> Vec<PassedOver> {
    let mut found = Vec::new();
    for key in keys {
        let ids: Vec<InboxId> = inbox.exceptions.passed_over(key).collect();
        let newest = ids.iter().rev().take(MOST_PASSED_OVER);
        found.extend(newest.filter_map(|id| inbox.log.get(id)).filter_map(|message| {
            Some(PassedOver {
                order_key: key.clone(),
                source_system: message.source_system.clone(),
                version: message.source_version?,
            })
        }));
    }
    found
}

#[cfg(test)]
mod tests;
