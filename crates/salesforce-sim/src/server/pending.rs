//! Stands in for the parts of the API that are not merged yet.

use crate::data::request::{DataAnswer, DataRequest};
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::server::answer::Answer;
use crate::server::body::RequestBody;
use crate::server::call::Call;
use crate::server::world::World;

#[derive(Default)]
pub(crate) struct Jobs;

impl Jobs {
    pub(crate) fn clear(&self) {}

    pub(crate) fn summaries(&self) -> Vec<serde_json::Value> {
        Vec::new()
    }
}

pub(crate) async fn bulk(_: &std::sync::Arc<World>, _: &Call, _: &mut RequestBody) -> Answer {
    not_found().into()
}

pub(crate) fn data(_: &mut Transaction<'_>, _: &DataRequest<'_>) -> DataAnswer {
    not_found().into()
}

fn not_found() -> Refusal {
    Refusal::new("NOT_FOUND", "The requested resource does not exist").with_status(404)
}
