//! What `dipmo init` writes, and `dipmo demo` plays. The examples are those of the repository, so that they cannot
//! differ.

/// The files of a pipeline.
pub(crate) struct Starter {
    /// Name and text of each, in the order in which they are told: the pipeline comes first.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

impl Starter {
    /// The text of its `dipmo.yaml`.
    pub(crate) const fn pipeline(&self) -> &'static str {
        self.files[0].1
    }
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
    ($folder:literal $(, $more:literal)*) => {
        Starter {
            files: &[
                ("dipmo.yaml", include_str!(concat!($folder, "/dipmo.yaml"))),
                ("cases.yaml", include_str!(concat!($folder, "/cases.yaml"))),
                ("events.ndjson", include_str!(concat!($folder, "/events.ndjson"))),
                ("README.md", include_str!(concat!($folder, "/README.md"))),
                $(($more, include_str!(concat!($folder, "/", $more))),)*
                (".gitignore", GIT_IGNORE),
            ],
        }
    };
}

/// One topic, one process, one table, one destination.
pub(crate) static SMALLEST: Starter = starter!("smallest");
/// `examples/members`.
pub(crate) static MEMBERS: Starter = starter!("../../../../../examples/members");
/// `examples/hits`.
pub(crate) static HITS: Starter = starter!("../../../../../examples/hits");
/// `examples/onboarding`.
pub(crate) static ONBOARDING: Starter = starter!("../../../../../examples/onboarding");

/// `examples/orders`.
pub(crate) static ORDERS: Starter =
    starter!("../../../../../examples/orders", "order-request.schema.json");

/// What a file is for.
pub(crate) fn about(name: &str) -> &'static str {
    match name {
        "dipmo.yaml" => "the pipeline",
        "cases.yaml" => "what it must do: given, when, then",
        "events.ndjson" => "some records, as they would be on the topic",
        "README.md" => "how to go on",
        "order-request.schema.json" => "what a request must look like",
        _ => "what not to keep with them",
    }
}
