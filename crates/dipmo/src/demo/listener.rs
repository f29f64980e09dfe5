//! The other modules of the program, as one small process: it hears what hits and onboardings
//! announce on INTERNAL, and remembers it in order.

use dipmo_api::{Context, Description, Process, Transition, events, states};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::book::label;

states! {
    /// It only listens.
    pub(crate) enum ListenerState {
        /// Always.
        Listening = "LISTENING",
    }
    initial Listening;
    Listening => Listening: "hear()";
}

events! {
    /// What the two processes announce.
    pub(crate) enum Announcement {
        /// A hit was assessed.
        HitQualified(Value) = "HitQualified" v1,
        /// A hit is reviewed.
        ReviewStarted(Value) = "ReviewStarted" v1,
        /// A customer may be served.
        CustomerQualified(Value) = "CustomerQualified" v1,
        /// A customer has a block.
        BlockCreated(Value) = "BlockCreated" v1,
    }
}

/// What was heard about one aggregate.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Heard {
    pub(crate) labels: Vec<String>,
}

/// Hears of one hit or onboarding.
pub(crate) struct Listener;

impl Process for Listener {
    const NAME: &'static str = "LISTENER";
    type State = ListenerState;
    type Event = Announcement;
    type Data = Heard;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_LISTENER_STATE")
            .subscribe("internal:HIT")
            .subscribe("internal:ONBOARDING")
    }

    fn decide(
        &self,
        _: &ListenerState,
        event: &Announcement,
        context: &Context<'_, Heard>,
    ) -> Transition<ListenerState, Heard> {
        let heard = match event {
            Announcement::HitQualified(payload) => label("HitQualified", payload),
            Announcement::ReviewStarted(payload) => label("ReviewStarted", payload),
            Announcement::CustomerQualified(payload) => label("CustomerQualified", payload),
            Announcement::BlockCreated(payload) => label("BlockCreated", payload),
        };
        let mut labels = context.data().labels.clone();
        labels.push(heard);
        Transition::advance(ListenerState::Listening).data(Heard { labels }).into()
    }
}
