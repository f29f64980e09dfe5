//! The live view: a few lines in place on a terminal, a line a second elsewhere.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_domain::Histogram;
use dipmo_processing::{Metrics, Snapshot};
use dipmo_sink_salesforce::SalesforcePublisher;
use dipmo_source_kafka::{KafkaSource, Problem};
use indicatif::{ProgressBar, ProgressStyle};
use tokio_util::sync::CancellationToken;

use super::depth::Depth;
use super::downstream::{Counter, ReadBack};
use super::progress::{Figures, Progress};
use crate::console::{err, grouped};

/// Shows what happens until it is told to stop.
pub(crate) struct View {
    pub(crate) progress: Arc<Progress>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) sources: Vec<Arc<KafkaSource>>,
    pub(crate) downstream: Counter,
    pub(crate) salesforce: Arc<SalesforcePublisher>,
    pub(crate) duration: Duration,
}

/// What is shown at one moment.
struct Moment {
    sent: Figures,
    engine: Snapshot,
    intake: Intake,
    problems: Vec<Problem>,
    read_back: ReadBack,
    salesforce: dipmo_sink_salesforce::Snapshot,
    depth: Depth,
    behind: Duration,
    elapsed: Duration,
    rate: u64,
}

/// What all sources have read together.
#[derive(Default)]
struct Intake {
    /// Records behind the ends of all partitions, as the clients' own statistics have it each second.
    lag: u64,
    records: u64,
    batches: u64,
}

impl Intake {
    fn of(sources: &[Arc<KafkaSource>]) -> Self {
        sources.iter().fold(Self::default(), |all, source| {
            let figures = source.metrics().snapshot();
            Self {
                lag: all.lag + figures.total_lag().unsigned_abs(),
                records: all.records + figures.records,
                batches: all.batches + figures.batches,
            }
        })
    }

    /// Records in a batch on average.
    const fn batch_size(&self) -> u64 {
        self.records / if self.batches == 0 { 1 } else { self.batches }
    }
}

impl View {
    /// Everything goes to standard error: standard output is for the ledger.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let live = std::io::stderr().is_terminal();
        let every = if live { Duration::from_millis(100) } else { Duration::from_secs(1) };
        let bar = ProgressBar::new_spinner();
        let style = ProgressStyle::with_template("{spinner} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let began = Instant::now();
        let mut pace = Pace::default();
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = tokio::time::sleep(every) => {}
            }
            let moment = self.look(began.elapsed(), &mut pace);
            if live {
                bar.set_message(lines(&moment, self.duration));
                bar.tick();
            } else {
                err(&line(&moment));
            }
        }
        bar.finish_and_clear();
    }

    fn look(&self, elapsed: Duration, pace: &mut Pace) -> Moment {
        let (sent, engine) = (self.progress.figures(), self.metrics.snapshot());
        let depth = Depth::of(&sent, &engine);
        // Of what the producer sent: the messages from inside come behind them.
        let behind = match depth.inbox {
            0 => Duration::ZERO,
            waiting => self.progress.behind(sent.stored.saturating_sub(waiting)),
        };
        let rate = pace.rate(elapsed, depth.ended);
        let intake = Intake::of(&self.sources);
        let problems = self.sources.iter().flat_map(|source| source.health().problems).collect();
        let read_back = self.downstream.get();
        let salesforce = self.salesforce.metrics().snapshot();
        Moment {
            sent,
            engine,
            intake,
            problems,
            read_back,
            salesforce,
            depth,
            behind,
            elapsed,
            rate,
        }
    }
}

/// Messages that ended, a second, over the last two.
#[derive(Default)]
struct Pace(Vec<(Duration, u64)>);

impl Pace {
    fn rate(&mut self, now: Duration, ended: u64) -> u64 {
        self.0.push((now, ended));
        self.0.retain(|(at, _)| now.saturating_sub(*at) <= Duration::from_secs(2));
        let Some((since, before)) = self.0.first() else { return 0 };
        let seconds = now.saturating_sub(*since).as_secs_f64();
        if seconds == 0.0 { 0 } else { ((ended - before) as f64 / seconds) as u64 }
    }
}

/// For a log: one line.
fn line(moment: &Moment) -> String {
    let Moment { sent, engine, intake, problems, salesforce, depth, behind, elapsed, rate, .. } =
        moment;
    let delivered: u64 = engine.outbox.values().map(|figures| figures.dispatched).sum();
    let mut text = format!(
        "{:>4} s  sent {}{}  lag {}  ended {} ({rate}/s)  waiting {} (behind {} ms)  failed {}  held {}  \
         delivered {}  to deliver {}  {}",
        elapsed.as_secs(),
        grouped(sent.sent),
        full(sent),
        grouped(intake.lag),
        grouped(depth.ended),
        grouped(depth.inbox),
        behind.as_millis(),
        engine.inbox.failed,
        engine.inbox.held,
        grouped(delivered),
        grouped(depth.outbox),
        quantiles(&engine.inbox.latency),
    );
    let (records, calls) = to_salesforce(salesforce);
    // Writing to a String cannot fail, here and below.
    let _ = write!(text, "  Salesforce {} records in {calls} calls", grouped(records));
    for problem in problems {
        let _ = write!(text, "  source: {}", problem.message);
    }
    text
}

