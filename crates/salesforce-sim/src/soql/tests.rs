//! Queries as tables: what they find, and what is said about those that are refused.

use std::sync::{LazyLock, Mutex};

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::parser::parse;
use crate::data::fixture::Fixture;
use crate::data::request::Method;

/// Two accounts; contacts of the first, of the second and of none; and a deleted one.
fn family() -> Fixture {
    let mut fixture = Fixture::new("{}");
    let mut add = |object: &str, record: Json| fixture.insert(object, &record);
    let acme = add("Account", json!({ "Name": "Acme", "ExternalId__c": "A1" }));
    let beta =
        add("Account", json!({ "Name": "Beta", "ExternalId__c": "A2", "ParentId": acme.clone() }));
    add(
        "Contact",
        json!({
            "LastName": "Lovelace", "FirstName": "Ada", "ExternalId__c": "C1", "AccountId": acme,
            "Version__c": 1, "Birthdate": "1815-12-10", "HasOptedOutOfEmail": true, "LeadSource": "Web",
        }),
    );
    add(
        "Contact",
        json!({
            "LastName": "O'Neil", "ExternalId__c": "C2", "AccountId": beta, "Version__c": 2,
            "Birthdate": "1900-01-01", "Title": "x_y",
        }),
    );
    add(
        "Contact",
        json!({ "LastName": "zed", "ExternalId__c": "C3", "Version__c": 3.5, "Title": "50%" }),
    );
    let gone = add("Contact", json!({ "LastName": "Gone", "ExternalId__c": "C4" }));
    fixture.delete(&gone);
    fixture
}

/// The same for thousands of queries.
static FAMILY: LazyLock<Mutex<Fixture>> = LazyLock::new(|| Mutex::new(family()));

#[test]
fn what_is_found_and_in_which_order() {
    let mut fixture = family();
    for (rest, expected) in [
        ("", "C1 C2 C3"),
        ("WHERE LastName = 'lovelace'", "C1"),
        ("WHERE LastName = 'O\\'Neil'", "C2"),
        ("WHERE LastName != 'Lovelace'", "C2 C3"),
        ("WHERE ExternalId__c = 'c2'", "C2"),
        ("WHERE ExternalId__c IN ('C3', 'C1', 'C1', 'C9')", "C1 C3"),
        ("WHERE ExternalId__c NOT IN ('C3', 'C1')", "C2"),
        ("WHERE ExternalId__c = 'C1' AND LastName = 'zed'", ""),
        ("WHERE (ExternalId__c = 'C1' OR LastName = 'zed') AND Version__c > 1", "C3"),
        ("WHERE NOT (ExternalId__c = 'C1' OR LastName = 'zed')", "C2"),
        ("WHERE NOT LastName = 'zed'", "C1 C2"),
        ("WHERE FirstName = null", "C2 C3"),
        ("WHERE FirstName = ''", "C2 C3"),
        ("WHERE FirstName != NULL", "C1"),
        ("WHERE FirstName != 'Bob'", "C1 C2 C3"),
        ("WHERE Version__c >= 2 AND Version__c < 3.5", "C2"),
        ("WHERE Version__c <= +1.0", "C1"),
        ("WHERE Version__c > -1", "C1 C2 C3"),
        ("WHERE HasOptedOutOfEmail = TRUE", "C1"),
        ("WHERE HasOptedOutOfEmail != true", "C2 C3"),
        ("WHERE Birthdate < 1900-01-01", "C1"),
        ("WHERE Birthdate = 1900-01-01", "C2"),
        ("WHERE CreatedDate = 2026-03-01T11:20:30+01:00", "C1 C2 C3"),
        ("WHERE CreatedDate > 2026-03-01T10:20:30Z", ""),
        ("WHERE LastName LIKE 'LOVE%'", "C1"),
        ("WHERE LastName LIKE '%e%'", "C1 C2 C3"),
        ("WHERE LastName LIKE '_ed'", "C3"),
        ("WHERE Title LIKE '50\\%'", "C3"),
        ("WHERE Title LIKE 'x\\_y'", "C2"),
        ("WHERE Account.Name = 'Acme'", "C1"),
        ("WHERE Account.Parent.Name = 'Acme'", "C2"),
        ("WHERE Account.Name = null", "C3"),
        ("WHERE Contact.Account.ExternalId__c IN ('A2')", "C2"),
        ("WHERE IsDeleted = false", "C1 C2 C3"),
        ("ORDER BY LastName", "C1 C2 C3"),
        ("ORDER BY LastName DESC", "C3 C2 C1"),
        ("ORDER BY FirstName, Version__c DESC", "C3 C2 C1"),
        ("ORDER BY FirstName NULLS LAST, Version__c ASC", "C1 C2 C3"),
        ("ORDER BY Account.Name DESC NULLS LAST", "C2 C1 C3"),
        ("ORDER BY Version__c LIMIT 1", "C1"),
        ("ORDER BY Version__c LIMIT 1 OFFSET 1", "C2"),
        ("LIMIT 0", ""),
        ("OFFSET 2", "C3"),
    ] {
        let found =
            fixture.column(&format!("SELECT ExternalId__c FROM Contact {rest}"), "ExternalId__c");
        let found: Vec<&str> = found.iter().filter_map(Json::as_str).collect();
        assert_eq!(found.join(" "), expected, "{rest}");
    }
}

