//! All routes, as the OpenAPI document tells them, and a request for each that can be answered.

use dipmo_admin::Role;
use hyper::Method;
use serde_json::{Value, json};

use crate::relay::Order;
use crate::rig::{CANARY, CONTACTS, Rig, World};

/// A route of the document.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) method: Method,
    /// Below `/api/v1`, with its parameters by name.
    pub(crate) path: String,
    pub(crate) least: Role,
    /// The parameters of its query.
    pub(crate) query: Vec<String>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
}

/// Every route of the document.
pub(crate) async fn all(rig: &Rig) -> Vec<Route> {
    let answer = rig.get(Role::Viewer, "/openapi.json").await;
    let document = answer.is(200);
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let query = parameters.iter().filter(|parameter| parameter["in"] == "query");
            routes.push(Route {
                method: method.to_uppercase().parse().unwrap(),
                path: path.strip_prefix("/api/v1").unwrap().to_owned(),
                least: operation["x-dipmo-role"].as_str().unwrap().parse().unwrap(),
                query: query.map(|it| it["name"].as_str().unwrap().to_owned()).collect(),
            });
        }
    }
    assert!(routes.len() >= 37, "{routes:?}");
    routes
}

impl Route {
    /// A request that the route can answer; what it needs is made for it.
    pub(crate) async fn sample(&self, rig: &Rig, world: &World) -> Sample {
        let because = || Some(json!({"reason": "a test"}));
        let (id, body) = match (self.method.as_str(), self.path.as_str()) {
            ("GET", "/messages/{id}" | "/messages/{id}/journey") => (world.rejected.0, None),
            ("GET", "/intents/{id}") => (failed_unit(rig).await, None),
            ("GET", "/operations/{id}" | "/operations/{id}/items") => (begun(rig).await, None),
            ("POST", "/operations/{id}/pause" | "/operations/{id}/cancel") => {
                (begun(rig).await, because())
            }
            ("POST", "/operations/{id}/resume") => (paused(rig).await, because()),
            ("POST", "/messages/{id}/edit") => {
                let rejected = Order { reject: true, ..Order::default() };
                (rig.orders(&[("O-9", rejected)]).await[0].0, Some(correction()))
            }
            ("POST", "/operations") => (0, Some(wish(&json!({"status": "FAILED"})))),
            ("POST", "/archives/run") => (0, because()),
            ("POST", "/archives/{id}/verify" | "/archives/{id}/restore") => {
                (archived(rig).await, because())
            }
            ("POST", "/tokens") => (0, Some(json!({"name": "new", "role": "viewer", "days": 1}))),
            ("DELETE", "/tokens/{id}") => {
                let path = self.path.replace("{id}", &token(rig).await.to_string());
                return Sample { path: format!("{path}?reason=a%20test"), body: None };
            }
            ("POST", "/processes/{name}/instances/{id}/move") => {
                let path = self.path.replace("{name}", "RELAY").replace("{id}", "O-1");
                return Sample { path, body: Some(relocation(rig, "NEW").await) };
            }
            ("POST", "/aggregates/{id}/erase") => {
                let path = self.path.replace("{id}", "O-77");
                return Sample { path, body: Some(erasure()) };
            }
            ("POST", "/destinations/{name}/breaker") => {
                let path = self.path.replace("{name}", CONTACTS);
                return Sample { path, body: Some(json!({"state": "open", "reason": "a test"})) };
            }
            ("POST", "/destinations/{name}/rate") => {
                let path = self.path.replace("{name}", CONTACTS);
                return Sample { path, body: Some(json!({"per_second": 5, "reason": "a test"})) };
            }
            ("POST", path) if path.contains("/{name}/") => {
                let name = match path.split('/').nth(1) {
                    Some("sources") => "shop",
                    Some("destinations") => "KAFKA:known",
                    _ => panic!("say how {self:?} is asked"),
                };
                let path = path.replace("{name}", name);
                if let Some(start) = path.strip_suffix("/resume") {
                    let body = because().unwrap();
                    rig.post(Role::Operator, &format!("{start}/pause"), body).await.is(200);
                }
                return Sample { path, body: because() };
            }
            ("GET", path) if path.contains("{id}") && path.starts_with("/processes/") => {
                let path = path.replace("{name}", "RELAY").replace("{id}", "O-1");
                return Sample { path, body: None };
            }
            ("GET", path) if !path.contains("{id}") => (0, None),
            _ => panic!("say how {self:?} is asked"),
        };
        let path = self.path.replace("{id}", &id.to_string()).replace("{name}", "RELAY");
        Sample { path, body }
    }

    pub(crate) fn changes_something(&self) -> bool {
        self.method != Method::GET
    }
}

/// An operation on messages that somebody wants.
pub(crate) fn wish(filter: &Value) -> Value {
    json!({"act": "retry", "target": {"messages": filter}, "reason": "a test", "dry_run": false})
}

/// Moves the instance O-1 as it stands.
pub(crate) async fn relocation(rig: &Rig, state: &str) -> Value {
    let shown = rig.get(Role::Viewer, "/processes/RELAY/instances/O-1").await;
    let version = &shown.is(200)["version"];
    json!({"state": state, "version": version, "reason": "a test", "dry_run": false})
}

/// Lets a message that failed say something else.
pub(crate) fn correction() -> Value {
    json!({"payload": {"secret": CANARY}, "reason": "a test", "dry_run": false})
}

/// Erases an aggregate, with instances that never end.
pub(crate) fn erasure() -> Value {
    json!({"reason": "a test", "dry_run": false, "end_instances": true})
}

/// An operation that was begun.
pub(crate) async fn begun(rig: &Rig) -> i64 {
    let answer = rig.post(Role::Operator, "/operations", wish(&json!({"status": "FAILED"}))).await;
    answer.is(202)["operation"]["id"].as_i64().unwrap()
}

async fn paused(rig: &Rig) -> i64 {
    let id = begun(rig).await;
    let path = format!("/operations/{id}/pause");
    rig.post(Role::Operator, &path, json!({"reason": "a test"})).await.is(200);
    id
}

/// A lot that has files.
pub(crate) async fn archived(rig: &Rig) -> i64 {
    rig.by_hand(
        "INSERT INTO dipmo_lot (side, month, state, aside_at, directory, manifest, row_count, record_count, file_count,
           byte_count) VALUES ('inbox', 0, 'DROPPED', 0, '1970-01/inbox-1-1', '', 1, 0, 1, 17)",
    );
    rig.get(Role::Viewer, "/archives").await.rows()[0]["id"].as_i64().unwrap()
}

async fn failed_unit(rig: &Rig) -> i64 {
    let answer = rig.get(Role::Viewer, "/units?status=FAILED").await;
    answer.rows()[0]["id"].as_i64().unwrap()
}

async fn token(rig: &Rig) -> i64 {
    rig.token("passing", Role::Viewer).await;
    let answer = rig.get(Role::Admin, "/tokens").await;
    answer.rows()[0]["id"].as_i64().unwrap()
}
