//! Requests about jobs that Salesforce refuses, each with its status, code and words.

use serde_json::{Value as Json, json};

use crate::org::{JOBS, Org};

struct Case {
    method: &'static str,
    path: String,
    content_type: &'static str,
    body: String,
    status: u16,
    code: &'static str,
    message: String,
}

#[test]
fn what_is_refused() {
    let org = Org::start();
    for case in creates().into_iter().chain(others()).chain(calls(&org)) {
        let Case { method, path, content_type, body, status, code, message } = case;
        let reply = org.call(method, &path, content_type, &body);
        let expected = json!([{ "errorCode": code, "message": message }]);
        assert_eq!((reply.status, reply.json()), (status, expected), "{method} {path} {body}");
    }
}

fn creates() -> Vec<Case> {
    let create = |body: Json, code: &'static str, message: &str| Case {
        method: "POST",
        path: JOBS.to_owned(),
        content_type: "application/json",
        body: body.to_string(),
        status: 400,
        code,
        message: message.to_owned(),
    };
    let upsert = |field: Json| json!({ "object": "Contact", "operation": "upsert", "externalIdFieldName": field });
    let insert = |property: &str, value: Json| {
        let mut body = json!({ "object": "Contact", "operation": "insert" });
        body[property] = value;
        body
    };
    let no_match =
        "InvalidJob : Field name provided, Nonsense__c does not match an External ID for Contact";
    vec![
        create(
            json!({ "operation": "insert" }),
            "INVALIDJOB",
            "InvalidJob : Unable to find object: null",
        ),
        create(insert("object", json!("")), "INVALIDJOB", "InvalidJob : Unable to find object: "),
        create(
            insert("object", json!("Nonsense__c")),
            "INVALIDJOB",
            "InvalidJob : Unable to find object: Nonsense__c",
        ),
        create(
            insert("object", json!("Organization")),
            "INVALIDENTITY",
            "InvalidEntity : Entity 'Organization' is not supported by the Bulk API.",
        ),
        create(
            json!({ "object": "Contact" }),
            "API_ERROR",
            "Invalid value: 'null' supplied for property: 'operation'",
        ),
        create(
            insert("operation", json!("")),
            "API_ERROR",
            "Invalid value: '' supplied for property: 'operation'",
        ),
        create(
            insert("operation", json!("merge")),
            "API_ERROR",
            "Invalid value: 'merge' supplied for property: 'operation'",
        ),
        create(
            insert("operation", json!("Insert")),
            "API_ERROR",
            "Invalid value: 'Insert' supplied for property: 'operation'",
        ),
        create(
            insert("operation", json!(1)),
            "API_ERROR",
            "Invalid value: '1' supplied for property: 'operation'",
        ),
        create(
            insert("contentType", json!("JSON")),
            "API_ERROR",
            "Invalid value: 'JSON' supplied for property: 'contentType'",
        ),
        create(
            insert("lineEnding", json!("CR")),
            "API_ERROR",
            "Invalid value: 'CR' supplied for property: 'lineEnding'",
        ),
        create(
            insert("columnDelimiter", json!(",")),
            "API_ERROR",
            "Invalid value: ',' supplied for property: 'columnDelimiter'",
        ),
        create(
            insert("priority", json!("High")),
            "JSON_PARSER_ERROR",
            "Unrecognized field \"priority\"",
        ),
        create(json!([]), "JSON_PARSER_ERROR", "The HTTP entity body must be a JSON object"),
        create(
            insert("operation", json!("hardDelete")),
            "FEATURENOTENABLED",
            "FeatureNotEnabled : hardDelete operation requires special user profile permission, please contact your \
             system administrator",
        ),
        create(
            upsert(Json::Null),
            "INVALIDJOB",
            "InvalidJob : External ID was blank for Contact. An External ID must be specified for upsert.",
        ),
        create(
            upsert(json!("")),
            "INVALIDJOB",
            "InvalidJob : Field name provided,  does not match an External ID for Contact",
        ),
        create(upsert(json!("Nonsense__c")), "INVALIDJOB", no_match),
        create(
            upsert(json!("LastName")),
            "INVALIDJOB",
            "InvalidJob : Field name provided, LastName does not match an External ID for Contact",
        ),
    ]
}

/// Lists, and jobs that bring their data along.
fn others() -> Vec<Case> {
    let list = |query: &str, message: &str| Case {
        method: "GET",
        path: format!("{JOBS}?{query}"),
        content_type: "application/json",
        body: String::new(),
        status: 400,
        code: "API_ERROR",
        message: message.to_owned(),
    };
    let multipart = |part: &str, code: &'static str, message: &str| Case {
        method: "POST",
        path: JOBS.to_owned(),
        content_type: "multipart/form-data; boundary=B",
        body: part.to_owned(),
        status: 400,
        code,
        message: message.to_owned(),
    };
    let content = "--B\nContent-Disposition: form-data; name=\"content\"\n\nLastName\nx\n\n--B--\n";
    let job = |json: &str| {
        format!("--B\nContent-Disposition: form-data; name=\"job\"\n\n{json}\n{content}")
    };
    vec![
        list("jobType=Nonsense", "Invalid value: 'Nonsense' supplied for property: 'jobType'"),
        list("queryLocator=-1", "Invalid value: '-1' supplied for property: 'queryLocator'"),
        multipart("", "INVALIDJOB", "InvalidJob : No part 'job' in the request"),
        multipart(content, "INVALIDJOB", "InvalidJob : No part 'job' in the request"),
        multipart(
            &job(r#"{"object":"Nonsense","operation":"insert"}"#),
            "INVALIDJOB",
            "InvalidJob : Unable to find object: Nonsense",
        ),
        multipart(&job("[]"), "JSON_PARSER_ERROR", "The HTTP entity body must be a JSON object"),
    ]
}

