//! What the demo can be told.

use std::time::Duration;

use super::processes::Processes;
use super::sabotage::Sabotage;
use crate::output::{Output, OutputArgs};

/// Examples for `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  dipmo demo                                    15 seconds on SQLite, with a Kafka and a Salesforce
                                                of its own inside: no service needed
  dipmo demo --duration 1m --rate 2000          longer and harder
  dipmo demo --seed 7                           the same stories again
  dipmo demo --output json | jq .lost           the ledger for a script
  dipmo demo --postgres postgres://me@localhost/test
                                                in a schema of its own, dropped at the end
  dipmo demo --kafka localhost:9092             on topics of its own, removed at the end
  dipmo demo --salesforce https://acme.my.salesforce.com
                                                with DIPMO_SALESFORCE_CLIENT_ID and
                                                DIPMO_SALESFORCE_CLIENT_SECRET in the environment;
                                                its records are removed at the end
  dipmo demo --processes rust                   the processes of the example crates, by the same book
  dipmo demo --sabotage double                  see that the ledger notices

Exit codes:
  0  nothing was lost, doubled or reordered
  1  something was
  2  it could not run
  130  it was interrupted twice";

/// Options of `dipmo demo`.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// How long events are sent: such as 15s, 2m or 500ms; then everything is drained.
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = duration)]
    pub(crate) duration: Duration,
    /// How many records are sent a second, duplicates and poison included.
    #[arg(long, value_name = "N", default_value_t = 500,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rate: u32,
    /// Where the random numbers begin; the same seed tells the same stories. Any without it.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    output: OutputArgs,
    /// The same as --output json: the ledger as one object, the only line on standard output.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Run on this PostgreSQL, in a schema of its own that is dropped at the end.
    #[arg(long, value_name = "URL")]
    pub(crate) postgres: Option<String>,
    /// Read from and publish to this Kafka, on topics of its own that are removed at the end.
    /// Without it, a small Kafka inside this process is used.
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) kafka: Option<String>,
    /// Send families, members and blocks to this org, or to a salesforce-sim, under external ids of
    /// its own that are removed at the end. Who logs in is told by DIPMO_SALESFORCE_CLIENT_ID and
    /// DIPMO_SALESFORCE_CLIENT_SECRET in the environment. Without it, a simulated Salesforce inside
    /// this process is used, which fails now and then.
    #[arg(long, value_name = "URL")]
    pub(crate) salesforce: Option<String>,
    /// Play the processes that the files of the examples declare, or the same in Rust.
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Processes::File)]
    pub(crate) processes: Processes,
    /// Let those who receive break the rules, to see that the ledger notices.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) sabotage: Option<Sabotage>,
}

impl Args {
    /// Whom the ledger is printed for.
    pub(crate) fn output(&self) -> Output {
        if self.json { Output::Json } else { self.output.format }
    }
}

impl Args {
    /// The command that tells the same stories in the same way; addresses are for the reader to fill in.
    pub(crate) fn again(&self, seed: u64) -> String {
        let (rate, millis) = (self.rate, self.duration.as_millis());
        let mut command = format!("dipmo demo --seed {seed} --rate {rate} --duration {millis}ms");
        for (is_said, words) in [
            (self.processes == Processes::Rust, " --processes rust"),
            (self.postgres.is_some(), " --postgres URL"),
            (self.kafka.is_some(), " --kafka HOST:PORT"),
            (self.salesforce.is_some(), " --salesforce URL"),
        ] {
            if is_said {
                command.push_str(words);
            }
        }
        command
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let problem = || format!("{text:?} is no time: write it as 15s, 2m or 500ms");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| problem())?;
    let millis = match &text[digits.len()..] {
        "ms" => Some(number),
        "" | "s" => number.checked_mul(1_000),
        "m" | "min" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        _ => return Err(problem()),
    };
    match millis.map(Duration::from_millis) {
        Some(Duration::ZERO) => Err("nothing would be sent in no time".to_owned()),
        Some(time) if time <= Duration::from_secs(24 * 3_600) => Ok(time),
        _ => Err("a demo of more than a day is none".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn json_is_asked_for_as_everywhere_or_by_its_own_flag() {
        let output = |line: &str| Line::try_parse_from(line.split(' ')).map(|it| it.args.output());
        for line in ["demo --output json", "demo --json"] {
            assert_eq!(output(line).unwrap(), Output::Json, "{line}");
        }
        assert_eq!(output("demo").unwrap(), Output::Text);
        assert!(output("demo --json --output text").is_err());
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("15"), Ok(Duration::from_secs(15)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("1h"), Ok(Duration::from_secs(3_600)));
        for bad in ["", "s", "-1s", "1.5s", "0s", "25h", "3 weeks", "99999999999999999999s"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_did_not_balance_can_be_told_again_without_a_secret() {
        #[derive(clap::Parser)]
        struct Demo {
            #[command(flatten)]
            args: Args,
        }
        let words = ["demo", "--duration", "2m", "--postgres", "postgres://me:secret@db/test"];
        let Demo { args } = Demo::parse_from(words);
        let again = "dipmo demo --seed 7 --rate 500 --duration 120000ms --postgres URL";
        assert_eq!(args.again(7), again);
    }
}
