//! A declared leg: what comes of a record, by the first case that fits. Nothing here does I/O.

use dipmo_cel::{Failure as CelFailure, Fuel, Program, Scope, Type, Value};
use dipmo_domain::{Code, Failure, Header, Headers};
use dipmo_inbox::Record;

use super::WORK;
use super::template::Template;

/// What a leg does with records.
#[derive(Debug)]
pub struct DeclaredLeg {
    pub(crate) name: String,
    pub(crate) cases: Vec<LegCase>,
    /// Whether anybody reads the value as JSON. Without that any bytes will do.
    pub(crate) reads_value: bool,
}

/// A case; the first that fits decides.
#[derive(Debug)]
pub(crate) struct LegCase {
    pub(crate) when: Option<Program>,
    pub(crate) verdict: LegVerdict,
}

#[derive(Debug)]
pub(crate) enum LegVerdict {
    Send(Vec<LegSend>),
    Drop,
    Fail { code: String, message: Template },
    Retry { code: String, message: Template },
}

/// A record that is sent, and how often.
#[derive(Debug)]
pub(crate) struct LegSend {
    pub(crate) to: String,
    /// `None` is as it came.
    pub(crate) key: Option<Template>,
    /// `None` is as it came.
    pub(crate) value: Option<Template>,
    pub(crate) headers: Vec<(String, Template)>,
    pub(crate) when: Option<Program>,
    pub(crate) for_each: Option<Program>,
}

/// What a leg says about a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LegOutcome {
    /// Records to send, in this order.
    Send(Vec<LegRecord>),
    /// Nothing comes of it.
    Drop,
    /// Its value is read and is no JSON.
    Undecodable(Failure),
    /// It will never do.
    Fail(Failure),
    /// Not now.
    Retry(Failure),
}

/// A record to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegRecord {
    /// Where to.
    pub topic: String,
    /// Its key.
    pub key: Option<Vec<u8>>,
    /// Its headers.
    pub headers: Headers,
    /// Its value; `None` is a tombstone.
    pub value: Option<Vec<u8>>,
}

/// The slots of the variables.
pub(crate) const EVENT: usize = 0;
const ITEM: usize = 7;

/// What expressions of a leg see; `item` only inside of a loop.
pub(crate) fn scope() -> Scope {
    Scope::new()
        .with("event", Type::Dyn)
        .with("key", Type::optional(Type::String))
        .with("headers", Type::map(Type::optional(Type::String)))
        .with("topic", Type::String)
        .with("partition", Type::Int)
        .with("offset", Type::Int)
        .with("timestamp", Type::optional(Type::Timestamp))
}

/// As [`scope`], for each item of a list.
pub(crate) fn item_scope(of: Type) -> Scope {
    scope().with("item", of)
}

impl DeclaredLeg {
    /// As the file calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What comes of a record.
    #[must_use]
    pub fn apply(&self, record: &Record) -> LegOutcome {
        let event = match self.read(record) {
            Ok(event) => event,
            Err(failure) => return LegOutcome::Undecodable(failure),
        };
        let mut slots = variables(record, event);
        let mut fuel = Fuel::new(WORK);
        for (at, case) in self.cases.iter().enumerate() {
            match case.apply(record, &mut slots, &mut fuel) {
                Ok(None) => {}
                Ok(Some(outcome)) => return outcome,
                Err(problem) => {
                    let message = format!("case {} of the leg {}: {problem}", at + 1, self.name);
                    return LegOutcome::Fail(Failure::coded(
                        Code::new("expression-failed"),
                        &message,
                    ));
                }
            }
        }
        let message = format!("no case of the leg {} is for this record", self.name);
        LegOutcome::Fail(Failure::coded(Code::new("leg-without-case"), &message))
    }

    /// The value as JSON; a tombstone is null.
    fn read(&self, record: &Record) -> Result<Value, Failure> {
        match record.value.as_deref().filter(|_| self.reads_value) {
            None => Ok(Value::Null),
            Some(bytes) => serde_json::from_slice(bytes).map_err(|error| {
                let message = format!("the value is no JSON: {error}");
                Failure::coded(Code::new("json-malformed"), &message)
            }),
        }
    }
}

