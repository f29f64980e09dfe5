//! A rehearsal that begins where a database stands: instances and facts are read as they are now, and nothing is written.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use async_trait::async_trait;
use dipmo_admin::{Rehearse, Rehearsed, Sends};
use dipmo_api::{
    Advanced, ErasedOutcome, FactDefinition, FactRequest, FactSource, MessageView, Registry,
    TimerChange, WriteTarget,
};
use dipmo_domain::{Destination, InboxId, ProcessKey, StoreError};
use dipmo_inbox::{Body, NewMessage};
use dipmo_store::admin::Operable;

use super::stage::{Stage, Wants};
use super::{Met, record, why};

/// The processes of a pipeline on its database.
pub(in crate::wiring) struct Live {
    pub(in crate::wiring) registry: Arc<Registry>,
    pub(in crate::wiring) store: Arc<dyn Operable>,
    /// Topics of which every message goes on to a destination as it is.
    pub(in crate::wiring) forwards: BTreeMap<String, Destination>,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Live")
    }
}

#[async_trait]
impl Rehearse for Live {
    async fn rehearse(
        &self,
        messages: &[(InboxId, NewMessage)],
    ) -> Result<Vec<Rehearsed>, StoreError> {
        let now = self.store.now().await?;
        let mut stage = Stage::new(Arc::clone(&self.registry), now);
        let mut rehearsed = Vec::new();
        for (number, (id, message)) in messages.iter().enumerate() {
            if let Some(to) = self.forwards.get(&message.topic) {
                rehearsed.push(forwarded(*id, message, to));
                continue;
            }
            let Body::Json(payload) = &message.body else { continue };
            let view = MessageView { received_at: now, ..record::view(message, payload, number) };
            // What authors write may panic: the engine takes that for a failure of the message.
            let wants = catch_unwind(AssertUnwindSafe(|| stage.wants(&view)));
            if let Ok(Some(wants)) = &wants {
                self.read(&mut stage, wants).await?;
            }
            let met = wants.and_then(|_| catch_unwind(AssertUnwindSafe(|| stage.meet(&view))));
            rehearsed.push(met.map_or_else(|_| panicked(*id), |met| told(*id, met)));
        }
        Ok(rehearsed)
    }
}

impl Live {
    async fn read(&self, stage: &mut Stage, wants: &Wants) -> Result<(), StoreError> {
        let Wants { process, instance, facts } = wants;
        if !stage.instances.knows(process, instance) {
            let key = ProcessKey { process: (*process).to_owned(), id: instance.clone() };
            let found = self.store.instance(&key).await?;
            stage.instances.know(process, instance, found);
        }
        for (definition, request) in facts {
            self.look_up(stage, definition, request).await?;
        }
        Ok(())
    }

    /// A query of several parameters cannot be asked outside of a batch: its fact stays unknown.
    async fn look_up(
        &self,
        stage: &mut Stage,
        definition: &FactDefinition,
        request: &FactRequest,
    ) -> Result<(), StoreError> {
        let key = request.key.values();
        if key.len() != 1 || definition.misfit(&request.key).is_some() {
            return Ok(());
        }
        let rows = self.store.look_up(definition, key).await?;
        match &definition.source {
            FactSource::Table { table, .. } => {
                rows.into_iter().for_each(|row| stage.rows.know(table, row));
            }
            FactSource::Query { .. } => {
                stage.answers.insert(request.clone(), rows);
            }
        }
        Ok(())
    }
}

fn forwarded(message: InboxId, of: &NewMessage, to: &Destination) -> Rehearsed {
    let event = of.event_type.clone().unwrap_or_default();
    let sends = vec![Sends { event, destination: to.to_string(), records: 0 }];
    Rehearsed { outcome: "GOES", sends, ..Rehearsed::of(message) }
}

fn panicked(message: InboxId) -> Rehearsed {
    let why = Some("process-panicked".to_owned());
    Rehearsed { outcome: "FAILS", why, ..Rehearsed::of(message) }
}

/// What is told of it: where it goes and what it would send, and nothing of what is in it.
fn told(message: InboxId, met: Met) -> Rehearsed {
    let plain = |outcome, why: Option<String>| Rehearsed { outcome, why, ..Rehearsed::of(message) };
    match met {
        Met::Undecodable(failure) => plain("FAILS", Some(failure.code().to_owned())),
        Met::Known(_) | Met::Ignored => plain("IGNORED", None),
        Met::Handled => plain("HANDLED", Some("by code that cannot be rehearsed".to_owned())),
        Met::Refused(refusal) => {
            plain("FAILS", Some(dipmo_domain::Coded::code(&refusal).as_str().to_owned()))
        }
        Met::Decided { process, instance, from, outcome, unknown_facts } => {
            let decided = match outcome {
                ErasedOutcome::Advance(step) => went(plain("GOES", None), &step),
                ErasedOutcome::Stay(stay) => plain("STAYS", Some(why(stay).to_owned())),
                ErasedOutcome::Park(park) => {
                    plain("WAITS", Some(format!("for version {}", park.until_version)))
                }
                ErasedOutcome::Retry(failure) => plain("RETRIES", Some(failure.code().to_owned())),
                ErasedOutcome::Reject(failure) => plain("FAILS", Some(failure.code().to_owned())),
            };
            let path = std::iter::once(from).chain(decided.path).collect();
            let unknown_facts = unknown_facts.into_iter().map(str::to_owned).collect();
            Rehearsed {
                process: Some(process.to_owned()),
                instance: Some(instance),
                path,
                unknown_facts,
                ..decided
            }
        }
    }
}

fn went(mut told: Rehearsed, step: &Advanced) -> Rehearsed {
    told.path = step.path.iter().map(ToString::to_string).collect();
    told.writes = step.writes.iter().map(|write| wrote(write.target())).collect();
    told.sends = step
        .intents
        .iter()
        .map(|intent| Sends {
            event: intent.event_type.clone(),
            destination: intent.destination.to_string(),
            records: intent.records.len(),
        })
        .collect();
    told.timers = step.timers.iter().map(timer).collect();
    told
}

fn wrote(target: &WriteTarget) -> String {
    match target {
        WriteTarget::Upsert(table) => format!("writes {}", table.name),
        WriteTarget::Delete(table) => format!("deletes {}", table.name),
        WriteTarget::Run(statement) => format!("runs {}", statement.name()),
    }
}

fn timer(change: &TimerChange) -> String {
    match change {
        TimerChange::Set { name, .. } => format!("sets {name}"),
        TimerChange::Cancel { name } => format!("cancels {name}"),
    }
}
