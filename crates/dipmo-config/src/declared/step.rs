//! A step of a declared process: what it writes and announces, checked as that of any other.

use std::sync::Arc;

use dipmo_api::{
    Advanced, DomainWrite, Draft, Effect, Evidence, Refusal, TimerChange, WriteTarget,
};
use dipmo_cel::{Fuel, Program, Value};
use dipmo_domain::{Json, RecordKey};

use super::case::{Body, Change, Repeat, Send, Step, Timer, Write};
use super::cell::cell;
use super::question::Asked;
use super::template::Template;
use super::variables::{Variable, Variables};

/// A case that was taken.
pub(crate) struct Taken<'a> {
    pub(crate) asked: &'a Asked,
    /// Which case of its event it is.
    pub(crate) at: usize,
    pub(crate) step: &'a Step,
    pub(crate) from: &'static str,
}

impl Taken<'_> {
    /// Makes all that it says. What is set is made with what was known before; all else with what is
    /// known after.
    pub(crate) fn advance(
        &self,
        mut variables: Variables,
        evidence: &Evidence<'_>,
        fuel: &mut Fuel,
    ) -> Result<Advanced, Refusal> {
        let inner = &self.asked.inner;
        let path = if self.step.path.is_empty() { vec![self.from] } else { self.step.path.clone() };
        let to = path.last().copied().unwrap_or(self.from);
        let document = self.remember(&mut variables, evidence, fuel)?;
        variables.set(Variable::State, to.into());
        let mut writes = Vec::new();
        for write in &self.step.writes {
            self.repeated(&write.repeat, &mut variables, fuel, |variables, fuel| {
                writes.push(self.row(write, variables, fuel)?);
                Ok(())
            })?;
        }
        let mut effects = Vec::new();
        for send in &self.step.sends {
            self.repeated(&send.repeat, &mut variables, fuel, |variables, fuel| {
                self.send(send, evidence.message.payload, variables, fuel, &mut effects)
            })?;
        }
        let mut timers = Vec::new();
        for Timer { when, change } in &self.step.timers {
            if self.is_so(when.as_ref(), &variables, fuel)? {
                timers.push(self.timer(change, &variables, fuel)?);
            }
        }
        let failure = self.step.failure.as_ref().map(|complaint| complaint.make(&variables, fuel));
        let draft = Draft {
            instance_id: &self.asked.instance_id,
            from: self.from,
            via: path[..path.len() - 1].to_vec(),
            to,
            data: document,
            version: evidence.row.map_or(0, |row| row.version) + 1,
            effects,
            writes,
            timers,
            failure: failure.transpose().map_err(|failure| self.failed(failure))?,
        };
        draft.checked(&inner.description)
    }

    /// What the instance remembers from now on, and its document.
    fn remember(
        &self,
        variables: &mut Variables,
        evidence: &Evidence<'_>,
        fuel: &mut Fuel,
    ) -> Result<Json, Refusal> {
        let fields = &self.asked.inner.data;
        if self.step.set.is_empty() {
            return match evidence.row {
                Some(row) => Ok(row.data.clone()),
                None => fields.write(variables.get(Variable::Data)),
            };
        }
        let make =
            |(field, template): &(usize, Template)| Ok((*field, template.make(variables, fuel)?));
        let changes = self.step.set.iter().map(make).collect::<Result<Vec<_>, _>>();
        let changes = changes.map_err(|failure| self.failed(failure))?;
        let data = fields.changed(variables.get(Variable::Data), changes);
        let document = fields.write(&data)?;
        variables.set(Variable::Data, data);
        Ok(document)
    }

    /// Once, or once for each item.
    fn repeated(
        &self,
        repeat: &Repeat,
        variables: &mut Variables,
        fuel: &mut Fuel,
        mut act: impl FnMut(&Variables, &mut Fuel) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some(items) = &repeat.for_each else {
            if self.is_so(repeat.when.as_ref(), variables, fuel)? {
                act(variables, fuel)?;
            }
            return Ok(());
        };
        let items = items.run(variables.slots(), fuel).map_err(|failure| self.failed(failure))?;
        let Value::List(items) = items else {
            return Err(self.asked.refuse(self.at, "`for_each` gave no list".to_owned()));
        };
        for item in items.iter() {
            variables.set(Variable::Item, item.clone());
            if self.is_so(repeat.when.as_ref(), variables, fuel)? {
                act(variables, fuel)?;
            }
        }
        Ok(())
    }

    fn is_so(
        &self,
        when: Option<&Program>,
        variables: &Variables,
        fuel: &mut Fuel,
    ) -> Result<bool, Refusal> {
        let Some(when) = when else { return Ok(true) };
        let truth = when.run(variables.slots(), fuel).map_err(|failure| self.failed(failure))?;
        Ok(truth.as_bool() == Some(true))
    }

    fn row(
        &self,
        write: &Write,
        variables: &Variables,
        fuel: &mut Fuel,
    ) -> Result<DomainWrite, Refusal> {
        let (mut row, name) = match &write.target {
            WriteTarget::Upsert(table) => (DomainWrite::upsert(Arc::clone(table)), table.name),
            WriteTarget::Delete(table) => (DomainWrite::delete(Arc::clone(table)), table.name),
            WriteTarget::Run(statement) => {
                (DomainWrite::run(Arc::clone(statement)), statement.name())
            }
        };
        for (column, kind, template) in &write.set {
            let value = template.make(variables, fuel).map_err(|failure| self.failed(failure))?;
            let cell = cell(*kind, &value).map_err(|problem| Refusal::DomainWriteInvalid {
                problem: format!("{column} of {name} {problem}"),
            })?;
            row = row.set(column, cell);
        }
        Ok(row)
    }

    fn send(
        &self,
        send: &Send,
        came: &Json,
        variables: &Variables,
        fuel: &mut Fuel,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Refusal> {
        let mut make = |template: &Template| {
            template.make(variables, fuel).map_err(|failure| self.failed(failure))
        };
        let payload = match &send.payload {
            Body::Empty => Json::empty_object(),
            Body::AsItCame => self.asked.lifted.clone().unwrap_or_else(|| came.clone()),
            Body::Made(template) => self.json(&make(template)?)?,
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (of, id) = &send.about;
        let of = of.as_ref().map(&mut make).transpose()?.map(|of| text(&of));
        let id = id.as_ref().map(&mut make).transpose()?.map(|id| text(&id));
        let mut headers = Vec::new();
        for (name, template) in &send.headers {
            headers.push((name, text(&make(template)?)));
        }
        let records = self.records(send, variables, fuel)?;
        for destination in &send.to {
            let mut effect = Effect::new(destination.clone(), &send.event)
                .version(send.version)
                .payload_json(payload.clone());
            if of.is_some() || id.is_some() {
                let own = (self.asked.inner.description.name(), &self.asked.instance_id);
                effect =
                    effect.about(of.as_deref().unwrap_or(own.0), id.as_deref().unwrap_or(own.1));
            }
            for (name, value) in &headers {
                effect = effect.header(name, value);
            }
            effect = effect.records(records.iter().cloned());
            effects.push(if send.outcome { effect.expects_outcome() } else { effect });
        }
        Ok(())
    }

    fn records(
        &self,
        send: &Send,
        variables: &Variables,
        fuel: &mut Fuel,
    ) -> Result<Vec<RecordKey>, Refusal> {
        let Some(records) = &send.records else { return Ok(Vec::new()) };
        let records =
            records.run(variables.slots(), fuel).map_err(|failure| self.failed(failure))?;
        let none = || self.asked.refuse(self.at, "`records` gave no list of strings".to_owned());
        let Value::List(records) = records else { return Err(none()) };
        let key = |record: &Value| record.as_str().map(|key| RecordKey(key.to_owned()));
        records.iter().map(|record| key(record).ok_or_else(none)).collect()
    }

    fn timer(
        &self,
        change: &Change,
        variables: &Variables,
        fuel: &mut Fuel,
    ) -> Result<TimerChange, Refusal> {
        let (name, after, event, payload) = match change {
            Change::Cancel(name) => return Ok(TimerChange::Cancel { name }),
            Change::Set { name, after, event, payload } => (name, after, event, payload),
        };
        let payload = match payload {
            Some(template) => {
                let made = template.make(variables, fuel);
                self.json(&made.map_err(|failure| self.failed(failure))?)?
            }
            None => Json::empty_object(),
        };
        Ok(TimerChange::Set { name, after: *after, event_type: event, payload })
    }

    fn json(&self, value: &Value) -> Result<Json, Refusal> {
        let refuse =
            |error| self.asked.refuse(self.at, format!("the payload cannot be written: {error}"));
        Json::of(value).map_err(refuse)
    }

    fn failed(&self, failure: dipmo_cel::Failure) -> Refusal {
        self.asked.failed(self.at, failure)
    }
}