/// Calls about jobs that are in every state.
fn calls(org: &Org) -> Vec<Case> {
    let spec = json!({ "object": "Contact", "operation": "insert" });
    let job = |state: &str| {
        let job = org.create(&spec);
        match state {
            "Uploaded" => assert_eq!(org.upload(&job, "LastName\nx\n").status, 201),
            "Aborted" => assert_eq!(org.set_state(&job, "Aborted").status, 200),
            "JobComplete" | "Failed" => {
                org.upload(&job, if state == "Failed" { "Nonsense\nx\n" } else { "LastName\nx\n" });
                org.set_state(&job, "UploadComplete");
                assert_eq!(org.wait(&job)["state"], state);
            }
            _ => {}
        }
        job
    };
    let (open, uploaded, complete) = (job("Open"), job("Uploaded"), job("JobComplete"));
    let (failed, aborted) = (job("Failed"), job("Aborted"));
    let missing = "750000000000000AAA";
    let call = |method, path: &str, body: &str, status, code, message: &str| Case {
        method,
        path: format!("{JOBS}/{path}"),
        content_type: if method == "PUT" { "text/csv" } else { "application/json" },
        body: body.to_owned(),
        status,
        code,
        message: message.to_owned(),
    };
    let state = |job: &str, state: &str, message: &str| {
        let body = json!({ "state": state }).to_string();
        call("PATCH", job, &body, 400, "INVALIDJOBSTATE", message)
    };
    let not_found = |method, path: &str| {
        call(method, path, "", 404, "NOT_FOUND", "The requested resource does not exist")
    };
    let not_allowed = |method, path: &str, allowed: &str| {
        let message = format!("HTTP Method '{method}' not allowed. Allowed are {allowed}");
        call(method, path, "", 405, "METHOD_NOT_ALLOWED", &message)
    };
    let batches = |job: &str, message: &str| {
        call("PUT", &format!("{job}/batches"), "LastName\nx\n", 400, "INVALIDJOBSTATE", message)
    };
    let results = |file: &str| {
        let path = format!("{open}/{file}");
        call(
            "GET",
            &path,
            "",
            400,
            "INVALIDJOBSTATE",
            "Job results are not available in state Open",
        )
    };
    let twice = format!(
        "Found multipe contents for job: <{}>, please 'Close' / 'Abort' / 'Delete' the current Job then create a new \
         Job and make sure you only do 'PUT' once on a given Job.",
        &uploaded[..15]
    );
    vec![
        not_found("GET", missing),
        not_found("PATCH", missing),
        not_found("DELETE", missing),
        not_found("PUT", &format!("{missing}/batches")),
        not_found("GET", &format!("{missing}/failedResults")),
        not_found("GET", "nonsense"),
        not_found("GET", &format!("{complete}/nonsense")),
        not_found("GET", &format!("{complete}/failedResults/1")),
        not_allowed("PUT", &open, "DELETE,GET,PATCH"),
        not_allowed("GET", &format!("{open}/batches"), "PUT"),
        not_allowed("DELETE", &format!("{complete}/failedResults"), "GET"),
        call("PUT", &format!("{uploaded}/batches"), "LastName\ny\n", 400, "BULK_API_ERROR", &twice),
        batches(&complete, "Data can be uploaded to an Open Job only, this one is JobComplete"),
        batches(&aborted, "Data can be uploaded to an Open Job only, this one is Aborted"),
        Case {
            content_type: "application/json",
            ..call(
                "PUT",
                &format!("{open}/batches"),
                "{}",
                415,
                "UNSUPPORTED_MEDIA_TYPE",
                "The Content-Type header specified in HTTP request is not supported: application/json",
            )
        },
        state(&complete, "UploadComplete", "Closing already Completed Job not allowed"),
        state(&failed, "UploadComplete", "Closing already Failed Job not allowed"),
        state(&aborted, "UploadComplete", "Closing already Aborted Job not allowed"),
        state(&complete, "Aborted", "Aborting already Completed Job not allowed"),
        state(&failed, "Aborted", "Aborting already Failed Job not allowed"),
        state(&aborted, "Aborted", "Aborting already Aborted Job not allowed"),
        call(
            "PATCH",
            &open,
            r#"{"state":"CLOSED"}"#,
            400,
            "API_ERROR",
            "Invalid value: 'CLOSED' supplied for property: 'state'",
        ),
        call(
            "PATCH",
            &open,
            r#"{"state":"JobComplete"}"#,
            400,
            "API_ERROR",
            "Invalid value: 'JobComplete' supplied for property: 'state'",
        ),
        call(
            "PATCH",
            &open,
            "{}",
            400,
            "API_ERROR",
            "Invalid value: 'null' supplied for property: 'state'",
        ),
        call(
            "DELETE",
            &open,
            "",
            400,
            "INVALIDJOBSTATE",
            "Deleting a Job in state Open not allowed",
        ),
        results("successfulResults"),
        results("failedResults"),
        results("unprocessedrecords"),
    ]
}
