//! One transaction at a time: what was read, what came of it, and how it ends.
//!
//! Whoever has the partitions is told by the group: its metadata are asked for in every transaction,
//! so the broker refuses the offsets of a member whose partitions went to another. A client that
//! knows itself that it lost them has forgotten who it was, and its metadata would be taken by the
//! broker as those of somebody outside of any group: it must not even try.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_domain::Coded as _;
use dipmo_kafka::{KafkaError, Place, Subject, TransactionVerdict, Verdict, is_fenced};
use rdkafka::consumer::{BaseConsumer, Consumer as _, ConsumerContext};
use rdkafka::error::{KafkaError as RdError, KafkaResult};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

use crate::outcome::{Fate, Outcome};
use crate::producer::{Company, Producer};
use crate::shared::Shared;

/// How long one call may block. Those that can be made again are, until [`PATIENCE`] is over.
const ONE_CALL: Duration = Duration::from_secs(5);
/// How long the broker may take to end a transaction; far below what it allows between two polls.
const PATIENCE: Duration = Duration::from_secs(30);

/// The offsets of each partition that a transaction is about: the first, and the next after it.
pub(crate) type Ranges = BTreeMap<Place, (i64, i64)>;

/// The producer, and the transaction that is open.
pub(crate) struct Transactions {
    shared: Arc<Shared>,
    config: ClientConfig,
    company: Company,
    producer: Producer,
    open: Option<Open>,
}

/// What is in a transaction.
pub(crate) struct Open {
    pub(crate) ranges: Ranges,
    pub(crate) began: Instant,
    pub(crate) records: usize,
    pub(crate) bytes: usize,
    pub(crate) sent: usize,
    pub(crate) fates: Vec<Fate>,
}

/// A record that was read, and what came of it.
pub(crate) struct Step {
    pub(crate) place: Place,
    pub(crate) offset: i64,
    pub(crate) bytes: usize,
    pub(crate) outcome: Outcome,
    /// For a transaction that it begins.
    pub(crate) company: Company,
}

/// How a transaction ended.
pub(crate) enum Ended {
    /// All of it is there.
    Committed { open: Open, commit: Duration },
    /// Nothing of it is there: read again from the first offsets.
    Aborted(Aborted),
    /// Nobody here knows. A new producer of the same name finds out, and the group knows where to
    /// go on.
    Lost { problem: KafkaError, fenced: bool },
}

/// A transaction that is none.
pub(crate) struct Aborted {
    pub(crate) ranges: Ranges,
    /// Why; `None` when it was given up without a fault.
    pub(crate) problem: Option<KafkaError>,
    pub(crate) fenced: bool,
    /// How its records were sent.
    pub(crate) company: Company,
}

impl Transactions {
    /// Takes the name: whoever had it can commit nothing any more, and what it left open is aborted.
    pub(crate) fn new(
        shared: Arc<Shared>,
        config: &ClientConfig,
        ends: impl Fn() -> bool,
    ) -> Result<Self, KafkaError> {
        let company = Company::Shared;
        let producer = Producer::new(&shared.options, config, company)?;
        let this = Self { shared, config: config.clone(), company, producer, open: None };
        this.init(ends)?;
        // Not by every client: a refusal that comes again and again has been there all the time.
        this.shared.board.clear(&Subject::Store);
        Ok(this)
    }

    pub(crate) const fn open(&self) -> Option<&Open> {
        self.open.as_ref()
    }

