//! The rules of an object in the file: their formulas and the fields that they name.

use super::field::{Field, Source};
use super::file::{ActionPart, DuplicatePart, ValidationPart};
use super::names::Names;
use super::object::{DuplicateAction, DuplicateRule, ValidationRule};
use super::suggest::did_you_mean;
use super::{FieldId, SchemaError};
use crate::formula::Formula;

/// The object that the rules are about.
pub(super) struct RuleContext<'a> {
    pub(super) object: &'a str,
    pub(super) fields: &'a [Field],
    pub(super) names: &'a Names,
    pub(super) relationships: &'a Names,
}

impl RuleContext<'_> {
    pub(super) fn validation(&self, rule: &ValidationPart) -> Result<ValidationRule, SchemaError> {
        let place = format!("{}.validation {}", self.object, rule.name);
        let when = Formula::parse(&rule.when)
            .map_err(|error| SchemaError::meaning(&*place, error.to_string()))?;
        for field in when.fields() {
            match field.split_once('.') {
                Some((parent, _)) => self.find(self.relationships, &place, parent)?,
                None => self.find(self.names, &place, field)?,
            };
        }
        let field = rule.field.as_ref().map(|field| self.find(self.names, &place, field));
        Ok(ValidationRule { when, message: rule.message.clone(), field: field.transpose()? })
    }

    pub(super) fn duplicate(&self, rule: &DuplicatePart) -> Result<DuplicateRule, SchemaError> {
        let place = format!("{}.duplicates {}", self.object, rule.name);
        if rule.fields.is_empty() {
            return Err(SchemaError::meaning(place, "expected at least one field to compare"));
        }
        let fields = rule.fields.iter().map(|field| self.find_written(&place, field));
        let action = match rule.action {
            ActionPart::Block => DuplicateAction::Block,
            ActionPart::Alert => DuplicateAction::Alert,
        };
        let message = rule.message.clone();
        Ok(DuplicateRule { fields: fields.collect::<Result<_, _>>()?, action, message })
    }

    pub(super) fn tracked(&self, field: &str) -> Result<FieldId, SchemaError> {
        self.find_written(&format!("{}.track", self.object), field)
    }

    fn find(&self, names: &Names, place: &str, field: &str) -> Result<FieldId, SchemaError> {
        names.get(field).map(FieldId).ok_or_else(|| {
            let hint = did_you_mean(field, names.all());
            SchemaError::meaning(place, format!("{} has no field {field:?}{hint}", self.object))
        })
    }

    /// A field that records keep as it was written; others have nothing to compare.
    fn find_written(&self, place: &str, name: &str) -> Result<FieldId, SchemaError> {
        let field = self.find(self.names, place, name)?;
        match self.fields.get(usize::from(field.0)) {
            Some(definition) if definition.source == Source::Written => Ok(field),
            Some(_) | None => {
                let problem =
                    format!("clients do not write {name:?}; name the fields that they do");
                Err(SchemaError::meaning(place, problem))
            }
        }
    }
}
