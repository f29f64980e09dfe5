//! Of `dipmo outbox`.

pub(crate) const OUTBOX: &str = noun!(
    "  dipmo outbox list --status FAILED             what was refused, and waits for a person
  dipmo outbox show 815                         an intent with its records
  dipmo outbox retry --destination KAFKA:order-events --reason INC-17
                                                all that failed there, once that is mended"
);

pub(crate) const OUTBOX_LIST: &str = lists!(
    "  dipmo outbox list                             the newest units: intents, and records of intents
  dipmo outbox list --status FAILED             what was refused, and waits for a person
  dipmo outbox list --cause 4711                what a message caused
  dipmo outbox list --destination KAFKA:order-events --status PENDING --all"
);

pub(crate) const OUTBOX_SHOW: &str = shows!(
    "  dipmo outbox show 815                         an intent with its records; the id of a record finds it too
  dipmo outbox show 815 --reveal --reason INC-17
                                                with what is masked; that is in the audit"
);

pub(crate) const OUTBOX_RETRY: &str = acts!(
    "  dipmo outbox retry 815 --reason INC-17
  dipmo outbox retry --destination KAFKA:order-events --dry-run
                                                how many it would be, and nothing else
  dipmo outbox retry --code INVALID_FIELD --reason INC-17 --rate 50 --yes"
);

pub(crate) const OUTBOX_SKIP: &str = acts!(
    "  dipmo outbox skip 815 --reason INC-17         gives it up; what waits behind it goes on
  dipmo outbox skip --code INVALID_FIELD --until 3d --reason INC-17"
);

pub(crate) const OUTBOX_RELEASE: &str = acts!(
    "  dipmo outbox release 815 --reason INC-17      what waits behind it goes on; it can be retried later
  dipmo outbox release --destination KAFKA:order-events --reason INC-17"
);

pub(crate) const OUTBOX_RESEND: &str = acts!(
    "  dipmo outbox resend 815 --reason INC-17       delivers it a second time; who receives it sees a new id
  dipmo outbox resend --destination KAFKA:order-events --since 2h --until 1h --dry-run
                                                how many were delivered then, and nothing else
  dipmo outbox resend --destination HTTP:SFDC:Auto:Contact --since 2h --reason INC-17 --rate 20"
);
