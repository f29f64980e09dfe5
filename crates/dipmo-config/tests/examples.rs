//! The examples are right.

use std::path::Path;

use dipmo_config::{Colour, Config, References};

#[test]
fn nothing_is_said_about_the_examples() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["hits", "onboarding", "members", "orders"] {
        let file = examples.join(name).join("dipmo.yaml");
        let loaded = Config::load(&file, &[], References::Keep)
            .unwrap_or_else(|it| panic!("{}", it.problems.render(&it.files, Colour::Never)));
        let checked = loaded.check();
        let problems = checked.problems.render(&loaded.files, Colour::Never);
        assert!(checked.problems.is_empty(), "{problems}");
        let processes = checked.declared.processes.len();
        assert_eq!(processes, loaded.config.processes.iter().count());
    }
}
