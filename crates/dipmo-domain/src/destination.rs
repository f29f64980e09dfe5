//! Where an intent goes, parsed once, when it is written.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{Code, Coded};

/// A destination of the outbox.
///
/// ```text
/// INTERNAL[:name]
/// KAFKA:<topic>
/// HTTP:SFDC[@org]:<Auto|Rest|Collections|Composite|Graph|BulkV2>:<Object>
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Destination {
    /// A process or handler of this deployment; without a name, whoever subscribes.
    Internal {
        /// The process or handler that is meant, if one is.
        name: Option<String>,
    },
    /// A Kafka topic.
    Kafka {
        /// The topic.
        topic: String,
    },
    /// A Salesforce org.
    Salesforce {
        /// The org by its name in the configuration; none is the default one.
        org: Option<String>,
        /// The API to use, or `Auto` to choose at each dispatch.
        api: SalesforceApi,
        /// The sObject, such as `Contact` or `Block__c`.
        object: String,
    },
}

/// The Salesforce API that carries an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SalesforceApi {
    /// Chosen at each dispatch.
    Auto,
    /// One record a call.
    Rest,
    /// Up to 200 records a call.
    Collections,
    /// Up to 25 dependent calls in one.
    Composite,
    /// Parent and children, all or nothing.
    Graph,
    /// Bulk API 2.0 ingest jobs.
    BulkV2,
}

impl SalesforceApi {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Auto, "Auto"),
        (Self::Rest, "Rest"),
        (Self::Collections, "Collections"),
        (Self::Composite, "Composite"),
        (Self::Graph, "Graph"),
        (Self::BulkV2, "BulkV2"),
    ];
}

impl fmt::Display for SalesforceApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(api, _)| api == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// A text that names no destination.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("destination {text:?}: {problem}; {}", GRAMMAR)]
pub struct DestinationError {
    /// What was given.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

const GRAMMAR: &str = "expected INTERNAL[:name], KAFKA:<topic> or \
    HTTP:SFDC[@org]:<Auto|Rest|Collections|Composite|Graph|BulkV2>:<Object>";

impl Coded for DestinationError {
    fn code(&self) -> Code {
        Code::new("destination-unknown")
    }
}

impl Destination {
    /// The longest destination: the `DESTINATION` column.
    pub const MAX_CHARS: usize = 200;

    /// `INTERNAL`: whoever subscribes.
    #[must_use]
    pub const fn internal() -> Self {
        Self::Internal { name: None }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Internal { name: None } => f.write_str("INTERNAL"),
            Self::Internal { name: Some(name) } => write!(f, "INTERNAL:{name}"),
            Self::Kafka { topic } => write!(f, "KAFKA:{topic}"),
            Self::Salesforce { org: None, api, object } => write!(f, "HTTP:SFDC:{api}:{object}"),
            Self::Salesforce { org: Some(org), api, object } => {
                write!(f, "HTTP:SFDC@{org}:{api}:{object}")
            }
        }
    }
}

impl FromStr for Destination {
    type Err = DestinationError;

    fn from_str(text: &str) -> Result<Self, DestinationError> {
        parse(text).map_err(|problem| DestinationError { text: text.to_owned(), problem })
    }
}

fn parse(text: &str) -> Result<Destination, String> {
    if text.chars().count() > Destination::MAX_CHARS {
        return Err(format!("longer than {} characters", Destination::MAX_CHARS));
    }
    let (scheme, rest) = text.split_once(':').map_or((text, None), |(s, r)| (s, Some(r)));
    match (scheme, rest) {
        ("INTERNAL", None) => Ok(Destination::internal()),
        ("INTERNAL", Some(name)) => {
            check_name("name", name, 200)?;
            Ok(Destination::Internal { name: Some(name.to_owned()) })
        }
        ("KAFKA", Some(topic)) => parse_kafka(topic),
        ("KAFKA", None) => Err("the topic is missing".to_owned()),
        ("HTTP", Some(rest)) => parse_salesforce(rest),
        _ => Err(format!("unknown scheme {scheme:?}")),
    }
}

fn parse_kafka(topic: &str) -> Result<Destination, String> {
    check_name("topic", topic, 249)?;
    if topic == "." || topic == ".." {
        return Err(format!("Kafka allows no topic named {topic:?}"));
    }
    Ok(Destination::Kafka { topic: topic.to_owned() })
}

fn parse_salesforce(rest: &str) -> Result<Destination, String> {
    let parts: Vec<&str> = rest.split(':').collect();
    let [system, api, object] = parts[..] else {
        return Err("HTTP needs a system, an API and an object".to_owned());
    };
    let org = match system.split_once('@') {
        None if system == "SFDC" => None,
        Some(("SFDC", org)) => {
            check_name("org", org, 80)?;
            Some(org.to_owned())
        }
        _ => return Err(format!("unknown system {system:?}")),
    };
    let api = SalesforceApi::ALL
        .iter()
        .find(|(_, name)| *name == api)
        .map(|(api, _)| *api)
        .ok_or_else(|| format!("unknown Salesforce API {api:?}"))?;
    let starts_well = object.starts_with(|c: char| c.is_ascii_alphabetic());
    let goes_on_well = object.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !starts_well || !goes_on_well {
        return Err(format!("{object:?} is no name of a Salesforce object"));
    }
    Ok(Destination::Salesforce { org, api, object: object.to_owned() })
}

/// Names of topics, orgs and handlers: what Kafka allows in a topic.
fn check_name(what: &str, name: &str, max: usize) -> Result<(), String> {
    if name.is_empty() {
        return Err(format!("the {what} is empty"));
    }
    if name.len() > max {
        return Err(format!("the {what} is longer than {max} characters"));
    }
    match name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))) {
        Some(bad) => Err(format!("the {what} has {bad:?}; letters, digits, '.', '_', '-' only")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            "INTERNAL",
            "INTERNAL:blocks",
            "KAFKA:order-processed",
            "HTTP:SFDC:BulkV2:Contact",
            "HTTP:SFDC@emea:Auto:Block__c",
        ] {
            assert_eq!(text.parse::<Destination>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_bad_destination_says_what_is_wrong_and_what_is_right() {
        for (text, problem) in [
            ("", "unknown scheme \"\""),
            ("kafka:t", "unknown scheme \"kafka\""),
            ("KAFKA", "the topic is missing"),
            ("KAFKA:", "the topic is empty"),
            ("KAFKA:a b", "the topic has ' '"),
            ("KAFKA:..", "Kafka allows no topic named \"..\""),
            ("INTERNAL:", "the name is empty"),
            ("HTTP:SFDC:Contact", "HTTP needs a system, an API and an object"),
            ("HTTP:SAP:Rest:Contact", "unknown system \"SAP\""),
            ("HTTP:SFDC@:Rest:Contact", "the org is empty"),
            ("HTTP:SFDC:Soap:Contact", "unknown Salesforce API \"Soap\""),
            ("HTTP:SFDC:Rest:1Contact", "\"1Contact\" is no name of a Salesforce object"),
        ] {
            let error = text.parse::<Destination>().unwrap_err();
            assert!(error.problem.starts_with(problem), "{text:?}: {}", error.problem);
            assert!(error.to_string().contains("expected INTERNAL[:name], KAFKA:<topic>"));
        }
        assert!(format!("KAFKA:{}", "t".repeat(200)).parse::<Destination>().is_err());
    }
}
