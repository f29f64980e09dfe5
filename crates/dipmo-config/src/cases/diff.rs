//! What was expected and what happened, line by line.

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// In both.
    Both(String),
    /// Expected, and did not happen.
    Expected(String),
    /// Happened, and was not expected.
    Happened(String),
}

/// Longer ones are shown one after the other.
const LONGEST: usize = 400;

/// The lines of both, those that they have in common once.
pub(super) fn diff(expected: &[String], happened: &[String]) -> Vec<Line> {
    if expected.len().max(happened.len()) > LONGEST {
        let expected = expected.iter().cloned().map(Line::Expected);
        return expected.chain(happened.iter().cloned().map(Line::Happened)).collect();
    }
    let common = common(expected, happened);
    let (mut out, mut i, mut j) = (Vec::new(), 0, 0);
    while i < expected.len() || j < happened.len() {
        let (left, right) = (expected.get(i), happened.get(j));
        match (left, right) {
            (Some(left), Some(right)) if left == right => {
                out.push(Line::Both(left.clone()));
                (i, j) = (i + 1, j + 1);
            }
            (Some(left), _) if j >= happened.len() || common[i + 1][j] >= common[i][j + 1] => {
                out.push(Line::Expected(left.clone()));
                i += 1;
            }
            (_, Some(right)) => {
                out.push(Line::Happened(right.clone()));
                j += 1;
            }
            (_, None) => break,
        }
    }
    out
}

/// For each pair of ends how many lines they have in common, in order.
fn common(expected: &[String], happened: &[String]) -> Vec<Vec<usize>> {
    let mut table = vec![vec![0; happened.len() + 1]; expected.len() + 1];
    for i in (0..expected.len()).rev() {
        for j in (0..happened.len()).rev() {
            table[i][j] = if expected[i] == happened[j] {
                table[i + 1][j + 1] + 1
            } else {
                table[i + 1][j].max(table[i][j + 1])
            };
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(expected: &[&str], happened: &[&str]) -> String {
        let owned = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
        let line = |line: Line| match line {
            Line::Both(text) => format!(" {text}"),
            Line::Expected(text) => format!("-{text}"),
            Line::Happened(text) => format!("+{text}"),
        };
        diff(&owned(expected), &owned(happened)).into_iter().map(line).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn common_lines_are_shown_once_and_the_expected_comes_first() {
        assert_eq!(shown(&["a", "b", "d"], &["a", "c", "d"]), " a -b +c  d");
        assert_eq!(shown(&["a"], &["a", "b"]), " a +b");
        assert_eq!(shown(&["a", "b"], &["b"]), "-a  b");
        assert_eq!(shown(&[], &["b"]), "+b");
    }
}
