//! What is shown below the options: of `dipmo migrate`, and of each of its commands.

pub(crate) const EXAMPLES: &str = "Examples:
  dipmo migrate                                 what was applied, and whether this version may run
  dipmo migrate plan                            what apply would do
  dipmo migrate print > schema.sql              all SQL for an empty database, which is not asked
  dipmo migrate apply                           does it; safe from any number of instances at once
  dipmo migrate apply --map HIT.QUALIFIED=REVIEW_STARTED
                                                instances whose state is gone go on there
  dipmo migrate status --output json            for a script

Exit codes:
  0  nothing is left to do
  1  something is: apply would do it, or this version may not run
  2  the database could not be asked, or would not have it";

pub(super) const STATUS: &str = "Examples:
  dipmo migrate status                          what was applied, and whether this version may run
  dipmo migrate status --output json | jq .may_run

Exit codes:
  0  this version may run, and nothing is left to do
  1  apply first, or take a newer version
  2  the database could not be asked";

pub(super) const PLAN: &str = "Examples:
  dipmo migrate plan                            before a deployment
  dipmo migrate plan --output json | jq -r .tables[].sql

Exit codes:
  0  nothing is left to do
  1  apply would do something
  2  the database could not be asked";

pub(super) const PRINT: &str = "Examples:
  dipmo migrate print > schema.sql              for a database administrator
  dipmo migrate print --overlay prod.yaml       of another environment

No database is asked.";

pub(super) const APPLY: &str = "Examples:
  dipmo migrate apply                           safe from any number of instances at once
  dipmo migrate apply --map HIT.QUALIFIED=REVIEW_STARTED --map HIT.OLD=CLOSED
                                                instances whose state is gone go on there

Exit codes:
  0  the schema is up to date
  2  the database could not be asked, or would not have it";
