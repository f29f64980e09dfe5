//! Reading a message: which version it is, how it is lifted, what it says.
//!
//! A payload of the current version is read straight from its text; only one that must be lifted
//! becomes a `serde_json::Value` on the way.

use dipmo_domain::Json;
use serde::Deserialize;
use serde_json::{Deserializer, Value};

use crate::{EventKind, MessageView, ProcessEvent, Refusal, Upcasters};

/// The event of a message; `None` when it is of no type that the process knows.
pub(crate) fn read<E: ProcessEvent>(
    upcasters: &Upcasters,
    message: &MessageView<'_>,
) -> Result<Option<E>, Refusal> {
    let kind = |name: &str| E::KINDS.iter().copied().find(|kind| kind.name == name);
    let Some(event) = message.event_type.and_then(kind) else { return Ok(None) };
    let version = version(event, message)?;
    check_version(upcasters, event, version)?;
    let parsed = if version == event.version {
        E::read(event.name, &mut Deserializer::from_str(message.payload.as_str()))
    } else {
        E::read(event.name, lift(upcasters, event, version, message.payload)?)
    };
    parsed.transpose().map_err(|error| unparsable(event, version, &error))
}

/// The version by the header or rule of the source, else by the payload.
fn version(event: EventKind, message: &MessageView<'_>) -> Result<u16, Refusal> {
    let told = message.event_version.map(Ok);
    told.unwrap_or_else(|| payload_version(message.payload))
        .map_err(|error| unparsable(event, event.version, &error))
}

/// The field `eventVersion` at the top of a payload, else 1.
pub(crate) fn payload_version(payload: &Json) -> Result<u16, serde_json::Error> {
    #[derive(Deserialize)]
    struct Versioned {
        #[serde(rename = "eventVersion")]
        event_version: Option<u16>,
    }
    // serde would read an array into a struct as well.
    if !payload.as_str().trim_start().starts_with('{') {
        return Ok(1);
    }
    payload.read().map(|Versioned { event_version }| event_version.unwrap_or(1))
}

fn check_version(upcasters: &Upcasters, event: EventKind, version: u16) -> Result<(), Refusal> {
    let EventKind { name, version: newest } = event;
    let oldest = upcasters.oldest(name);
    if (oldest..=newest).contains(&version) {
        return Ok(());
    }
    Err(Refusal::EventVersionUnknown { event_type: name.to_owned(), version, oldest, newest })
}

fn lift(
    upcasters: &Upcasters,
    event: EventKind,
    version: u16,
    payload: &Json,
) -> Result<Value, Refusal> {
    let value = payload.read().map_err(|error| unparsable(event, version, &error))?;
    upcasters.lift(event, version, value).map_err(|failed| Refusal::UpcastFailed {
        event_type: event.name.to_owned(),
        from: failed.from,
        reason: failed.reason,
    })
}

fn unparsable(event: EventKind, version: u16, error: &serde_json::Error) -> Refusal {
    Refusal::PayloadUnparsable {
        event_type: event.name.to_owned(),
        version,
        reason: error.to_string(),
    }
}
