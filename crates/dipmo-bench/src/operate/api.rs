//! The shipped API over a store, asked without a network between.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use dipmo_admin::{App, AppOptions, Body, Identity, Role, Router};
use dipmo_store::admin::Operable;
use http_body_util::BodyExt as _;
use hyper::{Request, StatusCode};
use tower::ServiceExt as _;

/// Somebody who may look at everything.
pub(super) struct Api(Router);

impl Api {
    pub(super) fn over(store: Arc<dyn Operable>) -> Self {
        let app = App::new(store, AppOptions::default());
        Self(app.local(Identity::new("bench", Role::Viewer)))
    }

    /// The whole answer.
    pub(super) async fn get(&self, path: &str) -> Result<Vec<u8>> {
        let body = self.open(path).await?.collect().await;
        Ok(body.with_context(|| format!("{path} broke off"))?.to_bytes().to_vec())
    }

    /// An answer that has begun.
    pub(super) async fn open(&self, path: &str) -> Result<Body> {
        let request = Request::get(format!("/api/v1{path}")).body(Body::empty())?;
        let answer = self.0.clone().oneshot(request).await?;
        ensure!(answer.status() == StatusCode::OK, "{path} is answered with {}", answer.status());
        Ok(answer.into_body())
    }
}
