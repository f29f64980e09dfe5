use std::sync::Arc;

use super::*;

fn process(states: &[&'static str]) -> Arc<ProcessTable> {
    let table = ProcessTable {
        process: "HIT",
        states: states.to_vec(),
        initial: states[0],
        state_check: "CK_HIT_STATE",
        projected: vec![],
    };
    table.checked().unwrap()
}

fn installed(sets: &[&[&'static str]]) -> Definitions {
    let known = sets.iter().zip(1..).map(|(states, generation)| Definition {
        generation,
        states: fingerprint(&process(states)),
        settled: false,
    });
    Definitions(known.collect())
}

fn allowed(states: &[&str]) -> Vec<String> {
    states.iter().map(|state| (*state).to_owned()).collect()
}

#[test]
fn the_order_of_states_makes_no_new_definition() {
    let known = installed(&[&["A", "B"]]);
    assert_eq!(known.generation(&process(&["B", "A"])), 1);
    assert_eq!(known.generation(&process(&["A"])), 2);
}

#[test]
fn a_state_of_a_later_definition_is_newer_and_one_of_an_earlier_is_gone() {
    let known = installed(&[&["A", "OLD"], &["A"], &["A", "NEW"]]);
    let second = process(&["A"]);
    assert!(known.has_later(&second, "NEW") && !known.has_later(&second, "OLD"));
    let third = process(&["A", "NEW"]);
    assert!(!known.has_later(&third, "NEW"));
    assert!(!known.has_later(&process(&["A", "NEWEST"]), "NEW"), "one that is new is the last");
}

#[test]
fn a_table_is_looked_at_while_it_allows_what_is_gone_and_nobody_has_looked() {
    let mut known = installed(&[&["A", "OLD"], &["A"], &["A", "NEW"]]);
    let second = process(&["A"]);
    assert!(!known.must_look(&second, Some(&allowed(&["A"]))));
    assert!(!known.must_look(&second, Some(&allowed(&["A", "NEW"]))), "newer ones are no matter");
    assert!(known.must_look(&second, Some(&allowed(&["A", "OLD"]))));
    assert!(known.must_look(&second, None), "somebody else made the table");
    known.0[1].settled = true;
    assert!(!known.must_look(&second, Some(&allowed(&["A", "OLD"]))));
    assert!(may_stray(&second, Some(&allowed(&["A", "NEW"]))));
    assert!(!may_stray(&second, Some(&allowed(&["A"]))));
}

#[test]
fn a_mapping_must_fit_the_definitions() {
    let tables = Tables { processes: vec![process(&["A", "B"])], ..Tables::default() };
    let check = |process: &str, from: &str, to: &str| {
        StateMapping::default().and(process, from, to).check(&tables)
    };
    assert_eq!(check("HIT", "OLD", "A"), Ok(()));
    for (mapping, problem) in [
        (check("HITS", "OLD", "A"), "there is no process HITS"),
        (check("HIT", "B", "A"), "HIT still has the state B"),
        (check("HIT", "OLD", "C"), "HIT has no state C; its states are A, B"),
    ] {
        assert_eq!(mapping, Err(invalid(problem.to_owned())));
    }
}

#[test]
fn a_refusal_names_who_is_not_mapped() {
    let stray = |state: &str, newer| Stray {
        process: "HIT".to_owned(),
        state: state.to_owned(),
        count: 4,
        ids: ["1", "2", "3", "4"].map(str::to_owned).to_vec(),
        newer,
    };
    let strays = [stray("OLD", false), stray("OLDER", false), stray("NEW", true)];
    let error = StateMapping::default().and("HIT", "OLD", "A").cover(&strays).unwrap_err();
    let expected =
        StoreError::StatesGone { strays: "HIT has 4 in OLDER (1, 2, 3, …)".to_owned() };
    assert_eq!(error, expected);
}
