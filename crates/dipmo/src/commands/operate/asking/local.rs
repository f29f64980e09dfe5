//! The API in this process, on the database that the configuration names: for whoever has the credentials of the
//! database itself, and so needs no token.

use std::sync::Arc;
use std::time::Duration;

use dipmo::wiring::{OnSchema, Pipeline};
use dipmo_admin::{Body, Identity, Role, Router};
use dipmo_processing::operations::Performer;
use dipmo_store::admin::Operable;
use http_body_util::BodyExt as _;
use hyper::header::CONTENT_TYPE;
use tower::ServiceExt as _;

use super::answer::Answer;
use super::refused::{Refused, Where};
use super::request::Request;
use crate::commands::files::{ConfigArgs, refuse_one};
use crate::output::Output;

/// How long a database that does not answer is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The API, and what it stands on.
pub(crate) struct Local {
    pipeline: Pipeline,
    store: Arc<dyn Operable>,
    router: Router,
}

impl Local {
    /// Opens the database of a configuration; nothing of its schema is changed.
    pub(crate) async fn open(files: &ConfigArgs, output: Output) -> Result<Self, Refused> {
        let pipeline = files.assemble(output).map_err(Refused::Said)?;
        if !pipeline.has_store() {
            let message = "there is no database: this file has only legs, which need none";
            return Err(Refused::wrong(message, "--server asks an instance that has one"));
        }
        let opened = pipeline.open(OnSchema::Refuse, PATIENCE).await;
        let store = opened
            .map_err(|problem| Refused::Said(refuse_one(output, problem, pipeline.files())))?;
        let router = pipeline.app(&store).local(Identity::new(who(), Role::Admin));
        Ok(Self { pipeline, store, router })
    }

    /// Asks once.
    pub(crate) async fn ask(&self, request: &Request) -> Result<Answer, Refused> {
        let unable = |problem: String| Refused::Unreachable { problem, at: Where::Here };
        let body = request.body.clone().unwrap_or_default();
        let request = hyper::Request::builder()
            .method(request.method.clone())
            .uri(&request.path)
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body))
            .map_err(|error| unable(error.to_string()))?;
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let status = response.status().as_u16();
        let body = response.into_body().collect().await;
        let body = body.map_err(|error| unable(error.to_string()))?.to_bytes().to_vec();
        Ok(Answer { status, body })
    }

    /// What the configuration makes.
    pub(crate) const fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// Who performs operations where no instance may be there to do it.
    pub(crate) fn performer(&self) -> Performer {
        let owner = format!("{}@{}", who(), std::process::id());
        Performer::new(Arc::clone(&self.store), Arc::new(self.pipeline.decoders()), owner)
    }
}

/// Who sits here, as the system knows them.
fn who() -> String {
    format!("cli:{}", whoami::username().unwrap_or_else(|_| "unknown".to_owned()))
}
