//! An org for tests that ask through the door of REST.

use std::sync::Arc;

use serde_json::Value as Json;

use super::request::{DataAnswer, DataRequest, Method};
use crate::org::Org;
use crate::org::fields::Fields;
use crate::org::transaction::{Caller, Transaction};
use crate::org::write::{Target as WriteTarget, Write};
use crate::schema::Schema;
use crate::server::path::{pairs, segments};

/// An org of the standard objects, and what a schema adds to them.
pub(crate) struct Fixture {
    org: Org,
}

impl Fixture {
    pub(crate) fn new(schema: &str) -> Self {
        Self::of(Arc::new(Schema::parse(schema).unwrap()))
    }

    /// An org of a schema that was read before.
    pub(crate) fn of(schema: Arc<Schema>) -> Self {
        let now = "2026-03-01T10:20:30Z".parse().unwrap();
        Fixture { org: Org::new(schema, fastrand::Rng::with_seed(0), now) }
    }

    /// One transaction, which is committed.
    pub(crate) fn transact<R>(&mut self, run: impl FnOnce(&mut Transaction<'_>) -> R) -> R {
        let caller = Caller {
            call: 1,
            job: None,
            draw: self.org.next_draw(),
            faults: None,
            user: self.org.first_user(),
            now: "2026-03-01T10:20:30Z".parse().unwrap(),
        };
        let mut tx = Transaction::begin(&mut self.org, caller);
        let result = run(&mut tx);
        tx.commit();
        result
    }

    /// A new record, past REST.
    pub(crate) fn insert(&mut self, object: &str, record: &Json) -> String {
        self.transact(|tx| {
            let object = tx.schema().object(object).unwrap();
            let fields = Fields::Json(record.as_object().unwrap());
            let written = tx.write(object, &Write { target: WriteTarget::Insert, fields });
            tx.id_text(written.unwrap().id).to_string()
        })
    }

    /// A record is put into the recycle bin, past REST.
    pub(crate) fn delete(&mut self, id: &str) {
        self.transact(|tx| {
            let id = tx.resolve_any(id).unwrap();
            tx.delete(id).unwrap();
        });
    }

    /// One request below `/services/data/v62.0/`, in a transaction of its own.
    pub(crate) fn ask(&mut self, method: Method, path: &str, body: Option<&Json>) -> DataAnswer {
        self.ask_with(method, &format!("/services/data/v62.0/{path}"), body, &[])
    }

    /// The same with a whole URL and headers.
    pub(crate) fn ask_with(
        &mut self,
        method: Method,
        url: &str,
        body: Option<&Json>,
        headers: &[(String, String)],
    ) -> DataAnswer {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let (path, query) = (segments(path).unwrap(), pairs(query).unwrap());
        // A version that the server does not let through can still be asked here.
        let version = path[2].strip_prefix('v').unwrap().parse::<f64>().unwrap();
        self.transact(|tx| {
            let request = DataRequest {
                method,
                path: &path[3..],
                query: &query,
                body,
                version: (version * 10.0) as u32,
                headers,
            };
            super::answer(tx, &request)
        })
    }

    /// What a query finds.
    pub(crate) fn query(&mut self, soql: &str) -> DataAnswer {
        let encoded =
            percent_encoding::utf8_percent_encode(soql, percent_encoding::NON_ALPHANUMERIC);
        self.ask(Method::Get, &format!("query?q={encoded}"), None)
    }

    /// The values of a field of what a query finds.
    pub(crate) fn column(&mut self, soql: &str, field: &str) -> Vec<Json> {
        let answer = self.query(soql);
        let body = answer.body.unwrap_or_default();
        let records = body["records"].as_array().unwrap_or_else(|| panic!("{soql}: {body}"));
        records.iter().map(|record| record[field].clone()).collect()
    }
}
