//! `GET /processes`: the processes that can be looked at.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::lists::{AllOf, Nothing};
use crate::app::{ProcessInfo, Shared};
use crate::body::Answer;
use crate::params::Asked;
use crate::problem::Problem;

/// A process.
#[derive(Serialize, ToSchema)]
pub(crate) struct Process {
    name: String,
    /// The states that an instance can stand in.
    states: Vec<String>,
    /// Those of them that lead nowhere: the process has ended in them.
    ends: Vec<String>,
}

impl Shared {
    /// The process of this name.
    pub(crate) fn process(&self, name: &str) -> Result<&ProcessInfo, Problem> {
        let found = self.processes.iter().find(|process| process.name == name);
        found.ok_or_else(|| Problem::not_found("process", name))
    }
}

/// The processes, in the order of the configuration.
#[utoipa::path(
    get,
    path = "/processes",
    tag = "processes",
    responses((status = 200, body = AllOf<Process>))
)]
pub(crate) async fn list_processes(
    State(shared): State<Arc<Shared>>,
    _: Asked<Nothing>,
) -> Answer<AllOf<Process>> {
    let show = |it: &ProcessInfo| Process {
        name: it.name.clone(),
        states: it.states.clone(),
        ends: it.ends.clone(),
    };
    Answer(AllOf::of(&shared.processes, show))
}
