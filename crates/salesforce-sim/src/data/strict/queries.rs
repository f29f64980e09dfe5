//! Queries that are refused. The words have the line of the query, a caret below the place, and its
//! row and column.

use serde_json::Value as Json;

use super::{Case, run};

fn refused(request: &'static str, code: &'static str, message: &'static str) -> Case {
    Case { request, body: Json::Null, status: 400, code, message, fields: &[] }
}

#[test]
fn queries() {
    run(&[
        refused("GET query", "MALFORMED_QUERY", "A query string has to be specified"),
        refused(
            "GET query?q=SELECT",
            "MALFORMED_QUERY",
            "\nSELECT\n      ^\nERROR at Row:1:Column:7\nunexpected token: '<EOF>'",
        ),
        refused(
            "GET query?q=SELECT+,+FROM+Contact",
            "MALFORMED_QUERY",
            "\nSELECT , FROM Contact\n       ^\nERROR at Row:1:Column:8\nunexpected token: ','",
        ),
        refused(
            "GET query?q=SELECT+*+FROM+Contact",
            "MALFORMED_QUERY",
            "line 1:7 no viable alternative at character '*'",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Title+IS+NULL",
            "MALFORMED_QUERY",
            "\nSELECT Id FROM Contact WHERE Title IS NULL\n                                   ^\nERROR at Row:1:Column:36\nunexpected token: 'IS'",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+LIMIT+x",
            "MALFORMED_QUERY",
            "\nSELECT Id FROM Contact LIMIT x\n                             ^\nERROR at Row:1:Column:30\nunexpected token: 'x'",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+LIMIT+1+LIMIT+2",
            "MALFORMED_QUERY",
            "\nSELECT Id FROM Contact LIMIT 1 LIMIT 2\n                               ^\nERROR at Row:1:Column:32\nunexpected token: 'LIMIT'",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Title+=+'a'+AND+Title+=+'b'+OR+Title+=+'c'",
            "MALFORMED_QUERY",
            "\nntact WHERE Title = 'a' AND Title = 'b' OR Title = 'c'\n                                        ^\nERROR at Row:1:Column:58\nunexpected token: 'OR'",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Title+=+'a",
            "MALFORMED_QUERY",
            "line 1:39 mismatched character '<EOF>' expecting '''",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Id+IN+()",
            "MALFORMED_QUERY",
            "\nSELECT Id FROM Contact WHERE Id IN ()\n                                    ^\nERROR at Row:1:Column:37\nunexpected token: ')'",
        ),
        refused(
            "GET query?q=SELECT+Id,+Id+FROM+Contact",
            "MALFORMED_QUERY",
            "\nSELECT Id, Id FROM Contact\n           ^\nERROR at Row:1:Column:12\nduplicate field selected: Id",
        ),
        refused(
            "GET query?q=SELECT+FIELDS(ALL)+FROM+Contact",
            "MALFORMED_QUERY",
            "The SOQL FIELDS function must have a LIMIT of at most 200",
        ),
        refused(
            "GET query?q=SELECT+Body+FROM+Contact",
            "INVALID_FIELD",
            "\nSELECT Body FROM Contact\n       ^\nERROR at Row:1:Column:8\nNo such column 'Body' on entity 'Contact'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names.",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Foo+=+1",
            "INVALID_FIELD",
            "\nSELECT Id FROM Contact WHERE Foo = 1\n                             ^\nERROR at Row:1:Column:30\nNo such column 'Foo' on entity 'Contact'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names.",
        ),
        refused(
            "GET query?q=SELECT+Boss.Name+FROM+Contact",
            "INVALID_FIELD",
            "\nSELECT Boss.Name FROM Contact\n       ^\nERROR at Row:1:Column:8\nDidn't understand relationship 'Boss' in field path. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. Please reference your WSDL or the describe call for the appropriate names.",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Nope",
            "INVALID_TYPE",
            "\nSELECT Id FROM Nope\n               ^\nERROR at Row:1:Column:16\nsObject type 'Nope' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate names.",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Version__c+=+'1'",
            "INVALID_FIELD",
            "\nSELECT Id FROM Contact WHERE Version__c = '1'\n                             ^\nERROR at Row:1:Column:30\nvalue of filter criterion for field 'Version__c' must be of type double and should not be enclosed in quotes",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Title+=+1",
            "INVALID_FIELD",
            "\nSELECT Id FROM Contact WHERE Title = 1\n                             ^\nERROR at Row:1:Column:30\nvalue of filter criterion for field 'Title' must be of type string and should be enclosed in quotes",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+CreatedDate+>+'2026-01-01T00:00:00Z'",
            "INVALID_FIELD",
            "\nSELECT Id FROM Contact WHERE CreatedDate > '2026-01-01T00:00:00Z'\n                             ^\nERROR at Row:1:Column:30\nvalue of filter criterion for field 'CreatedDate' must be of type dateTime and should not be enclosed in quotes",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Id+=+'abc'",
            "INVALID_QUERY_FILTER_OPERATOR",
            "\nSELECT Id FROM Contact WHERE Id = 'abc'\n                             ^\nERROR at Row:1:Column:30\ninvalid ID field: abc",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Id+LIKE+'abc'",
            "INVALID_QUERY_FILTER_OPERATOR",
            "\nSELECT Id FROM Contact WHERE Id LIKE 'abc'\n                             ^\nERROR at Row:1:Column:30\ninvalid operator on id field",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+WHERE+Description+=+'x'",
            "INVALID_FIELD",
            "\nSELECT Id FROM Contact WHERE Description = 'x'\n                             ^\nERROR at Row:1:Column:30\nfield 'Description' can not be filtered in a query call",
        ),
        refused(
            "GET query?q=SELECT+Id+FROM+Contact+OFFSET+2001",
            "NUMBER_OUTSIDE_VALID_RANGE",
            "Maximum SOQL offset allowed is 2000",
        ),
        refused(
            "GET query/01gHs0000000001AAA-2000",
            "INVALID_QUERY_LOCATOR",
            "invalid query locator",
        ),
    ]);
}

#[test]
fn places_and_methods() {
    let missing = "The requested resource does not exist";
    let not_found = |request| Case { status: 404, ..refused(request, "NOT_FOUND", missing) };
    run(&[
        not_found("GET query/a/b"),
        not_found("GET search?q=FIND"),
        not_found("GET parameterizedSearch?q=x"),
        not_found("GET tooling/query?q=SELECT+Id+FROM+Contact"),
        Case {
            status: 405,
            ..refused(
                "POST query?q=SELECT+Id+FROM+Contact",
                "METHOD_NOT_ALLOWED",
                "HTTP Method 'POST' not allowed. Allowed are HEAD,GET",
            )
        },
    ]);
}
