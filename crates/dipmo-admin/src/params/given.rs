//! What was said, field by field.

use std::collections::HashMap;
use std::str::FromStr;

use dipmo_domain::Timestamp;
use serde_json::{Map, Value};

use super::{Field, Kind};
use crate::problem::Problem;

/// So many words one field may have.
pub(super) const MOST_WORDS: usize = 50;

/// What was said; every name is one of the fields.
#[derive(Debug)]
pub(crate) struct Given {
    fields: Vec<&'static Field>,
    pairs: Vec<(String, String)>,
}

impl Given {
    /// Takes what was said, unless something of it cannot be.
    pub(crate) fn new(
        fields: Vec<&'static Field>,
        pairs: Vec<(String, String)>,
    ) -> Result<Self, Problem> {
        let given = Self { fields, pairs };
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (name, value) in &given.pairs {
            let Some(field) = given.fields.iter().find(|field| field.name == *name) else {
                let names: Vec<&str> = given.fields.iter().map(|field| field.name).collect();
                let allowed = match names.as_slice() {
                    [] => "there are no parameters here".to_owned(),
                    names => format!("the parameters are {}", names.join(", ")),
                };
                return Err(Problem::parameter(name, "is not known here", allowed));
            };
            let is_words = matches!(field.kind, Kind::Words(_));
            let count = counts.entry(name).or_default();
            *count += if is_words { value.split(',').count() } else { 1 };
            if !is_words && *count > 1 {
                return Err(Problem::parameter(name, "is there twice", "say it once"));
            }
            if *count > MOST_WORDS {
                let allowed = format!("say at most {MOST_WORDS}");
                return Err(Problem::parameter(name, "has too many words", allowed));
            }
            // PostgreSQL keeps no NUL, and so nothing with one could be found.
            if value.is_empty() || value.contains('\0') {
                return Err(wrong(field));
            }
        }
        Ok(given)
    }

    /// The same of an object: texts, numbers, flags, and lists of texts. What is there and says nothing is refused:
    /// whoever wrote it meant something.
    pub(crate) fn from_json(
        fields: Vec<&'static Field>,
        said: &Map<String, Value>,
    ) -> Result<Self, Problem> {
        let mut pairs = Vec::new();
        for (name, value) in said {
            let values = match value {
                Value::Array(values) => values.as_slice(),
                other => std::slice::from_ref(other),
            };
            if values.is_empty() || value.is_null() {
                let allowed = "leave it out, or say what it is to be";
                return Err(Problem::parameter(name, "says nothing", allowed));
            }
            let field = fields.iter().find(|field| field.name == name);
            for value in values {
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Number(_) | Value::Bool(_)
                        if field.is_none_or(|field| field.kind.can_be_written_as(value)) =>
                    {
                        value.to_string()
                    }
                    _ => return Err(Problem::parameter(name, "is no text", "one text, or a list")),
                };
                pairs.push((name.clone(), text));
            }
        }
        Self::new(fields, pairs)
    }

    /// What was said of these fields, with commas between words.
    pub(crate) fn said(&self, fields: &[&Field]) -> Map<String, Value> {
        let values = |name: &str| {
            let said = self.pairs.iter().filter(|(known, _)| known == name);
            said.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(",")
        };
        let said = fields.iter().map(|field| (field.name.to_owned(), values(field.name)));
        said.filter(|(_, value)| !value.is_empty()).map(|(name, it)| (name, it.into())).collect()
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.one(name).map(str::to_owned)
    }

    /// A flag; false when nothing was said.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Problem> {
        Ok(self.parsed(name, |text| text.parse().ok())?.unwrap_or(false))
    }

    /// A number within its bounds.
    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>, Problem> {
        let bounds = match self.field(name).map(|field| field.kind) {
            Some(Kind::Number(least, most)) => least..=most,
            _ => i64::MIN..=i64::MAX,
        };
        self.parsed(name, |text| text.parse().ok().filter(|number| bounds.contains(number)))
    }

    /// A point in time.
    pub(crate) fn time(&self, name: &str) -> Result<Option<Timestamp>, Problem> {
        self.parsed(name, Timestamp::from_rfc3339)
    }

    /// Something that is written as text.
    pub(crate) fn parsed<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let parse = |text: &str| parse(text).ok_or_else(|| self.wrong(name));
        self.one(name).map(parse).transpose()
    }

    /// Some words.
    pub(crate) fn words<T: FromStr>(&self, name: &str) -> Result<Vec<T>, Problem> {
        let said = self.pairs.iter().filter(|(known, _)| known == name);
        let words = said.flat_map(|(_, value)| value.split(','));
        words.map(|word| word.trim().parse().map_err(|_| self.wrong(name))).collect()
    }

    fn one(&self, name: &str) -> Option<&str> {
        let (_, value) = self.pairs.iter().find(|(known, _)| known == name)?;
        Some(value)
    }

    fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name).copied()
    }

    fn wrong(&self, name: &str) -> Problem {
        self.field(name).map_or_else(|| Problem::parameter(name, "cannot be", ""), wrong)
    }
}

