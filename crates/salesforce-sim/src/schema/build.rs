//! From the file to the rules: merges it with the standard objects and checks what it means.

use std::path::Path;

use super::build_field::{FieldContext, build_field};
use super::field::{Field, Source};
use super::file::{ActionPart, DuplicatePart, File, Named, ObjectPart, ValidationPart};
use super::label::{label_of, plural_of};
use super::names::Names;
use super::object::{Child, DuplicateAction, DuplicateRule, Object, ValidationRule, system_fields};
use super::settings::Latency;
use super::suggest::did_you_mean;
use super::{FieldId, ObjectId, Schema, SchemaError};
use crate::formula::Formula;

/// The objects that every org has.
pub const STANDARD: &str = include_str!("standard.yaml");

/// The rules that the text and the standard objects make together.
pub(super) fn build(text: &str, folder: &Path) -> Result<Schema, SchemaError> {
    // An empty document is a null to YAML; to a person it is a file that adds nothing.
    let file: Option<File> = serde_saphyr::from_str(text)?;
    let mut file = file.unwrap_or_default();
    let standard: File = serde_saphyr::from_str(STANDARD)?;
    file.org.complete(folder)?;
    let parts = merge(standard.objects, file.objects);
    let names = object_names(&parts)?;
    let prefixes = prefixes(&parts)?;
    let mut objects = Vec::with_capacity(parts.len());
    for ((name, part), prefix) in parts.into_iter().zip(prefixes) {
        objects.push(build_object(&name, part, prefix, &names)?);
    }
    link_children(&mut objects);
    Ok(Schema {
        org: file.org,
        limits: file.limits.build(),
        latency: Latency::build(&file.latency)?,
        locks: file.locks.build()?,
        objects,
        names,
    })
}

/// A field of the file stands in the place of the standard one; rules are added.
fn merge(standard: Named<ObjectPart>, file: Named<ObjectPart>) -> Vec<(String, ObjectPart)> {
    let mut parts = standard.0;
    for (name, part) in file.0 {
        let known = parts.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(&name));
        match known {
            None => parts.push((name, part)),
            Some((_, known)) if part.replace => {
                let prefix = part.prefix.or_else(|| known.prefix.take());
                *known = ObjectPart { prefix, ..part };
            }
            Some((_, known)) => add_to(known, part),
        }
    }
    parts
}

fn add_to(known: &mut ObjectPart, part: ObjectPart) {
    known.prefix = part.prefix.or_else(|| known.prefix.take());
    known.label = part.label.or_else(|| known.label.take());
    known.plural = part.plural.or_else(|| known.plural.take());
    known.read_only = part.read_only.or(known.read_only);
    for (name, field) in part.fields.0 {
        let old = known.fields.0.iter_mut().find(|(old, _)| old.eq_ignore_ascii_case(&name));
        match old {
            Some(old) => *old = (name, field),
            None => known.fields.0.push((name, field)),
        }
    }
    known.validation.extend(part.validation);
    known.duplicates.extend(part.duplicates);
    known.track.extend(part.track);
}

fn object_names(parts: &[(String, ObjectPart)]) -> Result<Names, SchemaError> {
    let mut names = Names::default();
    for (at, (name, _)) in (0..).zip(parts) {
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return Err(SchemaError::meaning(name, "expected a name of letters, digits and '_'"));
        }
        if !names.add(name, at) {
            return Err(SchemaError::meaning(name, "an object of that name exists already"));
        }
    }
    Ok(names)
}

/// The prefixes that the file gives; the other objects get `a10`, `a11` and so on, as in an org.
fn prefixes(parts: &[(String, ObjectPart)]) -> Result<Vec<[u8; 3]>, SchemaError> {
    let mut prefixes: Vec<[u8; 3]> = Vec::with_capacity(parts.len());
    let given: Vec<&str> = parts.iter().filter_map(|(_, part)| part.prefix.as_deref()).collect();
    let mut free =
        (10..100).map(|number| format!("a{number}")).filter(|made| !given.contains(&made.as_str()));
    for (name, part) in parts {
        let text = match &part.prefix {
            Some(prefix) => prefix.clone(),
            None => free
                .next()
                .ok_or_else(|| SchemaError::meaning(name, "no prefix is left; give one"))?,
        };
        let prefix = <[u8; 3]>::try_from(text.as_bytes())
            .ok()
            .filter(|prefix| prefix.iter().all(u8::is_ascii_alphanumeric))
            .ok_or_else(|| {
                let problem =
                    format!("prefix {text:?}: expected three letters or digits, such as \"a05\"");
                SchemaError::meaning(name, problem)
            })?;
        if prefixes.contains(&prefix) {
            let problem = format!("prefix {text:?} belongs to another object");
            return Err(SchemaError::meaning(name, problem));
        }
        prefixes.push(prefix);
    }
    Ok(prefixes)
}

