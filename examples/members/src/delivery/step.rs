//! The steps that both deliveries share.

use dipmo_api::{DeliveryReport, Effect, Stay, Transition};
use dipmo_domain::Failure;

use super::{DeliveryData, DeliveryState};

pub(super) type Step = Transition<DeliveryState, DeliveryData>;

/// request(): one intent for all records, whose outcome is wanted.
pub(super) fn request(
    state: DeliveryState,
    known: &DeliveryData,
    (family_id, ids): (&str, &[String]),
    effect: Effect,
) -> Step {
    if ids.is_empty() {
        return Transition::stay(Stay::Nothing);
    }
    if state != DeliveryState::Announced {
        let same = known.ids == ids;
        let changed = || reject("ANNOUNCEMENT_CHANGED", "other records were announced before");
        return if same { Transition::stay(Stay::Duplicate) } else { changed() };
    }
    let (family_id, ids) = (family_id.to_owned(), ids.to_vec());
    Transition::advance(DeliveryState::Requested)
        .data(DeliveryData { family_id, ids, ..DeliveryData::default() })
        .effect(effect.expects_outcome())
        .into()
}

/// delivered() and deliveryFailed(). The last report holds: another one comes when an operator has
/// retried what failed.
pub(super) fn report(state: DeliveryState, known: &DeliveryData, report: &DeliveryReport) -> Step {
    match state {
        DeliveryState::Announced => reject("DELIVERY_UNKNOWN", "nothing was sent under this id"),
        DeliveryState::Delivered => Transition::stay(Stay::Duplicate),
        DeliveryState::Requested | DeliveryState::PartlyFailed => {
            let refused = report.failures.iter().filter_map(|failure| failure.record.clone());
            let data = DeliveryData {
                delivered: report.dispatched,
                failed: report.failed,
                failed_ids: refused.collect(),
                ..known.clone()
            };
            if report.failed == 0 {
                return Transition::advance(DeliveryState::Delivered).data(data).into();
            }
            let failure = Failure::new("RECORDS_REFUSED", &in_words(report));
            Transition::advance(DeliveryState::PartlyFailed).data(data).failure(failure).into()
        }
    }
}

/// How many, and the first of them with what Salesforce said.
fn in_words(report: &DeliveryReport) -> String {
    let all = report.dispatched + report.failed;
    let first = report.failures.first().map(|first| {
        let record = first.record.as_deref().unwrap_or("the intent");
        format!("; {record}: {}: {}", first.code, first.message)
    });
    format!("{} of {all} were refused{}", report.failed, first.unwrap_or_default())
}

fn reject(code: &str, message: &str) -> Step {
    Transition::reject(Failure::new(code, message))
}
