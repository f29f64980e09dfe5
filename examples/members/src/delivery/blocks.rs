//! BlocksToCreate: the blocks on a family become Block__c, thousands at a time.

use dipmo_api::{Context, DeliveryReport, Description, MessageView, Process};
use serde::Deserialize;
use serde_json::json;

use super::step::{self, Step};
use super::{DeliveryData, DeliveryState};
use crate::TOPIC;
use crate::salesforce::{self, BLOCK};

dipmo_api::events! {
    /// The order, and how its delivery went.
    #[derive(Clone, Debug)]
    pub enum BlocksToCreateEvent {
        /// A family is to be blocked.
        BlocksToCreate(BlocksToCreate) = "BlocksToCreate" v1,
        /// All blocks are at Salesforce.
        Delivered(DeliveryReport) = "Delivered" v1,
        /// Some are not, for good.
        DeliveryFailed(DeliveryReport) = "DeliveryFailed" v1,
    }
}

/// Blocks of one kind, by their ids.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlocksToCreate {
    /// On which family.
    pub family_id: String,
    /// What kind, such as `RISK`.
    pub block_type: String,
    /// Which.
    pub block_ids: Vec<String>,
}

/// From the order of blocks to the answer for each.
pub struct BlocksToCreateProcess;

impl Process for BlocksToCreateProcess {
    const NAME: &'static str = "BLOCKS_TO_CREATE";
    type State = DeliveryState;
    type Event = BlocksToCreateEvent;
    type Data = DeliveryData;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_BLOCKS_TO_CREATE_STATE")
            .project_required("FAMILY_ID", "familyId")
            .subscribe_to(TOPIC, ["BlocksToCreate"])
    }

    /// Each order is an instance of its own. It has no version: its first block tells it from others,
    /// because a block is created once.
    fn correlate(&self, event: &BlocksToCreateEvent, message: &MessageView<'_>) -> Option<String> {
        match event {
            BlocksToCreateEvent::BlocksToCreate(BlocksToCreate {
                family_id,
                block_type,
                block_ids,
            }) => {
                let first = block_ids.first().map_or("", String::as_str);
                Some(format!("{family_id}:{block_type}:{first}"))
            }
            BlocksToCreateEvent::Delivered(_) | BlocksToCreateEvent::DeliveryFailed(_) => {
                message.aggregate_id.map(str::to_owned)
            }
        }
    }

    fn decide(
        &self,
        state: &DeliveryState,
        event: &BlocksToCreateEvent,
        context: &Context<'_, DeliveryData>,
    ) -> Step {
        match event {
            BlocksToCreateEvent::BlocksToCreate(BlocksToCreate {
                family_id,
                block_type,
                block_ids,
            }) => {
                let ids = block_ids.iter().map(String::as_str);
                let payload = json!({ "familyId": family_id, "blockType": block_type });
                let effect = salesforce::upsert(BLOCK, "BlocksUpsertRequested", ids, &payload);
                step::request(*state, context.data(), (family_id, block_ids), effect)
            }
            BlocksToCreateEvent::Delivered(report)
            | BlocksToCreateEvent::DeliveryFailed(report) => {
                step::report(*state, context.data(), report)
            }
        }
    }
}
