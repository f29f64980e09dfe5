//! Of history in files.

pub(crate) const ARCHIVE: &str = noun!(
    "  dipmo archive list                            what was archived, and how it is
  dipmo archive keeper                          which instance keeps history
  dipmo archive restore 7 --reason INC-17       puts the rows of archive 7 back for a week"
);

pub(crate) const ARCHIVE_LIST: &str = lists!(
    "  dipmo archive list                            the newest first, with what is wrong with one
  dipmo archive list --output json | jq '.rows[] | select(.problem != null)'"
);

pub(crate) const ARCHIVE_KEEPER: &str = shows!(
    "  dipmo archive keeper                          its name, and why it cannot go on, if it cannot
  dipmo archive keeper --output json            for a script"
);

pub(crate) const ARCHIVE_RUN: &str =
    changes!("  dipmo archive run --reason 'the disk is nearly full'");

pub(crate) const ARCHIVE_VERIFY: &str =
    changes!("  dipmo archive verify 7 --reason 'after the move to another volume'");

pub(crate) const ARCHIVE_RESTORE: &str = changes!(
    "  dipmo archive restore 7 --reason INC-17       for a week
  dipmo archive restore 7 --days 30 --reason INC-17"
);
