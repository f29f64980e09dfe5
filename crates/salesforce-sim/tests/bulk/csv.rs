//! What a CSV file may look like, and what becomes of it.

use serde_json::{Value as Json, json};

use crate::org::Org;

/// What becomes of a file.
enum Becomes {
    /// The record E-1 has these values.
    Record(Json),
    /// Each failed row by its external id, and how its error begins.
    Rows(&'static [(&'static str, &'static str)]),
    /// The job fails with this message, nothing is processed, and all rows come back.
    Failure(String),
}

use Becomes::{Failure, Record, Rows};

struct Case {
    what: &'static str,
    /// Beyond an upsert of contacts.
    spec: Json,
    csv: String,
    becomes: Becomes,
}

fn case(what: &'static str, csv: impl Into<String>, becomes: Becomes) -> Case {
    Case { what, spec: json!({}), csv: csv.into(), becomes }
}

impl Case {
    fn with(self, spec: Json) -> Self {
        Case { spec, ..self }
    }
}

#[test]
fn what_becomes_of_a_file() {
    let schema = json!({ "objects": { "Contact": { "fields": { "Note__c": { "type": "textarea", "length": 32000 }, "Source__c": { "type": "reference", "to": ["Account", "Family__c"] } } } } });
    for case in cases() {
        let org = Org::with_schema(&schema);
        let prepared = org.run(
            &json!({ "object": "Account", "operation": "insert" }),
            "Name,ExternalId__c\nParent,A-1\n",
        );
        assert_eq!(prepared.successful.len(), 1);
        let before = "ExternalId__c,LastName,Title\nE-1,Before,Old\n";
        let mut spec = json!({ "object": "Contact", "operation": "upsert", "externalIdFieldName": "ExternalId__c" });
        assert_eq!(org.run(&spec, before).successful.len(), 1);
        for (name, value) in case.spec.as_object().unwrap() {
            spec[name] = value.clone();
        }
        check(&org, &spec, &case);
    }
}

fn check(org: &Org, spec: &Json, case: &Case) {
    let what = case.what;
    let job = org.create(spec);
    assert_eq!(org.upload(&job, &case.csv).status, 201, "{what}");
    org.set_state(&job, "UploadComplete");
    let info = org.wait(&job);
    match &case.becomes {
        Failure(message) => {
            assert_eq!(info["state"], "Failed", "{what}: {info}");
            assert_eq!(info["errorMessage"], *message, "{what}");
            assert_eq!(
                (&info["numberRecordsProcessed"], &info["numberRecordsFailed"]),
                (&json!(0), &json!(0)),
                "{what}"
            );
            let path = format!("{}/{job}/unprocessedrecords", crate::org::JOBS);
            assert_eq!(
                org.get(&path).body.len(),
                case.csv.len(),
                "{what}: what was not processed comes back"
            );
            assert_eq!(org.record("Contact", "E-1")["LastName"], "Before", "{what}");
        }
        Record(values) => {
            let done = org.done(&job, info);
            assert_eq!(done.info["state"], "JobComplete", "{what}: {:?}", done.info);
            assert_eq!(done.failed, [], "{what}");
            let record = org.record("Contact", "E-1");
            for (field, value) in values.as_object().unwrap() {
                assert_eq!(&record[field], value, "{what}: {field}");
            }
        }
        Rows(expected) => {
            let done = org.done(&job, info);
            assert_eq!(done.info["state"], "JobComplete", "{what}: {:?}", done.info);
            assert_eq!(done.failed.len(), expected.len(), "{what}: {:?}", done.failed);
            for (key, error) in *expected {
                let found = done
                    .failed
                    .iter()
                    .any(|row| row["ExternalId__c"] == *key && row["sf__Error"].starts_with(error));
                assert!(found, "{what}: no {key} with {error} in {:?}", done.failed);
            }
        }
    }
}

fn cases() -> Vec<Case> {
    let mut cases = forms();
    cases.extend(values());
    cases.extend(headers());
    cases.extend(broken());
    cases
}

fn forms() -> Vec<Case> {
    let mut cases = vec![
        case(
            "no line ending at the end",
            "ExternalId__c,LastName\nE-1,New",
            Record(json!({ "LastName": "New" })),
        ),
        case(
            "empty lines",
            "\nExternalId__c,LastName\n\nE-1,New\n\n\n",
            Record(json!({ "LastName": "New" })),
        ),
        case("CRLF", "ExternalId__c,LastName\r\nE-1,New\r\n", Record(json!({ "LastName": "New" })))
            .with(json!({ "lineEnding": "CRLF" })),
        case(
            "quotes",
            "\"ExternalId__c\",\"LastName\"\n\"E-1\",\"New\"\n",
            Record(json!({ "LastName": "New" })),
        ),
        case(
            "a delimiter in quotes",
            "ExternalId__c,LastName\nE-1,\"a,b\"\n",
            Record(json!({ "LastName": "a,b" })),
        ),
        case(
            "a quote in quotes",
            "ExternalId__c,LastName\nE-1,\"a\"\"b\"\n",
            Record(json!({ "LastName": "a\"b" })),
        ),
        case(
            "new lines in quotes",
            "ExternalId__c,LastName,Note__c\nE-1,New,\"one\ntwo\nthree\"\n",
            Record(json!({ "Note__c": "one\ntwo\nthree" })),
        ),
        case(
            "text beyond ASCII",
            "ExternalId__c,LastName\nE-1,Žižek 😀\n",
            Record(json!({ "LastName": "Žižek 😀" })),
        ),
    ];
    for (name, mark) in [
        ("COMMA", ','),
        ("TAB", '\t'),
        ("PIPE", '|'),
        ("SEMICOLON", ';'),
        ("CARET", '^'),
        ("BACKQUOTE", '`'),
    ] {
        let csv = format!("ExternalId__c{mark}LastName\nE-1{mark}\"a{mark}b\"\n");
        let record = Record(json!({ "LastName": format!("a{mark}b") }));
        cases.push(case(name, csv, record).with(json!({ "columnDelimiter": name })));
    }
    cases
}

fn values() -> Vec<Case> {
    vec![
        case(
            "an empty cell leaves a field alone",
            "ExternalId__c,LastName,Title\nE-1,New,\n",
            Record(json!({ "LastName": "New", "Title": "Old" })),
        ),
        case(
            "#N/A empties a field",
            "ExternalId__c,LastName,Title\nE-1,New,#N/A\n",
            Record(json!({ "Title": null })),
        ),
        case(
            "#N/A in a required field",
            "ExternalId__c,LastName\nE-1,#N/A\n",
            Rows(&[(
                "E-1",
                "REQUIRED_FIELD_MISSING:Required fields are missing: [LastName]:LastName --",
            )]),
        ),
        case(
            "32,000 characters",
            format!("ExternalId__c,Note__c\nE-1,{}\n", "x".repeat(32_000)),
            Record(json!({ "Note__c": "x".repeat(32_000) })),
        ),
        case(
            "more than the field holds",
            format!("ExternalId__c,LastName\nE-1,{}\n", "x".repeat(81)),
            Rows(&[("E-1", "STRING_TOO_LONG:")]),
        ),
        case(
            "one external id twice in a chunk, in another letter case",
            "ExternalId__c,LastName\nE-1,One\nE-2,Two\ne-1,Three\n",
            Rows(&[
                ("E-1", "DUPLICATE_VALUE:Duplicate external id specified: E-1:ExternalId__c --"),
                ("e-1", "DUPLICATE_VALUE:Duplicate external id specified: e-1:ExternalId__c --"),
            ]),
        ),
        case(
            "no external id",
            "ExternalId__c,LastName\n,One\n",
            Rows(&[("", "MISSING_ARGUMENT:ExternalId__c not specified:--")]),
        ),
        case(
            "an empty Id column",
            "Id,ExternalId__c,LastName\n,E-1,New\n",
            Record(json!({ "LastName": "New" })),
        ),
    ]
}

fn headers() -> Vec<Case> {
    let not_found =
        |column: &str| Failure(format!("InvalidBatch : Field name not found : {column}"));
    vec![
        case("letter case", "externalid__c,LASTNAME\nE-1,New\n", Record(json!({ "LastName": "New" }))),
        case("an unknown column", "ExternalId__c,LastName,Nonsense__c\nE-1,New,x\n", not_found("Nonsense__c")),
        case("a byte order mark", "\u{feff}ExternalId__c,LastName\nE-1,New\n", not_found("\u{feff}ExternalId__c")),
        case("another delimiter than declared", "ExternalId__c;LastName\nE-1;New\n", not_found("ExternalId__c;LastName")),
        case("an empty name", "ExternalId__c,LastName,\nE-1,New,\n", not_found("")),
        case(
            "a parent by its external id",
            "ExternalId__c,LastName,Account.ExternalId__c\nE-1,New,A-1\n",
            Record(json!({ "LastName": "New" })),
        ),
        case(
            "a parent that is not there",
            "ExternalId__c,LastName,Account.ExternalId__c\nE-1,New,A-9\n",
            Rows(&[("E-1", "INVALID_FIELD:Foreign key external ID: A-9 not found for field ExternalId__c in entity Account")]),
        ),
        case(
            "a parent by a field that is none",
            "ExternalId__c,LastName,Account.Nonsense__c\nE-1,New,x\n",
            not_found("Account.Nonsense__c"),
        ),
        case(
            "a relationship that is none",
            "ExternalId__c,LastName,Nonsense.ExternalId__c\nE-1,New,x\n",
            Failure("InvalidBatch : Unable to find relationship: Nonsense".to_owned()),
        ),
        case(
            "a look-up of several types with its type",
            "ExternalId__c,LastName,Account:Source__r.ExternalId__c\nE-1,New,A-1\n",
            Record(json!({ "LastName": "New" })),
        ),
        case(
            "a look-up of one type with its type",
            "ExternalId__c,LastName,Account:Account.ExternalId__c\nE-1,New,A-1\n",
            Failure("InvalidBatch : type is not needed for non polymorphic foreign key references: Account".to_owned()),
        ),
    ]
}

fn broken() -> Vec<Case> {
    let broken = |problem: &str| Failure(format!("InvalidBatch : Failed to parse CSV. {problem}"));
    let line_ending = |name: &str| {
        let words =
            "ClientInputError : LineEnding is invalid on user data. Current LineEnding setting is";
        Failure(format!("{words} {name}"))
    };
    let unescaped = "Found unescaped quote. A value with quote should be within a quote";
    vec![
        case("CRLF in a job of LF", "ExternalId__c,LastName\r\nE-1,New\r\n", line_ending("LF")),
        case("LF in a job of CRLF", "ExternalId__c,LastName\nE-1,New\n", line_ending("CRLF"))
            .with(json!({ "lineEnding": "CRLF" })),
        case(
            "a byte order mark before a quote",
            "\u{feff}\"ExternalId__c\",LastName\nE-1,New\n",
            broken(unescaped),
        ),
        case("a space before a quote", "ExternalId__c,LastName\nE-1, \"New\"\n", broken(unescaped)),
        case("a quote in a bare cell", "ExternalId__c,LastName\nE-1,N\"w\n", broken(unescaped)),
        case(
            "a space after a quote",
            "ExternalId__c,LastName\n\"E-1\" ,New\n",
            broken("Not expecting more text after end quote"),
        ),
        case(
            "a quote that stays open",
            "ExternalId__c,LastName\nE-1,\"New\n",
            broken("EOF reached before closing an opened quote"),
        ),
        case(
            "too few cells",
            "ExternalId__c,LastName\nE-1\n",
            broken("Row 1 has 1 fields, the header has 2"),
        ),
        case(
            "too many cells",
            "ExternalId__c,LastName\nE-1,New,\n",
            broken("Row 1 has 3 fields, the header has 2"),
        ),
        case(
            "32,001 characters",
            format!("ExternalId__c,Note__c\nE-1,{}\n", "x".repeat(32_001)),
            broken("Exceeded max field size: 32001"),
        ),
        case(
            "5,001 fields",
            format!("{}\n", vec!["LastName"; 5_001].join(",")),
            broken("Exceeded max number of columns per record : 5000"),
        ),
        case(
            "a header and nothing else",
            "ExternalId__c,LastName\n",
            Failure("InvalidBatch : Records not found".to_owned()),
        ),
        case("nothing", "", Failure("InvalidBatch : Records not found".to_owned())),
    ]
}
