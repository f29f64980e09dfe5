//! A slice on its way: shaped, put in order, sent round by round, and answered for.

mod caller;
mod chains;
mod passes;
mod plan;
mod time;
mod waves;

use dipmo_domain::{Destination, Failure, SalesforceApi};
use dipmo_outbox::{Delivery, Ending, Published};

use crate::apis::Load;
use crate::choose::{self, Choice, Waiting};
use crate::error::SinkError;
use crate::options::attempts;
use crate::org::OrgContext;
use crate::shaping::Shape;
use crate::verdict::Effect;
pub(crate) use chains::Write;
use chains::{Chains, Head};
use passes::Passes;
use time::Time;
pub(crate) use waves::by_parent;

/// Delivers what goes to one destination, and answers for each in its place.
pub(crate) async fn deliver(
    org: &OrgContext,
    destination: &Destination,
    api: SalesforceApi,
    deliveries: &[Delivery],
    ending: &Ending,
) -> Vec<Published> {
    let slice = Slice { org, destination, api, time: Time::begin(org.sending.slice_time, ending) };
    let Some(shapes) = slice.shape(deliveries).await else {
        return vec![Published::NotTried; deliveries.len()];
    };
    slice.send(deliveries, shapes).await
}

struct Slice<'a> {
    org: &'a OrgContext,
    destination: &'a Destination,
    api: SalesforceApi,
    time: Time<'a>,
}

impl Slice<'_> {
    /// The shapes of the deliveries; `None` when their tables cannot be read now.
    async fn shape(&self, deliveries: &[Delivery]) -> Option<Vec<Shape>> {
        let shaping = self.org.shaper.shape(&self.org.mapping, deliveries);
        match self.time.before_a_call(shaping).await? {
            Ok(shapes) => Some(shapes),
            Err(error) => {
                hydration_failed(&error).on(&self.org.gate);
                None
            }
        }
    }

    async fn send(&self, deliveries: &[Delivery], shapes: Vec<Shape>) -> Vec<Published> {
        // The same slice rests for as long in every run.
        let seed = deliveries.first().map_or(0, |delivery| delivery.unit.0.unsigned_abs());
        let mut random = fastrand::Rng::with_seed(seed);
        let mut chains = Chains::new(deliveries, shapes);
        loop {
            let round = chains.next_round();
            if round.is_empty() {
                return chains.into_answers();
            }
            for wave in waves::waves(&self.org.mapping, round) {
                self.send_wave(deliveries, &mut chains, wave, &mut random).await;
            }
        }
    }

    async fn send_wave(
        &self,
        deliveries: &[Delivery],
        chains: &mut Chains,
        wave: Vec<Head>,
        random: &mut fastrand::Rng,
    ) {
        let Self { org, destination, time, .. } = *self;
        let writes: Vec<&Write> = wave.iter().map(|head| &head.step.write).collect();
        let api = self.choose(&writes);
        let tried = |head: &Head| {
            head.step.units.iter().map(|place| attempts(&deliveries[*place])).max().unwrap_or(0)
        };
        let attempts = wave.iter().map(tried).collect();
        let passes = Passes { org, destination, api, attempts, time };
        let sent = passes.send(&writes, random).await;
        for (head, sent) in wave.iter().zip(sent) {
            let units = head.step.units.iter().map(|place| &deliveries[*place]);
            let answers: Vec<Published> = match &sent {
                Some(sent) => units.map(|delivery| sent.end.answer(org, delivery)).collect(),
                None => units.map(|_| Published::NotTried).collect(),
            };
            if let Some(sent) = sent {
                count(org, sent.via.api(), &answers);
            }
            chains.answered(head, answers);
        }
    }

    /// The API of a wave; what `Auto` chose is counted and logged with its reason.
    fn choose(&self, writes: &[&Write]) -> SalesforceApi {
        if self.api != SalesforceApi::Auto {
            return self.api;
        }
        let families = !self.org.mapping.children.is_empty();
        let sizes = writes.iter().map(|write| Load::of(self.org, write).records);
        let largest_family = sizes.max().filter(|_| families);
        let records = writes.len();
        let Choice { api, reason } = choose::slice(Waiting { records, largest_family });
        self.org.meter(api).chosen(reason);
        tracing::debug!(destination = %self.destination, %api, reason, records, "chosen");
        api
    }
}

/// What it means that a table could not be read: for now, or until somebody mends it.
fn hydration_failed(error: &SinkError) -> Effect {
    let failure = Failure::from(error);
    match error {
        SinkError::HydrationFailed { source, .. } if source.is_transient() => {
            tracing::warn!(code = failure.code(), "not read: {}", failure.message());
            Effect::None
        }
        _ => Effect::Stop(failure),
    }
}

fn count(org: &OrgContext, api: SalesforceApi, answers: &[Published]) {
    let of = |wanted: fn(&Published) -> bool| answers.iter().filter(|it| wanted(it)).count() as u64;
    let meter = org.meter(api);
    let delivered = of(|answer| matches!(answer, Published::Delivered { .. }));
    if delivered > 0 {
        meter.delivered(1, delivered);
    }
    let retried = of(|answer| matches!(answer, Published::Retry { .. }));
    if retried > 0 {
        meter.retried(retried);
    }
}
