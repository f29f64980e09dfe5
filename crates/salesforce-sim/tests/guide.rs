//! The guide says what is so: its schema starts a simulator, and its faults are taken.

use std::fs;

use salesforce_sim::{Error, Options, SchemaSource, Simulator};
use serde_json::{Value as Json, json};

const GUIDE: &str = include_str!("../../../docs/guide/salesforce-sim.md");
const CERTIFICATE: &str = include_str!("server/keys/app.crt.pem");

/// The blocks of code in that language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fenced = GUIDE.split("```").skip(1).step_by(2);
    fenced.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

#[tokio::test]
async fn its_schema_starts_a_simulator() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("crm-sync.crt"), CERTIFICATE).unwrap();
    let [schema] = blocks("yaml")[..] else { panic!("the guide has one schema") };
    let file = folder.path().join("schema.yaml");
    fs::write(&file, schema).unwrap();
    let options = Options { schema: SchemaSource::File(file), ..Options::default() };
    let simulator = Simulator::start(options).await.unwrap();
    assert_eq!(simulator.credentials().unwrap().client_id, "crm-sync");
    assert_eq!(simulator.records("Order__c").unwrap(), []);
}

#[tokio::test]
async fn its_faults_are_taken() {
    let simulator = Simulator::start(Options::default()).await.unwrap();
    let rules: Vec<&str> =
        blocks("json").into_iter().filter(|block| block.contains("\"rules\"")).collect();
    let [rules] = rules[..] else { panic!("the guide has one list of rules") };
    simulator.faults(serde_json::from_str(rules).unwrap()).unwrap();

    let table = GUIDE.split("| kind | what happens |\n|---|---|\n").nth(1).unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let kinds: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(kinds.len() > 20, "{kinds:?}");
    for kind in kinds {
        // Some want more than their kind, but all are known.
        let rule: Json = json!({ "rules": [{ "fault": { "kind": kind } }] });
        if let Err(Error::Asked { problem }) = simulator.faults(rule) {
            assert!(!problem.contains("unknown variant"), "{kind}: {problem}");
        }
    }
}
