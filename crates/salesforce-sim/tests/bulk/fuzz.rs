//! Random files, from the upload to the results: nothing ends the process, and no row gets lost.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::org::{JOBS, Org};

const TIME: Duration = Duration::from_secs(10);

#[test]
fn no_row_gets_lost() {
    let org = Org::start();
    let spec = json!({ "object": "Contact", "operation": "upsert", "externalIdFieldName": "ExternalId__c" });
    let seed = fastrand::u64(..);
    let mut rng = fastrand::Rng::with_seed(seed);
    let start = Instant::now();
    while start.elapsed() < TIME {
        let csv = random_file(&mut rng);
        let shown = String::from_utf8_lossy(&csv).into_owned();
        let job = org.create(&spec);
        assert_eq!(org.upload(&job, &csv).status, 201, "seed {seed}: {shown:?}");
        org.set_state(&job, "UploadComplete");
        let info = org.wait(&job);
        if info["state"] == "Failed" {
            for file in ["successfulResults", "failedResults", "unprocessedrecords"] {
                assert_eq!(
                    org.get(&format!("{JOBS}/{job}/{file}")).status,
                    200,
                    "seed {seed}: {shown:?}"
                );
            }
        } else {
            let done = org.done(&job, info);
            assert_eq!(
                done.info["numberRecordsProcessed"],
                done.successful.len() + done.failed.len()
            );
            assert_eq!(done.info["numberRecordsFailed"], done.failed.len());
            assert_eq!(done.unprocessed, [], "seed {seed}: {shown:?}");
        }
    }
    assert_eq!(org.get("/__sim/counters").json()["panics"], 0);
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
