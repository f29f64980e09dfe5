//! What will hurt later: retention, room for months, forgotten ids, the audit, tokens, the door.

use std::time::Duration;

use super::expected::DoorKind;
use super::facts::{Facts, told};
use super::line::Line;

/// A token that ends within so long is to be replaced.
const SOON: Duration = Duration::from_secs(14 * DAY);
/// Kafka keeps records for so long, unless somebody says otherwise.
const KAFKA_KEEPS: Duration = Duration::from_secs(7 * DAY);

const DAY: u64 = 24 * 3_600;

pub(super) fn lines(facts: &Facts) -> Vec<Line> {
    vec![retention(facts), months(facts), dedupe(facts), audit(facts), tokens(facts), door(facts)]
}

const fn days(span: Duration) -> u64 {
    span.as_secs() / DAY
}

fn no_file(check: &'static str) -> Line {
    Line::unknown(check, "whoever answers was not told the configuration", "dipmo check")
}

fn retention(facts: &Facts) -> Line {
    let Some(expected) = facts.expected else { return no_file("retention") };
    let size = facts.soundness.as_ref().map_or_else(
        |_| String::new(),
        |sound| format!("; the database has {} MB", sound.bytes / 1_000_000),
    );
    match expected.history {
        Some(kept) => {
            Line::ok("retention", format!("history is kept for {} days{size}", days(kept)))
        }
        None => Line::warn(
            "retention",
            format!("history is kept for ever, and the database grows without end{size}"),
            "say retention: {history: …} in dipmo.yaml",
        ),
    }
}

fn months(facts: &Facts) -> Line {
    told("months", &facts.soundness, |soundness| match soundness.months {
        None => Line::ok("months", "this store needs no partitions"),
        Some(0) => Line::fail(
            "months",
            "the current month has no partition: all goes into the rest, which cannot be dropped",
            "dipmo run --roles process makes it; is an instance there?",
        ),
        Some(1) => Line::warn(
            "months",
            "only the current month has partitions",
            "dipmo run --roles process makes the next; is an instance there?",
        ),
        Some(months) => Line::ok("months", format!("{months} months have partitions")),
    })
}

fn dedupe(facts: &Facts) -> Line {
    told("dedupe", &facts.horizon, |horizon| {
        let since = horizon.map_or_else(
            || "none was ever forgotten".to_owned(),
            |horizon| format!("complete since {horizon}"),
        );
        let Some(expected) = facts.expected else { return no_file("dedupe") };
        match expected.message_ids {
            None => Line::ok("dedupe", format!("ids of messages are kept for ever; {since}")),
            Some(kept) if kept < KAFKA_KEEPS => Line::fail(
                "dedupe",
                format!(
                    "ids are kept for {} days, and Kafka keeps records for 7 unless told otherwise: \
                     what is read again would be done again; {since}",
                    days(kept)
                ),
                "say retention: {message_ids: …} longer than retention.ms of the topics",
            ),
            Some(kept) => Line::ok(
                "dedupe",
                format!(
                    "ids are kept for {} days; topics must not keep records for longer; {since}",
                    days(kept)
                ),
            ),
        }
    })
}

fn audit(facts: &Facts) -> Line {
    told("audit", &facts.soundness, |soundness| {
        if soundness.audit_is_kept {
            return Line::ok("audit", "the database refuses to change and to delete entries");
        }
        Line::fail(
            "audit",
            "the database lets entries be changed or deleted",
            "make the triggers of dipmo_audit again, as the migration has them; who dropped them?",
        )
    })
}

fn tokens(facts: &Facts) -> Line {
    told("tokens", &facts.tokens, |tokens| {
        let good = |until| until > facts.now;
        let live = tokens
            .iter()
            .filter(|token| token.revoked_at.is_none() && token.expires_at.is_none_or(good));
        let live: Vec<_> = live.collect();
        let for_ever = live.iter().filter(|it| it.expires_at.is_none() && it.role == "admin");
        let soon = live
            .iter()
            .filter(|token| token.expires_at.is_some_and(|until| until.since(facts.now) <= SOON));
        let (for_ever, soon) = (for_ever.count(), soon.count());
        let evidence = format!(
            "{} are good; {soon} end within 14 days, {for_ever} of role admin never do",
            live.len()
        );
        match for_ever + soon {
            0 => Line::ok("tokens", evidence),
            _ => Line::warn(
                "tokens",
                evidence,
                "dipmo token list; make new ones with --days, then dipmo token revoke ID",
            ),
        }
    })
}

fn door(facts: &Facts) -> Line {
    let Some(expected) = facts.expected else { return no_file("door") };
    match expected.door {
        DoorKind::Closed => Line::ok("door", "the admin API is closed"),
        DoorKind::Local => Line::ok("door", "the admin API is open to this machine only"),
        DoorKind::Tls => Line::ok("door", "the admin API is open to others, with TLS"),
        DoorKind::PlainText => Line::warn(
            "door",
            "the admin API is open to other machines in plain text",
            "does a proxy end TLS before it? Otherwise say admin: {tls: …}",
        ),
    }
}

#[cfg(test)]
mod tests {
    use dipmo_store::admin::Soundness;

    use super::*;
    use crate::doctor::line::Verdict;

    #[test]
    fn months_that_nobody_prepared_are_told() {
        let verdict = |prepared| {
            let soundness = Soundness { audit_is_kept: true, months: prepared, bytes: 0 };
            months(&Facts { soundness: Ok(soundness), ..Facts::unseen() }).verdict
        };
        assert_eq!(verdict(None), Verdict::Ok);
        assert_eq!(verdict(Some(0)), Verdict::Fail);
        assert_eq!(verdict(Some(1)), Verdict::Warn);
        assert_eq!(verdict(Some(2)), Verdict::Ok);
        assert_eq!(months(&Facts::unseen()).verdict, Verdict::Unknown);
    }
}
