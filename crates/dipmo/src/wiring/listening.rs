//! The sources over HTTP of an instance.

use std::sync::Arc;

use dipmo_config::Problems;
use dipmo_processing::{Helm, InboxGauge, Pulse};
use dipmo_source_http::HttpSource;
use dipmo_store::Store;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::instance::{Part, hold};
use super::problem::coded;
use super::{Pipeline, Role, Roles, RunError};
use crate::service::watch_http;

/// Sources by name, before they run.
pub(super) struct Listening(Vec<(String, Arc<HttpSource>)>);

impl Pipeline {
    /// The sources over HTTP that these roles run.
    pub(super) fn listening(
        &self,
        store: &Arc<dyn Store>,
        roles: &Roles,
        (gauge, helm): (&InboxGauge, &Helm),
        problems: &mut Problems,
    ) -> Listening {
        let mut sources = Vec::new();
        for plan in self.http.iter().filter(|_| roles.has(Role::Consume)) {
            let (options, inbound) = (plan.options.clone(), plan.inbound.clone());
            match HttpSource::new(options, inbound, Arc::clone(store) as _) {
                Ok(source) => {
                    let source = source.load(gauge.load()).held(hold(helm, &plan.name));
                    sources.push((plan.name.clone(), Arc::new(source)));
                }
                Err(error) => problems.push(coded(&error, plan.place)),
            }
        }
        Listening(sources)
    }
}

impl Listening {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = (&str, &Arc<HttpSource>)> {
        self.0.iter().map(|(name, source)| (name.as_str(), source))
    }

    /// Lets them run among the other parts. `helpers` end after all parts.
    pub(super) fn start(
        self,
        parts: &mut JoinSet<Part>,
        pulse: &Arc<Pulse>,
        stop: &CancellationToken,
        helpers: &CancellationToken,
    ) {
        for (name, source) in self.0 {
            let part = pulse.part(&format!("source {name}"));
            tokio::spawn(watch_http(Arc::clone(&source), part.clone(), helpers.clone()));
            let stop = stop.clone();
            parts.spawn(async move {
                let _alive = part.task();
                let ran = source.run(stop).await;
                let ran = ran.map_err(|error| RunError::Http { name: name.clone(), error });
                (format!("the source {name:?}"), ran)
            });
        }
    }
}
