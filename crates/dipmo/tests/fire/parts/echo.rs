//! A second process, which hears of the steps of the first by INTERNAL messages.

use dipmo_api::{Context, Description, Process, Transition, events, states};

use super::numbers::Count;
use super::step::Step;

states! {
    /// It listens.
    pub(crate) enum EchoState {
        /// Nothing was heard yet.
        New = "NEW",
        /// Something was heard.
        Hearing = "HEARING",
    }
    initial New;
    New => Hearing;
    Hearing => Hearing;
}

events! {
    /// What can be heard.
    pub(crate) enum EchoEvent {
        /// A step was taken.
        Told(Step) = "Told" v1,
    }
}

/// Counts as the first process does: each step exactly once and in order.
pub(crate) struct Echo;

impl Process for Echo {
    const NAME: &'static str = "ECHO";
    type State = EchoState;
    type Event = EchoEvent;
    type Data = Count;

    fn describe(&self) -> Description {
        Description::of::<Self>("CK_ECHO_STATE").subscribe_to("internal:echo", ["Told"])
    }

    fn decide(
        &self,
        _: &EchoState,
        EchoEvent::Told(step): &EchoEvent,
        context: &Context<'_, Count>,
    ) -> Transition<EchoState, Count> {
        let mut count = context.data().clone();
        if step.n != count.last + 1 {
            count.out_of_turn.push((count.last, step.n));
        }
        count.last = step.n;
        Transition::advance(EchoState::Hearing).data(count).into()
    }
}
