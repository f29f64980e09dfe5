//! The known word that was probably meant.

/// The nearest of `known`, if it is near enough to be a slip of the hand.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (1 + word.chars().count() / 4).min(3);
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters have to be put in, taken out or changed; the case of a letter is no difference.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, letter) in left.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (column, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_is_seen_and_another_word_is_not() {
        let known = ["ISBLANK", "ISNULL", "ISPICKVAL", "OR"];
        for (word, meant) in [
            ("ISBLNK", Some("ISBLANK")),
            ("isblank", Some("ISBLANK")),
            ("ISPICVAL", Some("ISPICKVAL")),
            ("ORR", Some("OR")),
            ("ISNLUL", Some("ISNULL")),
            ("VLOOKUP", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
