//! The examples are right.

use std::path::Path;

use dipmo_config::{Colour, Config, Declared, References};

#[test]
fn every_example_can_be_built() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["hits", "onboarding", "members"] {
        let file = examples.join(name).join("dipmo.yaml");
        let loaded = Config::load(&file, &[], References::Keep)
            .unwrap_or_else(|it| panic!("{}", it.problems.render(&it.files, Colour::Never)));
        let mut problems = loaded.warnings;
        let declared = Declared::of(&loaded.config, &loaded.files, &mut problems);
        assert!(problems.is_empty(), "{}", problems.render(&loaded.files, Colour::Never));
        assert_eq!(declared.processes.len(), loaded.config.processes.iter().count());
    }
}
