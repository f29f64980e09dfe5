//! One wave of a batch: what it reads, and what it leaves to be written.

use std::collections::{HashMap, HashSet};

use dipmo_domain::{Destination, InboxId, OrderKey, StoreError};
use dipmo_store::{
    Block, Changes, Found, HandlerCall, MOST_PASSED_OVER, Needs, PassedOver, Tables, fold_writes,
};
use tokio_postgres::Row;

use crate::facts::{self, FactRead};
use crate::intents::{self, UnitIds};
use crate::session::Session;
use crate::settle::Ledger;
use crate::sql::{self, Call, Which, params};
use crate::states::{self, StateRead};
use crate::store::PostgresStore;
use crate::{domain, timers};

/// The reads of a wave, one statement for each process, each fact, the blocks and the versions.
pub(crate) struct Reads {
    states: Vec<StateRead>,
    facts: Vec<FactRead>,
    fact_calls: Vec<Call>,
    blocks: Vec<String>,
    passed_over: Vec<String>,
    pub(crate) handlers: Vec<HandlerCall>,
}

impl Reads {
    pub(crate) fn new(tables: &Tables, needs: Needs) -> Result<Self, StoreError> {
        let (facts, fact_calls) = facts::reads(tables, needs.facts)?.into_iter().unzip();
        Ok(Self {
            states: states::reads(tables, needs.states)?,
            facts,
            fact_calls,
            blocks: names(&needs.blocks),
            passed_over: names(&needs.passed_over),
            handlers: needs.handlers,
        })
    }

    /// Sends what the wave before left, then the reads, in one round trip. Ids for the intents of
    /// this wave come along.
    pub(crate) async fn fetch(
        &mut self,
        session: &mut Session,
        mut calls: Vec<Call>,
        writes: &mut Writes,
    ) -> Result<Found, StoreError> {
        let before = calls.len();
        calls.extend(self.states.iter().map(StateRead::call));
        calls.append(&mut self.fact_calls);
        if !self.blocks.is_empty() {
            let inbox = vec![""; self.blocks.len()];
            calls.push(sql::block_find(Which::Inbox).with(params![inbox, self.blocks.clone()]));
        }
        if !self.passed_over.is_empty() {
            let most = i64::try_from(MOST_PASSED_OVER).unwrap_or(i64::MAX);
            calls.push(sql::passed_over().with(params![self.passed_over.clone(), most]));
        }
        if writes.ids.is_empty() {
            calls.push(sql::outbox_ids().with(params![1_i32]));
        }
        let mut answers = session.run(calls).await?.into_iter().skip(before);
        let mut next = || answers.next().unwrap_or_default();
        let mut found = Found::default();
        for read in &self.states {
            found.states.extend(read.rows(&next())?);
        }
        for read in &self.facts {
            read.add_to(&mut found.facts, &next())?;
        }
        if !self.blocks.is_empty() {
            found.blocks = blocks(&next());
        }
        if !self.passed_over.is_empty() {
            found.passed_over = next().iter().map(passed_over).collect();
        }
        if writes.ids.is_empty() {
            writes.ids.add(&next());
        }
        Ok(found)
    }
}

fn blocks(rows: &[Row]) -> HashMap<OrderKey, Block> {
    let block = |row: &Row| Block {
        head: InboxId(row.get(2)),
        released_to: row.get::<_, Option<i64>>(3).map(InboxId),
    };
    rows.iter().map(|row| (OrderKey::new(row.get(1)), block(row))).collect()
}

fn passed_over(row: &Row) -> PassedOver {
    PassedOver {
        order_key: OrderKey::new(row.get(0)),
        source_system: row.get(1),
        version: row.get(2),
    }
}

fn names(keys: &[OrderKey]) -> Vec<String> {
    keys.iter().map(|key| key.as_str().to_owned()).collect()
}

/// What waves leave to be written with the next round trip.
#[derive(Default)]
pub(crate) struct Writes {
    calls: Vec<Call>,
    ids: UnitIds,
    /// Destinations whose lanes this batch makes.
    pub(crate) new_destinations: Vec<String>,
}

impl Writes {
    pub(crate) fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.calls)
    }

    /// Turns the changes of a wave into statements; only a wave with more units than there are ids
    /// left costs a round trip.
    pub(crate) async fn add(
        &mut self,
        store: &PostgresStore,
        session: &mut Session,
        ledger: &mut Ledger,
        changes: Changes,
    ) -> Result<(), StoreError> {
        let tables = store.tables();
        self.calls.extend(states::writes(&tables, changes.states)?);
        for step in fold_writes(&changes.writes) {
            self.calls.extend(domain::calls(&tables, &step)?);
        }
        if !changes.intents.is_empty() {
            self.ids.ensure(session, intents::units(&changes.intents)).await?;
            let names: HashSet<&Destination> =
                changes.intents.iter().map(|intent| &intent.destination).collect();
            let unseen = store.unseen(names.into_iter().map(ToString::to_string));
            self.calls.extend(intents::calls(changes.intents, &mut self.ids, &unseen));
            self.new_destinations.extend(unseen);
        }
        self.calls.extend(timers::calls(changes.timers));
        self.calls.extend(ledger.settle(changes.settlements)?);
        if !changes.wake.is_empty() {
            self.calls.push(sql::wake().with(params![names(&changes.wake)]));
        }
        Ok(())
    }
}
