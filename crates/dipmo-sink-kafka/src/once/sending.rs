//! The records of one transaction, up to the moment before it is committed.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_domain::{Coded as _, Failure};
use dipmo_kafka::{KafkaError, Verdict};
use dipmo_outbox::{Delivery, Ending, JobId, Published};
use rdkafka::types::RDKafkaErrorCode as Rd;
use tokio::time::timeout;

use super::load::Load;
use super::slot::{Slot, Trouble};
use crate::metrics::Metrics;
use crate::options::Company;
use crate::producer::{NotTaken, Outgoing};
use crate::reports::{Report, Reports, Ticket};

/// How long to wait for room in a producer that is full.
const FULL: Duration = Duration::from_millis(10);

/// How long to wait for what was on its way together with a record that was refused.
const SOON: Duration = Duration::from_millis(50);

/// Why a transaction cannot be committed.
#[derive(Debug)]
pub(super) enum Setback {
    /// Some units must leave the job first: an answer for each place that has one.
    Answers(Vec<Option<Published>>),
    /// Records are too large in the company of others.
    InCompany,
    /// It is about none of the records.
    Trouble(Trouble),
    /// The engine ends.
    Ending,
}

/// Records on their way into a transaction.
pub(super) struct Sending<'a> {
    pub(super) slot: &'a Slot,
    pub(super) load: &'a Load,
    pub(super) message_id_prefix: &'a str,
    pub(super) metrics: &'a Metrics,
    /// How long to wait for the last report.
    pub(super) within: Duration,
    pub(super) ending: &'a Ending,
}

/// What became of giving a record to the producer.
enum Offered {
    OnItsWay,
    NoRoom,
    /// It never will be in a transaction.
    Never(Published),
    /// The transaction has failed, and takes nothing more.
    InVain,
}

/// What has come back so far.
#[derive(Default)]
struct Back {
    on_the_way: usize,
    /// Whether the broker has any of them.
    any_arrived: bool,
    /// What the broker, or the producer, has against a record.
    refused: Vec<(usize, Rd)>,
    /// Whether records were thrown out because the transaction has failed.
    purged: bool,
}