impl LegCase {
    /// What it says; `None` when it is not for this record.
    fn apply(
        &self,
        record: &Record,
        slots: &mut [Value],
        fuel: &mut Fuel,
    ) -> Result<Option<LegOutcome>, String> {
        if !is_so(self.when.as_ref(), slots, fuel)? {
            return Ok(None);
        }
        let mut failure = |code: &str, message: &Template| {
            let message = message.made(slots, fuel).map_err(said)?;
            Ok::<_, String>(Failure::new(code, message.as_str().unwrap_or(code)))
        };
        Ok(Some(match &self.verdict {
            LegVerdict::Drop => LegOutcome::Drop,
            LegVerdict::Fail { code, message } => LegOutcome::Fail(failure(code, message)?),
            LegVerdict::Retry { code, message } => LegOutcome::Retry(failure(code, message)?),
            LegVerdict::Send(sends) => {
                let mut sent = Vec::new();
                for send in sends {
                    send.add(record, slots, fuel, &mut sent)?;
                }
                LegOutcome::Send(sent)
            }
        }))
    }
}

impl LegSend {
    fn add(
        &self,
        record: &Record,
        slots: &mut [Value],
        fuel: &mut Fuel,
        sent: &mut Vec<LegRecord>,
    ) -> Result<(), String> {
        let Some(items) = &self.for_each else {
            if is_so(self.when.as_ref(), slots, fuel)? {
                sent.push(self.make(record, slots, fuel)?);
            }
            return Ok(());
        };
        let Value::List(items) = items.run(slots, fuel).map_err(said)? else {
            return Err("`for_each` gave no list".to_owned());
        };
        for item in items.iter() {
            slots[ITEM] = item.clone();
            if is_so(self.when.as_ref(), slots, fuel)? {
                sent.push(self.make(record, slots, fuel)?);
            }
        }
        Ok(())
    }

    fn make(&self, record: &Record, slots: &[Value], fuel: &mut Fuel) -> Result<LegRecord, String> {
        let key = match &self.key {
            None => record.key.clone(),
            Some(key) => text(&key.made(slots, fuel).map_err(said)?)?,
        };
        let value = match &self.value {
            None => record.value.clone(),
            Some(value) => json(&value.made(slots, fuel).map_err(said)?)?,
        };
        let set = |name: &str| self.headers.iter().any(|(set, _)| set == name);
        let kept = record.headers.as_slice().iter().filter(|header| !set(&header.name));
        let mut headers: Vec<Header> = kept.cloned().collect();
        for (name, template) in &self.headers {
            let value = text(&template.made(slots, fuel).map_err(said)?)?;
            headers.push(Header { name: name.clone(), value });
        }
        Ok(LegRecord { topic: self.to.clone(), key, headers: Headers::new(headers), value })
    }
}

fn is_so(when: Option<&Program>, slots: &[Value], fuel: &mut Fuel) -> Result<bool, String> {
    let Some(when) = when else { return Ok(true) };
    Ok(when.run(slots, fuel).map_err(said)?.as_bool() == Some(true))
}

fn said(failure: CelFailure) -> String {
    failure.message
}

/// A text as it is, anything else as JSON; null is nothing.
fn text(value: &Value) -> Result<Option<Vec<u8>>, String> {
    match value.as_str() {
        Some(text) => Ok(Some(text.as_bytes().to_vec())),
        None => json(value),
    }
}

/// A value as JSON; null is nothing.
fn json(value: &Value) -> Result<Option<Vec<u8>>, String> {
    if value.is_null() {
        return Ok(None);
    }
    serde_json::to_vec(value)
        .map(Some)
        .map_err(|error| format!("a value cannot be written: {error}"))
}

fn variables(record: &Record, event: Value) -> [Value; 8] {
    let key = record.key.as_deref().and_then(|key| str::from_utf8(key).ok());
    let time = Some(record.timestamp_millis).filter(|millis| *millis >= 0);
    let time = time.map_or(Value::Null, |millis| Value::Timestamp(millis.saturating_mul(1_000)));
    [
        event,
        key.into(),
        headers(record),
        record.topic.as_str().into(),
        Value::Int(record.partition.into()),
        Value::Int(record.offset),
        time,
        Value::Null,
    ]
}

/// Headers that are text; of several of one name the last, as producers mean it.
fn headers(record: &Record) -> Value {
    let mut texts: Vec<(&str, Value)> = Vec::new();
    for header in record.headers.as_slice() {
        let name = header.name.as_str();
        if let Some(text) = record.headers.text(name) {
            texts.retain(|(known, _)| *known != name);
            texts.push((name, text.into()));
        }
    }
    Value::map(texts)
}
