//! What becomes of units that were delivered, or were not.

use dipmo_domain::{OrderKey, OutboxId, OutboxStatus, ProcessKey, StoreError, Timestamp};
use dipmo_outbox::{Attempt, UnitResult, UnitSettlement};

use crate::blocks;
use crate::chunks::LaneOf;
use crate::exception::ExceptionRow;
use crate::overtaking;
use crate::releases::Endings;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// What settling must know of a unit: all of its delivery but the payload.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) id: OutboxId,
    pub(crate) intent: OutboxId,
    pub(crate) of_records: bool,
    pub(crate) at: LaneOf,
    pub(crate) attempt: Attempt,
    pub(crate) reply_to: Option<ProcessKey>,
    pub(crate) result: UnitResult,
    order_key: OrderKey,
    created_at: Timestamp,
}

impl From<&UnitSettlement> for Unit {
    fn from(settlement: &UnitSettlement) -> Self {
        let delivery = &settlement.delivery;
        Self {
            id: delivery.unit,
            intent: delivery.intent,
            of_records: delivery.record.is_some(),
            at: LaneOf { queue: delivery.destination.to_string(), lane: delivery.lane },
            attempt: delivery.attempt,
            reply_to: delivery.reply_to.clone(),
            result: settlement.result.clone(),
            order_key: delivery.order_key.clone(),
            created_at: delivery.created_at,
        }
    }
}

/// Writes where units stand now. Their claims were checked.
pub(crate) fn write(tx: &Tx<'_>, units: &[Unit], endings: &mut Endings) -> Result<(), StoreError> {
    units.iter().try_for_each(|unit| write_one(tx, unit, endings))
}

/// Notes for those that failed before them who of these went on.
pub(crate) fn overtake(tx: &Tx<'_>, units: &[Unit]) -> Result<(), StoreError> {
    let went_on = units.iter().filter(|unit| matches!(unit.result, UnitResult::Dispatched { .. }));
    let went_on = went_on.map(|unit| (unit.at.queue.as_str(), &unit.order_key, unit.id.0));
    overtaking::by_units(tx, went_on.collect())
}

fn write_one(tx: &Tx<'_>, unit: &Unit, endings: &mut Endings) -> Result<(), StoreError> {
    let attempts = unit.attempts();
    let tried = attempts + 1;
    match &unit.result {
        UnitResult::Dispatched { external_ref } if unit.is_first() => {
            let now = tx.now().as_micros();
            let params = (unit.id.0, now, None::<&str>, external_ref);
            tx.run(&sql::done_insert(Which::Outbox), params).map(drop)
        }
        UnitResult::Dispatched { external_ref } => {
            unit.end_block(endings);
            let row = unit.row(OutboxStatus::Dispatched, tried);
            let (ended, external_ref) = (Some(tx.now()), external_ref.as_deref());
            ExceptionRow { ended, external_ref, ..row }.put(tx, Which::Outbox)
        }
        UnitResult::Retry { after, failure } => {
            let row = unit.row(OutboxStatus::Pending, tried);
            let (due, failure) = (Some(tx.now().after(*after)), Some(failure));
            ExceptionRow { due, failure, ..row }.put(tx, Which::Outbox)?;
            unit.set_block(tx)
        }
        UnitResult::Unanswered { after, failure } => {
            let row = unit.row(OutboxStatus::Pending, attempts);
            let (due, failure) = (Some(tx.now().after(*after)), Some(failure));
            ExceptionRow { due, failure, ..row }.put(tx, Which::Outbox)?;
            unit.set_block(tx)
        }
        UnitResult::Held => {
            endings.held(&unit.at.queue, &unit.order_key);
            let row = unit.row(OutboxStatus::Pending, attempts);
            ExceptionRow { held: true, ..row }.put(tx, Which::Outbox)
        }
        UnitResult::Later => {
            let row = unit.row(OutboxStatus::Pending, attempts);
            ExceptionRow { due: Some(tx.now()), ..row }.put(tx, Which::Outbox)?;
            unit.set_block(tx)
        }
        UnitResult::InJob(job) => {
            let row = unit.row(OutboxStatus::Pending, attempts);
            ExceptionRow { job: Some(*job), ..row }.put(tx, Which::Outbox)
        }
        UnitResult::Failed { failure, block } => {
            let row = unit.row(OutboxStatus::Failed, tried);
            ExceptionRow { failure: Some(failure), ..row }.put(tx, Which::Outbox)?;
            if *block {
                return unit.set_block(tx);
            }
            unit.end_block(endings);
            Ok(())
        }
    }
}

impl Unit {
    pub(crate) const fn is_first(&self) -> bool {
        matches!(self.attempt, Attempt::First(_))
    }

    /// How often an operator retried it.
    pub(crate) const fn retried(&self) -> u32 {
        match self.attempt {
            Attempt::First(_) => 0,
            Attempt::Again { retried, .. } => retried,
        }
    }

    const fn attempts(&self) -> u32 {
        match self.attempt {
            Attempt::First(_) => 0,
            Attempt::Again { attempts, .. } => attempts,
        }
    }

    fn row(&self, status: OutboxStatus, attempts: u32) -> ExceptionRow<'_> {
        let (at, key) = ((&*self.at.queue, self.at.lane), Some(&self.order_key));
        ExceptionRow {
            attempts,
            ..ExceptionRow::new(self.id.0, self.created_at, at, key, status.as_str())
        }
    }

    fn set_block(&self, tx: &Tx<'_>) -> Result<(), StoreError> {
        let at = (&*self.at.queue, self.at.lane);
        blocks::set(tx, Which::Outbox, at, &self.order_key, self.id.0)
    }

    fn end_block(&self, endings: &mut Endings) {
        // Only a unit that was put aside before can be somebody's head.
        if !self.is_first() {
            endings.ended(&self.at.queue, &self.order_key, self.id.0);
        }
    }
}
