//! Whether the orgs are as the mappings say.

use std::collections::BTreeMap;

use dipmo_domain::{Code, Coded};
use dipmo_salesforce::{Class, Client, Description, Error, FieldDescription};
use thiserror::Error as ThisError;

use crate::mapping::field::parent;
use crate::mapping::{ObjectMapping, State, nearest};
use crate::org::OrgContext;
use crate::publisher::SalesforcePublisher;

/// Something that an org would refuse.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[error("org {org:?}, {object}{at}: {problem}", at = .field.as_ref().map(|field| format!(", {field}")).unwrap_or_default())]
pub struct MappingProblem {
    /// The org, as figures name it.
    pub org: String,
    /// The object.
    pub object: String,
    /// The field, where it is about one.
    pub field: Option<String>,
    /// What is wrong, and what was probably meant.
    pub problem: String,
    code: Code,
}

impl Coded for MappingProblem {
    fn code(&self) -> Code {
        self.code
    }
}

impl SalesforcePublisher {
    /// Asks every org whether it has the objects and fields of its mappings: a few calls for each
    /// object. Nothing is stopped by what is found.
    pub async fn check(&self) -> Vec<MappingProblem> {
        let mut problems = Vec::new();
        let mut orgs: BTreeMap<&str, Inspector<'_>> = BTreeMap::new();
        for context in self.objects() {
            let inspector = orgs.entry(&context.org).or_insert_with(|| Inspector::of(context));
            inspector.check(&context.mapping, &mut problems).await;
        }
        problems
    }
}

/// Looks at one org. What it could not be asked is said once.
struct Inspector<'a> {
    org: &'a str,
    client: &'a Client,
    known: BTreeMap<String, Option<Description>>,
    unable: bool,
}

/// A mapping of a record or of its children, as far as the org is concerned.
struct Wanted<'a> {
    object: &'a str,
    external_id: &'a str,
    fields: Vec<&'a str>,
    /// Whether it may make records.
    whole: bool,
}

impl<'a> Inspector<'a> {
    fn of(context: &'a OrgContext) -> Self {
        Self { org: &context.org, client: &context.client, known: BTreeMap::new(), unable: false }
    }

    async fn check(&mut self, mapping: &ObjectMapping, problems: &mut Vec<MappingProblem>) {
        let whole = mapping.state == State::Full;
        let (object, external_id) = (&*mapping.object, &*mapping.external_id);
        let fields = mapping.columns().split_off(1);
        self.check_one(&Wanted { object, external_id, fields, whole }, problems).await;
        for child in &mapping.children {
            let (object, external_id) = (&*child.object, &*child.external_id);
            let mapped = child.fields.iter().map(|mapping| mapping.field.as_str());
            let fields = mapped.chain([child.parent.as_str()]).collect();
            self.check_one(&Wanted { object, external_id, fields, whole: true }, problems).await;
        }
    }

    async fn check_one(&mut self, wanted: &Wanted<'_>, problems: &mut Vec<MappingProblem>) {
        let Some(described) = self.describe(wanted.object, problems).await else { return };
        let object = wanted.object;
        match described.field(wanted.external_id) {
            None => problems.push(self.no_field(&described, wanted.external_id)),
            Some(field) if !field.external_id => {
                let code = Code::new("salesforce-external-id-invalid");
                let problem = "it is no external id, so that nothing can be upserted by it";
                problems.push(self.problem(code, object, Some(wanted.external_id), problem));
            }
            Some(_) => {}
        }
        for field in &wanted.fields {
            self.check_field(&described, field, problems).await;
        }
        for field in described.fields.iter().filter(|field| wanted.whole && field.required()) {
            if !wanted.fills(field) {
                let code = Code::new("salesforce-required-unmapped");
                let problem = "a new record needs it, and the mapping does not fill it";
                problems.push(self.problem(code, object, Some(&field.name), problem));
            }
        }
    }

    async fn check_field(
        &mut self,
        described: &Description,
        name: &str,
        problems: &mut Vec<MappingProblem>,
    ) {
        let Some((relationship, key)) = parent(name) else {
            match described.field(name) {
                None => problems.push(self.no_field(described, name)),
                Some(field) if !field.createable && !field.updateable => {
                    let code = Code::new("salesforce-field-read-only");
                    let problem = "the user of the org may not write it";
                    problems.push(self.problem(code, &described.name, Some(name), problem));
                }
                Some(_) => {}
            }
            return;
        };
        let Some(lookup) = described.relationship(relationship) else {
            return problems.push(self.no_relationship(described, relationship, name));
        };
        let Some(object) = lookup.reference_to.first() else { return };
        let Some(parent) = self.describe(object, problems).await else { return };
        if !parent.field(key).is_some_and(|field| field.external_id) {
            let code = Code::new("salesforce-external-id-invalid");
            let problem = format!("{key} is no external id of {object}");
            problems.push(self.problem(code, &described.name, Some(name), &problem));
        }
    }

    /// What the org says of an object; asked once.
    async fn describe(
        &mut self,
        object: &str,
        problems: &mut Vec<MappingProblem>,
    ) -> Option<Description> {
        if let Some(known) = self.known.get(object) {
            return known.clone();
        }
        if self.unable {
            return None;
        }
        let described = match self.client.describe(object).await {
            Ok(described) => Some(described),
            Err(error) => {
                problems.push(self.not_described(object, &error));
                None
            }
        };
        self.known.insert(object.to_owned(), described.clone());
        described
    }

    fn not_described(&mut self, object: &str, error: &Error) -> MappingProblem {
        if error.class() == Class::Misconfigured && error.code() == "NOT_FOUND" {
            let code = Code::new("salesforce-object-unknown");
            let problem = "the org has no such object, or its user may not see it";
            return self.problem(code, object, None, problem);
        }
        self.unable = true;
        let problem = format!("the org could not be asked: {error}");
        self.problem(Code::new("salesforce-check-failed"), object, None, &problem)
    }

    fn no_field(&self, described: &Description, name: &str) -> MappingProblem {
        let near = nearest(name, described.fields.iter().map(|field| field.name.as_str()));
        self.unknown(described, name, near)
    }

    fn no_relationship(
        &self,
        described: &Description,
        relationship: &str,
        name: &str,
    ) -> MappingProblem {
        let known = described.fields.iter().filter_map(|field| field.relationship_name.as_deref());
        self.unknown(described, name, nearest(relationship, known))
    }

    fn unknown(&self, described: &Description, name: &str, near: Option<&str>) -> MappingProblem {
        let meant = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        let problem = format!("the object has no such field, or the user may not see it{meant}");
        let code = Code::new("salesforce-field-unknown");
        self.problem(code, &described.name, Some(name), &problem)
    }

    fn problem(
        &self,
        code: Code,
        object: &str,
        field: Option<&str>,
        problem: &str,
    ) -> MappingProblem {
        MappingProblem {
            org: self.org.to_owned(),
            object: object.to_owned(),
            field: field.map(str::to_owned),
            problem: problem.to_owned(),
            code,
        }
    }
}

impl Wanted<'_> {
    /// Whether a field is filled, by itself or by a relationship.
    fn fills(&self, field: &FieldDescription) -> bool {
        let named = |name: &&str| match parent(name) {
            None => name.eq_ignore_ascii_case(&field.name),
            Some((relationship, _)) => field
                .relationship_name
                .as_ref()
                .is_some_and(|known| known.eq_ignore_ascii_case(relationship)),
        };
        self.external_id.eq_ignore_ascii_case(&field.name) || self.fields.iter().any(named)
    }
}
