//! Asks the outside whether it is as the configuration says. Nothing is changed anywhere: no topic is made, no
//! record written, no offset committed, no table made, Salesforce is only asked to describe itself, and an issuer of tokens for its keys.
//!
//! Everything is asked at the same time, and nobody is waited for longer than [`Limits::each`].

mod http;
mod issuer;
mod kafka;
mod legs;
mod salesforce;
mod store;

use std::time::Duration;

use dipmo_config::{Problem, Severity};
use futures_util::future::join_all;

use super::Pipeline;

/// What was asked, and the answer.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was asked for, such as `topic notification-126`.
    pub what: String,
    /// Whom, such as `kafka default` or `salesforce default`.
    pub at: String,
    /// What the answer was, in a few words; or what is wrong.
    pub answer: Result<String, Box<Problem>>,
}

impl Row {
    fn ok(at: &str, what: impl Into<String>, answer: impl Into<String>) -> Self {
        Self { what: what.into(), at: at.to_owned(), answer: Ok(answer.into()) }
    }

    fn wrong(at: &str, what: impl Into<String>, problem: Problem) -> Self {
        Self { what: what.into(), at: at.to_owned(), answer: Err(Box::new(problem)) }
    }

    /// True when nothing runs with what was found.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.answer.as_ref().is_err_and(|problem| problem.severity == Severity::Error)
    }
}

/// How long anybody is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Each cluster, database and org.
    pub each: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { each: Duration::from_secs(15) }
    }
}

/// Asks everybody: the database, the ports, then Kafka, then Salesforce, then the issuer of tokens, each row in the order of the file.
pub async fn probe(pipeline: &Pipeline, limits: Limits) -> Vec<Row> {
    let http = pipeline.http.iter().map(http::listens);
    let sources = pipeline.sources.iter().map(|plan| kafka::source(plan, limits.each));
    let legs = pipeline.legs.iter().map(|plan| legs::ask(plan, limits.each));
    let salesforce = async {
        match &pipeline.salesforce {
            Some(plan) => salesforce::orgs(plan, limits.each).await,
            None => Vec::new(),
        }
    };
    let issuer = async {
        let plan = pipeline.admin.as_ref().and_then(|admin| admin.issuer.as_ref());
        match plan {
            Some(plan) => Some(issuer::ask(plan, limits.each).await),
            None => None,
        }
    };
    let (store, http, sources, legs, sink, salesforce, issuer) = tokio::join!(
        store::ask(pipeline, limits.each),
        join_all(http),
        join_all(sources),
        join_all(legs),
        kafka::sink(pipeline, limits.each),
        salesforce,
        issuer,
    );
    let kafka = said_once(sources.into_iter().chain(legs).flatten().chain(sink));
    store.into_iter().chain(http).chain(kafka).chain(salesforce).chain(issuer).collect()
}

/// Who reads from a cluster that is away, and who sends to it, find the same: it is said once.
fn said_once(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut rows: Vec<Row> = rows.collect();
    let mut seen = Vec::new();
    rows.retain(|row| match &row.answer {
        Ok(_) => true,
        Err(problem) => {
            let about = (problem.code, problem.place);
            let is_new = !seen.contains(&about);
            seen.push(about);
            is_new
        }
    });
    rows
}
