//! Faults: what a test asks to go wrong.
//!
//! Rules are asked and decide; what they decide is carried out by the server for calls, by the one
//! write path for rows, and by bulk for jobs.

pub(crate) mod apply;
mod check;
mod code;
mod matcher;
pub(crate) mod rule;
mod schedule;
mod seen;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value as Json, json};

pub(crate) use self::matcher::{CallTarget, JobTarget};
pub(crate) use self::seen::{JobEnd, JobFault, RowFaults};

use self::matcher::RowTarget;
use self::rule::{Fault, Rule, Rules, Subject};
use self::schedule::Scheduled;
use crate::refusal::Refusal;
use crate::schema::Schema;
use crate::server::api::Api;

/// The rules at work.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    state: Mutex<State>,
    /// Whether any rule is about rows: a bulk job of 200,000 rows asks for each.
    about_rows: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    seed: u64,
    rules: Vec<Scheduled>,
}

impl Faults {
    /// Replaces all rules. What is wrong with them in an org of that schema is said, and then
    /// nothing changes.
    pub(crate) fn set(&self, rules: Rules, schema: &Schema) -> Result<(), String> {
        for (position, rule) in rules.rules.iter().enumerate() {
            if let Some(problem) = rule.problem(schema) {
                return Err(format!("rule {position}: {problem}"));
            }
        }
        let about_rows = rules.rules.iter().any(|rule| rule.fault.subject() == Subject::Row);
        let mut state = self.state();
        let scheduled = rules.rules.into_iter().enumerate();
        state.rules = scheduled.map(|(at, rule)| Scheduled::new(rule, rules.seed, at)).collect();
        state.seed = rules.seed;
        self.about_rows.store(about_rows, Ordering::Release);
        Ok(())
    }

    pub(crate) fn clear(&self) {
        let mut state = self.state();
        *state = State::default();
        self.about_rows.store(false, Ordering::Release);
    }

    /// The rules, with how often each matched and fired.
    pub(crate) fn show(&self) -> Json {
        let state = self.state();
        let rules: Vec<Json> = state.rules.iter().map(Scheduled::show).collect();
        json!({ "seed": state.seed, "rules": rules })
    }

    /// What happens to a call.
    pub(crate) fn for_call(&self, call: &CallTarget<'_>) -> Option<Fault> {
        self.decide(Subject::Call, |rule| {
            rule.when.is_about_call(call) && !(call.api == Api::Oauth && rule.fault.is_of_data())
        })
    }

    /// What happens to a job; asked once, when it begins.
    pub(crate) fn for_job(&self, job: &JobTarget<'_>) -> Option<JobFault> {
        JobFault::of(self.decide(Subject::Job, |rule| rule.when.is_about_job(job))?)
    }

    /// Whom to ask about each row of a call or a job; `None` where no rule is about rows.
    pub(crate) fn for_rows(self: &Arc<Self>, api: Api) -> Option<RowFaults> {
        self.about_rows.load(Ordering::Acquire).then(|| RowFaults::new(Arc::clone(self), api))
    }

    fn for_row(&self, row: &RowTarget<'_>) -> Option<Refusal> {
        seen::refusal(self.decide(Subject::Row, |rule| rule.when.is_about_row(row))?)
    }

