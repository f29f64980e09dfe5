//! What `dipmo init` writes. The examples are those of the repository, so that they cannot differ.

/// The files of a pipeline.
pub(super) struct Starter {
    /// Name and text of each, in the order in which they are told.
    pub(super) files: &'static [(&'static str, &'static str)],
}

/// What must not be kept with the files.
const GIT_IGNORE: &str = "\
# The database of a trial, and secrets.
*.db
*.db-shm
*.db-wal
.env
";

macro_rules! starter {
    ($folder:literal) => {
        Starter {
            files: &[
                ("dipmo.yaml", include_str!(concat!($folder, "/dipmo.yaml"))),
                ("cases.yaml", include_str!(concat!($folder, "/cases.yaml"))),
                ("events.ndjson", include_str!(concat!($folder, "/events.ndjson"))),
                ("README.md", include_str!(concat!($folder, "/README.md"))),
                (".gitignore", GIT_IGNORE),
            ],
        }
    };
}

/// One topic, one process, one table, one destination.
pub(super) static SMALLEST: Starter = starter!("smallest");
/// `examples/members`.
pub(super) static MEMBERS: Starter = starter!("../../../../../examples/members");
/// `examples/hits`.
pub(super) static HITS: Starter = starter!("../../../../../examples/hits");
/// `examples/onboarding`.
pub(super) static ONBOARDING: Starter = starter!("../../../../../examples/onboarding");

/// What a file is for.
pub(super) fn about(name: &str) -> &'static str {
    match name {
        "dipmo.yaml" => "the pipeline",
        "cases.yaml" => "what it must do: given, when, then",
        "events.ndjson" => "some records, as they would be on the topic",
        "README.md" => "how to go on",
        _ => "what not to keep with them",
    }
}
