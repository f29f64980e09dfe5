//! Random files, from the upload to the results: nothing ends the process, and no row gets lost.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::org::{Done, JOBS, Org, Row, table};
use crate::seed::seed;

const TIME: Duration = Duration::from_secs(15);

#[test]
fn no_row_gets_lost() {
    let org = Org::start();
    let spec = json!({ "object": "Contact", "operation": "upsert", "externalIdFieldName": "ExternalId__c" });
    let seed = seed();
    let mut rng = fastrand::Rng::with_seed(seed);
    let start = Instant::now();
    while start.elapsed() < TIME {
        let csv = random_file(&mut rng);
        let shown = String::from_utf8_lossy(&csv).into_owned();
        let job = org.create(&spec);
        assert_eq!(org.upload(&job, &csv).status, 201, "seed {seed}: {shown:?}");
        org.set_state(&job, "UploadComplete");
        let info = org.wait(&job);
        let error = info["errorMessage"].as_str().unwrap_or_default();
        let cannot_be_read = ["Failed to parse CSV", "LineEnding is invalid", "Records not found"];
        if cannot_be_read.iter().any(|problem| error.contains(problem)) {
            // All of it comes back as it went.
            let back = org.get(&format!("{JOBS}/{job}/unprocessedrecords")).body;
            assert_eq!(back, shown, "seed {seed}: {info}");
            for file in ["successfulResults", "failedResults"] {
                assert_eq!(org.results(&job, file), [], "seed {seed}: {shown:?}");
            }
            continue;
        }
        let done = org.done(&job, info);
        let processed = done.successful.len() + done.failed.len();
        assert_eq!(done.info["numberRecordsProcessed"], processed, "seed {seed}: {shown:?}");
        assert_eq!(done.info["numberRecordsFailed"], done.failed.len(), "seed {seed}: {shown:?}");
        if done.info["state"] == "Failed" {
            assert_eq!(processed, 0, "seed {seed}: {shown:?}");
        } else {
            assert_eq!(done.unprocessed, [], "seed {seed}: {shown:?}");
        }
        assert_eq!(sorted(all_rows(done)), sorted(table(&shown, ',')), "seed {seed}: {shown:?}");
    }
    assert_eq!(org.get("/__sim/counters").json()["panics"], 0, "seed {seed}");
}

/// The rows of all three files, as they were uploaded.
fn all_rows(done: Done) -> Vec<Row> {
    let mut rows = [done.successful, done.failed, done.unprocessed].concat();
    for row in &mut rows {
        row.retain(|column, _| !column.starts_with("sf__"));
    }
    rows
}

fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_unstable();
    rows
}

/// A file of contacts, some bytes of which are not what they were.
fn random_file(rng: &mut fastrand::Rng) -> Vec<u8> {
    let columns = [
        "LastName",
        "Email",
        "Birthdate",
        "Version__c",
        "HasOptedOutOfEmail",
        "Account.ExternalId__c",
        "LeadSource",
    ];
    let chosen: Vec<&str> = columns.into_iter().filter(|_| rng.bool()).collect();
    let mut csv = format!("ExternalId__c,{}\n", chosen.join(","));
    for _ in 0..rng.usize(1..20) {
        csv.push_str(&format!("E-{}", rng.u8(..)));
        for _ in 0..chosen.len().max(1) {
            csv.push(',');
            csv.push_str(random_value(rng));
        }
        csv.push('\n');
    }
    let mut csv = csv.into_bytes();
    if rng.u8(..4) == 0 {
        let at = rng.usize(..csv.len());
        csv[at] = rng.u8(..);
    }
    csv
}

fn random_value(rng: &mut fastrand::Rng) -> &'static str {
    let values = [
        "",
        "#N/A",
        "x",
        "\"a, b\"",
        "1e400",
        "2026-02-30",
        "true",
        "a@b.example",
        "\"\"",
        "ÿ",
        "-1",
        "\"two\nlines\"",
    ];
    values[rng.usize(..values.len())]
}
