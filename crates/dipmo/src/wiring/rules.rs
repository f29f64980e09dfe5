//! How records of a topic become messages.

use dipmo_config::model::source as model;
use dipmo_config::{Name, Place, Problems, Template};
use dipmo_inbound::{CloudEvents, Extraction, OnSerdeError, RuleError, Rules};

use super::problem::{coded, invalid, struck};

/// The rules of a topic; what a rule cannot be is said at its place.
pub(super) fn of_topic(topic: &model::Topic, problems: &mut Problems) -> Option<Rules> {
    let model::Topic {
        place: _,
        message_id,
        aggregate_id,
        event_type,
        source_system,
        source_version,
        event_version,
        event_time,
        cloud_events,
        on_serde_error,
        mirror_suffix,
        dead_letters,
        most_retries,
    } = topic;
    let before = problems.len();
    let mut of = |rule: &Option<model::Extraction>| {
        rule.as_ref().map(|rule| extraction(rule, problems)).unwrap_or_default()
    };
    let rules = Rules {
        message_id: of(message_id),
        aggregate_id: of(aggregate_id),
        event_type: of(event_type),
        source_system: of(source_system),
        source_version: of(source_version),
        event_version: of(event_version),
        event_time: of(event_time),
        cloud_events: cloud_events.map_or(CloudEvents::default(), |it| match it.value {
            model::CloudEvents::Unwrap => CloudEvents::Unwrap,
            model::CloudEvents::Keep => CloudEvents::Keep,
            model::CloudEvents::Ignore => CloudEvents::Ignore,
        }),
        on_serde_error: on_serde_error.map_or(OnSerdeError::default(), |it| match it.value {
            model::OnSerdeError::Continue => OnSerdeError::Continue,
            model::OnSerdeError::BlockKey => OnSerdeError::BlockKey,
        }),
        mirror_suffix: mirror_suffix.as_ref().map(|it| it.expose().to_owned()),
        dead_letters: dead_letters.is_some_and(|it| it.value),
        most_retries: most_retries.map(|it| it.value),
    };
    (problems.len() == before).then_some(rules)
}

fn extraction(rule: &model::Extraction, problems: &mut Problems) -> Extraction {
    let part = |extractor: &model::Extractor| match extractor {
        model::Extractor::Header(name) => format!("header:{}", name.expose()),
        model::Extractor::Pointer(pointer) => format!("json:{}", pointer.expose()),
        model::Extractor::Key(_) => "key".to_owned(),
        model::Extractor::Const(text) => format!("const:{}", text.expose()),
        model::Extractor::Required(_) => "required".to_owned(),
    };
    let parts: Vec<String> = rule.iter().map(|extractor| part(&extractor.value)).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Extraction::of_parts(&parts).unwrap_or_else(|error| {
        let place = rule.first().map(|extractor| extractor.place);
        let mut problem = coded(&error, place);
        if let RuleError::Extraction { problem: said, .. } = &error {
            // The whole error shows how rules are written in one line, which is not how they are here.
            problem.message = format!("the rule cannot be: {said}");
        }
        for extractor in rule.iter() {
            if let Some(text) = text(&extractor.value) {
                problem.message = struck(&problem.message, text);
            }
        }
        problems.push(problem);
        Extraction::default()
    })
}

const fn text(extractor: &model::Extractor) -> Option<&Template> {
    match extractor {
        model::Extractor::Header(text)
        | model::Extractor::Pointer(text)
        | model::Extractor::Const(text) => Some(text),
        model::Extractor::Key(_) | model::Extractor::Required(_) => None,
    }
}

/// An error about the rules of a topic, at the rule.
pub(super) fn place_of(
    error: &RuleError,
    name: Place,
    topic: &model::Topic,
) -> dipmo_config::Problem {
    let first = |rule: &Option<model::Extraction>| {
        rule.as_ref().and_then(|rule| rule.first()).map(|extractor| extractor.place)
    };
    let place = match error {
        RuleError::Field { field, .. } => match *field {
            "message_id" => first(&topic.message_id),
            "aggregate_id" => first(&topic.aggregate_id),
            "event_type" => first(&topic.event_type),
            "source_system" => first(&topic.source_system),
            "source_version" => first(&topic.source_version),
            "event_version" => first(&topic.event_version),
            "event_time" => first(&topic.event_time),
            "mirror_suffix" => topic.mirror_suffix.as_ref().map(|it| it.place),
            _ => None,
        },
        RuleError::Extraction { .. } | RuleError::Topic { .. } => None,
    };
    coded(error, place.unwrap_or(name))
}

/// A regular expression chooses topics, and cannot have rules of its own.
pub(super) fn of_expression(name: &Name, rules: &Rules, problems: &mut Problems) {
    if *rules != Rules::default() {
        let message = "a regular expression chooses topics, and has no rules";
        let hint = "a `*` stands for any run of characters, such as `orders-*`, and can have rules";
        problems.push(invalid(name.place, message).hint(hint));
    }
}
