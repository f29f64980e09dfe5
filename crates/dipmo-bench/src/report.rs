//! The figures of a suite, as a table for people and as JSON for machines.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::gates;

/// One figure.
pub(crate) struct Row {
    /// Such as `store.ingest`.
    pub(crate) metric: &'static str,
    /// The median of the rounds.
    pub(crate) value: f64,
    /// Such as `msg/s`.
    pub(crate) unit: &'static str,
    /// The value as a part of something else, when it is a rate.
    pub(crate) ratio: Option<(Ratio, Of)>,
}

/// What a ratio is of, measured in the same round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// The limit of the database.
    Limit,
    /// The same work without what is looked at, such as a long past.
    WithoutIt,
    /// The way of the seeds, one record at a time.
    RowByRow,
    /// A producer of the same records that does nothing else.
    Producer,
    /// The bulk upload of jsforce, of the same records.
    Jsforce,
    /// The same process in Rust.
    Rust,
    /// One core of the machine.
    Core,
}

impl Of {
    const fn name(self) -> &'static str {
        match self {
            Self::Limit => "L",
            Self::WithoutIt => "without",
            Self::RowByRow => "by row",
            Self::Producer => "producer",
            Self::Jsforce => "jsforce",
            Self::Rust => "Rust",
            Self::Core => "core",
        }
    }
}

impl Row {
    /// Messages a second, as a part of something.
    pub(crate) const fn rate(metric: &'static str, value: f64, ratio: Ratio, of: Of) -> Self {
        Self { metric, value, unit: "msg/s", ratio: Some((ratio, of)) }
    }

    /// Records a second, as a part of something.
    pub(crate) const fn records(metric: &'static str, value: f64, ratio: Ratio, of: Of) -> Self {
        Self { metric, value, unit: "rec/s", ratio: Some((ratio, of)) }
    }

    /// A figure that is no part of anything.
    pub(crate) const fn plain(metric: &'static str, value: f64, unit: &'static str) -> Self {
        Self { metric, value, unit, ratio: None }
    }
}

/// A rate as a part of another, over all rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    /// The median of the rounds.
    pub(crate) median: f64,
    /// The lowest of them.
    pub(crate) lowest: f64,
    /// The highest of them.
    pub(crate) highest: f64,
}

impl Ratio {
    /// Of the ratios of all rounds.
    pub(crate) fn of(rounds: &[f64]) -> Self {
        Self {
            median: median(rounds),
            lowest: rounds.iter().copied().fold(f64::INFINITY, f64::min),
            highest: rounds.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// The middle one; of an even number, the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    }
}

/// The time in milliseconds that so many in a hundred do not exceed.
pub(crate) fn percentile(sorted: &[Duration], share: usize) -> f64 {
    let place = (sorted.len() * share / 100).min(sorted.len().saturating_sub(1));
    sorted.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1_000.0)
}

/// Prints the table, and writes `target/bench/<suite>.json`.
pub(crate) fn publish(suite: &str, rows: &[Row]) -> Result<()> {
    print!("{}", table(rows));
    let folder = target_folder();
    let path = folder.join(format!("{suite}.json"));
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&path, format!("{:#}\n", document(suite, rows))))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// `target/bench` of the workspace, whatever `CARGO_TARGET_DIR` says: one place to look.
fn target_folder() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR");
    let here = here.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.ancestors().nth(2).unwrap_or(Path::new(".")).join("target").join("bench")
}

fn table(rows: &[Row]) -> String {
    let longest = rows.iter().map(|row| row.metric.len()).max().unwrap_or(0);
    let width = longest.max(20);
    let mut text = format!(
        "{:<width$} {:>9} {:<9} {:>6} {:<8} {:<13} {}\n",
        "metric", "value", "unit", "ratio", "of", "rounds", "must"
    );
    for row in rows {
        let (ratio, of, rounds) = row.ratio.map_or_else(Default::default, |(ratio, of)| {
            let rounds = format!("{:.2} to {:.2}", ratio.lowest, ratio.highest);
            (format!("{:.2}", ratio.median), of.name(), rounds)
        });
        let digits = if row.value < 100.0 { 1 } else { 0 };
        let must = gates::judge(row).map_or_else(String::new, |judged| judged.to_string());
        let line = format!(
            "{:<width$} {:>9.digits$} {:<9} {ratio:>6} {of:<8} {rounds:<13} {must}",
            row.metric, row.value, row.unit
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn document(suite: &str, rows: &[Row]) -> Value {
    let row = |row: &Row| {
        json!({
            "metric": row.metric,
            "value": (row.value * 10.0).round() / 10.0,
            "unit": row.unit,
            "ratio": row.ratio.map(|(ratio, _)| (ratio.median * 1_000.0).round() / 1_000.0),
            "of": row.ratio.map(|(_, of)| of.name()),
            "holds": gates::judge(row).map(|judged| judged.holds),
        })
    };
    json!({ "suite": suite, "rows": rows.iter().map(row).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> [Row; 2] {
        let ratio = Ratio::of(&[0.81, 0.7, 0.9]);
        [
            Row::rate("core.ingest", 41_000.4, ratio, Of::Limit),
            Row::plain("core.memory_mb", 240.06, "MB"),
        ]
    }

    #[test]
    fn a_table_is_aligned() {
        let wanted = "\
metric                   value unit       ratio of       rounds        must
core.ingest              41000 msg/s       0.81 L        0.70 to 0.90  ≥ 0.70
core.memory_mb             240 MB                                      ≤ 100: MISSED
";
        assert_eq!(table(&rows()), wanted);
    }

    #[test]
    fn a_document_says_what_a_ratio_is_of() {
        let found = document("core", &rows());
        assert_eq!(found["rows"][0]["ratio"], 0.81);
        assert_eq!(found["rows"][0]["of"], "L");
        assert_eq!(found["rows"][1]["ratio"], Value::Null);
        assert_eq!(
            (&found["rows"][0]["holds"], &found["rows"][1]["holds"]),
            (&json!(true), &json!(false))
        );
    }

    #[test]
    fn medians_of_odd_and_even_numbers() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