#[test]
fn records_are_shown_with_their_parents() {
    let mut fixture = family();
    let answer = fixture.query(
        "select id, c.Name, Account.Name, account.parent.externalid__c from contact c order by Version__c",
    );
    let body = answer.body.unwrap();
    assert_eq!(body["totalSize"], 3);
    assert_eq!(body["done"], true);
    let [ada, neil, zed] = body["records"].as_array().unwrap().as_slice() else { panic!("{body}") };
    let id = ada["Id"].as_str().unwrap();
    let attributes =
        json!({ "type": "Contact", "url": format!("/services/data/v62.0/sobjects/Contact/{id}") });
    assert_eq!(ada["attributes"], attributes);
    assert_eq!(ada["Name"], "Ada Lovelace");
    assert_eq!(ada["Account"]["Name"], "Acme");
    assert_eq!(ada["Account"]["attributes"]["type"], "Account");
    assert_eq!(ada["Account"]["Parent"], Json::Null);
    assert_eq!(neil["Account"]["Parent"]["ExternalId__c"], "A1");
    assert_eq!(zed["Account"], Json::Null);
}

#[test]
fn ids_of_both_lengths_find_their_record() {
    let mut fixture = family();
    let id = fixture.column("SELECT Id FROM Contact LIMIT 1", "Id")[0].as_str().unwrap().to_owned();
    for id in [id.as_str(), &id[..15]] {
        let query = format!("SELECT ExternalId__c FROM Contact WHERE Id = '{id}'");
        assert_eq!(fixture.column(&query, "ExternalId__c"), [json!("C1")]);
    }
    let account =
        fixture.column("SELECT Id FROM Account LIMIT 1", "Id")[0].as_str().unwrap().to_owned();
    let by_parent = format!("SELECT ExternalId__c FROM Contact WHERE AccountId = '{account}'");
    assert_eq!(fixture.column(&by_parent, "ExternalId__c"), [json!("C1")]);
    let of_another = format!("SELECT ExternalId__c FROM Contact WHERE Id = '{account}'");
    assert!(fixture.column(&of_another, "ExternalId__c").is_empty());
}

#[test]
fn counts_and_groups_of_fields() {
    let mut fixture = family();
    let counted =
        fixture.query("SELECT COUNT(Id), count(FirstName) named, COUNT(Title) FROM Contact").body;
    let result =
        json!({ "attributes": { "type": "AggregateResult" }, "expr0": 3, "named": 1, "expr1": 2 });
    assert_eq!(counted.unwrap(), json!({ "totalSize": 1, "done": true, "records": [result] }));
    let body = fixture.query("SELECT COUNT() FROM Contact WHERE Version__c > 1").body.unwrap();
    assert_eq!(body, json!({ "totalSize": 2, "done": true, "records": [] }));
    let all = fixture.query("SELECT FIELDS(ALL) FROM Contact LIMIT 1").body.unwrap();
    assert!(
        all["records"][0]["SystemModstamp"].is_string()
            && all["records"][0]["ExternalId__c"] == "C1"
    );
    let custom = fixture.query("SELECT Id, FIELDS(CUSTOM) FROM Contact LIMIT 1").body.unwrap();
    assert!(
        custom["records"][0].get("LastName").is_none() && custom["records"][0]["Version__c"] == 1.0
    );
}

#[test]
fn the_recycle_bin_is_only_for_those_who_ask() {
    let mut fixture = family();
    let query = "q=SELECT+ExternalId__c,IsDeleted+FROM+Contact+WHERE+LastName='Gone'";
    let live = fixture.ask(Method::Get, &format!("query/?{query}"), None).body.unwrap();
    assert_eq!(live["totalSize"], 0);
    let all = fixture.ask(Method::Get, &format!("queryAll/?{query}"), None).body.unwrap();
    assert_eq!(all["totalSize"], 1);
    assert_eq!(all["records"][0]["IsDeleted"], true);
}

