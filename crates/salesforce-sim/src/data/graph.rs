//! `composite/graph`: graphs of subrequests, each of which is applied as a whole or not at all.

use std::collections::HashSet;

use serde_json::{Value as Json, json};

use super::request::{DataAnswer, DataRequest, Method};
use super::subrequest::{Mode, Rules, Subrequest, read, run, unreadable};
use super::url::Target;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;

/// Graphs exist from this version on.
const SINCE: u32 = 500;
const MAX_GRAPHS: usize = 75;
/// In all graphs of a request together.
const MAX_NODES: usize = 500;

struct Graph<'a> {
    id: &'a str,
    nodes: Vec<Subrequest<'a>>,
}

/// Runs the graphs in order; a graph that fails does not concern the others.
pub(crate) fn answer(tx: &mut Transaction<'_>, request: &DataRequest<'_>) -> DataAnswer {
    if request.version < SINCE {
        return request.not_found().into();
    }
    if request.method != Method::Post {
        return request.method_not_allowed("POST").into();
    }
    match graphs(request) {
        Ok(graphs) => {
            let rules = Rules { mode: Mode::AllOrNone, version: request.version, allows };
            let answers: Vec<Json> =
                graphs.iter().map(|graph| run_graph(tx, graph, rules)).collect();
            DataAnswer::json(200, json!({ "graphs": answers }))
        }
        Err(refusal) => refusal.into(),
    }
}

fn run_graph(tx: &mut Transaction<'_>, graph: &Graph<'_>, rules: Rules) -> Json {
    let (items, successful) = run(tx, &graph.nodes, rules);
    json!({
        "graphId": graph.id,
        "graphResponse": { "compositeResponse": items },
        "isSuccessful": successful,
    })
}

fn graphs<'a>(request: &DataRequest<'a>) -> Result<Vec<Graph<'a>>, Refusal> {
    let list = request.body.and_then(|body| body.get("graphs")).and_then(Json::as_array);
    let list = list.ok_or_else(|| unreadable("Missing required field: graphs"))?;
    if list.len() > MAX_GRAPHS {
        let words = format!("The request can’t contain more than {MAX_GRAPHS} graphs.");
        return Err(Refusal::new("LIMIT_EXCEEDED", words));
    }
    let mut seen = HashSet::new();
    let mut graphs = Vec::with_capacity(list.len());
    for json in list {
        let id = json.get("graphId").and_then(Json::as_str);
        let id = id.ok_or_else(|| unreadable("Missing required field: graphId"))?;
        if !seen.insert(id) {
            return Err(unreadable(&format!("Duplicate graphId provided in the request: {id}")));
        }
        let nodes = json.get("compositeRequest");
        let nodes = nodes.ok_or_else(|| unreadable("Missing required field: compositeRequest"))?;
        graphs.push(Graph { id, nodes: read(nodes, request.version)? });
    }
    if graphs.iter().map(|graph| graph.nodes.len()).sum::<usize>() > MAX_NODES {
        let words = format!("The request can’t contain more than {MAX_NODES} nodes.");
        return Err(Refusal::new("LIMIT_EXCEEDED", words));
    }
    Ok(graphs)
}

/// Single records only: by object, by id and by external id.
fn allows(target: &Target) -> bool {
    let first = target.path.first().map(String::as_str).unwrap_or_default();
    first.eq_ignore_ascii_case("sobjects") && (2..=4).contains(&target.path.len())
}