/// Whether the producer has as much on the wire as it may.
const fn full(sent: &Figures) -> &'static str {
    if sent.is_full { " (waits for the inbox)" } else { "" }
}

/// For a terminal: a few lines.
fn lines(moment: &Moment, duration: Duration) -> String {
    let Moment { sent, engine, intake, problems, read_back, depth, behind, elapsed, rate, .. } =
        moment;
    let inbox = &engine.inbox;
    let phase = match elapsed.checked_sub(duration) {
        Some(_) => "draining".to_owned(),
        None => format!("{:.1} of {:.1} s", elapsed.as_secs_f64(), duration.as_secs_f64()),
    };
    let mut text = format!(
        "{phase}\n  producer  sent {} · on the wire {}{}\n  \
         source    lag {} · {} a batch · stored {} · came again {} · undecodable {} · read again {}\n  \
         inbox     waiting {} · behind {} ms · {rate}/s · {}\n           ",
        grouped(sent.sent),
        grouped(depth.wire),
        full(sent),
        grouped(intake.lag),
        intake.batch_size(),
        grouped(sent.stored),
        grouped(sent.deduplicated),
        sent.undecodable,
        sent.read_again,
        grouped(depth.inbox),
        behind.as_millis(),
        quantiles(&inbox.latency),
    );
    for (outcome, count) in &inbox.ended {
        let _ = write!(text, " {} {} ·", outcome.as_str().to_lowercase(), grouped(*count));
    }
    let _ = write!(
        text,
        " parked {} · failed {} · held {}\n  outbox    to deliver {} · timers running {} · fired {}",
        inbox.parked,
        inbox.failed,
        inbox.held,
        grouped(depth.outbox),
        depth.timers,
        engine.timers_fired
    );
    // What goes to Salesforce has lines of its own.
    for (destination, figures) in engine.outbox.iter().filter(|(to, _)| !to.starts_with("HTTP:")) {
        let _ = write!(
            text,
            "\n    {destination:<24} delivered {} · tried again {} · {}",
            grouped(figures.dispatched),
            figures.retried,
            quantiles(&figures.latency),
        );
    }
    let _ = write!(
        text,
        "\n  Kafka     read back {} · {} of them repeats",
        grouped(read_back.records),
        read_back.repeats
    );
    salesforce_lines(&mut text, &moment.salesforce);
    for problem in problems {
        let _ = write!(text, "\n  source    {}", problem.message);
    }
    for ((what, code), count) in &engine.store_errors {
        let _ = write!(text, "\n  store     {what}: {code} {count}×");
    }
    text
}

/// Records and calls, of all objects.
fn to_salesforce(salesforce: &dipmo_sink_salesforce::Snapshot) -> (u64, u64) {
    salesforce
        .ways
        .values()
        .fold((0, 0), |(records, calls), way| (records + way.records, calls + way.calls))
}

/// What went to each object by which API, and what was wrong with it.
fn salesforce_lines(text: &mut String, salesforce: &dipmo_sink_salesforce::Snapshot) {
    let (records, calls) = to_salesforce(salesforce);
    let _ = write!(text, "\n  Salesforce {} records in {} calls", grouped(records), grouped(calls));
    for (way, figures) in &salesforce.ways {
        let _ = write!(
            text,
            "\n    {:<24} records {} · calls {} · tried again {} · {}{}",
            format!("{} by {}", way.object, way.api),
            grouped(figures.records),
            figures.calls,
            figures.retries,
            quantiles(&figures.latency),
            most_frequent(figures.call_errors.iter().chain(&figures.row_errors)),
        );
    }
}

/// The two codes that came most often.
fn most_frequent<'a>(codes: impl Iterator<Item = (&'a String, &'a u64)>) -> String {
    let mut codes: Vec<_> = codes.collect();
    codes.sort_by_key(|(_, count)| Reverse(**count));
    codes.iter().take(2).map(|(code, count)| format!(" · {code} {count}×")).collect()
}

/// The median and the slowest of a hundred.
fn quantiles(latency: &Histogram) -> String {
    let shown = |share| match latency.quantile(share) {
        Some(time) => format!("≤ {} ms", time.as_millis()),
        None => "-".to_owned(),
    };
    format!("p50 {} p99 {}", shown(0.5), shown(0.99))
}
