//! Puts the changes of a batch on a state of the database.

use std::collections::{BTreeMap, BTreeSet};

use dipmo_api::DomainWrite;
use dipmo_domain::{InboxId, OrderKey, OutboxId, StoreError};
use dipmo_store::{BatchReport, Changes, SettlementKind};

use crate::claim::Claim;
use crate::database::Database;
use crate::domain::write;
use crate::intents::{insert_intent, write_chunks};
use crate::let_go::RELEASED_AT_ONCE;
use crate::release::{free_messages, let_messages_go};
use crate::settle::{Settling, wake};
use crate::side::OutboxLane;
use crate::states::write_states;
use crate::timers::write_timer;

/// What a batch did to the database, to be done again on a newer state.
pub(crate) enum Step {
    /// What the handlers of a wave wrote.
    Handled(Vec<DomainWrite>),
    /// What the logic decided.
    Decided(Changes),
}

/// A batch as it is to be committed.
pub(crate) struct Finished {
    pub(crate) database: Database,
    pub(crate) report: BatchReport,
    /// How many held messages it lets go.
    pub(crate) let_go: usize,
}

/// A state with the steps of a batch on it.
pub(crate) struct Applied<'a> {
    pub(crate) database: Database,
    claim: &'a Claim,
    unsettled: BTreeSet<InboxId>,
    /// Keys whose head ended in this batch.
    ended: Vec<OrderKey>,
    /// Messages that were held in this batch.
    held: Vec<InboxId>,
    units: BTreeMap<OutboxLane, Vec<OutboxId>>,
    intents: usize,
}

impl<'a> Applied<'a> {
    /// Any check that fails is an error, and the state is dropped.
    pub(crate) fn on(
        database: Database,
        claim: &'a Claim,
        steps: &[Step],
    ) -> Result<Self, StoreError> {
        let mut applied = Self {
            database,
            claim,
            unsettled: claim.messages.iter().copied().collect(),
            ended: Vec::new(),
            held: Vec::new(),
            units: BTreeMap::new(),
            intents: 0,
        };
        for step in steps {
            match step {
                Step::Handled(writes) => applied.write(writes)?,
                Step::Decided(changes) => applied.change(changes)?,
            }
        }
        Ok(applied)
    }

    /// Does what is done once a batch: writes the chunks of the outbox, lets go what is held.
    pub(crate) fn finish(mut self) -> Result<Finished, StoreError> {
        if let Some(message) = self.unsettled.first() {
            return Err(unexpected(*message, "was not settled"));
        }
        write_chunks(&mut self.database.outbox, self.units);
        let inbox = &mut self.database.inbox;
        let let_go = let_messages_go(inbox, &self.ended, RELEASED_AT_ONCE, self.claim.now);
        free_messages(inbox, &self.held, self.claim.now);
        let report = BatchReport {
            lanes: self.claim.lanes.clone(),
            messages: self.claim.messages.len(),
            intents: self.intents,
            releasing: let_go.releasing,
        };
        Ok(Finished { database: self.database, report, let_go: let_go.count })
    }

    fn change(&mut self, changes: &Changes) -> Result<(), StoreError> {
        let now = self.claim.now;
        write_states(&mut self.database, &changes.states, now)?;
        self.write(&changes.writes)?;
        for intent in &changes.intents {
            insert_intent(&mut self.database.outbox, &mut self.units, intent, now)?;
            self.intents += 1;
        }
        for timer in &changes.timers {
            write_timer(&mut self.database.timers, timer, now);
        }
        self.settle(changes)?;
        for key in &changes.wake {
            wake(&mut self.database.inbox, key, now);
        }
        Ok(())
    }

    fn write(&mut self, writes: &[DomainWrite]) -> Result<(), StoreError> {
        writes.iter().try_for_each(|row| write(&mut self.database, row))
    }

    fn settle(&mut self, changes: &Changes) -> Result<(), StoreError> {
        let inbox = &mut self.database.inbox;
        for settlement in &changes.settlements {
            if !self.unsettled.remove(&settlement.message) {
                return Err(unexpected(settlement.message, "is not there to be settled"));
            }
            let now = self.claim.now;
            Settling { inbox, ended: &mut self.ended, now }.settle(settlement)?;
            if settlement.kind == SettlementKind::Held {
                self.held.push(settlement.message);
            }
        }
        // What is held behind an ended head comes before what is later in this batch: its block
        // stands until the commit. Without anything held, the next wave may go on.
        self.ended.retain(|key| !inbox.blocks.lift_empty(&inbox.exceptions, key));
        Ok(())
    }
}

fn unexpected(message: InboxId, problem: &str) -> StoreError {
    StoreError::Unexpected {
        statement: "settle",
        problem: format!("message {message} {problem}; each is settled exactly once"),
    }
}
