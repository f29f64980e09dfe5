//! From the file to the rules: merges it with the standard objects and checks what it means.

use std::path::Path;

use serde_saphyr::Spanned;

use super::build_object::build_object;
use super::field::Source;
use super::file::{File, Named, ObjectPart};
use super::names::Names;
use super::object::{Child, Object};
use super::settings::Latency;
use super::{ObjectId, Schema, SchemaError};

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
        let line = part.referenced;
        let object = build_object(&name, part.value, prefix, &names);
        objects.push(object.map_err(|error| error.at(line))?);
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

/// The objects of both files, by name.
type Parts = Vec<(String, Spanned<ObjectPart>)>;

/// A field of the file stands in the place of the standard one; rules are added.
fn merge(standard: Named<ObjectPart>, file: Named<ObjectPart>) -> Parts {
    let mut parts = standard.0;
    for (name, part) in file.0 {
        let known = parts.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(&name));
        let Some((_, known)) = known else {
            parts.push((name, part));
            continue;
        };
        // What is wrong with it now is wrong in the file.
        known.referenced = part.referenced;
        if part.value.replace {
            let prefix = part.value.prefix.or_else(|| known.value.prefix.take());
            known.value = ObjectPart { prefix, ..part.value };
        } else {
            add_to(&mut known.value, part.value);
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

fn object_names(parts: &Parts) -> Result<Names, SchemaError> {
    let mut names = Names::default();
    for (place, (name, part)) in (0..).zip(parts) {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || !name.bytes().all(fits) {
            let error = SchemaError::meaning(name, "expected a name of letters, digits and '_'");
            return Err(error.at(part.referenced));
        }
        names.add(name, place);
    }
    Ok(names)
}

/// The prefixes that the file gives; the other objects get `a10`, `a11` and so on, as in an org.
fn prefixes(parts: &Parts) -> Result<Vec<[u8; 3]>, SchemaError> {
    let given: Vec<_> = parts.iter().filter_map(|(_, part)| part.value.prefix.as_deref()).collect();
    let made = (10..100).map(|number| format!("a{number}"));
    let mut free = made.filter(|made| !given.contains(&made.as_str()));
    let mut prefixes = Vec::with_capacity(parts.len());
    for (name, part) in parts {
        let text = part.value.prefix.clone().or_else(|| free.next());
        let prefix = text.ok_or_else(|| "no prefix is left; give one".to_owned());
        let prefix = prefix.and_then(|text| check_prefix(&text, &prefixes));
        prefixes.push(
            prefix.map_err(|problem| SchemaError::meaning(name, problem).at(part.referenced))?,
        );
    }
    Ok(prefixes)
}

fn check_prefix(text: &str, taken: &[[u8; 3]]) -> Result<[u8; 3], String> {
    match <[u8; 3]>::try_from(text.as_bytes()) {
        Ok(prefix) if taken.contains(&prefix) => {
            Err(format!("prefix {text:?} belongs to another object"))
        }
        Ok(prefix) if prefix.iter().all(u8::is_ascii_alphanumeric) => Ok(prefix),
        Ok(_) | Err(_) => {
            Err(format!("prefix {text:?}: expected three letters or digits, such as \"a05\""))
        }
    }
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
    fn what_is_wrong_with_a_definition_has_a_line_too() {
        for (text, line) in [
            (
                "objects:\n  Contact:\n    fields:\n      A__c:\n        type: reference\n",
                "line 5: ",
            ),
            ("objects:\n  Contact:\n    track: [Nothing__c]\n", "line 3: "),
            ("objects:\n  X__c:\n    label: X\n    prefix: toolong\n", "line 3: "),
            (
                "objects:\n  Contact:\n    duplicates:\n      - {name: d, fields: [Name], action: block}\n",
                "line 4: ",
            ),
        ] {
            let error = error(text);
            assert!(error.starts_with(line), "{text}: {error}");
        }
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
            (
                "objects: {Contact: {track: [CreatedDate]}}".to_owned(),
                "clients do not write \"CreatedDate\"",
            ),
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
            (
                "latency: {bulk.bach: {fixed: 1s}}".to_owned(),
                "latency.bulk.bach: there is no such API; did you mean \"bulk.batch\"?",
            ),
            ("org: {id: 005000000000000}".to_owned(), "is no id that begins with 00D"),
        ] {
            let error = error(&text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
