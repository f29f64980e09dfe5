//! Reading a message: which version it is, how it is lifted, what it says.

use dipmo_domain::Json;
use serde::Deserialize;
use serde_json::{Deserializer, Value};

use crate::opening::{Incoming, Payload};
use crate::{EventKind, MessageView, ProcessEvent, Refusal, Upcasters};

/// The event of a message that was opened; `None` when its type is not among those of `E`.
pub(crate) fn read<E: ProcessEvent>(incoming: Incoming<'_>) -> Result<Option<E>, Refusal> {
    let event = incoming.event;
    let parsed = match incoming.payload {
        Payload::Text(text) => E::read(event.name, &mut Deserializer::from_str(text)),
        Payload::Lifted(value) => E::read(event.name, value),
    };
    parsed.transpose().map_err(|error| unparsable(event, event.version, &error))
}

/// The version by the header or rule of the source, else by the payload.
pub(crate) fn version(event: EventKind, message: &MessageView<'_>) -> Result<u16, Refusal> {
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
    let text = payload.as_str();
    if !text.trim_start().starts_with('{') || !may_name(text, "eventVersion") {
        return Ok(1);
    }
    payload.read().map(|Versioned { event_version }| event_version.unwrap_or(1))
}

/// False when no key of the JSON can be `name`: to look for it costs far less than to parse, and most
/// payloads do not have it. A key can also be written with escapes.
fn may_name(json: &str, name: &str) -> bool {
    let has = |text: &str| memchr::memmem::find(json.as_bytes(), text.as_bytes()).is_some();
    has(name) || has("\\u")
}

pub(crate) fn check_version(
    upcasters: &Upcasters,
    event: EventKind,
    version: u16,
) -> Result<(), Refusal> {
    let EventKind { name, version: newest } = event;
    let oldest = upcasters.oldest(name);
    if (oldest..=newest).contains(&version) {
        return Ok(());
    }
    Err(Refusal::EventVersionUnknown { event_type: name.to_owned(), version, oldest, newest })
}

pub(crate) fn lift(
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

pub(crate) fn unparsable(event: EventKind, version: u16, error: &serde_json::Error) -> Refusal {
    Refusal::PayloadUnparsable {
        event_type: event.name.to_owned(),
        version,
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_however_its_key_is_written() {
        for (payload, version) in [
            (r#"{"eventVersion":3,"a":1}"#, 3),
            (r#"{"a":[{}],"event\u0056ersion":3}"#, 3),
            (r#"{"a":"eventVersion"}"#, 1),
            (r#"{"a":{"eventVersion":3}}"#, 1),
            (r#"["eventVersion"]"#, 1),
        ] {
            assert_eq!(payload_version(&Json::parse(payload).unwrap()).unwrap(), version);
        }
    }
}
