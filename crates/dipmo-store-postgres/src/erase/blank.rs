//! The tables that can hold something of a message or an intent, and what blanks them.

use dipmo_domain::{ProcessKey, StoreError};
use dipmo_store::admin::Blanked;
use dipmo_store::{BLANK, BLANK_TEXT};

use super::find::{Found, Logs, of_log};
use crate::rows::count;
use crate::session::Session;
use crate::sql::{self, Call, Which, params};

/// What is to be blanked.
#[derive(Default)]
pub(super) struct Rows<'a> {
    pub(super) messages: Vec<i64>,
    pub(super) intents: Vec<i64>,
    /// Intents and records.
    pub(super) units: Vec<i64>,
    pub(super) instances: Vec<ProcessKey>,
    /// Timers and incidents tell by themselves whom they are about.
    pub(super) aggregate: Option<&'a str>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(found: &Found, aggregate: Option<&'a str>) -> Self {
        let units = [&found.intents[..], &found.records].concat();
        let (messages, intents) = (found.messages.clone(), found.intents.clone());
        Self { messages, intents, units, instances: found.keys(), aggregate }
    }

    /// Blanks everything, unless it is a dry run; tells of each table how many rows, and how many are not blank then.
    pub(super) async fn blank(
        &self,
        session: &mut Session,
        logs: &Logs,
        dry_run: bool,
    ) -> Result<Vec<Blanked>, StoreError> {
        let mut blanked = Vec::new();
        if !dry_run {
            blanked = self.counts(session, logs, true).await?;
        }
        let mut left = self.counts(session, logs, false).await?;
        // What is restored is in no group.
        if self.aggregate.is_some() {
            if !dry_run {
                // Behind all that takes long: nobody can fail while it is held.
                session.run(vec![sql::failure_lock().call()]).await?;
                blanked.push(groups(session, true).await?);
            }
            left.push(groups(session, false).await?);
        }
        let mut all: Vec<Blanked> = Vec::new();
        for (at, (table, left)) in left.into_iter().enumerate() {
            let blanked = blanked.get(at).map_or(0, |it| it.1);
            match all.iter_mut().find(|it| it.table == table) {
                Some(it) => (it.blanked, it.left) = (it.blanked + blanked, it.left + left),
                None => all.push(Blanked { table: table.to_owned(), blanked, left }),
            }
        }
        Ok(all)
    }

    /// How many rows are not blank before each statement, which blanks them or does not.
    async fn counts(
        &self,
        session: &mut Session,
        logs: &Logs,
        blank: bool,
    ) -> Result<Vec<(&'static str, u64)>, StoreError> {
        let (names, calls): (Vec<_>, Vec<_>) = self.calls(logs, blank).into_iter().unzip();
        let answers = session.run(calls).await?;
        Ok(names.into_iter().zip(&answers).map(|(name, rows)| (name, count(&rows[0], 0))).collect())
    }

    fn calls(&self, logs: &Logs, blank: bool) -> Vec<(&'static str, Call)> {
        let keys: Vec<String> =
            self.instances.iter().map(|key| format!("{}/{}", key.process, key.id)).collect();
        let aggregate = || self.aggregate.map(str::to_owned);
        let (messages, units) = (|| self.messages.clone(), || self.units.clone());
        let mut calls = Vec::new();
        for log in &logs.messages {
            let call = of_log(sql::erase_messages(), log);
            calls.push(("inbox_log", call.with(params![messages(), BLANK, blank])));
        }
        for log in &logs.intents {
            let call = of_log(sql::erase_intents(), log);
            calls.push(("outbox_log", call.with(params![self.intents.clone(), BLANK, blank])));
        }
        let told = |which, ids: Vec<i64>| {
            sql::erase_exceptions(which).with(params![ids, BLANK_TEXT, blank])
        };
        calls.extend([
            ("inbox_exception", told(Which::Inbox, messages())),
            ("inbox_edit", sql::erase_edits().with(params![messages(), BLANK, blank])),
            (
                "inbox_incident",
                sql::erase_incidents().with(params![messages(), BLANK, blank, aggregate()]),
            ),
            ("outbox_exception", told(Which::Outbox, units())),
        ]);
        if self.aggregate.is_some() || !keys.is_empty() {
            let timers = sql::erase_timers().with(params![aggregate(), keys, blank]);
            calls.push(("process_timer", timers));
        }
        calls
    }
}

/// How many groups of failures nothing counts in, which are forgotten or are not.
async fn groups(session: &mut Session, blank: bool) -> Result<(&'static str, u64), StoreError> {
    let answers = session.run(vec![sql::erase_groups().with(params![blank])]).await?;
    Ok(("dipmo_failure_group", count(&answers[0][0], 0)))
}
