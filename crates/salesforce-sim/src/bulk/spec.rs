//! What a client asks of a new job, checked as Salesforce checks it.

use serde_json::{Map, Value as Json};

use super::format::{Delimiter, Format, LineEnding};
use crate::refusal::{Refusal, shown};
use crate::schema::{FieldId, ObjectId, Schema};

/// `operation` of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Insert,
    Update,
    Upsert,
    Delete,
    HardDelete,
}

impl Operation {
    const ALL: [Operation; 5] = [
        Operation::Insert,
        Operation::Update,
        Operation::Upsert,
        Operation::Delete,
        Operation::HardDelete,
    ];

    /// As the API writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Operation::Insert => "insert",
            Operation::Update => "update",
            Operation::Upsert => "upsert",
            Operation::Delete => "delete",
            Operation::HardDelete => "hardDelete",
        }
    }
}

/// Whether a job can have that operation.
pub(crate) fn is_operation(name: &str) -> bool {
    Operation::ALL.into_iter().any(|operation| operation.name().eq_ignore_ascii_case(name))
}

/// A job that can be made.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub(super) object: ObjectId,
    pub(super) operation: Operation,
    /// The field by which an upsert finds its records.
    pub(super) external_id: Option<FieldId>,
    pub(super) assignment_rule: Option<String>,
    pub(super) format: Format,
}

const PROPERTIES: [&str; 7] = [
    "assignmentRuleId",
    "columnDelimiter",
    "contentType",
    "externalIdFieldName",
    "lineEnding",
    "object",
    "operation",
];

impl Spec {
    /// Reads the body of a create.
    pub(super) fn read(body: &Json, schema: &Schema) -> Result<Spec, Refusal> {
        let Json::Object(properties) = body else {
            return Err(Refusal::new(
                "JSON_PARSER_ERROR",
                "The HTTP entity body must be a JSON object",
            ));
        };
        if let Some(unknown) = properties.keys().find(|name| !PROPERTIES.contains(&name.as_str())) {
            return Err(Refusal::new(
                "JSON_PARSER_ERROR",
                format!("Unrecognized field \"{unknown}\""),
            ));
        }
        let operation = choose(properties, "operation", &Operation::ALL, Operation::name)?
            .ok_or_else(|| invalid_value("operation", "null"))?;
        choose(properties, "contentType", &["CSV"], |name| name)?;
        let format = Format {
            delimiter: choose(properties, "columnDelimiter", &Delimiter::ALL, Delimiter::name)?
                .unwrap_or_default(),
            line_ending: choose(properties, "lineEnding", &LineEnding::ALL, LineEnding::name)?
                .unwrap_or_default(),
        };
        let object = object(properties, schema)?;
        if operation == Operation::HardDelete && !schema.org.hard_delete {
            return Err(Refusal::new(
                "FEATURENOTENABLED",
                "FeatureNotEnabled : hardDelete operation requires special user profile permission, please \
                 contact your system administrator",
            ));
        }
        let external_id = match operation {
            Operation::Upsert => Some(external_id(properties, schema, object)?),
            Operation::Insert | Operation::Update | Operation::Delete | Operation::HardDelete => {
                None
            }
        };
        let assignment_rule = text(properties, "assignmentRuleId")?.map(str::to_owned);
        Ok(Spec { object, operation, external_id, assignment_rule, format })
    }
}

fn object(properties: &Map<String, Json>, schema: &Schema) -> Result<ObjectId, Refusal> {
    let name = text(properties, "object")?.unwrap_or("null");
    let object = schema.object(name).ok_or_else(|| {
        Refusal::new("INVALIDJOB", format!("InvalidJob : Unable to find object: {name}"))
    })?;
    if !schema[object].writable {
        let problem = format!("InvalidEntity : Entity '{name}' is not supported by the Bulk API.");
        return Err(Refusal::new("INVALIDENTITY", problem));
    }
    Ok(object)
}

fn external_id(
    properties: &Map<String, Json>,
    schema: &Schema,
    object: ObjectId,
) -> Result<FieldId, Refusal> {
    let object = &schema[object];
    let Some(name) = text(properties, "externalIdFieldName")? else {
        let problem = format!(
            "InvalidJob : External ID was blank for {}. An External ID must be specified for upsert.",
            object.name
        );
        return Err(Refusal::new("INVALIDJOB", problem));
    };
    let usable = |&field: &FieldId| field == FieldId::ID || object[field].external_id;
    object.field(name).filter(usable).ok_or_else(|| {
        let problem = format!(
            "InvalidJob : Field name provided, {name} does not match an External ID for {}",
            object.name
        );
        Refusal::new("INVALIDJOB", problem)
    })
}

/// The value of a property that is one of a few words; `None` where it is not given.
fn choose<T: Copy>(
    properties: &Map<String, Json>,
    property: &str,
    values: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<Option<T>, Refusal> {
    let Some(given) = text(properties, property)? else { return Ok(None) };
    match values.iter().find(|&&value| name(value) == given) {
        Some(&value) => Ok(Some(value)),
        None => Err(invalid_value(property, given)),
    }
}

fn text<'a>(properties: &'a Map<String, Json>, property: &str) -> Result<Option<&'a str>, Refusal> {
    match properties.get(property) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(other) => Err(invalid_value(property, &other.to_string())),
    }
}

pub(super) fn invalid_value(property: &str, given: &str) -> Refusal {
    let given = shown(given);
    Refusal::new(
        "API_ERROR",
        format!("Invalid value: '{given}' supplied for property: '{property}'"),
    )
}