fn build_object(
    name: &str,
    part: ObjectPart,
    prefix: [u8; 3],
    objects: &Names,
) -> Result<Object, SchemaError> {
    let label = part.label.unwrap_or_else(|| label_of(name));
    let user = objects.get("User").map(ObjectId);
    let user = user.ok_or_else(|| SchemaError::meaning("User", "an org has users"))?;
    let mut fields = system_fields(&label, user);
    let mut names = Names::default();
    let all = fields
        .iter()
        .map(|field| &*field.name)
        .chain(part.fields.0.iter().map(|(name, _)| name.as_str()));
    for (at, field) in (0..).zip(all) {
        if !names.add(field, at) {
            return Err(SchemaError::meaning(
                format!("{name}.{field}"),
                "a field of that name exists already",
            ));
        }
    }
    for (field, part) in &part.fields.0 {
        fields.push(build_field(
            part,
            &FieldContext { object: name, name: field, objects, fields: &names },
        )?);
    }
    let find = |place: &str, field: &str| find_field(&names, name, place, field);
    let relationships = relationships(name, &fields)?;
    let validation =
        part.validation.iter().map(|rule| build_validation(rule, name, &names, &relationships));
    let duplicates = part.duplicates.iter().map(|rule| build_duplicate(rule, name, &names));
    let duplicates = duplicates.collect::<Result<Vec<_>, _>>()?;
    let tracked = part.track.iter().map(|field| find("track", field));
    let tracked = tracked.collect::<Result<Vec<_>, _>>()?;
    Ok(Object {
        validation: validation.collect::<Result<_, _>>()?,
        indexed: indexed(&fields, &duplicates),
        duplicates,
        tracked: with_external_ids(&fields, tracked),
        required: which(&fields, |field| field.required),
        defaults: fields
            .iter()
            .skip(usize::from(FieldId::SYSTEM))
            .map(|field| field.default.clone())
            .collect(),
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

fn which(fields: &[Field], is: impl Fn(&Field) -> bool) -> Vec<FieldId> {
    let places = fields.iter().enumerate().filter(|(_, field)| is(field));
    places.map(|(at, _)| FieldId::at(at)).collect()
}

fn with_external_ids(fields: &[Field], tracked: Vec<FieldId>) -> Vec<FieldId> {
    let mut all = which(fields, |field| field.external_id);
    for field in tracked {
        if !all.contains(&field) {
            all.push(field);
        }
    }
    all
}

/// A duplicate rule looks for its first field.
fn indexed(fields: &[Field], duplicates: &[DuplicateRule]) -> Vec<FieldId> {
    let mut all = which(fields, Field::indexed);
    for first in duplicates.iter().filter_map(|rule| rule.fields.first()) {
        if !all.contains(first) {
            all.push(*first);
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

fn build_validation(
    rule: &ValidationPart,
    object: &str,
    names: &Names,
    relationships: &Names,
) -> Result<ValidationRule, SchemaError> {
    let place = format!("{object}.validation {}", rule.name);
    let when = Formula::parse(&rule.when)
        .map_err(|error| SchemaError::meaning(&*place, error.to_string()))?;
    for field in when.fields() {
        match field.split_once('.') {
            Some((relationship, _)) => find_field(relationships, object, &place, relationship)?,
            None => find_field(names, object, &place, field)?,
        };
    }
    let field = rule.field.as_ref().map(|field| find_field(names, object, &place, field));
    Ok(ValidationRule { when, message: rule.message.clone(), field: field.transpose()? })
}

fn build_duplicate(
    rule: &DuplicatePart,
    object: &str,
    names: &Names,
) -> Result<DuplicateRule, SchemaError> {
    let place = format!("{object}.duplicates {}", rule.name);
    if rule.fields.is_empty() {
        return Err(SchemaError::meaning(place, "expected at least one field to compare"));
    }
    let fields = rule.fields.iter().map(|field| find_field(names, object, &place, field));
    let action = match rule.action {
        ActionPart::Block => DuplicateAction::Block,
        ActionPart::Alert => DuplicateAction::Alert,
    };
    Ok(DuplicateRule {
        fields: fields.collect::<Result<_, _>>()?,
        action,
        message: rule.message.clone(),
    })
}

fn find_field(
    names: &Names,
    object: &str,
    place: &str,
    field: &str,
) -> Result<FieldId, SchemaError> {
    names.get(field).map(FieldId).ok_or_else(|| {
        let hint = did_you_mean(field, names.all());
        SchemaError::meaning(place, format!("{object} has no field {field:?}{hint}"))
    })
}

fn link_children(objects: &mut [Object]) {
    let mut links = Vec::new();
    for (at, object) in (0..).map(ObjectId).zip(&*objects) {
        for (field, definition) in object.fields() {
            // Who wrote a record is known to it without a look-up, and users are never deleted.
            let Some(reference) = definition.reference() else { continue };
            if definition.source == Source::Written {
                links.extend(reference.to.iter().map(|&to| (to, Child { object: at, field })));
            }
        }
    }
    for (to, child) in links {
        objects[usize::from(to.0)].children.push(child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Schema::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_standard_objects_have_the_fields_that_events_need() {
        let schema = Schema::standard().unwrap();
        for (object, fields) in [
            ("Contact", &["ExternalId__c", "FirstName", "LastName", "Email", "Family__c"][..]),
            ("Account", &["ExternalId__c", "Name"]),
            ("Block__c", &["ExternalId__c", "Type__c", "Family__c", "SystemModstamp"]),
            ("Family__c", &["ExternalId__c", "Version__c"]),
            ("User", &["Username", "Name"]),
            ("Organization", &["InstanceName", "IsSandbox"]),
        ] {
            let object = &schema[schema.object(object).unwrap()];
            for field in fields {
                assert!(object.field(field).is_some(), "{}.{field}", object.name);
            }
        }
        let contact = &schema[schema.object("contact").unwrap()];
        assert_eq!(contact.relationship("family__R"), contact.field("Family__c"));
        assert_eq!(contact.relationship("Account"), contact.field("AccountId"));
        let tracked = contact.tracked().iter().map(|&field| &*contact[field].name);
        assert_eq!(tracked.collect::<Vec<_>>(), ["ExternalId__c", "Version__c"]);
        let family = &schema[schema.object("Family__c").unwrap()];
        assert_eq!(family.children().len(), 2);
    }

    #[test]
    fn a_file_adds_to_a_standard_object_or_replaces_it() {
        let schema = Schema::parse(
            "objects:\n  Contact:\n    fields:\n      Colour__c: {type: string}\n      Email: {type: email, required: true}\n  \
             Block__c:\n    replace: true\n    fields: {Name: {type: string}}\n",
        )
        .unwrap();
        let contact = &schema[schema.object("Contact").unwrap()];
        assert!(contact.field("Colour__c").is_some() && contact.field("LastName").is_some());
        assert!(contact[contact.field("Email").unwrap()].required);
        let block = &schema[schema.object("Block__c").unwrap()];
        assert_eq!(block.prefix, *b"a01");
        assert!(block.field("Type__c").is_none());
    }

    #[test]
    fn an_empty_file_is_the_standard() {
        assert!(Schema::parse("").is_ok());
        assert!(Schema::parse("# nothing yet\n").is_ok());
    }

    #[test]
    fn an_unknown_key_says_where_and_what_was_meant() {
        let text =
            error("objects:\n  Contact:\n    fields:\n      A__c: {type: string, requird: true}\n");
        assert!(text.starts_with("line 4, column "), "{text}");
        assert!(text.contains("unknown key \"requird\"; did you mean \"required\"?"), "{text}");
        let text = error("limits:\n  daily_request: 5\n");
        assert!(text.starts_with("line 2, column "), "{text}");
        assert!(text.contains("did you mean \"daily_requests\"?"), "{text}");
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_words() {
        let field = |field: &str| format!("objects: {{X__c: {{fields: {{A__c: {field}}}}}}}");
        for (text, words) in [
            (field("{type: strin}"), "did you mean \"string\"?"),
            (field("{type: reference}"), "X__c.A__c: a reference needs `to`"),
            (
                field("{type: reference, to: Acount}"),
                "no object \"Acount\"; did you mean \"Account\"?",
            ),
            (field("{type: string, values: [a]}"), "`values` is for picklists"),
            (field("{type: boolean, length: 4}"), "`length` is for texts"),
            (field("{type: double, precision: 2, scale: 3}"), "more digits after the point"),
            (field("{type: picklist, restricted: true}"), "a restricted picklist needs `values`"),
            (field("{type: boolean, external_id: true}"), "cannot be an external id"),
            (field("{type: int, default: many}"), "default"),
            (field("{type: string, joins: [B__c]}"), "no field \"B__c\""),
            ("objects: {X__c: {prefix: \"003\"}}".to_owned(), "belongs to another object"),
            ("objects: {X__c: {prefix: \"a\"}}".to_owned(), "three letters or digits"),
            ("objects: {Contact: {track: [Versio__c]}}".to_owned(), "did you mean \"Version__c\"?"),
            ("objects: {Contact: {fields: {ID: {type: string}}}}".to_owned(), "exists already"),
            (
                "objects: {Contact: {validation: [{name: r, when: 'ISBLANK(Emai)', message: m}]}}"
                    .to_owned(),
                "did you mean \"Email\"?",
            ),
            (
                "objects: {Contact: {validation: [{name: r, when: 'AND(', message: m}]}}"
                    .to_owned(),
                "Contact.validation r",
            ),
            (
                "org: {apps: [{client_id: a, user: nobody@example.com}]}".to_owned(),
                "nobody@example.com",
            ),
            ("limits: {session: soon}".to_owned(), "is no length of time"),
            ("latency: {rest: {uniform: [2s, 1s]}}".to_owned(), "latency.rest"),
        ] {
            let error = error(&text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
