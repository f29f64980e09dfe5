//! What the commands do, and what they say when they cannot.

use std::path::Path;

use crate::program::{Folder, dipmo, said};

#[track_caller]
fn works(folder: &Path, arguments: &[&str]) -> String {
    let output = dipmo(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
    said(&output)
}

#[test]
fn every_starter_passes_its_check_and_its_cases_and_these_take_every_way() {
    for example in [None, Some("members"), Some("hits"), Some("onboarding"), Some("orders")] {
        let folder = Folder::new(&format!("init-{}", example.unwrap_or("smallest")));
        match example {
            Some(name) => works(&folder.0, &["init", "--example", name]),
            None => works(&folder.0, &["init"]),
        };
        let checked = works(&folder.0, &["check"]);
        assert!(!checked.contains("warning"), "{example:?}: {checked}");
        let tested = works(&folder.0, &["test"]);
        assert!(tested.contains("they take every one"), "{example:?}: {tested}");
        works(&folder.0, &["check", "--dry-run", "events.ndjson"]);
        for line in folder.read("events.ndjson").lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(record["topic"].is_string() && record["value"].is_object(), "{line}");
        }
    }
}

#[test]
fn no_file_is_overwritten_and_then_none_is_written() {
    let folder = Folder::new("init-kept");
    folder.write("cases.yaml", "mine");
    let output = dipmo(&folder.0, &["init"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("cases.yaml would be overwritten"), "{}", said(&output));
    assert_eq!(folder.read("cases.yaml"), "mine");
    assert!(!folder.0.join("dipmo.yaml").exists());
}

#[test]
fn a_folder_is_made_and_named_in_what_to_do_next() {
    let folder = Folder::new("init-folder");
    let next = works(&folder.0, &["init", "shop/orders"]);
    assert!(next.contains("cd shop/orders"), "{next}");
    assert!(works(&folder.0.join("shop/orders"), &["test"]).contains("✓ an order is placed"));
}

#[test]
fn a_case_that_fails_is_told_with_its_place_and_both_sides() {
    let folder = Folder::new("test-fails");
    works(&folder.0, &["init"]);
    let cases = folder.read("cases.yaml");
    folder.write("cases.yaml", &cases.replace("STATUS: CANCELLED}}", "STATUS: GONE}}"));
    let output = dipmo(&folder.0, &["test"]);
    assert_eq!(output.status.code(), Some(1));
    let text = said(&output);
    assert!(!text.contains('\u{1b}'), "no colour without a terminal: {text}");
    let line = 1 + cases.lines().position(|line| line.contains("STATUS: CANCELLED}}")).unwrap();
    assert!(
        text.contains(&format!("    cases.yaml:{line}:57  (- expected, + happened)\n")),
        "{text}"
    );
    assert!(
        text.contains("      -       STATUS: GONE\n      +       STATUS: CANCELLED\n"),
        "{text}"
    );
    assert!(
        text.ends_with("8 passed, 1 failed; they take every one of the 9 cases of events\n"),
        "{text}"
    );
    let json = dipmo(&folder.0, &["test", "--output", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((&json["passed"], &json["failed"]), (&8.into(), &1.into()));
    let failed = json["cases"].as_array().unwrap().iter().find(|it| it["passed"] == false);
    assert_eq!(failed.unwrap()["misses"][0]["line"], line);
}

#[test]
fn what_no_case_takes_is_noted_and_only_when_all_were_run() {
    let folder = Folder::new("test-left");
    works(&folder.0, &["init"]);
    let cases = folder.read("cases.yaml");
    let until = cases.find("  - name: the timer fires").unwrap();
    folder.write("some.yaml", &cases[..until]);
    let text = works(&folder.0, &["test", "some.yaml"]);
    assert!(
        text.contains("note: no test takes 1 of 9 cases of events:\n    dipmo.yaml:"),
        "{text}"
    );
    assert!(text.contains("ORDER, PaymentOverdue, case 2: in any state"), "{text}");
    let text = works(&folder.0, &["test", "some.yaml", "--name", "payment comes"]);
    assert_eq!(text, "✓ a payment comes twice\n\n1 passed\n");
}

#[test]
fn what_cannot_be_run_says_so() {
    let folder = Folder::new("test-cannot");
    works(&folder.0, &["init"]);
    for (arguments, expected) in [
        (&["test", "--name", "nothing like it"][..], "no case has \"nothing like it\" in its name"),
        (&["test", "missing.yaml"], "missing.yaml cannot be read"),
        (&["test", "--config", "missing.yaml"], "missing.yaml cannot be read"),
        (&["test", "dipmo.yaml"], "`store` is no key of a file of cases"),
    ] {
        let output = dipmo(&folder.0, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(said(&output).contains(expected), "{arguments:?}: {}", said(&output));
    }
    let output = dipmo(&folder.0, &["test", "dipmo.yaml", "--output", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["problems"][0]["file"], "dipmo.yaml");
    assert_eq!(output.status.code(), Some(2));
}
