//! Two processes that hear the same.

use std::path::Path;
use std::sync::Arc;

use dipmo_api::{
    Advanced, ErasedOutcome, ErasedProcess, Evidence, FactRequest, FactRow, Facts, InstanceView,
    MessageView, Opened,
};
use dipmo_config::{Colour, Config, Declared, References};
use dipmo_domain::{Coded as _, Headers, InboxId, Json, Timestamp};
use serde_json::Value;

/// A message to both.
pub(crate) struct Heard {
    pub(crate) topic: &'static str,
    pub(crate) event: &'static str,
    pub(crate) version: Option<u16>,
    pub(crate) source_version: Option<i64>,
    pub(crate) payload: Value,
}

/// The same process twice.
pub(crate) struct Pair {
    rust: Arc<dyn ErasedProcess>,
    declared: Arc<dyn ErasedProcess>,
}

/// An instance, as both have left it.
#[derive(Default)]
pub(crate) struct Instance {
    row: Option<Advanced>,
    seen: Option<i64>,
}

/// What became of a message, so that it can be compared: of a refusal the code, because the words differ.
#[derive(Debug, PartialEq)]
enum Met {
    Ignored,
    Refused(&'static str),
    Decided(ErasedOutcome),
}

impl Pair {
    /// A process in Rust, and the process of its name in an example's file.
    pub(crate) fn new(rust: Arc<dyn ErasedProcess>, example: &str) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
        let loaded = Config::load(&file.join("dipmo.yaml"), &[], References::Keep)
            .unwrap_or_else(|it| panic!("{}", it.problems.render(&it.files, Colour::Never)));
        let mut problems = loaded.warnings;
        let declared = Declared::of(&loaded.config, &loaded.files, &mut problems);
        assert!(problems.is_empty(), "{}", problems.render(&loaded.files, Colour::Never));
        let name = rust.description().table.process;
        let mut processes = declared.processes.into_iter();
        let declared = processes.find(|it| it.description().table.process == name).unwrap();
        Self { rust, declared }
    }

    /// Both hear a message; answers whether they went on.
    pub(crate) fn hear(
        &self,
        instance: &mut Instance,
        heard: &Heard,
        facts: impl Fn(&FactRequest) -> Vec<FactRow>,
    ) -> bool {
        let one = meet(&*self.rust, instance, heard, &facts);
        let other = meet(&*self.declared, instance, heard, &facts);
        let state = instance.row.as_ref().map(|row| row.state);
        assert_eq!(other, one, "{} in {state:?}: {}", heard.event, heard.payload);
        if let Met::Decided(ErasedOutcome::Advance(advanced)) = one {
            instance.row = Some(*advanced);
            instance.seen = instance.seen.max(heard.source_version);
            return true;
        }
        false
    }
}

impl Instance {
    /// One that stands in a state, as an operator may have put it there.
    pub(crate) fn put_into(&mut self, state: &'static str) {
        if let Some(row) = &mut self.row {
            row.state = state;
        }
    }
}

fn meet(
    process: &dyn ErasedProcess,
    instance: &Instance,
    heard: &Heard,
    find: &impl Fn(&FactRequest) -> Vec<FactRow>,
) -> Met {
    let (payload, headers) = (Json::of(&heard.payload).unwrap(), Headers::default());
    let message = MessageView {
        inbox_id: InboxId(1),
        message_id: "M-1",
        source_system: "test",
        topic: heard.topic,
        aggregate_id: Some("I-1"),
        event_type: Some(heard.event),
        event_version: heard.version,
        source_version: heard.source_version,
        payload: &payload,
        headers: &headers,
        event_ts: None,
        received_at: Timestamp::EPOCH,
        attempts: 0,
    };
    let question = match process.open(&message) {
        Opened::Question(question) => question,
        Opened::Ignored => return Met::Ignored,
        Opened::Refused(refusal) => return Met::Refused(refusal.code().as_str()),
    };
    assert_eq!(question.instance_id(), "I-1");
    let mut facts = Facts::default();
    for request in question.facts() {
        find(request).into_iter().for_each(|row| facts.add(request.clone(), row));
    }
    let row = instance.row.as_ref().map(|row| InstanceView {
        state: row.state,
        data: &row.data,
        version: row.version,
        last_source_version: instance.seen,
    });
    let now = Timestamp::EPOCH;
    let evidence = Evidence { message: &message, row: row.as_ref(), facts: &facts, now };
    match question.try_decide(&evidence) {
        Ok(outcome) => Met::Decided(outcome),
        Err(refusal) => Met::Refused(refusal.code().as_str()),
    }
}