fn wrong(field: &Field) -> Problem {
    let allowed = field.kind.allowed();
    Problem::parameter(field.name, &format!("is not {allowed}"), format!("say {allowed}"))
}

#[cfg(test)]
mod tests {
    use dipmo_domain::InboxStatus;
    use serde_json::json;

    use super::*;

    const FIELDS: [Field; 5] = [
        Field { name: "status", about: "", kind: Kind::Words(&["FAILED", "RETRY"]) },
        Field { name: "topic", about: "", kind: Kind::Text },
        Field { name: "limit", about: "", kind: Kind::Number(1, 500) },
        Field { name: "since", about: "", kind: Kind::Time },
        Field { name: "all", about: "", kind: Kind::Flag },
    ];

    fn given(query: &str) -> Result<Given, Problem> {
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        Given::new(FIELDS.iter().collect(), pairs)
    }

    #[test]
    fn words_are_repeated_or_separated_by_commas() {
        let said = given("status=FAILED&topic=a%20b&status=RETRY,FAILED").unwrap();
        let failed = InboxStatus::Failed;
        assert_eq!(said.words("status").as_deref(), Ok(&[failed, InboxStatus::Retry, failed][..]));
        assert_eq!(said.text("topic").as_deref(), Some("a b"));
        assert_eq!(said.flag("all"), Ok(false));
    }

    #[test]
    fn what_cannot_be_names_its_parameter_and_what_can() {
        let said = given("status=GONE&limit=501&since=yesterday&all=1").unwrap();
        let details = [
            said.words::<InboxStatus>("status").err(),
            said.number("limit").err(),
            said.time("since").err(),
            said.flag("all").err(),
            given("colour=red").err(),
            given("topic=a&topic=b").err(),
            given("topic=").err(),
            given("topic=a%00b").err(),
        ];
        let details = details.map(|problem| problem.unwrap().document());
        for (document, part) in details.iter().zip([
            "the parameter status is not any of FAILED, RETRY",
            "the parameter limit is not a whole number from 1 to 500",
            "the parameter since is not a time with an offset",
            "the parameter all is not true or false",
            "the parameters are status, topic, limit, since, all",
            "the parameter topic is there twice",
            "the parameter topic is not a text that is not empty",
            "the parameter topic is not a text that is not empty",
        ]) {
            assert!(document.contains(part), "{document}: {part}");
        }
    }

    #[test]
    fn an_object_says_the_same() {
        let said = json!({"status": ["FAILED", "RETRY"], "limit": 7, "all": true});
        let said = Given::from_json(FIELDS.iter().collect(), said.as_object().unwrap()).unwrap();
        assert_eq!(said.words::<InboxStatus>("status").unwrap().len(), 2);
        assert_eq!((said.number("limit"), said.flag("all")), (Ok(Some(7)), Ok(true)));
        assert_eq!(said.text("topic"), None);
        for wrong in [
            json!({"topic": {"is": "deep"}}),
            json!({"topic": false}),
            json!({"topic": 7}),
            json!({"limit": true}),
            json!({"all": 1}),
        ] {
            let said = Given::from_json(FIELDS.iter().collect(), wrong.as_object().unwrap());
            assert!(said.is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_there_and_says_nothing_is_refused() {
        for said in [json!({"topic": null}), json!({"status": []}), json!({"colour": null})] {
            let said = Given::from_json(FIELDS.iter().collect(), said.as_object().unwrap());
            assert!(said.unwrap_err().detail().ends_with("says nothing"));
        }
        assert!(given("status=RETRY,").unwrap().words::<InboxStatus>("status").is_err());
    }

    #[test]
    fn words_are_bounded_however_they_are_said() {
        assert!(given(&"&status=RETRY".repeat(50)).is_ok());
        assert!(given(&"&status=RETRY".repeat(51)).is_err());
        assert!(given(&format!("status=RETRY{}", ",RETRY".repeat(50))).is_err());
    }

    #[test]
    fn what_was_said_can_be_told_again() {
        let said = given("status=FAILED&limit=7&status=RETRY&topic=a").unwrap();
        let told = said.said(&[&FIELDS[0], &FIELDS[1], &FIELDS[3]]);
        assert_eq!(Value::Object(told), json!({"status": "FAILED,RETRY", "topic": "a"}));
    }
}
