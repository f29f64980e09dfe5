//! The module that creates blocks: another part of the program, which onboardings ask and wait for.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_domain::Failure;
use dipmo_inbox::{Identity, NewMessage, Record};
use dipmo_outbox::{Delivery, Published};
use dipmo_processing::EffectHandler;
use serde::Deserialize;
use serde_json::json;

use super::mailbox::Mailbox;
use super::recorder::Recorder;
use super::topics;

/// The customers with such an end to their id get no block.
pub(crate) const REFUSED: &str = "-refused";
/// About the customers with such an end nothing is ever heard.
pub(crate) const SILENT: &str = "-silent";

/// Answers `BlockRequested` by a message, whose id is that of the question: asked twice, it
/// answers once.
pub(crate) struct Blocks {
    pub(crate) mailbox: Mailbox,
    pub(crate) recorder: Arc<Recorder>,
}

/// The id of the answer to an onboarding.
pub(crate) fn answer_id(onboarding: &str) -> String {
    format!("blocks/{onboarding}")
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockRequested {
    onboarding_id: String,
    customer_id: String,
}

#[async_trait]
impl EffectHandler for Blocks {
    async fn handle(&self, delivery: &Delivery) -> Published {
        let (published, arrived) = self.recorder.take(delivery);
        if !arrived {
            return published;
        }
        match self.answer(delivery).await {
            Ok(()) => published,
            Err(failure) => Published::Retry { failure, after: None },
        }
    }
}

impl Blocks {
    async fn answer(&self, delivery: &Delivery) -> Result<(), Failure> {
        let asked: BlockRequested = delivery
            .payload
            .read()
            .map_err(|error| Failure::new("BLOCK_REQUEST_UNREADABLE", &error.to_string()))?;
        let Some(message) = answer(&asked) else { return Ok(()) };
        self.mailbox.store(message).await
    }
}

fn answer(asked: &BlockRequested) -> Option<NewMessage> {
    let onboarding = &asked.onboarding_id;
    let (event_type, payload) = match &asked.customer_id {
        customer if customer.ends_with(SILENT) => return None,
        customer if customer.ends_with(REFUSED) => {
            ("BlockRefused", json!({ "onboardingId": onboarding, "reason": "not this one" }))
        }
        _ => ("BlockCreated", json!({ "onboardingId": onboarding })),
    };
    let record = Record {
        topic: topics::BLOCKS.topic.to_owned(),
        timestamp_millis: -1,
        value: Some(payload.to_string().into_bytes()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "blocks".to_owned(),
        message_id: Some(answer_id(onboarding)),
        aggregate_id: Some(onboarding.clone()),
        event_type: Some(event_type.to_owned()),
        ..Identity::default()
    };
    Some(NewMessage::from_record(&record, &identity))
}
