//! What belongs to an aggregate, and what of it has not ended.

use std::collections::BTreeSet;

use dipmo_domain::{ProcessKey, StoreError};
use dipmo_store::admin::{Erase, Lot, Unended};
use dipmo_store::{Side, StateRow};
use tokio_postgres::Row;

use crate::archive;
use crate::rows::{count, name};
use crate::session::Session;
use crate::sql::{self, Sql, params};
use crate::states;

/// The tables that rows stand in: the logs, and those of a lot that is on its way.
#[derive(PartialEq, Eq)]
pub(super) struct Logs {
    pub(super) messages: Vec<String>,
    pub(super) intents: Vec<String>,
    records: Vec<String>,
}

impl Logs {
    pub(super) fn of(lot: Option<&Lot>) -> Self {
        let aside = |side| match lot {
            Some(lot) if lot.side == side => archive::tables(side, lot.id),
            _ => Vec::new(),
        };
        let with = |log: &str, aside: Option<String>| {
            std::iter::once(log.to_owned()).chain(aside).collect()
        };
        let (mut inbox, mut outbox) =
            (aside(Side::Inbox).into_iter(), aside(Side::Outbox).into_iter());
        Self {
            messages: with("inbox_log", inbox.next()),
            intents: with("outbox_log", outbox.next()),
            records: with("outbox_record_log", outbox.next()),
        }
    }
}

/// All that belongs to an aggregate.
pub(super) struct Found {
    pub(super) messages: Vec<i64>,
    pub(super) intents: Vec<i64>,
    pub(super) records: Vec<i64>,
    pub(super) instances: Vec<StateRow>,
}

impl Found {
    /// Messages of the aggregate, intents of it and those that its messages caused, and what their senders were told
    /// of these: until nothing more is found.
    pub(super) async fn of(
        session: &mut Session,
        logs: &Logs,
        wish: &Erase,
    ) -> Result<Self, StoreError> {
        let mut messages = BTreeSet::new();
        for log in &logs.messages {
            let find = of_log(sql::erase_find_messages(), log);
            messages.extend(ids(session, find.with(params![wish.aggregate.clone()])).await?);
        }
        loop {
            let known = messages.len();
            let (intents, asked) = caused(session, logs, Some(&wish.aggregate), &messages).await?;
            let names: Vec<String> = asked.iter().map(|key| key.id.clone()).collect();
            for log in &logs.messages {
                let find = of_log(sql::erase_find_answers(), log);
                let find = find.with(params![names.clone(), sorted(&intents)]);
                messages.extend(ids(session, find).await?);
            }
            if messages.len() > known {
                continue;
            }
            let records = records(session, logs, &intents).await?;
            let instances = instances(session, wish, asked).await?;
            let (messages, intents) = (sorted(&messages), sorted(&intents));
            return Ok(Self { messages, intents, records, instances });
        }
    }

    /// True when nothing is here that was not found before. An instance that only a timer named is not found any more,
    /// once the timer was taken away.
    pub(super) fn is_within(&self, before: &Self) -> bool {
        let known = before.keys();
        self.messages == before.messages
            && self.intents == before.intents
            && self.records == before.records
            && self.keys().iter().all(|key| known.contains(key))
    }

    /// The instances of processes.
    pub(super) fn keys(&self) -> Vec<ProcessKey> {
        self.instances.iter().map(|row| row.key.clone()).collect()
    }

    /// What has not ended. What stands aside has.
    pub(super) async fn waiting(
        &self,
        session: &mut Session,
        wish: &Erase,
    ) -> Result<Vec<Unended>, StoreError> {
        let calls = vec![
            sql::erase_wait_messages().with(params![self.messages.clone()]),
            sql::erase_wait_intents().with(params![self.intents.clone()]),
        ];
        let answers = session.run(calls).await?;
        let mut waiting = Vec::new();
        for row in &answers[0] {
            let (status, first) = (name(row.get(0))?, row.get(2));
            waiting.push(Unended::Messages { status, count: count(row, 1), first });
        }
        for row in &answers[1] {
            let (status, destination, first) = (name(row.get(0))?, row.get(1), row.get(3));
            waiting.push(Unended::Intents { status, destination, count: count(row, 2), first });
        }
        waiting.extend(self.instances.iter().filter_map(|row| wish.waits(row)));
        Ok(waiting)
    }
}

