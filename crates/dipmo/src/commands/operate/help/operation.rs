//! Of `dipmo operation`.

pub(crate) const OPERATION: &str = noun!(
    "  dipmo operation list                          what was begun, by whom and why
  dipmo operation watch 7                       how far it is, until it has ended
  dipmo operation cancel 7 --reason INC-17      what was done stays done"
);

pub(crate) const OPERATION_LIST: &str = lists!(
    "  dipmo operation list                          the newest first
  dipmo operation list --output json | jq .rows[].state"
);

pub(crate) const OPERATION_SHOW: &str = shows!(
    "  dipmo operation show 7                        how far it is, and what became of its items
  dipmo operation show 7 --result OVERTAKEN     which items met this end"
);

pub(crate) const OPERATION_WATCH: &str = "Examples:
  dipmo operation watch 7                       how far it is, until it has ended

Without --server, and when no instance has taken it, it is performed here.

Exit codes:
  0    all was done
  1    something was not done, it does not run any more, or there is no such operation
  2    nobody could be asked, or they said no
  130  it was left with Ctrl-C, and goes on";

pub(crate) const OPERATION_PAUSE: &str = changes!(
    "  dipmo operation pause 7 --reason INC-17       nothing more is done until it is resumed"
);

pub(crate) const OPERATION_RESUME: &str =
    changes!("  dipmo operation resume 7 --reason INC-17      it goes on where it was paused");

pub(crate) const OPERATION_CANCEL: &str = changes!(
    "  dipmo operation cancel 7 --reason INC-17      it ends here; what was done stays done"
);
