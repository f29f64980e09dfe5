//! The calls about jobs, each with its path and its method.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value as Json;

use super::job::Job;
use super::job::Maker;
use super::multipart::Parts;
use super::results::File;
use super::spec::{Spec, invalid_value};
use super::state::{State, Wish};
use super::{multipart, results, task, upload};
use crate::data::request::Method;
use crate::refusal::Refusal;
use crate::server::answer::Answer;
use crate::server::body::{RequestBody, is_media_type, unsupported};
use crate::server::call::Call;
use crate::server::json_error;
use crate::server::world::World;

/// Answers a call below `jobs/`.
pub(crate) async fn answer(world: &Arc<World>, call: &Call, body: &mut RequestBody) -> Answer {
    Bulk { world, call, now: world.clock.now() }.answer(body).await.unwrap_or_else(Answer::from)
}

/// One call and what it is answered from.
struct Bulk<'a> {
    world: &'a Arc<World>,
    call: &'a Call,
    now: Timestamp,
}

impl Bulk<'_> {
    async fn answer(&self, body: &mut RequestBody) -> Result<Answer, Refusal> {
        let path: Vec<&str> = self.call.path.iter().map(String::as_str).collect();
        let [jobs, ingest, rest @ ..] = path.as_slice() else { return Err(Refusal::not_found()) };
        if !jobs.eq_ignore_ascii_case("jobs") || !ingest.eq_ignore_ascii_case("ingest") {
            return Err(Refusal::not_found());
        }
        match (rest, self.call.method) {
            ([], Method::Post) => self.create(body).await,
            ([], Method::Get) => self.list(),
            ([], _) => Err(self.not_allowed("GET,POST")),
            ([id], Method::Get) => {
                Ok(Answer::json(200, self.find(id)?.details(&self.world.schema)))
            }
            ([id], Method::Patch) => self.update(id, body).await,
            ([id], Method::Delete) => self.delete(id),
            ([_], _) => Err(self.not_allowed("DELETE,GET,PATCH")),
            ([id, "batches"], Method::Put) => self.upload(id, body).await,
            ([_, "batches"], _) => Err(self.not_allowed("PUT")),
            ([id, file], method) => {
                let file = File::named(file).ok_or_else(Refusal::not_found)?;
                if method == Method::Get {
                    self.results(id, file)
                } else {
                    Err(self.not_allowed("GET"))
                }
            }
            _ => Err(Refusal::not_found()),
        }
    }

    async fn create(&self, body: &mut RequestBody) -> Result<Answer, Refusal> {
        let content_type = self.call.header("content-type").unwrap_or_default();
        if let Some(boundary) = multipart::boundary(content_type) {
            return self.create_with_data(body, boundary).await;
        }
        let body = body.json().await?.unwrap_or(Json::Null);
        let job = self.make(&body)?;
        Ok(Answer::json(200, job.summary(&self.world.schema)))
    }

    /// The job has its data and is closed at once.
    async fn create_with_data(
        &self,
        body: &mut RequestBody,
        boundary: &str,
    ) -> Result<Answer, Refusal> {
        let body = body.bytes(multipart::MAX_BYTES).await?;
        let parts = Parts::read(&body, boundary)?;
        let job = serde_json::from_slice(parts.job)
            .map_err(|error| json_error::refusal(&error, parts.job))?;
        let job = self.make(&job)?;
        upload::take(&job, self.world.jobs.disk(), parts.content, self.now)?;
        self.close(&job)
    }

    fn make(&self, body: &Json) -> Result<Arc<Job>, Refusal> {
        let spec = Spec::read(body, &self.world.schema)?;
        let maker = Maker {
            user: self.call.user,
            user_id: self.call.user_id.clone(),
            version: self.call.version,
            epoch: self.call.epoch,
            now: self.now,
        };
        self.world.jobs.make(spec, maker, |epoch| self.world.check_epoch(epoch))
    }

    /// The answer is older than the run, and shows the job as it was closed.
    fn close(&self, job: &Arc<Job>) -> Result<Answer, Refusal> {
        job.progress().grant(Wish::Close, State::UploadComplete, self.now)?;
        let closed = job.summary(&self.world.schema);
        task::start(self.world, job, self.call.id);
        Ok(Answer::json(200, closed))
    }

    fn abort(&self, job: &Job) -> Result<Answer, Refusal> {
        job.progress().grant(Wish::Abort, State::Aborted, self.now)?;
        Ok(Answer::json(200, job.summary(&self.world.schema)))
    }

    fn list(&self) -> Result<Answer, Refusal> {
        let parameter = |name: &str| {
            self.call.query.iter().find(|(key, _)| key == name).map(|(_, value)| value)
        };
        let from = match parameter("queryLocator") {
            Some(locator) => locator.parse().map_err(|_| invalid_value("queryLocator", locator))?,
            None => 0,
        };
        // The other types of jobs do not exist here, so that their lists are empty.
        let from = match parameter("jobType").map(String::as_str) {
            None | Some("V2Ingest") => from,
            Some("Classic" | "BigObjectIngest") => usize::MAX,
            Some(other) => return Err(invalid_value("jobType", other)),
        };
        Ok(Answer::json(
            200,
            self.world.jobs.page(from, self.call.version, &self.world.schema, self.now),
        ))
    }

    async fn upload(&self, id: &str, body: &mut RequestBody) -> Result<Answer, Refusal> {
        let job = self.find(id)?;
        let content_type = self.call.header("content-type").unwrap_or_default();
        if !is_media_type(content_type, "text/csv") {
            return Err(unsupported("Content-Type", content_type));
        }
        upload::receive(&job, self.world.jobs.disk(), body, self.now).await?;
        let rows = job.progress().rows();
        Ok(Answer { rows, ..Answer::empty(201) })
    }

    async fn update(&self, id: &str, body: &mut RequestBody) -> Result<Answer, Refusal> {
        let job = self.find(id)?;
        let body = body.json().await?.unwrap_or(Json::Null);
        match body.get("state").and_then(Json::as_str) {
            Some("UploadComplete") => self.close(&job),
            Some("Aborted") => self.abort(&job),
            Some(other) => Err(invalid_value("state", other)),
            None => Err(invalid_value("state", "null")),
        }
    }

    fn delete(&self, id: &str) -> Result<Answer, Refusal> {
        let job = self.find(id)?;
        job.progress().state.allow(Wish::Delete)?;
        self.world.jobs.remove(&job);
        Ok(Answer::empty(204))
    }

    fn results(&self, id: &str, file: File) -> Result<Answer, Refusal> {
        let job = self.find(id)?;
        let rows = {
            let progress = job.progress();
            progress.state.allow(Wish::ReadResults)?;
            file.rows(&progress)
        };
        let content = results::content(self.world, &job, file);
        Ok(Answer { rows, ..Answer::stream(200, "text/csv", content) })
    }

    fn find(&self, id: &str) -> Result<Arc<Job>, Refusal> {
        self.world.jobs.find(id, self.now).ok_or_else(Refusal::not_found)
    }

    fn not_allowed(&self, allowed: &str) -> Refusal {
        Refusal::method_not_allowed(self.call.method.name(), allowed)
    }
}