/// Intents of an aggregate and those that messages caused, and the instances that want to hear of them.
pub(super) async fn caused(
    session: &mut Session,
    logs: &Logs,
    aggregate: Option<&str>,
    messages: &BTreeSet<i64>,
) -> Result<(BTreeSet<i64>, BTreeSet<ProcessKey>), StoreError> {
    let (mut intents, mut asked) = (BTreeSet::new(), BTreeSet::new());
    for log in &logs.intents {
        let find = of_log(sql::erase_find_intents(), log);
        let find = find.with(params![aggregate.map(str::to_owned), sorted(messages)]);
        for row in session.run(vec![find]).await?.remove(0) {
            intents.insert(row.get(0));
            asked.extend(key(&row, 1));
        }
    }
    Ok((intents, asked))
}

/// The records of intents.
pub(super) async fn records(
    session: &mut Session,
    logs: &Logs,
    intents: &BTreeSet<i64>,
) -> Result<Vec<i64>, StoreError> {
    let mut records = Vec::new();
    for log in &logs.records {
        let find = of_log(sql::erase_find_records(), log).with(params![sorted(intents)]);
        records.extend(ids(session, find).await?);
    }
    Ok(records)
}

/// Instances that are there: those that go by the id of the aggregate, in every table of a process that there is, and
/// those that something of it names.
async fn instances(
    session: &mut Session,
    wish: &Erase,
    mut linked: BTreeSet<ProcessKey>,
) -> Result<Vec<StateRow>, StoreError> {
    let calls = vec![
        sql::erase_find_timers().with(params![wish.aggregate.clone()]),
        sql::erase_find_tables().call(),
    ];
    let answers = session.run(calls).await?;
    linked.extend(answers[0].iter().filter_map(|row| key(row, 0)));
    linked.extend(wish.instances.iter().cloned());
    let mut found = Vec::new();
    for row in &answers[1] {
        let table = row.get::<_, String>(0).to_uppercase();
        let Some(process) = table.strip_suffix("_PROCESS") else { continue };
        let of_it = linked.iter().filter(|key| key.process == process);
        let mut ids: BTreeSet<String> = of_it.map(|key| key.id.clone()).collect();
        ids.insert(wish.aggregate.clone());
        found.extend(read(session, &table, ids.into_iter().collect()).await?);
    }
    Ok(found)
}

/// Instances of a table.
pub(super) async fn read(
    session: &mut Session,
    table: &str,
    ids: Vec<String>,
) -> Result<Vec<StateRow>, StoreError> {
    let process = table.strip_suffix("_PROCESS").unwrap_or(table);
    let find = states::find(&table.to_lowercase()).with(params![ids]);
    let rows = session.run(vec![find]).await?.remove(0);
    rows.iter().map(|row| states::state(process, row)).collect()
}

/// A statement for one of the tables.
pub(super) fn of_log(statement: Sql, log: &str) -> Sql {
    statement.fill("{log}", log)
}

pub(super) async fn ids(session: &mut Session, find: sql::Call) -> Result<Vec<i64>, StoreError> {
    let rows = session.run(vec![find]).await?.remove(0);
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

fn key(row: &Row, at: usize) -> Option<ProcessKey> {
    let (process, id): (Option<String>, Option<String>) = (row.get(at), row.get(at + 1));
    Some(ProcessKey { process: process?, id: id? })
}

fn sorted(ids: &BTreeSet<i64>) -> Vec<i64> {
    ids.iter().copied().collect()
}
