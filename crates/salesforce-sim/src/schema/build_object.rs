//! One object of the file: its fields, then what points to them.

use serde_saphyr::Spanned;

use super::build_field::{FieldContext, build_field};
use super::build_rules::RuleContext;
use super::field::Field;
use super::file::{FieldPart, Named, ObjectPart};
use super::label::{label_of, plural_of};
use super::names::Names;
use super::object::{DuplicateRule, Object, system_fields};
use super::{FieldId, ObjectId, SchemaError};
use crate::value::Value;

/// As many as a record of Salesforce can have.
const MOST_FIELDS: usize = 5_000;

/// The object that the file means.
pub(super) fn build_object(
    name: &str,
    part: ObjectPart,
    prefix: [u8; 3],
    objects: &Names,
) -> Result<Object, SchemaError> {
    let label = part.label.unwrap_or_else(|| label_of(name));
    let user = objects.get("User").map(ObjectId);
    let user = user.ok_or_else(|| SchemaError::meaning("User", "an org has users"))?;
    let mut fields = system_fields(&label, user);
    let names = field_names(name, &fields, &part.fields)?;
    for (field, part) in &part.fields.0 {
        let context = FieldContext { object: name, name: field, objects, fields: &names };
        let built = build_field(&part.value, &context);
        fields.push(built.map_err(|error| error.at(part.referenced))?);
    }
    let relationships = relationships(name, &fields)?;
    let context =
        RuleContext { object: name, fields: &fields, names: &names, relationships: &relationships };
    let duplicates = each(&part.duplicates, |rule| context.duplicate(rule))?;
    let validation = each(&part.validation, |rule| context.validation(rule))?;
    let tracked = part.track.iter().map(|field| context.tracked(field));
    let tracked = tracked.collect::<Result<Vec<_>, _>>()?;
    Ok(Object {
        validation,
        tracked: joined(which(&fields, |field| field.external_id), tracked),
        required: which(&fields, |field| field.required),
        indexed: indexed(&fields, &duplicates),
        defaults: defaults(&fields),
        duplicates,
        relationships,
        name: name.to_owned(),
        plural: part.plural.unwrap_or_else(|| plural_of(&label)),
        label,
        prefix,
        writable: !part.read_only.unwrap_or(false),
        fields,
        names,
        children: Vec::new(),
    })
}

/// Builds every rule, and says in which line one is wrong.
fn each<P, R>(
    rules: &[Spanned<P>],
    build: impl Fn(&P) -> Result<R, SchemaError>,
) -> Result<Vec<R>, SchemaError> {
    let rules = rules.iter();
    rules.map(|rule| build(&rule.value).map_err(|error| error.at(rule.referenced))).collect()
}

fn field_names(
    object: &str,
    system: &[Field],
    parts: &Named<FieldPart>,
) -> Result<Names, SchemaError> {
    if parts.0.len() > MOST_FIELDS {
        let problem = format!("an object has at most {MOST_FIELDS} fields");
        return Err(SchemaError::meaning(object, problem));
    }
    let mut names = Names::default();
    for (place, field) in (0..).zip(system) {
        names.add(&field.name, place);
    }
    for (place, (name, part)) in (FieldId::SYSTEM..).zip(&parts.0) {
        if !names.add(name, place) {
            let place = format!("{object}.{name}");
            let error = SchemaError::meaning(place, "a field of that name exists already");
            return Err(error.at(part.referenced));
        }
    }
    Ok(names)
}

fn defaults(fields: &[Field]) -> Box<[Value]> {
    let kept = fields.iter().skip(usize::from(FieldId::SYSTEM));
    kept.map(|field| field.default.clone()).collect()
}

fn which(fields: &[Field], is: impl Fn(&Field) -> bool) -> Vec<FieldId> {
    let places = fields.iter().enumerate().filter(|(_, field)| is(field));
    places.map(|(at, _)| FieldId::at(at)).collect()
}

/// A duplicate rule looks for its first field.
fn indexed(fields: &[Field], duplicates: &[DuplicateRule]) -> Vec<FieldId> {
    let looked_for = duplicates.iter().filter_map(|rule| rule.fields.first().copied());
    joined(which(fields, Field::indexed), looked_for)
}

/// The first ones, and those of the others that are not among them.
fn joined(first: Vec<FieldId>, others: impl IntoIterator<Item = FieldId>) -> Vec<FieldId> {
    let mut all = first;
    for field in others {
        if !all.contains(&field) {
            all.push(field);
        }
    }
    all
}

fn relationships(object: &str, fields: &[Field]) -> Result<Names, SchemaError> {
    let mut names = Names::default();
    for (at, field) in (0..).zip(fields) {
        if let Some(reference) = field.reference()
            && !names.add(&reference.relationship, at)
        {
            let problem = format!("the relationship {:?} exists already", reference.relationship);
            return Err(SchemaError::meaning(format!("{object}.{}", field.name), problem));
        }
    }
    Ok(names)
}
