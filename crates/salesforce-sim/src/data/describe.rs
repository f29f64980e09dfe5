//! What the org says about its objects.

use serde_json::{Value as Json, json};

use super::request::{DataAnswer, DataRequest, Method};
use super::url::version_path;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::schema::{Field, Kind, NumberForm, Object, ObjectId, OnDelete, Schema, TextForm};
use crate::value::Value;

/// `/sobjects`: all objects.
pub(super) fn list(tx: &Transaction<'_>, request: &DataRequest<'_>) -> Result<DataAnswer, Refusal> {
    only_read(request)?;
    let objects = tx.schema().objects().map(|(_, object)| summary(object, request.version));
    let body = json!({ "encoding": "UTF-8", "maxBatchSize": 200, "sobjects": objects.collect::<Vec<_>>() });
    Ok(DataAnswer::json(200, body))
}

/// `/sobjects/X`: the object without its fields.
pub(super) fn basic(tx: &Transaction<'_>, object: ObjectId, version: u32) -> DataAnswer {
    let body =
        json!({ "objectDescribe": summary(&tx.schema()[object], version), "recentItems": [] });
    DataAnswer::json(200, body)
}

/// `/sobjects/X/describe`: everything about the object.
pub(super) fn whole(
    tx: &Transaction<'_>,
    object: ObjectId,
    request: &DataRequest<'_>,
) -> Result<DataAnswer, Refusal> {
    only_read(request)?;
    let schema = tx.schema();
    let definition = &schema[object];
    let mut body = summary(definition, request.version);
    if let Json::Object(members) = &mut body {
        let fields = definition.fields().map(|(_, field)| field_of(schema, definition, field));
        members.insert("fields".to_owned(), fields.collect());
        members.insert("childRelationships".to_owned(), children(schema, definition));
        members.insert("recordTypeInfos".to_owned(), json!([]));
        members.insert("namedLayoutInfos".to_owned(), json!([]));
        members.insert("supportedScopes".to_owned(), json!([]));
    }
    Ok(DataAnswer::json(200, body))
}

fn only_read(request: &DataRequest<'_>) -> Result<(), Refusal> {
    match request.method {
        Method::Get | Method::Head => Ok(()),
        _ => Err(request.method_not_allowed("GET,HEAD")),
    }
}

fn summary(object: &Object, version: u32) -> Json {
    let url = format!("{}/sobjects/{}", version_path(version), object.name);
    json!({
        "name": object.name,
        "label": object.label,
        "labelPlural": object.plural,
        "keyPrefix": String::from_utf8_lossy(&object.prefix),
        "custom": object.custom(),
        "customSetting": false,
        "deprecatedAndHidden": false,
        "activateable": false,
        "createable": object.writable,
        "updateable": object.writable,
        "deletable": object.writable,
        "undeletable": object.writable,
        "mergeable": false,
        "queryable": true,
        "retrieveable": true,
        "replicateable": true,
        "searchable": true,
        "layoutable": true,
        "triggerable": true,
        "feedEnabled": false,
        "mruEnabled": false,
        "urls": {
            "sobject": url,
            "describe": format!("{url}/describe"),
            "rowTemplate": format!("{url}/{{ID}}"),
        },
    })
}

fn field_of(schema: &Schema, object: &Object, field: &Field) -> Json {
    let writable = field.writable() && object.writable;
    let reference = field.reference();
    let parents = reference.map(|reference| &reference.to[..]).unwrap_or_default();
    let parents: Vec<&str> = parents.iter().map(|&parent| schema[parent].name.as_str()).collect();
    let (precision, scale) = digits(&field.kind);
    json!({
        "name": &*field.name,
        "label": field.label,
        "type": field.kind.name(),
        "soapType": field.kind.soap_name(),
        "length": length(&field.kind),
        "byteLength": length(&field.kind) * 3,
        "digits": if is_int(&field.kind) { precision } else { 0 },
        "precision": if is_int(&field.kind) { 0 } else { precision },
        "scale": scale,
        "custom": field.name.ends_with("__c"),
        "nameField": field.name.eq_ignore_ascii_case("Name"),
        "nillable": !field.required && !matches!(field.kind, Kind::Boolean | Kind::Id),
        "defaultedOnCreate": field.default != Value::Null || !field.writable(),
        "defaultValue": default_of(field),
        "createable": writable,
        "updateable": writable,
        "unique": field.unique,
        "caseSensitive": field.case_sensitive,
        "externalId": field.external_id,
        "idLookup": field.external_id || matches!(field.kind, Kind::Id),
        "calculated": false,
        "autoNumber": false,
        "filterable": !is_long_text(&field.kind),
        "sortable": !is_long_text(&field.kind),
        "groupable": !is_long_text(&field.kind),
        "permissionable": writable && !field.required,
        "deprecatedAndHidden": false,
        "restrictedPicklist": matches!(field.kind, Kind::Picklist { restricted: true, .. }),
        "picklistValues": picklist_values(&field.kind),
        "referenceTo": parents,
        "relationshipName": reference.map(|reference| reference.relationship.as_str()),
        "cascadeDelete": reference.is_some_and(|reference| reference.on_delete == OnDelete::Cascade),
        "restrictedDelete": reference.is_some_and(|reference| reference.on_delete == OnDelete::Restrict),
    })
}

fn default_of(field: &Field) -> Json {
    match &field.default {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => Json::from(*number),
        Value::Text(text) => Json::from(&**text),
    }
}

fn is_int(kind: &Kind) -> bool {
    matches!(kind, Kind::Number { form: NumberForm::Int, .. })
}

fn digits(kind: &Kind) -> (u8, u8) {
    match kind {
        Kind::Number { precision, scale, .. } => (*precision, *scale),
        _ => (0, 0),
    }
}

fn length(kind: &Kind) -> usize {
    match kind {
        Kind::Id | Kind::Reference(_) => 18,
        Kind::Text { length, .. } => *length,
        Kind::Picklist { many: false, .. } => 255,
        Kind::Picklist { many: true, .. } => 4_099,
        Kind::Boolean | Kind::Date | Kind::DateTime | Kind::Number { .. } => 0,
    }
}

fn picklist_values(kind: &Kind) -> Json {
    let Kind::Picklist { values, .. } = kind else { return json!([]) };
    let value = |value: &String| json!({ "value": value, "label": value, "active": true, "defaultValue": false, "validFor": null });
    values.iter().map(value).collect()
}

fn children(schema: &Schema, object: &Object) -> Json {
    let child = |child: &crate::schema::Child| {
        let of = &schema[child.object];
        let field = &of[child.field];
        let on_delete = field.reference().map(|reference| reference.on_delete);
        let plural: String = of.plural.split_whitespace().collect();
        json!({
            "childSObject": of.name,
            "field": &*field.name,
            "relationshipName": if of.custom() { format!("{plural}__r") } else { plural },
            "cascadeDelete": on_delete == Some(OnDelete::Cascade),
            "restrictedDelete": on_delete == Some(OnDelete::Restrict),
            "deprecatedAndHidden": false,
        })
    };
    object.children().iter().map(child).collect()
}

/// Texts of many lines can be neither searched nor sorted.
fn is_long_text(kind: &Kind) -> bool {
    matches!(kind, Kind::Text { form: TextForm::TextArea, length } if *length > 255)
}
