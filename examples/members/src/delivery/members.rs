//! MembersCreated: new members of a family become Contacts.

use dipmo_api::{Context, DeliveryReport, Description, MessageView, Process};
use serde::Deserialize;
use serde_json::{Value, json};

use super::step::{self, Step};
use super::{DeliveryData, DeliveryState};
use crate::TOPIC;
use crate::salesforce::{self, CONTACT};

dipmo_api::events! {
    /// The announcement, and how its delivery went.
    #[derive(Clone, Debug)]
    pub enum MembersCreatedEvent {
        /// A family has new members.
        MembersCreated(MembersCreated) = "MembersCreated" v2,
        /// All of them are at Salesforce.
        Delivered(DeliveryReport) = "Delivered" v1,
        /// Some are not, for good.
        DeliveryFailed(DeliveryReport) = "DeliveryFailed" v1,
    }
}

/// New members, by their ids.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MembersCreated {
    /// Whose.
    pub family_id: String,
    /// Which.
    pub member_ids: Vec<String>,
    /// The version that created them: nothing older than that may be sent.
    pub as_of_version: i64,
}

/// From the announcement of members to the answer for each.
pub struct MembersCreatedProcess;

impl Process for MembersCreatedProcess {
    const NAME: &'static str = "MEMBERS_CREATED";
    type State = DeliveryState;
    type Event = MembersCreatedEvent;
    type Data = DeliveryData;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_MEMBERS_CREATED_STATE")
            .project_required("FAMILY_ID", "familyId")
            .subscribe_to(TOPIC, ["MembersCreated"])
            .upcast("MembersCreated", 1, without_version)
    }

    /// Each announcement is an instance of its own. Its version tells it from others, and its first
    /// member from one of the same version.
    fn correlate(&self, event: &MembersCreatedEvent, message: &MessageView<'_>) -> Option<String> {
        match event {
            MembersCreatedEvent::MembersCreated(created) => {
                let MembersCreated { family_id, member_ids, as_of_version } = created;
                let first = member_ids.first().map_or("", String::as_str);
                Some(format!("{family_id}@{as_of_version}:{first}"))
            }
            MembersCreatedEvent::Delivered(_) | MembersCreatedEvent::DeliveryFailed(_) => {
                message.aggregate_id.map(str::to_owned)
            }
        }
    }

    fn decide(
        &self,
        state: &DeliveryState,
        event: &MembersCreatedEvent,
        context: &Context<'_, DeliveryData>,
    ) -> Step {
        match event {
            MembersCreatedEvent::MembersCreated(created) => {
                let MembersCreated { family_id, member_ids, as_of_version } = created;
                let ids = member_ids.iter().map(String::as_str);
                let payload = json!({ "familyId": family_id, "asOfVersion": as_of_version });
                let effect = salesforce::upsert(CONTACT, "MembersUpsertRequested", ids, &payload);
                step::request(*state, context.data(), (family_id, member_ids), effect)
            }
            MembersCreatedEvent::Delivered(report)
            | MembersCreatedEvent::DeliveryFailed(report) => {
                step::report(*state, context.data(), report)
            }
        }
    }
}

/// Version 1 of MembersCreated told no version: whatever is there may be sent.
fn without_version(mut created: Value) -> Result<Value, String> {
    let fields = created.as_object_mut().ok_or("an announcement is a JSON object")?;
    fields.insert("asOfVersion".to_owned(), json!(0));
    Ok(created)
}
