//! The process of the bench: remembers how many events an account had, and passes each on.

use std::sync::Arc;

use dipmo_api::{
    Context, Description, Effect, Process, Registry, RegistryError, Transition, events, states,
};
use dipmo_domain::{Destination, Failure};
use serde::{Deserialize, Serialize};

/// Where the process hears of accounts, and where it passes every event on to.
#[derive(Clone)]
pub(crate) struct Topics {
    pub(crate) heard: String,
    pub(crate) told: String,
}

impl Default for Topics {
    fn default() -> Self {
        Self { heard: "accounts".to_owned(), told: "account-events".to_owned() }
    }
}

states! {
    /// An account waits for its next event.
    pub(crate) enum AccountState {
        /// Always.
        Waiting = "WAITING",
    }
    initial Waiting;
    Waiting => Waiting;
}

events! {
    /// What happens to an account.
    pub(crate) enum AccountEvent {
        /// Its data changed.
        Updated(Updated) = "AccountUpdated" v1,
        /// Something that is refused, to block an account.
        Refused = "AccountRefused" v1,
    }
}

/// The part of the payload that the process looks at.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Updated {
    aggregate_id: String,
}

/// What is remembered: as long as a small context document is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct AccountData {
    reference: String,
    events: u64,
    note: String,
}

struct Account(Topics);

impl Process for Account {
    const NAME: &'static str = "ACCOUNT";
    type State = AccountState;
    type Event = AccountEvent;
    type Data = AccountData;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_ACCOUNT_STATE").subscribe(&self.0.heard)
    }

    fn decide(
        &self,
        _: &AccountState,
        event: &AccountEvent,
        context: &Context<'_, AccountData>,
    ) -> Transition<AccountState, AccountData> {
        let AccountEvent::Updated(updated) = event else {
            return Transition::reject(Failure::new("REFUSED", "to block the account"));
        };
        let data = AccountData {
            reference: updated.aggregate_id.clone(),
            events: context.data().events + 1,
            note: "x".repeat(100),
        };
        let topic = Destination::Kafka { topic: self.0.told.clone() };
        let effect = Effect::new(topic, "AccountChanged")
            .payload_json(context.message().payload.clone())
            .header("traceparent", "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01");
        Transition::advance(AccountState::Waiting).data(data).effect(effect).into()
    }
}

/// The registry of the bench.
pub(crate) fn registry(topics: Topics) -> Result<Arc<Registry>, RegistryError> {
    Ok(Arc::new(Registry::new().process(Account(topics))?))
}
