//! A mirror: gets a copy of what several accounts say, each in its own lane, so that two of its
//! messages can meet.

use dipmo_api::{Context, Description, MessageView, Process, Transition, events, states};
use serde::{Deserialize, Serialize};

states! {
    /// A mirror has one state.
    pub enum MirrorState {
        /// The one.
        On = "ON",
    }
    initial On;
    On => On;
}

/// A copy of a note.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Copied {
    /// The mirror.
    pub(crate) to: String,
    /// Whose note it was.
    pub(crate) account: String,
    /// Its number.
    pub(crate) n: u32,
}

events! {
    /// What a mirror hears.
    pub(crate) enum MirrorEvent {
        /// A copy.
        Copied(Copied) = "Copied" v1,
    }
}

pub(crate) struct Mirror;

impl Process for Mirror {
    const NAME: &'static str = "MIRROR";
    type State = MirrorState;
    type Event = MirrorEvent;
    type Data = Vec<Copied>;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_MIRROR").subscribe("internal:mirror")
    }

    fn correlate(&self, event: &MirrorEvent, _: &MessageView<'_>) -> Option<String> {
        let MirrorEvent::Copied(copy) = event;
        Some(copy.to.clone())
    }

    fn decide(
        &self,
        _: &MirrorState,
        event: &MirrorEvent,
        context: &Context<'_, Vec<Copied>>,
    ) -> Transition<MirrorState, Vec<Copied>> {
        let MirrorEvent::Copied(copy) = event;
        let mut copies = context.data().clone();
        copies.push(copy.clone());
        Transition::advance(MirrorState::On).data(copies).into()
    }
}