    /// The first rule that fires wins, but all that match count it.
    fn decide(&self, subject: Subject, is_about: impl Fn(&Rule) -> bool) -> Option<Fault> {
        let mut hit = None;
        for scheduled in &mut self.state().rules {
            let rule = &scheduled.rule;
            if rule.fault.subject() == subject && is_about(rule) && scheduled.decide(hit.is_none())
            {
                hit = Some(scheduled.rule.fault.clone());
            }
        }
        hit
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(rules: Json) -> Result<Arc<Faults>, String> {
        let faults = Arc::new(Faults::default());
        let rules = serde_json::from_value(rules).map_err(|error| error.to_string())?;
        faults.set(rules, &Schema::standard().unwrap()).map(|()| faults)
    }

    fn poll(faults: &Faults) -> Option<String> {
        let call =
            CallTarget { api: Api::BulkPoll, method: "GET", path: "/jobs/ingest/1", object: None };
        faults.for_call(&call).map(|fault| fault.kind())
    }

    #[test]
    fn the_first_rule_that_fires_wins_and_all_count() {
        let faults = faults(json!({ "rules": [
            { "when": { "api": "bulk.poll" }, "times": 1, "fault": { "kind": "bad_gateway" } },
            { "when": { "method": "get" }, "fault": { "kind": "server_error" } },
            { "when": { "api": "rest" }, "fault": { "kind": "unavailable" } },
        ] }))
        .unwrap();
        assert_eq!(poll(&faults).as_deref(), Some("bad_gateway"));
        assert_eq!(poll(&faults).as_deref(), Some("server_error"));
        let shown = faults.show();
        let counts: Vec<_> = (0..3)
            .map(|at| (&shown["rules"][at]["matched"], &shown["rules"][at]["fired"]))
            .collect();
        assert_eq!(
            counts,
            [(&json!(2), &json!(1)), (&json!(2), &json!(1)), (&json!(0), &json!(0))]
        );
        faults.clear();
        assert_eq!(poll(&faults), None);
    }

    #[test]
    fn a_rule_that_cannot_be_meant_is_refused() {
        for (rule, problem) in [
            (json!({ "fault": { "kind": "sever_error" } }), "unknown variant `sever_error`"),
            (json!({ "fault": { "kind": "server_error", "times": 2 } }), "unknown field `times`"),
            (
                json!({ "when": { "api": "bulk.pole" }, "fault": { "kind": "server_error" } }),
                "rule 0: there is no api \"bulk.pole\"",
            ),
            (
                json!({ "probability": 1.5, "fault": { "kind": "server_error" } }),
                "rule 0: the probability 1.5",
            ),
            (
                json!({ "when": { "keys": ["E-1"] }, "fault": { "kind": "server_error" } }),
                "rule 0: \"keys\" says nothing about what \"server_error\" happens to",
            ),
            (
                json!({ "when": { "method": "PUT" }, "fault": { "kind": "row_lock" } }),
                "rule 0: \"method\" says nothing",
            ),
            (
                json!({ "when": { "api": "bulk" }, "fault": { "kind": "job_aborted" } }),
                "rule 0: \"api\" says nothing",
            ),
            (
                json!({ "fault": { "kind": "row_refusal", "code": "NO_SUCH", "message": "" } }),
                "rule 0: Salesforce refuses no row with \"NO_SUCH\"",
            ),
            (
                json!({ "fault": { "kind": "refuse", "status": 400, "code": "NO_SUCH", "message": "" } }),
                "rule 0: Salesforce refuses no call with \"NO_SUCH\"",
            ),
            (
                json!({ "fault": { "kind": "refuse", "status": 200, "code": "NOT_FOUND", "message": "" } }),
                "rule 0: the status 200 refuses nothing",
            ),
            (
                json!({ "when": { "api": "oauth" }, "fault": { "kind": "session_expired" } }),
                "rule 0: \"session_expired\" never happens to who logs in",
            ),
            (
                json!({ "probability": 0, "fault": { "kind": "server_error" } }),
                "rule 0: the probability 0",
            ),
            (
                json!({ "times": 0, "fault": { "kind": "row_lock" } }),
                "rule 0: it is to fire 0 times",
            ),
            (
                json!({ "when": { "object": "Contakt" }, "fault": { "kind": "row_lock" } }),
                "rule 0: there is no object \"Contakt\"",
            ),
            (
                json!({ "when": { "method": "FETCH" }, "fault": { "kind": "server_error" } }),
                "rule 0: there is no method \"FETCH\"",
            ),
            (
                json!({ "when": { "operation": "merge" }, "fault": { "kind": "job_aborted" } }),
                "rule 0: there is no operation \"merge\"",
            ),
            (
                json!({ "fault": { "kind": "delay", "delay": "5 minutes" } }),
                "\"5 minutes\" is no length of time",
            ),
        ] {
            let said = faults(json!({ "rules": [rule] })).unwrap_err();
            assert!(said.contains(problem), "{said}");
        }
    }

    #[test]
    fn a_rule_fits_the_calls_of_its_api() {
        let call = json!({ "kind": "server_error" });
        let row = json!({ "kind": "row_lock" });
        let names = Api::ALL.map(Api::name).into_iter().chain(["rest", "bulk"]);
        for api in names {
            let with_object = json!({ "when": { "api": api, "object": "contact" }, "fault": call });
            let with_rows = json!({ "when": { "api": api }, "fault": row });
            let taken =
                [with_object, with_rows].map(|rule| faults(json!({ "rules": [rule] })).is_ok());
            let expected = match api {
                "sobject" | "collections" | "rest" | "bulk" | "bulk.close" => [true, true],
                "describe" | "bulk.upload" | "bulk.poll" | "bulk.results" | "bulk.delete" => {
                    [true, false]
                }
                "composite" | "graph" => [false, true],
                _ => [false, false],
            };
            assert_eq!(taken, expected, "{api}");
        }
    }

    #[test]
    fn rows_are_asked_only_where_a_rule_is_about_them() {
        let none = faults(json!({ "rules": [{ "fault": { "kind": "server_error" } }] })).unwrap();
        assert!(none.for_rows(Api::Sobject).is_none());
        let some = faults(json!({ "rules": [
            { "when": { "object": "contact", "keys": ["E-2"] }, "times": 1, "fault": { "kind": "row_lock" } },
        ] }))
        .unwrap();
        let rows = some.for_rows(Api::BulkClose).unwrap();
        assert_eq!(rows.refuse("Contact", "E-1"), None);
        assert_eq!(rows.refuse("Contact", "E-2").unwrap().code, "UNABLE_TO_LOCK_ROW");
        assert_eq!(rows.refuse("Contact", "E-2"), None);
        // An attempt that is undone uses nothing up.
        rows.again();
        assert_eq!(rows.refuse("Contact", "E-2").unwrap().code, "UNABLE_TO_LOCK_ROW");
        assert_eq!(rows.refuse("Contact", "E-1"), None);
        assert_eq!(some.show()["rules"][0]["fired"], json!(1));
    }

    #[test]
    fn a_job_is_told_its_end() {
        let faults = faults(json!({ "rules": [
            { "when": { "operation": "upsert" }, "fault": { "kind": "job_unprocessed", "after_rows": 200 } },
        ] }))
        .unwrap();
        let of = |operation| faults.for_job(&JobTarget { object: "Contact", operation });
        assert_eq!(of("insert"), None);
        assert_eq!(of("upsert"), Some(JobFault { after_rows: 200, end: JobEnd::Unprocessed }));
    }
}
