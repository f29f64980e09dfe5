//! What a query selects, without its records: `query?q=…&columns=true`, with which the official CLI
//! learns the headings of its table.

use serde_json::{Value as Json, json};

use super::Outcome;
use super::select::Shape;
use crate::schema::{Field, FieldId, Kind, Schema};

impl Outcome {
    /// The answer to such a call.
    pub(crate) fn columns(&self, schema: &Schema) -> Json {
        let Outcome::Records(found) = self else { return json!({ "columnMetadata": [] }) };
        let object = &schema[found.shape.object];
        json!({
            "columnMetadata": columns(schema, &found.shape),
            "entityName": object.name,
            "groupBy": false,
            "idSelected": found.shape.fields.contains(&FieldId::ID),
            "keyPrefix": String::from_utf8_lossy(&object.prefix),
        })
    }
}

fn columns(schema: &Schema, shape: &Shape) -> Vec<Json> {
    let object = &schema[shape.object];
    let own = shape.fields.iter().map(|field| {
        let field = &object[*field];
        column(&field.name, field, object.writable && field.writable(), &[])
    });
    let parents = shape.parents.iter().filter_map(|(reference, parent)| {
        let field = &object[*reference];
        let relationship = &field.reference()?.relationship;
        Some(column(relationship, field, false, &columns(schema, parent)))
    });
    own.chain(parents).collect()
}

/// A column that is a parent has columns of its own, and names the look-up that leads to it.
fn column(name: &str, field: &Field, is_writable: bool, of_parent: &[Json]) -> Json {
    let foreign_key = (!of_parent.is_empty()).then_some(&*field.name);
    json!({
        "aggregate": false,
        "apexType": apex_type(&field.kind),
        "booleanType": matches!(field.kind, Kind::Boolean),
        "columnName": name,
        "custom": field.name.ends_with("__c"),
        "displayName": name,
        "foreignKeyName": foreign_key,
        "insertable": is_writable,
        "joinColumns": of_parent,
        "numberType": matches!(field.kind, Kind::Number { .. }),
        "textType": matches!(field.kind, Kind::Text { .. } | Kind::Picklist { .. }),
        "updatable": is_writable,
    })
}

fn apex_type(kind: &Kind) -> &'static str {
    match kind.soap_name() {
        "tns:ID" => "Id",
        "xsd:boolean" => "Boolean",
        "xsd:date" => "Date",
        "xsd:dateTime" => "Datetime",
        "xsd:int" => "Integer",
        "xsd:double" => "Double",
        _ => "String",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use crate::data::fixture::Fixture;
    use crate::data::request::Method;

    fn ask(query: &str) -> Json {
        let mut fixture = Fixture::new("{}");
        let url = format!("/services/data/v62.0/query?columns=true&q={query}");
        fixture.ask_with(Method::Get, &url, None, &[]).body.unwrap()
    }

    #[test]
    fn columns_are_told_without_records() {
        let answer = ask("SELECT+Id,LastName,Account.Name+FROM+Contact");
        assert_eq!(
            (&answer["entityName"], &answer["keyPrefix"]),
            (&json!("Contact"), &json!("003"))
        );
        assert_eq!((&answer["idSelected"], answer.get("records")), (&json!(true), None));
        let [id, name, account] = &answer["columnMetadata"].as_array().unwrap()[..] else {
            panic!("{answer}");
        };
        assert_eq!((&id["columnName"], &id["apexType"]), (&json!("Id"), &json!("Id")));
        assert_eq!((&id["updatable"], &name["updatable"]), (&json!(false), &json!(true)));
        assert_eq!((&name["textType"], &name["joinColumns"]), (&json!(true), &json!([])));
        assert_eq!(account["columnName"], "Account");
        assert_eq!(account["foreignKeyName"], "AccountId");
        assert_eq!(account["joinColumns"][0]["columnName"], "Name");
    }

    #[test]
    fn a_count_has_no_columns_and_a_wrong_query_is_refused() {
        assert_eq!(ask("SELECT+COUNT()+FROM+Contact"), json!({ "columnMetadata": [] }));
        assert_eq!(ask("SELECT+Nothing+FROM+Contact")[0]["errorCode"], "INVALID_FIELD");
    }
}
