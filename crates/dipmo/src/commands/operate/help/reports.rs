//! Of reports, and of the doctor.

pub(crate) const REPORT: &str = noun!(
    "  dipmo report ageing                           how old what waits is, by status
  dipmo report hot                              keys, lanes and aggregates that stand out
  dipmo report slo                              what was promised, and what is left of the budget"
);

pub(crate) const REPORT_AGEING: &str = lists!(
    "  dipmo report ageing                           of each status, how many of which age
  dipmo report ageing --output json             for a script"
);

pub(crate) const REPORT_HOT: &str = lists!(
    "  dipmo report hot                              the ten worst of each
  dipmo report hot --limit 50 --output json     for a script"
);

pub(crate) const REPORT_SLO: &str = "Examples:
  dipmo report slo                              each promise of `slo` in dipmo.yaml, and how it is kept
  dipmo report slo --output json | jq '.objectives[] | select(.left < 0.5)'

Exit codes:
  0  it was shown, also when nothing is promised
  2  nobody could be asked, or they said no
  3  a budget is used up: more went wrong than may";

pub(crate) const DOCTOR: &str = "Examples:
  dipmo doctor                                  a line for each thing that must be so
  dipmo doctor --connect                        Kafka, Salesforce and ports are asked as well
  dipmo doctor --output json | jq '.lines[] | select(.verdict == \"FAIL\")'

A line is OK, WARN (it works, and somebody should look), FAIL (something does not work, or is not safe) or UNKNOWN (it could not
be told, and why). Nothing is changed.

Exit codes:
  0  nothing is to be done; what is UNKNOWN may hide something
  1  at least one line is FAIL
  2  nobody could be asked, or they said no
  3  at least one line is WARN, and none is FAIL";
