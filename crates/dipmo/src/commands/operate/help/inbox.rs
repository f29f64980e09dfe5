//! Of `dipmo inbox`.

pub(crate) const INBOX: &str = noun!(
    "  dipmo inbox list --status FAILED,SERDE_ERROR  what waits for a person
  dipmo inbox show 4711                         one message, with its failure
  dipmo inbox journey 4711                      what came of it
  dipmo inbox retry --code ORDER_UNKNOWN --reason INC-17
                                                all that failed so, once that is mended
  dipmo inbox list --server https://dipmo.example --token-file ~/.dipmo-token
                                                of an instance elsewhere"
);

pub(crate) const INBOX_LIST: &str = lists!(
    "  dipmo inbox list                              the newest messages
  dipmo inbox list --status FAILED,SERDE_ERROR  what waits for a person
  dipmo inbox list --waits held                 what waits for another message of its key
  dipmo inbox list --aggregate O-17 --since 2h  what came of one order in the last two hours
  dipmo inbox list --text O-17 --all --output json | jq .rows[].id"
);

pub(crate) const INBOX_SHOW: &str = shows!(
    "  dipmo inbox show 4711                         where it stands, and why
  dipmo inbox show 4711 --reveal --reason INC-17
                                                with what is masked; that is in the audit"
);

pub(crate) const INBOX_JOURNEY: &str = shows!(
    "  dipmo inbox journey 4711                      from where it came to what was delivered
  dipmo inbox journey 4711 --output json        for a script"
);

pub(crate) const INBOX_RETRY: &str = acts!(
    "  dipmo inbox retry 4711 4712 --reason INC-17
  dipmo inbox retry --failure 1f2e3d4c5b6a7980 --dry-run
                                                how many it would be, and nothing else
  dipmo inbox retry --failure 1f2e3d4c5b6a7980 --reason INC-17 --rate 100 --yes
                                                all that failed alike, 100 a second, without being asked
  dipmo inbox retry 4711 --force --reason INC-17
                                                also when later ones of its key went on meanwhile"
);

pub(crate) const INBOX_SKIP: &str = acts!(
    "  dipmo inbox skip 4711 --reason INC-17         never processes it; what waits behind it goes on
  dipmo inbox skip --code ORDER_UNKNOWN --until 3d --reason INC-17"
);

pub(crate) const INBOX_RELEASE: &str = acts!(
    "  dipmo inbox release 4711 --reason INC-17      what waits behind it goes on; it can be retried later
  dipmo inbox release --topic orders --reason INC-17"
);

pub(crate) const INBOX_REPARSE: &str = acts!(
    "  dipmo inbox reparse --topic orders --reason INC-17
                                                decodes again by the rules that the file has now
  dipmo inbox reparse 4711 --reason INC-17"
);

pub(crate) const INBOX_EDIT: &str = changes!(
    "  dipmo inbox show 3 --reveal --reason INC-17 --output json | jq .payload > 3.json
                                                what it says; then write what it should say
  dipmo inbox edit 3 --payload 3.json --dry-run
  dipmo inbox edit 3 --payload 3.json --reason INC-17
                                                it keeps its ids and its place, and what came is kept beside it"
);

pub(crate) const REPLAY: &str = acts!(
    "  dipmo replay --topic orders --since 2h --until 1h --dry-run
                                                what would come of it: states, and what would be sent
  dipmo replay --topic orders --since 2h --until 1h --reason INC-17 --rate 100
  dipmo replay 4711 --reason INC-17
  dipmo replay --aggregate O-17 --force --reason INC-17
                                                also what is older than the version that its process has seen"
);
