//! The cases of the examples.

use crate::setting::{Setting, examples};

#[test]
fn every_example_passes_its_cases_and_they_take_every_way() {
    for name in ["hits", "onboarding", "members", "orders"] {
        let text = std::fs::read_to_string(examples().join(name).join("cases.yaml")).unwrap();
        let report = Setting::example(name).run(&text).unwrap_or_else(|said| panic!("{said}"));
        let failed: Vec<_> = report.ran.iter().filter(|ran| !ran.has_passed()).collect();
        assert!(failed.is_empty(), "{name}: {failed:#?}");
        let left = &report.coverage.left;
        assert!(left.is_empty() && report.coverage.all >= 7, "{name}: {left:#?}");
    }
}

#[test]
fn the_case_of_the_guide_passes() {
    let guide =
        std::fs::read_to_string(examples().join("../docs/guide/declared-tests.md")).unwrap();
    let (_, rest) = guide.split_once("```yaml\n").unwrap();
    let (case, _) = rest.split_once("```").unwrap();
    let report = Setting::example("hits").run(case).unwrap_or_else(|said| panic!("{said}"));
    assert!(report.ran[0].has_passed(), "{:#?}", report.ran);
}
