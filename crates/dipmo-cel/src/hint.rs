//! "Did you mean": the known name nearest to one that is not.

/// A hint that names the candidate which differs least from `word`, if one is near enough to be meant.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let lower = word.to_lowercase();
    let allowed = (word.chars().count() / 3).clamp(1, 4);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_near_name_is_meant() {
        let names = ["customerId", "customerName", "id"];
        let hint = |word| did_you_mean(word, names);
        assert_eq!(hint("custmerId").as_deref(), Some("did you mean `customerId`?"));
        assert_eq!(hint("CUSTOMERID").as_deref(), Some("did you mean `customerId`?"));
        assert_eq!(hint("ID").as_deref(), Some("did you mean `id`?"));
        assert_eq!(hint("positive"), None);
    }
}