#[test]
fn what_clients_ask_at_their_start_is_ordinary_data() {
    let mut fixture = Fixture::new("{}");
    for query in [
        "SELECT Id, Username, Name, Email FROM User WHERE IsActive = true LIMIT 1",
        "SELECT Namespaceprefix FROM Organization",
        "SELECT Id, Name, OrganizationType, IsSandbox, InstanceName, TrialExpirationDate FROM Organization",
    ] {
        let body = fixture.query(query).body.unwrap();
        assert_eq!(body["totalSize"], 1, "{query}: {body}");
    }
}

#[test]
fn a_refused_query_says_why_and_where() {
    let mut fixture = family();
    for (query, code, words) in [
        ("", "MALFORMED_QUERY", "A query string has to be specified"),
        ("SELECT", "MALFORMED_QUERY", "ERROR at Row:1:Column:7\nunexpected token: '<EOF>'"),
        (
            "SELECT , FROM Contact",
            "MALFORMED_QUERY",
            "ERROR at Row:1:Column:8\nunexpected token: ','",
        ),
        ("SELECT Id Contact", "MALFORMED_QUERY", "unexpected token: 'Contact'"),
        ("SELECT Id FROM Contact WHERE", "MALFORMED_QUERY", "unexpected token: '<EOF>'"),
        ("SELECT Id FROM Contact WHERE Id IS NULL", "MALFORMED_QUERY", "unexpected token: 'IS'"),
        ("SELECT Id FROM Contact LIMIT -1", "MALFORMED_QUERY", "unexpected token: '-1'"),
        ("SELECT Id FROM Contact LIMIT 1.5", "MALFORMED_QUERY", "unexpected token: '1.5'"),
        (
            "SELECT Id FROM Contact LIMIT 1 WHERE Id = null",
            "MALFORMED_QUERY",
            "unexpected token: 'WHERE'",
        ),
        (
            "SELECT Id FROM Contact WHERE LastName = 'a' AND Title = 'b' OR Title = 'c'",
            "MALFORMED_QUERY",
            "ERROR at Row:1:Column:61\nunexpected token: 'OR'",
        ),
        (
            "SELECT Id\nFROM Contact\nWHERE Foo = 1",
            "INVALID_FIELD",
            "\nWHERE Foo = 1\n      ^\nERROR at Row:3:Column:7\nNo such column 'Foo' on entity 'Contact'. If you",
        ),
        ("SELECT Body FROM Contact", "INVALID_FIELD", "No such column 'Body' on entity 'Contact'"),
        ("SELECT Id FROM Contact ORDER BY Foo", "INVALID_FIELD", "No such column 'Foo'"),
        (
            "SELECT Foo.Name FROM Contact",
            "INVALID_FIELD",
            "Didn't understand relationship 'Foo' in field path.",
        ),
        (
            "SELECT Account.Foo FROM Contact",
            "INVALID_FIELD",
            "No such column 'Foo' on entity 'Account'",
        ),
        (
            "SELECT Id FROM Nope__c",
            "INVALID_TYPE",
            "ERROR at Row:1:Column:16\nsObject type 'Nope__c' is not supported.",
        ),
        ("SELECT Id, id FROM Contact", "MALFORMED_QUERY", "duplicate field selected: id"),
        (
            "SELECT FIELDS(ALL) FROM Contact",
            "MALFORMED_QUERY",
            "The SOQL FIELDS function must have a LIMIT of at most 200",
        ),
        (
            "SELECT FIELDS(ALL) FROM Contact LIMIT 201",
            "MALFORMED_QUERY",
            "must have a LIMIT of at most 200",
        ),
        (
            "SELECT Id FROM Contact OFFSET 2001",
            "NUMBER_OUTSIDE_VALID_RANGE",
            "Maximum SOQL offset allowed is 2000",
        ),
        (
            "SELECT Id FROM Contact WHERE Version__c = '1'",
            "INVALID_FIELD",
            "value of filter criterion for field 'Version__c' must be of type double and should not be enclosed in quotes",
        ),
        (
            "SELECT Id FROM Contact WHERE LastName = 1",
            "INVALID_FIELD",
            "must be of type string and should be enclosed in quotes",
        ),
        (
            "SELECT Id FROM Contact WHERE Birthdate = '1900-01-01'",
            "INVALID_FIELD",
            "must be of type date and should not",
        ),
        (
            "SELECT Id FROM Contact WHERE CreatedDate > 2026-01-01",
            "INVALID_FIELD",
            "must be of type dateTime and should not",
        ),
        (
            "SELECT Id FROM Contact WHERE HasOptedOutOfEmail = 'true'",
            "INVALID_FIELD",
            "must be of type boolean and should not",
        ),
        ("SELECT Id FROM Contact WHERE Birthdate = 1900-02-30", "MALFORMED_QUERY", "1900-02-30"),
        (
            "SELECT Id FROM Contact WHERE Id = 'abc'",
            "INVALID_QUERY_FILTER_OPERATOR",
            "invalid ID field: abc",
        ),
        (
            "SELECT Id FROM Contact WHERE Id LIKE '003%'",
            "INVALID_QUERY_FILTER_OPERATOR",
            "invalid operator on id field",
        ),
        (
            "SELECT Id FROM Contact WHERE HasOptedOutOfEmail > true",
            "INVALID_QUERY_FILTER_OPERATOR",
            "invalid operator on boolean field",
        ),
        (
            "SELECT Id FROM Contact WHERE Description = 'x'",
            "INVALID_FIELD",
            "field 'Description' can not be filtered in a query call",
        ),
        (
            "SELECT Id FROM Contact ORDER BY Description",
            "MALFORMED_QUERY",
            "field 'Description' can not be sorted in a query call",
        ),
        (
            "SELECT Id FROM Contact WHERE LastName = 'a\\z'",
            "MALFORMED_QUERY",
            "Illegal character sequence '\\z' in string literal.",
        ),
        (
            "SELECT Id FROM Contact WHERE LastName = 'a",
            "MALFORMED_QUERY",
            "line 1:42 mismatched character '<EOF>' expecting '''",
        ),
        (
            "SELECT Id FROM Contact WHERE LastName = \"a\"",
            "MALFORMED_QUERY",
            "line 1:40 no viable alternative at character '\"'",
        ),
        (
            "SELECT Id FROM Contact GROUP BY Id",
            "MALFORMED_QUERY",
            "salesforce-sim does not know GROUP",
        ),
        (
            "SELECT (SELECT Id FROM Contacts) FROM Account",
            "MALFORMED_QUERY",
            "salesforce-sim does not know functions and subqueries",
        ),
        (
            "SELECT Id FROM Contact WHERE CreatedDate = LAST_N_DAYS:3",
            "MALFORMED_QUERY",
            "salesforce-sim does not know date literals",
        ),
        (
            "SELECT Account.Parent.Parent.Parent.Parent.Parent.Name FROM Contact",
            "INVALID_FIELD",
            "at most 5 relationships",
        ),
    ] {
        let answer = fixture.query(query);
        let refusal = &answer.body.as_ref().unwrap()[0];
        assert_eq!(
            (answer.status, refusal["errorCode"].as_str()),
            (400, Some(code)),
            "{query}: {refusal}"
        );
        assert!(refusal["message"].as_str().unwrap().contains(words), "{query}: {refusal}");
    }
    let deep = format!("SELECT Id FROM Contact WHERE {}Id = null", "NOT ".repeat(200));
    let long = format!("SELECT Id FROM Contact WHERE {}Id = null", "Id = null OR ".repeat(1000));
    for query in [deep, long] {
        assert_eq!(fixture.query(&query).body.unwrap()[0]["errorCode"], "QUERY_TOO_COMPLICATED");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn no_text_ends_the_process(text in "\\PC{0,80}") {
        drop(parse(&text));
    }

    #[test]
    fn no_mixture_of_its_words_ends_the_process(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "SELECT", "FROM", "Contact", "WHERE", "ORDER", "BY", "LIMIT", "OFFSET", "AND", "OR", "NOT",
                "IN", "LIKE", "(", ")", ",", "=", "!=", "<", "Id", "LastName", "Account.Name", "1", "-1.5",
                "'x'", "'%_\\'", "'\\u12'", "'", "\"", "2026-01-01", "2026-01-01T00:00:00Z", "9T", "null",
                "true", "FIELDS(", "ALL", "COUNT()", "DESC", "NULLS", "\n", "é", "1-2-3-4-56",
            ]),
            0..20,
        )
    ) {
        drop(parse(&words.join(" ")));
        drop(parse(&format!("SELECT Id FROM Contact WHERE {}", words.join(" "))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_condition_ends_the_process(
        fields in prop::collection::vec(
            prop::sample::select(vec!["Id", "LastName", "Version__c", "Birthdate", "Account.Name", "IsDeleted", "X"]), 1..4,
        ),
        operator in prop::sample::select(vec!["=", "!=", "<", ">=", "LIKE"]),
        literal in prop::sample::select(vec!["'x'", "1", "null", "true", "2026-13-45", "2026-01-01T99:00:00Z", "'\\q'", "''"]),
    ) {
        let conditions: Vec<String> =
            fields.iter().map(|field| format!("{field} {operator} {literal}")).collect();
        let query = format!("SELECT Id FROM Contact WHERE {} ORDER BY {}", conditions.join(" AND "), fields[0]);
        let status = FAMILY.lock().unwrap().query(&query).status;
        prop_assert!(status == 200 || status == 400);
    }
}
