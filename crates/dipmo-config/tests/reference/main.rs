//! The reference of `dipmo.yaml` and of cases is made of their schemas, so that it says what the reader does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod kinds;
mod order;
mod page;

use std::path::Path;

use serde_json::Value;

const RENEW: &str = "DIPMO_RENEW=1 cargo test -p dipmo-config --test reference";

#[track_caller]
fn is_made_of(file: &str, intro: &str, schema: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(file);
    let now = page::of(intro, schema);
    if std::env::var_os("DIPMO_RENEW").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == now, "docs/reference/{file} is old: `{RENEW}` renews it");
}

#[test]
fn the_reference_of_the_configuration_is_made_of_its_schema() {
    let intro = format!(
        "# dipmo.yaml, key by key\n\n<!-- Made of the types: {RENEW} -->\n\n\
         The [guide](../guide/config.md) explains the file; this page has every key of it, with its default. It is made \
         of the same definitions as [dipmo.schema.json](../schema/dipmo.schema.json), which `dipmo schema` prints.\n\n\
         A key without a default that is not required is left out when it is not needed. Every value that is no name and \
         no expression may be a reference, `${{env:NAME}}` or `${{file:/path}}`; where the type is *reference*, it must \
         be one. A *duration* is written as `250ms`, `30s`, `5m`, `1h` or `7d`.\n",
    );
    is_made_of("config.md", &intro, &dipmo_config::schema());
}

#[test]
fn the_reference_of_cases_is_made_of_their_schema() {
    let intro = format!(
        "# cases.yaml, key by key\n\n<!-- Made of the types: {RENEW} -->\n\n\
         The [guide](../guide/declared-tests.md) explains cases; this page has every key of their file. It is made of the \
         same definitions as [cases.schema.json](../schema/cases.schema.json), which `dipmo schema cases` prints.\n",
    );
    is_made_of("cases.md", &intro, &dipmo_config::cases::schema());
}
