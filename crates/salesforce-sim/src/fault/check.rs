//! Rules that could never fire: each is a mistake of the test, which would wait in vain for it.

use crate::bulk::is_operation;
use crate::data::request::Method;
use crate::fault::code;
use crate::fault::rule::{Fault, Rule, Subject, When};
use crate::schema::Schema;
use crate::server::api::Api;

/// The families whose calls name an object, or a job that has one.
const WITH_OBJECT: [Api; 8] = [
    Api::Describe,
    Api::Sobject,
    Api::Collections,
    Api::BulkUpload,
    Api::BulkClose,
    Api::BulkPoll,
    Api::BulkResults,
    Api::BulkDelete,
];

/// The families that write rows; those of a job belong to the call that closed it.
const WITH_ROWS: [Api; 5] =
    [Api::Sobject, Api::Collections, Api::Composite, Api::Graph, Api::BulkClose];

impl Rule {
    /// What is wrong with it, if anything.
    pub(super) fn problem(&self, schema: &Schema) -> Option<String> {
        self.unknown_name(schema)
            .or_else(|| self.useless_number())
            .or_else(|| self.wrong_fault())
            .or_else(|| self.useless_condition())
            .or_else(|| self.wrong_family())
    }

    fn unknown_name(&self, schema: &Schema) -> Option<String> {
        let When { api, method, object, operation, .. } = &self.when;
        if let Some(name) = api
            && !Api::is_known(name)
        {
            let names = Api::ALL.map(Api::name).join(", ");
            return Some(format!("there is no api {name:?}; there are rest, bulk, {names}"));
        }
        if let Some(name) = method
            && name.to_ascii_uppercase().parse::<Method>().is_err()
        {
            return Some(format!("there is no method {name:?}"));
        }
        if let Some(name) = object
            && schema.object(name).is_none()
        {
            return Some(format!("there is no object {name:?} in the schema"));
        }
        let name = operation.as_deref().filter(|name| !is_operation(name))?;
        Some(format!("there is no operation {name:?}"))
    }

    fn useless_number(&self) -> Option<String> {
        if self.times == Some(0) {
            return Some("it is to fire 0 times".to_owned());
        }
        let probability = self.probability.filter(|chance| !(*chance > 0.0 && *chance <= 1.0))?;
        Some(format!("the probability {probability} is not above 0 and at most 1"))
    }

    fn wrong_fault(&self) -> Option<String> {
        match &self.fault {
            Fault::RowRefusal { code, .. } if code::known(code).is_none() => {
                Some(format!("Salesforce refuses no row with {code:?}"))
            }
            Fault::Refuse { status, .. } if !(400..600).contains(status) => {
                Some(format!("the status {status} refuses nothing"))
            }
            // The token endpoint has words of its own.
            Fault::Refuse { code, .. }
                if !self.is_of(Api::Oauth) && code::known(code).is_none() =>
            {
                Some(format!("Salesforce refuses no call with {code:?}"))
            }
            fault if self.is_of(Api::Oauth) && fault.is_of_data() => {
                Some(format!("{:?} never happens to who logs in", fault.kind()))
            }
            _ => None,
        }
    }

    fn useless_condition(&self) -> Option<String> {
        let When { api, method, path, operation, keys, .. } = &self.when;
        let subject = self.fault.subject();
        let useless = [
            ("api", api.is_some() && subject == Subject::Job),
            ("method", method.is_some() && subject != Subject::Call),
            ("path", path.is_some() && subject != Subject::Call),
            ("operation", operation.is_some() && subject != Subject::Job),
            ("keys", !keys.is_empty() && subject != Subject::Row),
        ];
        let (name, _) = useless.into_iter().find(|(_, given)| *given)?;
        Some(format!("{name:?} says nothing about what {:?} happens to", self.fault.kind()))
    }

    fn wrong_family(&self) -> Option<String> {
        let name = self.when.api.as_deref()?;
        let is_among = |families: &[Api]| families.iter().any(|api| api.is_called(name));
        match self.fault.subject() {
            Subject::Row if !is_among(&WITH_ROWS) => {
                Some(format!("no call of {name:?} writes a row"))
            }
            // A tree of records is the one exception in composite; its path tells it better.
            Subject::Call if self.when.object.is_some() && !is_among(&WITH_OBJECT) => {
                Some(format!("calls of {name:?} are not known by an object, but by their \"path\""))
            }
            _ => None,
        }
    }

    fn is_of(&self, api: Api) -> bool {
        self.when.api.as_deref() == Some(api.name())
    }
}
