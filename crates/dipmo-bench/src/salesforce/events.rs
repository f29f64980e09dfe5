//! The events of a run: each names a thousand contacts.

use dipmo_domain::SalesforceApi;
use dipmo_inbox::{Identity, NewMessage, Record};
use serde_json::json;

use super::contacts::{self, IN_AN_EVENT};
use super::process::{CHANGED, TOPIC};

/// Events that name the first so many contacts, to be sent by this API.
pub(super) fn events(api: SalesforceApi, contacts: u32) -> Vec<NewMessage> {
    let firsts = (0..contacts).step_by(IN_AN_EVENT as usize);
    firsts.map(|first| event(api, first, (first + IN_AN_EVENT).min(contacts))).collect()
}

fn event(api: SalesforceApi, first: u32, end: u32) -> NewMessage {
    let ids: Vec<String> = (first..end).map(contacts::id).collect();
    let version = contacts::version(first);
    let payload = json!({ "api": api.to_string(), "version": version, "ids": ids });
    let name = format!("import-{version}");
    let record = Record {
        topic: TOPIC.to_owned(),
        offset: version,
        key: Some(name.clone().into_bytes()),
        timestamp_millis: 1_767_323_045_678,
        value: Some(payload.to_string().into_bytes()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "crm".to_owned(),
        message_id: Some(name.clone()),
        aggregate_id: Some(name),
        event_type: Some(CHANGED.to_owned()),
        ..Identity::default()
    };
    NewMessage::from_record(&record, &identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_event_names_what_is_left() {
        let messages = events(SalesforceApi::Rest, 2_500);
        let lengths: Vec<usize> = messages.iter().map(ids).collect();
        assert_eq!(lengths, [1_000, 1_000, 500]);
    }

    fn ids(message: &NewMessage) -> usize {
        let dipmo_inbox::Body::Json(json) = &message.body else { panic!("no JSON") };
        let value: serde_json::Value = serde_json::from_str(json.as_str()).unwrap();
        value["ids"].as_array().unwrap().len()
    }
}
