//! What Salesforce refuses, one line each: the request, and the status, the code, the words and the
//! fields of its refusal.

use serde_json::{Value as Json, json};

use super::fixture::Fixture;
use super::request::Method;

#[test]
fn it_compiles() {
    let mut fixture = Fixture::new("{}");
    let answer = fixture.ask(Method::Get, "sobjects/Contact", None::<&Json>);
    assert_eq!(answer.body.unwrap()["objectDescribe"]["name"], json!("Contact"));
}
