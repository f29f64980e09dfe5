//! Files of cases that are wrong.

use crate::setting::Setting;

/// What is said of the only case, by lines that tell it.
fn said(case: &str) -> Vec<String> {
    let text = format!("dipmo: 1\ncases:\n  - name: it\n{case}");
    let said = Setting::example("hits").run(&text).expect_err("something is wrong");
    let tells =
        |line: &&str| line.starts_with("error") || line.contains("--> ") || line.contains("hint:");
    said.lines().filter(tells).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn a_name_that_is_not_there_is_said_with_the_nearest() {
    let found = said(
        "    process: HIT\n\
         \x20   given: {state: HIT_CREATD, data: {notificationID: N-1}}\n\
         \x20   when: [{event: HitAssesed}, {timer: review-overdu}]\n\
         \x20   then: {goes: REVIEW_STARTD, writes: [{upsert: HITS, set: {STATUSS: A}}, {upsert: HIT}]}\n",
    );
    let hints: Vec<&String> = found.iter().filter(|line| line.starts_with("hint:")).collect();
    assert_eq!(
        hints,
        [
            "hint: did you mean `HIT_CREATED`?",
            "hint: did you mean `notificationId`?",
            "hint: did you mean `HitAssessed`?",
            "hint: did you mean `review-overdue`?",
            "hint: did you mean `REVIEW_STARTED`?",
            "hint: did you mean `STATUS`?",
            "hint: did you mean `HITS`?",
        ]
    );
    assert_eq!(found[0], "error[config-unknown-name]: there is no state `HIT_CREATD`");
    assert_eq!(found[1], "--> cases.yaml:5:20");
}

#[test]
fn a_slip_in_a_key_is_understood() {
    let found = said("    when: {event: HitAssessed, paylod: {}}\n    then: {rejcts: A}\n");
    assert!(found.contains(&"hint: did you mean `payload`?".to_owned()), "{found:#?}");
    assert!(found.contains(&"hint: did you mean `rejects`?".to_owned()), "{found:#?}");
}

#[test]
fn what_cannot_be_together_is_said() {
    let found = said(
        "    given: {version: 2}\n\
         \x20   when: {event: HitAssessed}\n\
         \x20   then: {stays: duplicate, writes: []}\n",
    );
    assert_eq!(found.iter().filter(|line| line.starts_with("error")).count(), 2, "{found:#?}");
    assert!(found.contains(&"hint: expect `goes`, or remove it".to_owned()), "{found:#?}");
}

#[test]
fn a_file_without_cases_and_a_name_that_is_there_twice_are_said() {
    let mut setting = Setting::example("hits");
    let said = setting.run("dipmo: 1\ncases: []\n").unwrap_err();
    assert!(said.contains("at least one is needed"), "{said}");
    let case = "  - {name: it, when: {event: HitAssessed}, then: {rejects: A}}\n";
    let said = setting.run(&format!("dipmo: 1\ncases:\n{case}{case}")).unwrap_err();
    assert!(said.contains("there are two cases `it`"), "{said}");
}
