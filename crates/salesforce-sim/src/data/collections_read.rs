//! `/composite/sobjects/X`: up to 2,000 records by their ids.

use serde_json::Value as Json;

use super::body::{self, parameter};
use super::request::{DataAnswer, DataRequest, Method};
use super::row;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::schema::ObjectId;

const MOST_RECORDS: usize = 2_000;

/// The records in the order of the request; what is not there is `null`.
pub(super) fn read(
    tx: &Transaction<'_>,
    object: ObjectId,
    request: &DataRequest<'_>,
) -> Result<DataAnswer, Refusal> {
    let (ids, fields) = if request.method == Method::Get {
        (from_query(request, "ids")?, from_query(request, "fields")?)
    } else {
        let members = body::object(request)?;
        body::only(members, &["ids", "fields"])?;
        (texts(body::list(members, "ids")?)?, texts(body::list(members, "fields")?)?)
    };
    if ids.len() > MOST_RECORDS {
        let message = format!(
            "record limit reached. cannot submit more than {MOST_RECORDS} records into this call"
        );
        return Err(Refusal::new("EXCEEDED_ID_LIMIT", message));
    }
    let fields = row::named_fields(&tx.schema()[object], fields.into_iter())?;
    let show = |text: &str| match tx.resolve(object, text) {
        Ok(id) => row::show(tx, id, &fields, request.version),
        Err(_) => Json::Null,
    };
    Ok(DataAnswer::json(200, ids.into_iter().map(show).collect()))
}

fn from_query<'a>(request: &DataRequest<'a>, name: &str) -> Result<Vec<&'a str>, Refusal> {
    let text = parameter(request, name).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| {
        let message = format!("Required fields are missing: [{name}]");
        Refusal::new("REQUIRED_FIELD_MISSING", message).about([name])
    })?;
    Ok(text.split(',').map(str::trim).collect())
}

fn texts(items: &[Json]) -> Result<Vec<&str>, Refusal> {
    items.iter().map(|item| item.as_str().ok_or_else(|| body::unfit("string", item))).collect()
}
