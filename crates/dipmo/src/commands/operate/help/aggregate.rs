//! Of aggregates.

pub(crate) const AGGREGATE: &str = noun!(
    "  dipmo aggregate erase C-17 --dry-run          what would be blanked, table by table
  dipmo aggregate erase C-17 --reason GDPR-118"
);

pub(crate) const AGGREGATE_ERASE: &str = concat!(
    "Examples:\n",
    "  dipmo aggregate erase C-17 --dry-run          what would be blanked, table by table
  dipmo aggregate erase C-17 --reason GDPR-118
                                                rows, ids and statuses stay; what they said is gone for good
  dipmo aggregate erase C-17 --instance ORDER/O-4 --instance ORDER/O-9 --reason INC-17
                                                with instances that go by other ids",
    "\n\nTables of your own and files of archives are not changed: what is restored of them is blanked.\n\n\
     Exit codes:\n  0  everything is blank\n  1  it was not meant\n  2  something of it has not ended, nobody could be asked, \
     or they said no"
);
