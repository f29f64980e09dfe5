//! One field of the file: checks that its keys go together.

use super::field::{Field, Kind, NumberForm, OnDelete, Reference, Source, TextForm};
use super::file::{FieldPart, OnDeletePart, OneOrMany, TypeName};
use super::label::label_of;
use super::names::Names;
use super::suggest::did_you_mean;
use super::{FieldId, ObjectId, SchemaError};
use crate::org::accept;
use crate::value::Value;

/// Where the field stands.
pub(super) struct FieldContext<'a> {
    pub(super) object: &'a str,
    pub(super) name: &'a str,
    /// All objects.
    pub(super) objects: &'a Names,
    /// The fields of its object.
    pub(super) fields: &'a Names,
}

/// The field that the file means.
pub(super) fn build_field(
    part: &FieldPart,
    context: &FieldContext<'_>,
) -> Result<Field, SchemaError> {
    build(part, context).map_err(|problem| {
        SchemaError::meaning(format!("{}.{}", context.object, context.name), problem)
    })
}

fn build(part: &FieldPart, context: &FieldContext<'_>) -> Result<Field, String> {
    let kind = build_kind(part, context)?;
    check_keys(part, &kind)?;
    let mut field = Field {
        name: context.name.into(),
        label: part.label.clone().unwrap_or_else(|| label_of(context.name)),
        required: part.required,
        unique: part.unique,
        external_id: part.external_id,
        case_sensitive: part.case_sensitive,
        default: if matches!(kind, Kind::Boolean) { Value::Bool(false) } else { Value::Null },
        kind,
        source: source(part, context)?,
    };
    if let Some(text) = &part.default {
        field.default = accept::from_text(&field, text)
            .map_err(|refusal| format!("default {text:?}: {}", refusal.message))?;
    }
    Ok(field)
}

fn source(part: &FieldPart, context: &FieldContext<'_>) -> Result<Source, String> {
    let Some(joins) = &part.joins else {
        return Ok(if part.read_only { Source::Org } else { Source::Written });
    };
    let find = |name: &String| {
        context.fields.get(name).map(FieldId).ok_or_else(|| {
            let hint = did_you_mean(name, context.fields.all());
            format!("{} has no field {name:?}{hint}", context.object)
        })
    };
    joins.iter().map(find).collect::<Result<_, _>>().map(Source::Joined)
}

fn build_kind(part: &FieldPart, context: &FieldContext<'_>) -> Result<Kind, String> {
    let text = |form, length| Kind::Text { form, length: part.length.unwrap_or(length) };
    let picklist = |many| Kind::Picklist {
        values: part.values.clone().unwrap_or_default(),
        restricted: part.restricted,
        many,
    };
    Ok(match part.r#type {
        TypeName::String => text(TextForm::String, 255),
        TypeName::TextArea => text(TextForm::TextArea, 32_768),
        TypeName::Email => text(TextForm::Email, 80),
        TypeName::Phone => text(TextForm::Phone, 40),
        TypeName::Url => text(TextForm::Url, 255),
        TypeName::Boolean => Kind::Boolean,
        TypeName::Int => number(part, NumberForm::Int, 9, 0)?,
        TypeName::Double => number(part, NumberForm::Double, 18, 0)?,
        TypeName::Currency => number(part, NumberForm::Currency, 18, 2)?,
        TypeName::Percent => number(part, NumberForm::Percent, 18, 2)?,
        TypeName::Date => Kind::Date,
        TypeName::DateTime => Kind::DateTime,
        TypeName::Picklist => picklist(false),
        TypeName::MultiPicklist => picklist(true),
        TypeName::Reference => Kind::Reference(reference(part, context)?),
    })
}

fn number(part: &FieldPart, form: NumberForm, precision: u8, scale: u8) -> Result<Kind, String> {
    let (precision, scale) = (part.precision.unwrap_or(precision), part.scale.unwrap_or(scale));
    if scale > precision {
        return Err("more digits after the point (`scale`) than digits (`precision`)".into());
    }
    if precision == 0 || precision > 18 {
        return Err("expected a `precision` of 1 to 18 digits".into());
    }
    Ok(Kind::Number { form, precision, scale })
}

fn reference(part: &FieldPart, context: &FieldContext<'_>) -> Result<Reference, String> {
    let names = part.to.as_ref().map(OneOrMany::names).unwrap_or_default();
    if names.is_empty() {
        return Err("a reference needs `to`, the name of an object".into());
    }
    let find = |name: &String| {
        context.objects.get(name).map(ObjectId).ok_or_else(|| {
            format!("no object {name:?}{}", did_you_mean(name, context.objects.all()))
        })
    };
    Ok(Reference {
        to: names.iter().map(find).collect::<Result<_, _>>()?,
        relationship: part.relationship.clone().unwrap_or_else(|| relationship_of(context.name)),
        on_delete: match part.on_delete {
            None | Some(OnDeletePart::Clear) => OnDelete::Clear,
            Some(OnDeletePart::Restrict) => OnDelete::Restrict,
            Some(OnDeletePart::Cascade) => OnDelete::Cascade,
        },
    })
}

/// `Account` for `AccountId`, `Family__r` for `Family__c`.
fn relationship_of(name: &str) -> String {
    match (name.strip_suffix("__c"), name.strip_suffix("Id")) {
        (Some(stem), _) => format!("{stem}__r"),
        (None, Some(stem)) => stem.to_owned(),
        (None, None) => name.to_owned(),
    }
}

/// A key that means nothing here is a mistake, not a wish to be ignored.
fn check_keys(part: &FieldPart, kind: &Kind) -> Result<(), String> {
    let text = matches!(kind, Kind::Text { .. });
    let number = matches!(kind, Kind::Number { .. });
    let picklist = matches!(kind, Kind::Picklist { .. });
    let reference = matches!(kind, Kind::Reference(_));
    for (given, fits, words) in [
        (part.length.is_some(), text, "`length` is for texts"),
        (
            part.precision.is_some() || part.scale.is_some(),
            number,
            "`precision` and `scale` are for numbers",
        ),
        (part.values.is_some(), picklist, "`values` is for picklists"),
        (part.restricted, picklist, "`restricted` is for picklists"),
        (part.to.is_some(), reference, "`to` is for references"),
        (part.relationship.is_some(), reference, "`relationship` is for references"),
        (part.on_delete.is_some(), reference, "`on_delete` is for references"),
        (part.joins.is_some(), text, "`joins` is for texts"),
        (part.external_id, text || number, "this type cannot be an external id"),
        (part.unique, text || number, "this type cannot be unique"),
        (
            part.case_sensitive,
            part.unique || part.external_id,
            "`case_sensitive` is for unique fields and external ids",
        ),
        (part.restricted, part.values.is_some(), "a restricted picklist needs `values`"),
        (part.length == Some(0), false, "a `length` of 0 holds nothing"),
    ] {
        if given && !fits {
            return Err(words.to_owned());
        }
    }
    Ok(())
}
