//! A claimed message, read once: who takes it, and what it asks of the database.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dipmo_api::{ErasedProcess, MessageView, Opened, Question, Route, Versions};
use dipmo_domain::{Code, Failure, Headers, Json, OrderKey, ProcessKey};
use dipmo_outbox::NewIntent;
use dipmo_store::ClaimedMessage;

use super::forward;
use super::rules::Rules;
use crate::panics;

/// A message of the batch.
pub(crate) struct Item {
    pub(crate) claimed: ClaimedMessage,
    pub(crate) order_key: Option<OrderKey>,
    pub(crate) taker: Taker,
    headers: Headers,
    payload: Json,
}

/// Who takes a message.
pub(crate) enum Taker {
    /// An instance of a process.
    Process(Asked),
    /// A transactional handler of the store.
    Handler(String),
    /// A destination, which gets it as it is.
    Destination(Box<NewIntent>),
    /// Nobody, or a process that does not know this event type.
    Nobody,
    /// It cannot be given to anybody as it is.
    Refused(Failure),
}

/// A question to an instance.
pub(crate) struct Asked {
    pub(crate) instance: ProcessKey,
    pub(crate) question: Box<dyn Question>,
    pub(crate) versions: Versions,
}

impl Item {
    /// Reads a message and finds its taker.
    pub(crate) fn open(claimed: ClaimedMessage, rules: &Rules) -> Self {
        let message = &claimed.message;
        let order_key = message.order_key();
        let headers = message.headers();
        let (payload, unread) = match (&message.payload, &headers) {
            (Some(payload), Ok(_)) => (payload.clone(), None),
            (None, _) => (Json::null(), Some("the message has no payload that could be read")),
            (_, Err(_)) => (Json::null(), Some("the headers of the message cannot be read")),
        };
        let headers = headers.unwrap_or_default();
        let mut item = Self { claimed, order_key, taker: Taker::Nobody, headers, payload };
        item.taker = match unread {
            Some(problem) => {
                Taker::Refused(Failure::coded(Code::new("message-unreadable"), problem))
            }
            None => item.find_taker(rules),
        };
        item
    }

    fn find_taker(&self, rules: &Rules) -> Taker {
        let message = &self.claimed.message;
        if let Some(to) = rules.forwards.get(&message.topic) {
            return match forward::intent(message, &self.headers, to) {
                Ok(intent) => Taker::Destination(Box::new(intent)),
                Err(failure) => Taker::Refused(failure),
            };
        }
        match rules.registry.route(&message.topic, message.event_type.as_deref()) {
            None => Taker::Nobody,
            Some(Route::Handler(name)) => Taker::Handler(name.clone()),
            Some(Route::Process(process)) => self.ask(&**process),
        }
    }

    /// Reading an event is the author's code as much as deciding is: it may panic.
    fn ask(&self, process: &dyn ErasedProcess) -> Taker {
        match catch_unwind(AssertUnwindSafe(|| process.open(&self.view()))) {
            Ok(Opened::Question(question)) => {
                let description = process.description();
                let (name, id) = (description.name(), question.instance_id());
                let instance = ProcessKey { process: name.to_owned(), id: id.to_owned() };
                Taker::Process(Asked { instance, question, versions: description.versions })
            }
            Ok(Opened::Ignored) => Taker::Nobody,
            Ok(Opened::Refused(refusal)) => Taker::Refused((&refusal).into()),
            Err(panic) => Taker::Refused(panics::failure(Code::new("process-panicked"), &*panic)),
        }
    }

    /// The message as a process sees it.
    pub(crate) fn view(&self) -> MessageView<'_> {
        let message = &self.claimed.message;
        MessageView {
            inbox_id: message.id,
            message_id: &message.message_id,
            source_system: &message.source_system,
            topic: &message.topic,
            aggregate_id: message.aggregate_id.as_deref(),
            event_type: message.event_type.as_deref(),
            event_version: message.event_version,
            source_version: message.source_version,
            payload: &self.payload,
            headers: &self.headers,
            event_ts: message.event_ts,
            received_at: message.received_at,
            attempts: self.claimed.attempts,
        }
    }

    /// True when it must see in the database what earlier messages wrote.
    pub(crate) fn reads(&self) -> bool {
        match &self.taker {
            Taker::Process(asked) => !asked.question.facts().is_empty(),
            Taker::Handler(_) => true,
            Taker::Destination(_) | Taker::Nobody | Taker::Refused(_) => false,
        }
    }

    /// The instance that it is for.
    pub(crate) fn instance(&self) -> Option<&ProcessKey> {
        match &self.taker {
            Taker::Process(asked) => Some(&asked.instance),
            _ => None,
        }
    }
}