    /// Adds a record and what came of it. After an error the transaction can only be aborted.
    pub(crate) fn add(&mut self, step: Step) -> KafkaResult<()> {
        let Step { place, offset, bytes, outcome: Outcome { sent, fate }, company } = step;
        if self.open.is_none() && self.company != company {
            self.reopen(company).map_err(|problem| RdError::ClientCreation(problem.to_string()))?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                self.producer.begin()?;
                none.insert(Open::new())
            }
        };
        // First: what is aborted is read again from here.
        open.ranges.entry(place).or_insert((offset, offset + 1)).1 = offset + 1;
        open.records += 1;
        open.bytes += bytes;
        open.fates.push(fate);
        for record in &sent {
            open.bytes += record.size();
            open.sent += 1;
            self.producer.send(record)?;
        }
        Ok(())
    }

    /// Commits what is open, or aborts it when that cannot be; `None` when nothing is.
    pub(crate) fn commit<C: ConsumerContext>(
        &mut self,
        consumer: &BaseConsumer<C>,
    ) -> Option<Ended> {
        let open = self.open.take()?;
        let begun = Instant::now();
        Some(match self.try_to_commit(consumer, &open.ranges) {
            Ok(()) => Ended::Committed { open, commit: begun.elapsed() },
            Err(error) => self.end(open, Some(&error)),
        })
    }

    /// Aborts what is open; `None` when nothing is.
    pub(crate) fn abort(&mut self, why: Option<&RdError>) -> Option<Ended> {
        let open = self.open.take()?;
        Some(self.end(open, why))
    }

    fn try_to_commit<C: ConsumerContext>(
        &self,
        consumer: &BaseConsumer<C>,
        ranges: &Ranges,
    ) -> KafkaResult<()> {
        let mut offsets = TopicPartitionList::with_capacity(ranges.len());
        for (place, (_, next)) in ranges {
            offsets.add_partition_offset(&place.topic, place.partition, Offset::Offset(*next))?;
        }
        // Asked in this order: when they were not lost by now, the metadata are of who had them.
        let member = consumer.group_metadata();
        let member = member.filter(|_| !consumer.assignment_lost()).ok_or_else(no_member)?;
        self.again(|| false, || self.producer.send_offsets(&offsets, &member, ONE_CALL))?;
        self.again(|| false, || self.producer.commit(ONE_CALL))
    }

    fn end(&mut self, open: Open, why: Option<&RdError>) -> Ended {
        let fenced = why.is_some_and(is_fenced);
        let refusal = self.producer.refusal().filter(|it| it.verdict() == Verdict::Permanent);
        if let (Some(_), Some(problem), false) = (why, refusal, fenced) {
            return self.end_refused(open, problem);
        }
        let problem = why.map(|error| self.producer.refusal().unwrap_or_else(|| self.why(error)));
        let lost = |problem: Option<KafkaError>, error: &RdError| {
            let problem = problem.unwrap_or_else(|| self.why(error));
            Ended::Lost { problem, fenced: fenced || is_fenced(error) }
        };
        if let Some(error) = why
            && TransactionVerdict::of(error) != TransactionVerdict::Abort
        {
            return lost(problem, error);
        }
        // Said before: an abort takes as long as the broker is away.
        if let Some(problem) = problem.as_ref().filter(|_| !fenced) {
            self.shared.board.raise(Subject::Store, problem.code(), &problem.to_string());
        }
        match self.again(|| false, || self.producer.abort(ONE_CALL)) {
            Ok(()) => {
                let (ranges, company) = (open.ranges, self.company);
                Ended::Aborted(Aborted { ranges, problem, fenced, company })
            }
            Err(error) => lost(problem, &error),
        }
    }

    /// Aborts by taking the name anew. The client could abort as well, but after a record that a
    /// broker refused it was seen to send nothing more to that partition.
    fn end_refused(&mut self, open: Open, problem: KafkaError) -> Ended {
        let company = self.company;
        match self.reopen(Company::Alone) {
            Ok(()) => {
                self.shared.board.raise(Subject::Store, problem.code(), &problem.to_string());
                let (ranges, problem) = (open.ranges, Some(problem));
                Ended::Aborted(Aborted { ranges, problem, fenced: false, company })
            }
            Err(problem) => Ended::Lost { problem, fenced: false },
        }
    }

    /// The same name with a new client.
    fn reopen(&mut self, company: Company) -> Result<(), KafkaError> {
        self.producer = Producer::new(&self.shared.options, &self.config, company)?;
        self.company = company;
        self.init(|| false)
    }

    fn init(&self, ends: impl Fn() -> bool) -> Result<(), KafkaError> {
        let done = self.again(ends, || self.producer.init(ONE_CALL));
        done.map_err(|error| self.why(&error))
    }

    /// Makes a call that blocks again and again, as long as that makes sense, and says so.
    fn again(
        &self,
        ends: impl Fn() -> bool,
        call: impl Fn() -> KafkaResult<()>,
    ) -> KafkaResult<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            match call() {
                Err(error)
                    if TransactionVerdict::of(&error) == TransactionVerdict::Again
                        && Instant::now() < until
                        && !ends() =>
                {
                    let problem = self.why(&error);
                    self.shared.board.raise(Subject::Store, problem.code(), &problem.to_string());
                }
                done => return done,
            }
        }
    }

    /// What an error means; the client may have said before why nobody answers.
    fn why(&self, error: &RdError) -> KafkaError {
        match KafkaError::of(error) {
            KafkaError::Unreachable { problem } => {
                self.producer.last_error().unwrap_or(KafkaError::Unreachable { problem })
            }
            other => other,
        }
    }
}

impl Open {
    fn new() -> Self {
        Self {
            ranges: Ranges::new(),
            began: Instant::now(),
            records: 0,
            bytes: 0,
            sent: 0,
            fates: Vec::new(),
        }
    }
}

/// As the broker would say it of a member that it does not know.
fn no_member() -> RdError {
    RdError::ConsumerCommit(rdkafka::types::RDKafkaErrorCode::UnknownMemberId)
}
