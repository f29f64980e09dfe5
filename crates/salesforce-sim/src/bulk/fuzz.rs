//! Random texts, read by the tokenizer and by a second reader that is too simple to be wrong.

#[path = "../../tests/support/seed.rs"]
mod seed;

use std::time::{Duration, Instant};

use super::format::{Delimiter, Format, LineEnding};
use super::rows::Rows;
use super::scan::{ROWS_IN_A_CHUNK, Scan};
use super::tokenizer::Malformed;

/// Long enough to meet what matters, short enough for every run of the tests.
const TIME: Duration = Duration::from_secs(15);

type Cells = Vec<Vec<u8>>;

#[test]
fn two_readers_agree() {
    let seed = seed::seed();
    let mut rng = fastrand::Rng::with_seed(seed);
    let start = Instant::now();
    let (mut texts, mut taken) = (0_u64, 0_u64);
    while start.elapsed() < TIME {
        let format = Format {
            delimiter: Delimiter::ALL[rng.usize(..Delimiter::ALL.len())],
            line_ending: LineEnding::ALL[rng.usize(..LineEnding::ALL.len())],
        };
        let csv = random_csv(&mut rng, format);
        let expected = read_all(&csv, format);
        assert_eq!(
            read(&csv, format),
            expected,
            "seed {seed}: {:?}",
            String::from_utf8_lossy(&csv)
        );
        if let Ok(rows) = &expected {
            taken += 1;
            assert_eq!(
                read(&write(rows, format), format).as_ref(),
                Ok(rows),
                "seed {seed}: written and read"
            );
        }
        assert_eq!(scanned(&mut rng, &csv, format), chunks(expected), "seed {seed}");
        texts += 1;
    }
    assert!(
        taken > texts / 20,
        "only {taken} of {texts} texts were good CSV: the generator is too wild"
    );
}

/// Mostly well-formed, with a few bytes changed now and then.
fn random_csv(rng: &mut fastrand::Rng, format: Format) -> Vec<u8> {
    let columns = rng.usize(1..5);
    // Beyond the bound of a chunk now and then.
    let rows = if rng.u8(..) < 8 { rng.usize(190..430) } else { rng.usize(..6) };
    let mut csv = Vec::new();
    for _ in 0..=rows {
        for column in 0..columns {
            if column > 0 {
                csv.push(format.delimiter.byte());
            }
            random_cell(rng, format, &mut csv);
        }
        csv.extend_from_slice(format.line_ending.bytes());
    }
    for _ in 0..if rng.bool() { rng.usize(..3) } else { 0 } {
        let at = rng.usize(..csv.len());
        match rng.u8(..3) {
            0 => csv[at] = random_byte(rng, format),
            1 => csv.insert(at, random_byte(rng, format)),
            _ => csv.truncate(at.max(1)),
        }
    }
    csv
}

fn random_cell(rng: &mut fastrand::Rng, format: Format, csv: &mut Vec<u8>) {
    let length = rng.usize(..5);
    if rng.bool() {
        csv.extend((0..length).map(|_| rng.alphanumeric() as u8));
        return;
    }
    csv.push(b'"');
    for _ in 0..length {
        match random_byte(rng, format) {
            b'"' => csv.extend_from_slice(b"\"\""),
            byte => csv.push(byte),
        }
    }
    csv.push(b'"');
}

fn random_byte(rng: &mut fastrand::Rng, format: Format) -> u8 {
    let bytes =
        [format.delimiter.byte(), b'"', b'\r', b'\n', b'\n', b' ', b'x', 0xC3, 0xBC, 0, rng.u8(..)];
    bytes[rng.usize(..bytes.len())]
}

fn read(csv: &[u8], format: Format) -> Result<Vec<Cells>, Malformed> {
    let rows = Rows::read(csv, format)?;
    Ok((0..rows.len())
        .map(|row| rows.row(row).map(|cell| cell.as_bytes().to_vec()).collect())
        .collect())
}

fn write(rows: &[Cells], format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    for row in rows {
        format.write_row(row.iter().map(|cell| str::from_utf8(cell).unwrap()), &mut out);
    }
    out
}

/// What a scan of the text in random pieces finds: the rows by chunk, or that the job fails.
fn scanned(rng: &mut fastrand::Rng, csv: &[u8], format: Format) -> Option<Vec<Vec<Cells>>> {
    let mut scan = Scan::new(format);
    let mut rest = csv;
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(rng.usize(1..=rest.len()));
        scan.push(piece);
        rest = later;
    }
    let contents = scan.finish().ok()?;
    let bounds = contents.chunk_bounds.windows(2);
    Some(
        bounds
            .map(|bounds| read(&csv[bounds[0] as usize..bounds[1] as usize], format).unwrap())
            .collect(),
    )
}

/// What a scan should find, by the simple reader.
fn chunks(rows: Result<Vec<Cells>, Malformed>) -> Option<Vec<Vec<Cells>>> {
    let rows = rows.ok()?;
    let (header, records) = rows.split_first()?;
    let fits = records.iter().all(|record| record.len() == header.len());
    (fits && !records.is_empty())
        .then(|| records.chunks(ROWS_IN_A_CHUNK).map(<[_]>::to_vec).collect())
}

/// The second reader: it has the whole text before it, and looks for the end of each cell.
fn read_all(csv: &[u8], format: Format) -> Result<Vec<Cells>, Malformed> {
    let mut rows = Vec::new();
    let mut row = Cells::new();
    let mut rest = csv;
    loop {
        let (cell, after) = match rest.strip_prefix(b"\"") {
            Some(quoted) => quoted_cell(quoted)?,
            None => bare_cell(rest, format),
        };
        let bare = !rest.starts_with(b"\"");
        row.push(String::from_utf8_lossy(&cell).into_owned().into_bytes());
        let ended = match after.first() {
            None => true,
            Some(&byte) if byte == format.delimiter.byte() => {
                rest = &after[1..];
                continue;
            }
            Some(b'\r' | b'\n') => match after.strip_prefix(format.line_ending.bytes()) {
                Some(next) => {
                    rest = next;
                    false
                }
                None => return Err(Malformed::LineEnding(format.line_ending)),
            },
            Some(_) if bare => return Err(Malformed::QuoteInBareCell),
            Some(_) => return Err(Malformed::TextAfterQuote),
        };
        let complete = std::mem::take(&mut row);
        if complete != [b""] {
            rows.push(complete);
        }
        if ended {
            return Ok(rows);
        }
    }
}

fn bare_cell(rest: &[u8], format: Format) -> (Vec<u8>, &[u8]) {
    let end = |byte: &u8| *byte == format.delimiter.byte() || b"\"\r\n".contains(byte);
    let (cell, after) = rest.split_at(rest.iter().position(end).unwrap_or(rest.len()));
    (cell.to_vec(), after)
}

/// The text of a cell after its first quote, and what follows its last one.
fn quoted_cell(mut rest: &[u8]) -> Result<(Vec<u8>, &[u8]), Malformed> {
    let mut cell = Vec::new();
    loop {
        let end = rest.iter().position(|&byte| byte == b'"').ok_or(Malformed::QuoteLeftOpen)?;
        cell.extend_from_slice(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix(b"\"") {
            Some(after) => {
                cell.push(b'"');
                rest = after;
            }
            None => return Ok((cell, rest)),
        }
    }
}
