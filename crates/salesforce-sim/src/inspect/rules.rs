//! The rules of the org, as they were understood.

use serde_json::{Map, Value as Json, json};

use crate::schema::{Field, Kind, Object, Schema};
use crate::server::answer::Answer;

/// `/__sim/schema`.
pub(crate) fn answer(schema: &Schema) -> Answer {
    let objects: Map<String, Json> =
        schema.objects().map(|(_, object)| (object.name.clone(), show_object(object))).collect();
    let users: Vec<&str> = schema.org.users.iter().map(|user| user.username.as_str()).collect();
    let apps: Vec<&str> = schema.org.apps.iter().map(|app| app.client_id.as_str()).collect();
    Answer::json(200, json!({ "objects": objects, "users": users, "apps": apps }))
}

fn show_object(object: &Object) -> Json {
    let fields: Map<String, Json> =
        object.fields().map(|(_, field)| (field.name.to_string(), show_field(field))).collect();
    let tracked: Vec<&str> = object.tracked().iter().map(|&field| &*object[field].name).collect();
    json!({ "prefix": String::from_utf8_lossy(&object.prefix), "fields": fields, "track": tracked })
}

fn show_field(field: &Field) -> Json {
    let mut shown = json!({
        "type": field.kind.name(),
        "required": field.required,
        "unique": field.unique,
        "externalId": field.external_id,
    });
    match &field.kind {
        Kind::Text { length, .. } => shown["length"] = json!(length),
        Kind::Picklist { values, restricted, .. } => {
            shown["values"] = json!(values);
            shown["restricted"] = json!(restricted);
        }
        _ => {}
    }
    shown
}
