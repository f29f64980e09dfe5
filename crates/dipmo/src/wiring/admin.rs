//! The door of operators: where it is, who is let in, and what is shown.

use std::net::SocketAddr;
use std::sync::Arc;

use dipmo_admin::{App, AppOptions, DoorKind, Expected, ProcessInfo, Server, ServerOptions, Shown};
use dipmo_config::model::admin as model;
use dipmo_config::{Problems, Template};
use dipmo_domain::Coded as _;
use dipmo_source_http::Tls;
use dipmo_store::admin::Operable;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::http::{address, tls_of};
use super::instance::Part;
use super::issuer::{self, IssuerPlan};
use super::problem::{coded, invalid, struck};
use super::rehearsal::Live;
use super::{Pipeline, RunError};

/// Where the door is, and what is shown behind it.
#[derive(Clone, Debug)]
pub(super) struct AdminPlan {
    pub(super) listen: SocketAddr,
    tls: Option<Tls>,
    /// Who says who people are, beside the tokens.
    pub(super) issuer: Option<IssuerPlan>,
    shown: Shown,
}

/// A door before it is opened.
pub(super) struct Door {
    plan: AdminPlan,
    app: App,
}

/// The options of the door. `None` after a problem.
pub(super) fn plan(admin: &model::Admin, problems: &mut Problems) -> Option<AdminPlan> {
    let model::Admin { place: _, listen, tls, plain_text, oidc, show } = admin;
    let before = problems.len();
    let shown = shown(show.as_ref(), problems);
    let issuer = oidc.as_ref().and_then(|oidc| issuer::plan(oidc, problems));
    let tls = tls.as_ref().map(|written| (written.place, tls_of(written, None)));
    if let Some((place, tls)) = &tls
        && let Err(error) = tls.server()
    {
        problems.push(coded(&error, *place));
    }
    let address = address(listen, problems)?;
    let in_plain_text = plain_text.is_some_and(|it| it.value);
    if tls.is_none() && !address.ip().is_loopback() && !in_plain_text {
        let message = format!(
            "`{listen}` can be reached from other machines, and tokens would come in plain text"
        );
        let hint =
            "add `tls`, listen on 127.0.0.1, or say `plain_text: true` where a proxy ends TLS";
        problems.push(invalid(listen.place, message).hint(hint));
    }
    let tls = tls.map(|(_, tls)| tls);
    let plan = AdminPlan { listen: address, tls, issuer, shown: shown? };
    (problems.len() == before).then_some(plan)
}

fn shown(show: Option<&model::Shown>, problems: &mut Problems) -> Option<Shown> {
    let Some(model::Shown { place, payload, headers, keys }) = show else {
        return Some(Shown::default());
    };
    let names = headers.iter().map(Template::expose);
    let keys = keys.is_some_and(|it| it.value);
    let made = Shown::new(payload.iter().map(Template::expose), names, keys);
    made.map_err(|error| {
        let wrong = payload.iter().find(|it| it.expose() == error.pointer);
        let place = wrong.map_or(*place, |it| it.place);
        let said = wrong.map_or_else(|| error.to_string(), |it| struck(&error.to_string(), it));
        problems.push(dipmo_config::Problem::error(error.code(), place, said));
    })
    .ok()
}

impl Pipeline {
    /// The API for operators over a store: behind the door, and for the command line.
    #[must_use]
    pub fn app(&self, store: &Arc<dyn Operable>) -> App {
        let process = |table: &Arc<dipmo_api::table::ProcessTable>| ProcessInfo {
            name: table.process.to_owned(),
            states: table.states.iter().map(ToString::to_string).collect(),
            ends: self.ends(table.process),
        };
        let shown = self.admin.as_ref().map(|plan| plan.shown.clone()).unwrap_or_default();
        let processes = self.tables.processes.iter().map(process).collect();
        let oidc = self.admin.as_ref().and_then(|plan| plan.issuer.as_ref()).map(IssuerPlan::oidc);
        let options = AppOptions {
            processes,
            sources: self.source_names(),
            destinations: self.destination_names(),
            shown,
            oidc,
            expected: Some(self.expected()),
            rehearse: Some(Arc::new(Live {
                registry: Arc::clone(self.registry()),
                store: Arc::clone(store),
                forwards: self.engine.worker.forwards.clone(),
            })),
            promises: self.slo.clone(),
            ..AppOptions::default()
        };
        App::new(Arc::clone(store), options)
    }

    /// The states of a process that lead nowhere.
    fn ends(&self, process: &str) -> Vec<String> {
        let processes = self.registry().processes().iter().map(|it| it.description());
        let found = processes.into_iter().find(|it| it.table.process == process);
        found.map(|it| it.ends().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// What a doctor must know of the configuration.
    fn expected(&self) -> Expected {
        let consumes = !(self.sources.is_empty() && self.http.is_empty() && self.legs.is_empty());
        Expected {
            consumes,
            history: self.retention.history,
            message_ids: self.retention.message_ids,
            door: self.admin.as_ref().map_or(DoorKind::Closed, AdminPlan::kind),
        }
    }
}

impl AdminPlan {
    const fn kind(&self) -> DoorKind {
        match &self.tls {
            Some(_) => DoorKind::Tls,
            None if self.listen.ip().is_loopback() => DoorKind::Local,
            None => DoorKind::PlainText,
        }
    }

    pub(super) fn door(&self, app: App) -> Door {
        Door { plan: self.clone(), app }
    }
}

impl Door {
    /// Opens it as a part of an instance.
    pub(super) fn start(self, parts: &mut JoinSet<Part>, stop: &CancellationToken) {
        let stop = stop.clone();
        parts.spawn(async move { ("the admin".to_owned(), self.run(stop).await) });
    }

    async fn run(self, stop: CancellationToken) -> Result<(), RunError> {
        let AdminPlan { listen, tls, issuer: _, shown: _ } = self.plan;
        let tls = tls.map(|tls| tls.server()).transpose().map_err(RunError::AdminTls)?;
        let options = ServerOptions { tls, ..ServerOptions::new(listen) };
        let server = Server::bind(options).await.map_err(RunError::Admin)?;
        tracing::info!(address = %server.address(), "operators are let in");
        // An issuer that is away is no reason to keep anybody out who has a token of dipmo's own.
        tokio::join!(server.run(&self.app, stop.clone()), self.app.keep_keys(stop));
        Ok(())
    }
}
