//! A job and its data in one request: `multipart/form-data` with the parts `job` and `content`.

use crate::refusal::Refusal;

/// Salesforce takes so many characters of data this way.
const MAX_CHARACTERS: usize = 100_000;

/// A body of more bytes than this cannot be within the limit.
pub(super) const MAX_BYTES: usize = 4 * MAX_CHARACTERS + 64 * 1024;

/// The two parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// JSON, as in a create without data.
    pub(super) job: &'a [u8],
    /// CSV.
    pub(super) content: &'a [u8],
}

/// The boundary that a `Content-Type` names, if it is multipart.
pub(super) fn boundary(content_type: &str) -> Option<&str> {
    let (media_type, parameters) = content_type.split_once(';')?;
    if !media_type.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary =
        parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("boundary="))?;
    Some(boundary.trim_matches('"'))
}

impl<'a> Parts<'a> {
    /// Takes a body apart.
    pub(super) fn read(body: &'a [u8], boundary: &str) -> Result<Parts<'a>, Refusal> {
        let parts = split(body, boundary);
        let part = |name: &str| {
            let found =
                parts.iter().find(|part| is_named(part.headers, name)).map(|part| part.body);
            found.ok_or_else(|| {
                Refusal::new("INVALIDJOB", format!("InvalidJob : No part '{name}' in the request"))
            })
        };
        let parts = Parts { job: part("job")?, content: part("content")? };
        if String::from_utf8_lossy(parts.content).chars().count() > MAX_CHARACTERS {
            // The limit is documented; the words are ours.
            let problem = format!(
                "Job data exceeds the maximum of {MAX_CHARACTERS} characters of a multipart request"
            );
            return Err(Refusal::new("BULK_API_ERROR", problem));
        }
        Ok(parts)
    }
}

struct Part<'a> {
    headers: &'a [u8],
    body: &'a [u8],
}

/// The parts between the boundaries; what is no part is left out.
fn split<'a>(body: &'a [u8], boundary: &str) -> Vec<Part<'a>> {
    let mark = format!("--{boundary}");
    let mut parts = Vec::new();
    let mut rest = find(body, mark.as_bytes()).map(|(_, after)| after);
    while let Some(after_mark) = rest {
        let Some((part, next)) = find(after_mark, mark.as_bytes()) else { break };
        rest = Some(next);
        let Some(part) = without_line_end(part, true) else { continue };
        let part = without_line_end(part, false).unwrap_or(part);
        let split = find(part, b"\r\n\r\n").or_else(|| find(part, b"\n\n"));
        if let Some((headers, body)) = split {
            parts.push(Part { headers, body });
        }
    }
    parts
}

/// Without the line ending in front, or at the end.
fn without_line_end(bytes: &[u8], in_front: bool) -> Option<&[u8]> {
    let mut endings = [b"\r\n".as_slice(), b"\n"].into_iter();
    endings.find_map(|end| if in_front { bytes.strip_prefix(end) } else { bytes.strip_suffix(end) })
}

/// What is before and after the first `needle`.
fn find<'a>(bytes: &'a [u8], needle: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(needle.len()).position(|window| window == needle)?;
    Some((&bytes[..at], &bytes[at + needle.len()..]))
}

fn is_named(headers: &[u8], name: &str) -> bool {
    let headers = String::from_utf8_lossy(headers).to_ascii_lowercase();
    let line = headers.lines().find(|line| line.starts_with("content-disposition:"));
    line.is_some_and(|line| {
        line.split(';').any(|parameter| parameter.trim() == format!("name=\"{name}\""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "--B\r\nContent-Type: application/json\r\nContent-Disposition: form-data; name=\"job\"\r\n\r\n\
        {\"object\":\"Contact\"}\r\n--B\r\nContent-Type: text/csv\r\n\
        Content-Disposition: form-data; name=\"content\"; filename=\"content\"\r\n\r\nLastName\nx\n\r\n--B--\r\n";

    #[test]
    fn both_parts_are_found() {
        for body in [GOOD.to_owned(), GOOD.replace("\r\n", "\n")] {
            let parts = Parts::read(body.as_bytes(), "B").unwrap();
            assert_eq!(
                parts,
                Parts { job: b"{\"object\":\"Contact\"}", content: b"LastName\nx\n" }
            );
        }
    }

    #[test]
    fn what_is_refused() {
        let long = GOOD.replace("LastName\n", &format!("LastName\n{}\n", "x".repeat(100_000)));
        let cases = [
            (String::new(), "InvalidJob : No part 'job' in the request"),
            ("--B".to_owned(), "InvalidJob : No part 'job' in the request"),
            (
                GOOD.replace("\"content\"", "\"data\""),
                "InvalidJob : No part 'content' in the request",
            ),
            (GOOD.replace("--B--", ""), "InvalidJob : No part 'content' in the request"),
            (long, "Job data exceeds the maximum of 100000 characters of a multipart request"),
        ];
        for (body, message) in cases {
            assert_eq!(Parts::read(body.as_bytes(), "B").unwrap_err().message, message);
        }
    }

    #[test]
    fn the_boundary_is_read_from_the_content_type() {
        let cases = [
            ("multipart/form-data; boundary=BOUNDARY", Some("BOUNDARY")),
            ("Multipart/Form-Data; charset=UTF-8; boundary=\"x y\"", Some("x y")),
            ("multipart/form-data", None),
            ("application/json; boundary=x", None),
        ];
        for (content_type, expected) in cases {
            assert_eq!(boundary(content_type), expected);
        }
    }
}
