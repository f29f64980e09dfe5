//! What the demo can be told.

use std::time::Duration;

use super::sabotage::Sabotage;

/// Examples for `--help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  dipmo demo                                    15 seconds on SQLite, with a Kafka and a Salesforce
                                                of its own inside: no service needed
  dipmo demo --duration 1m --rate 2000          longer and harder
  dipmo demo --seed 7                           the same stories again
  dipmo demo --json | tail -n 1 | jq .lost      the ledger for a script
  dipmo demo --postgres postgres://me@localhost/test
                                                in a schema of its own, dropped at the end
  dipmo demo --kafka localhost:9092             on topics of its own, removed at the end
  dipmo demo --salesforce https://acme.my.salesforce.com
                                                with DIPMO_SALESFORCE_CLIENT_ID and
                                                DIPMO_SALESFORCE_CLIENT_SECRET in the environment;
                                                its records are removed at the end
  dipmo demo --sabotage double                  see that the ledger notices

It exits with 0 when nothing was lost, doubled or reordered, with 1 when something was, and with 2
when it could not run.";

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
    /// Print the ledger as one JSON object, the only line on standard output.
    #[arg(long)]
    pub(crate) json: bool,
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
    /// Let those who receive break the rules, to see that the ledger notices.
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) sabotage: Option<Sabotage>,
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
    use super::*;

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
}
