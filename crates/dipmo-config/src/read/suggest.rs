//! "Did you mean": the known word that is nearest to one that is not known.

/// Longer words are not compared: nobody mistypes so much.
const LONGEST: usize = 64;

/// `did you mean …?`, when one of the known words is near.
#[must_use]
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, known).map(|near| format!("did you mean `{near}`?"))
}

fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    // Dashes, underlines and case are what people mistake most.
    let plain = |text: &str| text.replace(['-', '_', ' ', '.'], "").to_lowercase();
    let wanted = plain(word);
    let distance = |candidate: &&str| {
        let candidate = plain(candidate);
        if wanted == candidate { 0 } else { strsim::osa_distance(&wanted, &candidate) }
    };
    let best = known.into_iter().filter(|it| it.len() <= LONGEST).min_by_key(distance)?;
    let most = 1.max(wanted.chars().count() / 3);
    (distance(&best) <= most).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_understood_and_anything_is_not() {
        let known = ["topics", "group", "batch", "aggregate_id"];
        for (word, near) in [
            ("topcs", Some("topics")),
            ("Topics", Some("topics")),
            ("aggregateId", Some("aggregate_id")),
            ("gruop", Some("group")),
            ("x", None),
            ("colour", None),
        ] {
            assert_eq!(nearest(word, known), near, "{word}");
        }
        assert_eq!(nearest(&"topics".repeat(1_000), known), None);
    }
}
