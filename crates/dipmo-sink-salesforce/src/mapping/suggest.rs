//! The name that was probably meant.

/// The known name that is nearest to one that is not known, if a slip of the hand lies between.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = 1 + name.len() / 5;
    known
        .map(|candidate| (slips(name, candidate), candidate))
        .filter(|(slips, _)| *slips <= most)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

/// How many letters have to be changed, left out or put in; case is no difference.
fn slips(from: &str, to: &str) -> usize {
    let to: Vec<u8> = to.bytes().map(|letter| letter.to_ascii_lowercase()).collect();
    let mut costs: Vec<usize> = (0..=to.len()).collect();
    for (done, letter) in from.bytes().enumerate() {
        let letter = letter.to_ascii_lowercase();
        let mut before = std::mem::replace(&mut costs[0], done + 1);
        for (place, other) in to.iter().enumerate() {
            let swap = before + usize::from(letter != *other);
            before = costs[place + 1];
            costs[place + 1] = swap.min(before + 1).min(costs[place] + 1);
        }
    }
    costs[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_seen_and_another_name_is_not() {
        let near = |name| nearest(name, ["LastName", "FirstName", "Email"].into_iter());
        assert_eq!(near("LastNam"), Some("LastName"));
        assert_eq!(near("lastname"), Some("LastName"));
        assert_eq!(near("Emial"), Some("Email"));
        assert_eq!(near("Birthdate"), None);
    }
}
