//! How the API shows a job.

use serde_json::{Value as Json, json};

use super::job::{Job, Progress};
use super::state::State;
use crate::data::url::version_path;
use crate::datetime;
use crate::schema::Schema;

impl Job {
    /// What every answer about a job has.
    pub(super) fn summary(&self, schema: &Schema) -> Json {
        self.summary_at(&self.progress(), schema)
    }

    fn summary_at(&self, progress: &Progress, schema: &Schema) -> Json {
        let object = &schema[self.spec.object];
        let mut summary = json!({
            "id": &*self.id,
            "operation": self.spec.operation.name(),
            "object": object.name,
            "createdById": self.user_id,
            "createdDate": datetime::write(self.created),
            "systemModstamp": datetime::write(progress.changed),
            "state": progress.state.name(),
            "concurrencyMode": "Parallel",
            "contentType": "CSV",
            "apiVersion": f64::from(self.version) / 10.0,
            "lineEnding": self.spec.format.line_ending.name(),
            "columnDelimiter": self.spec.format.delimiter.name(),
        });
        if let Some(field) = self.spec.external_id {
            summary["externalIdFieldName"] = json!(&*object[field].name);
        }
        if let Some(rule) = &self.spec.assignment_rule {
            summary["assignmentRuleId"] = json!(rule);
        }
        if progress.state == State::Open {
            let url = format!("{}/jobs/ingest/{}/batches", version_path(self.version), self.id);
            // This one has no slash in front.
            summary["contentUrl"] = json!(url.trim_start_matches('/'));
        }
        summary
    }

    /// What a poll answers.
    pub(super) fn details(&self, schema: &Schema) -> Json {
        let progress = self.progress();
        let mut details = self.summary_at(&progress, schema);
        let time = progress
            .started
            .map_or(0, |started| progress.changed.duration_since(started).as_millis().max(0));
        let time = u64::try_from(time).unwrap_or_default();
        details["jobType"] = json!("V2Ingest");
        details["numberRecordsProcessed"] = json!(progress.outcomes.processed());
        details["numberRecordsFailed"] = json!(progress.outcomes.failed());
        details["retries"] = json!(progress.retries);
        details["totalProcessingTime"] = json!(time);
        details["apiActiveProcessingTime"] = json!(time);
        details["apexProcessingTime"] = json!(0);
        if let Some(error) = &progress.error {
            details["errorMessage"] = json!(error);
        }
        details
    }
}
