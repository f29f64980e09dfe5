//! From a request to a message of the inbox.

use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use dipmo_domain::{Coded as _, Header, Headers, Json};
use dipmo_inbound::Inbound;
use dipmo_inbox::{Body, NewMessage, Record};
use hyper::HeaderMap;
use hyper::header::{
    AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderName, PROXY_AUTHORIZATION, SET_COOKIE,
};

use crate::error::SourceError;
use crate::options::PathOptions;
use crate::refusal::Refusal;
use crate::route;
use crate::schema::Schema;

/// Headers that say who somebody is: they are not for those who read messages.
const SECRET: [HeaderName; 4] = [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE];

/// Headers by which records of ours are recognised: a client that could write them would speak for us.
const OURS: [&str; 8] = [
    "message-id",
    "event-type",
    "event-version",
    "event-time",
    "aggregate-type",
    "aggregate-id",
    "causation-id",
    "source-version",
];
/// The code of a failure that is a panic.
const PANICKED: &str = "record-decoder-panicked";
/// What the headers of dead letters begin with.
const OUR_LETTERS: &str = "dipmo-";

/// A path, and all that its requests are made into messages with.
#[derive(Debug)]
pub(crate) struct Maker {
    pub(crate) options: PathOptions,
    schema: Option<Schema>,
    headers: Vec<HeaderName>,
    /// `OFFSET_NUM` counts the requests of this instance.
    next: AtomicI64,
}

impl Maker {
    pub(crate) fn new(options: PathOptions) -> Result<Self, SourceError> {
        let path = &options.path;
        route::check(path)?;
        let schema = options.schema.as_ref().map(|schema| Schema::new(path, schema)).transpose()?;
        let mut headers = vec![CONTENT_TYPE];
        for name in &options.headers {
            let refused = |problem: &str| SourceError::Header {
                path: path.clone(),
                header: name.clone(),
                problem: problem.to_owned(),
            };
            let name: HeaderName =
                name.parse().map_err(|_| refused("it is no name of a header"))?;
            if SECRET.contains(&name) {
                return Err(refused("it says who somebody is, and messages are read by others"));
            }
            if OURS.contains(&name.as_str()) || name.as_str().starts_with(OUR_LETTERS) {
                return Err(refused("dipmo itself says by it what a message is"));
            }
            headers.push(name);
        }
        Ok(Self { options, schema, headers, next: AtomicI64::new(0) })
    }

    /// The message of a request, which is all that it says it is.
    pub(crate) fn message(
        &self,
        inbound: &Inbound,
        id: &str,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<NewMessage, Refusal> {
        Json::from_bytes(&body)
            .map_err(|error| Refusal::no_json(error.code(), error.to_string()))?;
        if let Some(schema) = &self.schema {
            // A number beyond a double or half a surrogate pair: JSON, and nothing that a schema knows.
            let value = serde_json::from_slice(&body);
            let value = value.map_err(|error| {
                Refusal::undecodable(&format!("no schema can be held against the body: {error}"))
            })?;
            let violations = schema.violations(&value, body.len());
            if !violations.is_empty() {
                return Err(Refusal::violates_schema(violations));
            }
        }
        let record = Record {
            topic: self.options.topic(),
            partition: 0,
            offset: self.next.fetch_add(1, Ordering::Relaxed),
            key: None,
            headers: self.taken_along(headers),
            timestamp_millis: -1,
            value: Some(body.into()),
        };
        let mut message = inbound.decode(record).message;
        if let Body::Undecodable { failure, .. } = &message.body {
            // What a panic says is for those who can mend it.
            let said =
                if failure.code() == PANICKED { "decoding it broke" } else { failure.message() };
            return Err(Refusal::undecodable(said));
        }
        message.rename(id);
        Ok(message)
    }

    fn taken_along(&self, headers: &HeaderMap) -> Headers {
        let of = |name: &HeaderName| {
            let values: Vec<_> = headers.get_all(name).iter().collect();
            let name = name.as_str().to_owned();
            values.into_iter().map(move |value| Header {
                name: name.clone(),
                value: Some(value.as_bytes().to_vec()),
            })
        };
        Headers::new(self.headers.iter().flat_map(of).collect())
    }
}

#[cfg(test)]
mod tests {
    use dipmo_inbound::Rules;

    use super::*;

    fn maker(headers: &[&str]) -> Result<Maker, SourceError> {
        let mut options = PathOptions::new("/orders");
        options.headers = headers.iter().map(|name| (*name).to_owned()).collect();
        Maker::new(options)
    }

    fn inbound() -> Inbound {
        let rules = Rules {
            aggregate_id: "json:/orderId | required".parse().unwrap(),
            source_system: "const:shop".parse().unwrap(),
            ..Rules::default()
        };
        Inbound::new("shop").topic("http:/orders", rules).unwrap()
    }

    fn headers() -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, "application/json".parse().unwrap());
        headers.insert(AUTHORIZATION, "Bearer secret".parse().unwrap());
        headers.insert("x-trace", "T-1".parse().unwrap());
        headers.insert("x-other", "O-1".parse().unwrap());
        headers
    }

    #[test]
    fn a_message_has_the_headers_that_were_asked_for() {
        let made = maker(&["X-Trace"]).unwrap();
        let message = made
            .message(
                &inbound(),
                "/orders:till:K",
                &headers(),
                Bytes::from_static(b"{\"orderId\":\"O\"}"),
            )
            .unwrap();
        let expected =
            Headers::default().with("content-type", "application/json").with("x-trace", "T-1");
        assert_eq!(message.headers, expected);
        assert_eq!((message.topic.as_str(), message.partition), ("http:/orders", 0));
        assert_eq!(message.message_id, "/orders:till:K");
        assert_eq!(message.aggregate_id.as_deref(), Some("O"));
    }

    #[test]
    fn the_source_system_is_ours_whatever_a_cloud_event_says() {
        let mut headers = headers();
        headers.insert(CONTENT_TYPE, "application/cloudevents+json".parse().unwrap());
        let body = br#"{"specversion":"1.0","id":"7","source":"/evil","type":"T","orderId":"O","data":{}}"#;
        let body = Bytes::from_static(body);
        let message = maker(&[]).unwrap().message(&inbound(), "id", &headers, body).unwrap();
        assert_eq!((message.source_system.as_str(), message.message_id.as_str()), ("shop", "id"));
    }

    #[test]
    fn what_cannot_be_taken_is_refused_and_not_stored() {
        let made = maker(&[]).unwrap();
        for (body, code) in [
            (&b"{oops"[..], "json-malformed"),
            (b"\xff", "json-not-utf8"),
            (b"", "json-malformed"),
            (b"{\"orderId\":null}", "http-body-undecodable"),
        ] {
            let refusal =
                made.message(&inbound(), "id", &headers(), Bytes::from_static(body)).unwrap_err();
            assert_eq!(refusal.code.as_str(), code);
        }
    }

    #[test]
    fn headers_that_say_who_somebody_is_or_what_a_message_is_are_not_taken_along() {
        let ours = ["Message-Id", "event-type", "aggregate-id", "dipmo-dlt-reason"];
        for header in ["Authorization", "cookie", "proxy-authorization", "a b"].iter().chain(&ours)
        {
            assert!(maker(&[header]).is_err(), "{header}");
        }
    }
}
