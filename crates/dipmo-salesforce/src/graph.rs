//! Graphs of requests, each of which is applied as a whole or not at all.

use serde::{Deserialize, Serialize};

use crate::class::Class;
use crate::client::Client;
use crate::composite::{SubRequest, SubResponse, in_order};
use crate::error::Error;
use crate::http::failure::writes;
use crate::http::request::{About, Body, Request};
use crate::method::Method;

/// How many graphs fit into a call.
pub const MAX_GRAPHS: usize = 75;

/// How many requests all graphs of a call may have together.
pub const MAX_NODES: usize = 500;

/// Requests that are applied as a whole or not at all.
#[derive(Clone, Debug, Serialize)]
pub struct Graph {
    /// Its name: begins with a letter or a digit.
    #[serde(rename = "graphId")]
    pub id: String,
    /// The requests. Later ones may refer to earlier ones.
    #[serde(rename = "compositeRequest")]
    pub requests: Vec<SubRequest>,
}

/// What became of a graph.
#[derive(Clone, Debug)]
pub struct GraphAnswer {
    /// The name of the graph.
    pub id: String,
    /// Whether it was applied.
    pub successful: bool,
    /// The answers, in the order of the requests.
    pub responses: Vec<SubResponse>,
}

#[derive(Serialize)]
struct Graphs<'a> {
    graphs: &'a [Graph],
}

#[derive(Deserialize)]
struct Answered {
    graphs: Vec<OneAnswered>,
}

#[derive(Deserialize)]
struct OneAnswered {
    #[serde(rename = "graphId")]
    id: String,
    #[serde(rename = "graphResponse")]
    response: Responses,
    #[serde(rename = "isSuccessful")]
    successful: bool,
}

#[derive(Deserialize)]
struct Responses {
    #[serde(rename = "compositeResponse")]
    responses: Vec<SubResponse>,
}

impl Client {
    /// Runs up to 75 graphs of together up to 500 requests. The answers are in the order of the
    /// graphs.
    ///
    /// # Errors
    ///
    /// The call fails as a whole; what a single request is refused for is in its answer.
    pub async fn graph(&self, graphs: &[Graph]) -> Result<Vec<GraphAnswer>, Error> {
        let nodes: usize = graphs.iter().map(|graph| graph.requests.len()).sum();
        if graphs.is_empty() {
            return Ok(Vec::new());
        }
        if graphs.len() > MAX_GRAPHS || nodes > MAX_NODES {
            let message = format!(
                "{} graphs with {nodes} requests are more than {MAX_GRAPHS} with {MAX_NODES}",
                graphs.len()
            );
            return Err(Error::request_invalid(Class::Permanent, message));
        }
        let path = self.path("/composite/graph");
        let request =
            Request::new(Method::Post, path, Body::json(&Graphs { graphs })?, About::Whole);
        let answer = self.call(&request).await?;
        let answered = answer
            .json::<Answered>()
            .and_then(|answered| matched(graphs, answered.graphs))
            .map_err(|error| error.with_status(answer.status));
        answered.map_err(|error| error.ambiguous(writes(&request)).at(&request.shown()))
    }
}

/// [U] Whether the answers are in the order of the graphs is not documented: they are matched by
/// their names.
fn matched(graphs: &[Graph], mut answered: Vec<OneAnswered>) -> Result<Vec<GraphAnswer>, Error> {
    let mut take = |graph: &Graph| {
        let found = answered.iter().position(|one| one.id == graph.id);
        let found = found.ok_or_else(|| Error::unreadable("a graph has no answer"))?;
        let OneAnswered { id, response, successful } = answered.swap_remove(found);
        let responses = in_order(&graph.requests, response.responses)?;
        Ok(GraphAnswer { id, successful, responses })
    };
    graphs.iter().map(&mut take).collect()
}