impl Sending<'_> {
    /// Begins a transaction and makes the records and the marker part of it: when this returns, the
    /// broker has all of them.
    pub(super) async fn run(&self, job: JobId, topic: &str) -> Result<(), Setback> {
        self.slot.begin().await?;
        let mut answers = vec![None; self.load.units().count()];
        let back = self.give(&mut answers).await?;
        self.judge(&back, &mut answers, topic)?;
        if answers.iter().any(Option::is_some) {
            return Err(Setback::Answers(answers));
        }
        if back.on_the_way > 0 {
            let problem = format!("{topic}: {} records have no answer", back.on_the_way);
            return Err(Trouble::from(KafkaError::NotReady { problem }).into());
        }
        // Also where it has failed: then this is how it is told why.
        let marked = self.slot.mark(job, topic).await;
        marked.map_err(|trouble| self.about_the_topic(trouble, back.purged))
    }

    /// Gives all records to the producer and waits until they have come back. Those that no record can
    /// be made of get their answer.
    async fn give(&self, answers: &mut [Option<Published>]) -> Result<Back, Setback> {
        let (reports, mut back) = (Arc::<Reports>::default(), Back::default());
        let began = Instant::now();
        let mut units = self.load.units().enumerate().peekable();
        while let Some((place, unit)) = units.peek() {
            if self.ending.is_begun() {
                return Err(Setback::Ending);
            }
            match self.offer(*place, unit, &reports) {
                Offered::OnItsWay => back.on_the_way += 1,
                Offered::Never(answer) => answers[*place] = Some(answer),
                Offered::NoRoom if began.elapsed() < self.within => {
                    back.hear(&reports, FULL).await;
                    continue;
                }
                Offered::NoRoom => {
                    let problem = "the producer has no room".to_owned();
                    return Err(Trouble::from(KafkaError::NotReady { problem }).into());
                }
                Offered::InVain => {
                    back.purged = true;
                    break;
                }
            }
            units.next();
        }
        while back.on_the_way > 0 && began.elapsed() < self.within {
            // After the first that was refused nothing more is sent: what was on its way with it says
            // so soon, and the rest never does.
            let patience = if back.refused.is_empty() { self.within } else { SOON };
            let heard = tokio::select! {
                biased;
                heard = back.hear(&reports, patience) => heard,
                () = self.ending.due() => return Err(Setback::Ending),
            };
            if !heard {
                break;
            }
        }
        Ok(back)
    }

    /// Gives one record to the producer.
    fn offer(&self, place: usize, unit: &Delivery, reports: &Arc<Reports>) -> Offered {
        let record = match Outgoing::of(unit, self.message_id_prefix) {
            Ok(record) => record,
            Err(error) => {
                self.metrics.failed(error.code());
                return Offered::Never(Published::Refused(Failure::from(&error)));
            }
        };
        let (topic, bytes) = (record.topic, record.bytes());
        let ticket = Ticket { reports: Arc::clone(reports), place, bytes, sent: Instant::now() };
        let producer = self.slot.producer();
        match producer.send(record, ticket) {
            Ok(()) => Offered::OnItsWay,
            Err(NotTaken::Full) => Offered::NoRoom,
            Err(NotTaken::Refused(Rd::State)) => Offered::InVain,
            Err(NotTaken::Refused(_)) if producer.is_lost() => Offered::InVain,
            Err(NotTaken::Refused(code)) => Offered::Never(producer.answer(code, topic)),
        }
    }

    /// What is to be answered for records that came back. Where one is refused for good, all others
    /// failed with it.
    fn judge(
        &self,
        back: &Back,
        answers: &mut [Option<Published>],
        topic: &str,
    ) -> Result<(), Setback> {
        let (producer, refused) = (self.slot.producer(), &back.refused);
        let is_final = |code: Rd| producer.explain(code, topic).verdict() == Verdict::Permanent;
        let any_final = refused.iter().any(|(_, code)| is_final(*code));
        // Somebody took the slot, or the brokers gave the transaction up, or did not even begin with
        // it: no fault of a record.
        let about_all = producer.is_lost() || (!any_final && !back.any_arrived);
        if let (true, Some((_, code))) = (about_all, refused.first()) {
            let error = producer.explain(*code, topic);
            return Err(Trouble { code: Some(*code), error }.into());
        }
        let in_company = self.slot.company() == Company::Shared;
        if in_company && refused.iter().any(|(_, code)| *code == Rd::MessageSizeTooLarge) {
            return Err(Setback::InCompany);
        }
        for (place, code) in refused.iter().filter(|(_, code)| !any_final || is_final(*code)) {
            answers[*place] = match producer.answer(*code, topic) {
                Published::NotTried => {
                    let error = producer.explain(*code, topic);
                    return Err(Trouble { code: Some(*code), error }.into());
                }
                answer => Some(answer),
            };
        }
        Ok(())
    }

    /// A topic that we may not write to is an answer for what goes there: of each key for the first,
    /// which the others wait for.
    fn about_the_topic(&self, trouble: Trouble, purged: bool) -> Setback {
        let of_topic =
            [Rd::TopicAuthorizationFailed, Rd::UnknownTopicOrPartition, Rd::InvalidTopic];
        if !purged || !trouble.code.is_some_and(|code| of_topic.contains(&code)) {
            return trouble.into();
        }
        let mut keys = HashSet::new();
        let answer = |unit: &Delivery| {
            keys.insert(unit.order_key.clone()).then(|| {
                self.metrics.failed(trouble.error.code());
                Published::Refused(Failure::from(&trouble.error))
            })
        };
        Setback::Answers(self.load.units().map(answer).collect())
    }
}

impl Back {
    /// Takes in what has come back, or comes in time; false when nothing does.
    async fn hear(&mut self, reports: &Reports, within: Duration) -> bool {
        let came = timeout(within, reports.next()).await.unwrap_or_default();
        let some = !came.is_empty();
        for Report { place, result } in came {
            self.on_the_way -= 1;
            match result {
                Ok(()) => self.any_arrived = true,
                Err(Rd::PurgeQueue | Rd::PurgeInflight | Rd::State) => self.purged = true,
                Err(code) => self.refused.push((place, code)),
            }
        }
        some
    }
}

impl From<Trouble> for Setback {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}
