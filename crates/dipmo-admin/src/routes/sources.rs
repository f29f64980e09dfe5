//! `GET /sources`: where messages come from.

use std::sync::Arc;

use axum::extract::State;
use dipmo_store::admin::Steered;
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::{AllOf, Nothing};
use super::pauses::{Pause, Paused};
use crate::app::{Shared, SourceInfo};
use crate::body::Answer;
use crate::params::Asked;
use crate::problem::Problem;

/// A source.
#[derive(Serialize, ToSchema)]
pub(crate) struct Source {
    name: String,
    /// `kafka` or `http`.
    kind: &'static str,
    /// Since when it rests, and why; null while it does not.
    paused: Option<Pause>,
}

/// The sources, in the order of the configuration.
#[utoipa::path(
    get,
    path = "/sources",
    tag = "sources",
    responses((status = 200, body = AllOf<Source>))
)]
pub(crate) async fn list_sources(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Result<Answer<AllOf<Source>>, Problem> {
    let paused = Paused::of(&shared.store.controls().await?);
    let show = |it: &SourceInfo| Source {
        name: it.name.clone(),
        kind: it.kind,
        paused: paused.find(Steered::Source, &it.name),
    };
    Ok(Answer(AllOf::of(&shared.sources, show)))
}
