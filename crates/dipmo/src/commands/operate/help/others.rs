//! Of the other nouns, which have little to do.

pub(crate) const PROCESS: &str = noun!(
    "  dipmo process list                            the processes of the pipeline
  dipmo process instances ORDER --failed        instances that have a failure
  dipmo process show ORDER O-17                 one instance"
);

pub(crate) const PROCESS_LIST: &str = lists!(
    "  dipmo process list                            their names, and how many stand in which state
  dipmo process list --output json              for a script"
);

pub(crate) const PROCESS_INSTANCES: &str = lists!(
    "  dipmo process instances ORDER                 in the order of their ids
  dipmo process instances ORDER --state PLACED --prefix O-1
  dipmo process instances ORDER --failed --all"
);

pub(crate) const PROCESS_SHOW: &str =
    shows!("  dipmo process show ORDER O-17                 its state, its data and its timers");

pub(crate) const PROCESS_MOVE: &str = changes!(
    "  dipmo process move ORDER O-17 CANCELLED --dry-run
                                                from where, and which timers would be taken away
  dipmo process move ORDER O-17 CANCELLED --reason INC-17
                                                nothing is sent; what is stuck behind it can be retried then"
);

pub(crate) const DESTINATION: &str = noun!(
    "  dipmo destination list                        where things are delivered, and how much waits
  dipmo destination pause KAFKA:orders --reason INC-17
                                                nothing more is delivered to it"
);

pub(crate) const DESTINATION_LIST: &str = lists!(
    "  dipmo destination list                        those where something waits
  dipmo destination list --output json          for a script"
);

pub(crate) const DESTINATION_PAUSE: &str = changes!(
    "  dipmo destination pause KAFKA:orders --reason INC-17
                                                what is to go there waits; no attempt is used up"
);

pub(crate) const DESTINATION_RESUME: &str = changes!(
    "  dipmo destination resume KAFKA:orders --reason \"it is well again\"
                                                what waited is delivered, in order"
);

pub(crate) const DESTINATION_BREAKER: &str = changes!(
    "  dipmo destination breaker HTTP:SFDC:Auto:Contact open --reason INC-17
                                                no call is made until it is closed
  dipmo destination breaker HTTP:SFDC:Auto:Contact close --reason \"it is well again\"
                                                calls are made at once, whoever opened it"
);

pub(crate) const DESTINATION_RATE: &str = changes!(
    "  dipmo destination rate HTTP:SFDC:Auto:Contact --per-second 5 --reason INC-17
  dipmo destination rate HTTP:SFDC:Auto:Contact --reset --reason \"it is well again\"
                                                as the configuration says"
);

pub(crate) const SOURCE: &str = noun!(
    "  dipmo source list                             where messages come from, and what rests
  dipmo source pause shop --reason INC-17       nothing more is taken from it"
);

pub(crate) const SOURCE_LIST: &str = lists!(
    "  dipmo source list                             all of them, and who paused which
  dipmo source list --output json               for a script"
);

pub(crate) const SOURCE_PAUSE: &str = changes!(
    "  dipmo source pause shop --reason INC-17       Kafka is not read; clients over HTTP are told to come back"
);

pub(crate) const SOURCE_RESUME: &str = changes!(
    "  dipmo source resume shop --reason \"it is well again\"
                                                it goes on where it was paused"
);

pub(crate) const JOB: &str = noun!(
    "  dipmo job list                                jobs of the Bulk API and transactions of Kafka"
);

pub(crate) const JOB_LIST: &str = lists!(
    "  dipmo job list                                those that have not ended, then the newest that have
  dipmo job list --output json                  for a script"
);

pub(crate) const LANE: &str =
    noun!("  dipmo lane list                               who delivers what right now");

pub(crate) const LANE_LIST: &str = lists!(
    "  dipmo lane list                               lanes that are leased, or held by a job
  dipmo lane list --output json                 for a script"
);

pub(crate) const INSTANCE: &str =
    noun!("  dipmo instance list                           who works on this database");

pub(crate) const INSTANCE_LIST: &str = lists!(
    "  dipmo instance list                           name, version, roles, and when it was last heard of
  dipmo instance list --output json             with all that each tells of itself"
);

pub(crate) const FAILURES: &str = noun!(
    "  dipmo failures list                           what is stuck, grouped by cause
  dipmo failures show 1f2e3d4c5b6a7980          one group, with some of its messages or units"
);

pub(crate) const FAILURES_LIST: &str = lists!(
    "  dipmo failures list                           the newest failures first
  dipmo failures list --output json | jq .rows[].pattern"
);

pub(crate) const FAILURES_SHOW: &str = shows!(
    "  dipmo failures show 1f2e3d4c5b6a7980          one group, with some of its messages or units"
);

pub(crate) const AUDIT: &str =
    noun!("  dipmo audit list --since 1d                   who did what and why, since yesterday");

pub(crate) const AUDIT_LIST: &str = lists!(
    "  dipmo audit list                              the newest first
  dipmo audit list --actor jane --since 1d
  dipmo audit list --action operation.begin --output json"
);

pub(crate) const TOKEN: &str = noun!(
    "  dipmo token make jane --role operator --days 90
  dipmo token list                              who may come in
  dipmo token revoke 3 --reason INC-17          at once"
);

pub(crate) const TOKEN_MAKE: &str = "Examples:
  dipmo token make jane --role operator --days 90
  dipmo token make grafana --for-ever > grafana.token
                                                may only look; the file has the token and nothing else

The token is printed once, and kept by nobody: the database has its hash.

Exit codes:
  0  it was made and printed
  2  it was not made";

pub(crate) const TOKEN_LIST: &str = lists!(
    "  dipmo token list                              those that were revoked too
  dipmo token list --output json                for a script"
);

pub(crate) const TOKEN_REVOKE: &str = changes!(
    "  dipmo token revoke 3 --reason INC-17          whoever shows it is refused from now on"
);

pub(crate) const TOP: &str = "Examples:
  dipmo top                                     what waits where, until Ctrl-C
  dipmo top --every 10 --times 6                a minute of it
  dipmo top --every 60 --output json >> figures.ndjson

On a terminal the figures stay in place; elsewhere there is a line for each moment.

Exit codes:
  0  it was shown until it was left
  2  nobody could be asked, or they said no";
