//! From the events of the YAML parser to a tree, within limits.
//!
//! There is no recursion here: the tree is built on a stack, which never gets deep.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Parser, Span, StructureStyle, Tag};

use super::limits::{self, Size};
use super::{Entry, Kind, Node, Scalar, Style, syntax};
use crate::problem::{Problem, codes};
use crate::{Files, Place};

/// The tree of a file. It ends with the first problem: what comes after it cannot be told.
///
/// # Errors
/// When it is no YAML, too large, or has what a configuration has no use for.
pub(crate) fn parse(files: &Files, file: u16) -> Result<Node, Box<Problem>> {
    let text = files.text(file);
    limits::not_too_large(file, text)?;
    Builder { file, text, ..Builder::default() }.run()
}

#[derive(Default)]
struct Builder<'a> {
    file: u16,
    text: &'a str,
    stack: Vec<Open>,
    anchors: HashMap<usize, Anchor>,
    root: Option<Node>,
    size: Size,
}

/// A map or a list whose end has not come yet.
struct Open {
    place: Place,
    anchor: usize,
    /// True between brackets.
    flow: bool,
    before: Size,
    /// The deepest level that was reached inside.
    deepest: usize,
    kind: OpenKind,
}

enum OpenKind {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, keys: HashSet<String>, key: Option<(String, Place)> },
}

/// What an alias repeats.
struct Anchor {
    node: Node,
    size: Size,
    levels: usize,
}

impl Builder<'_> {
    fn run(mut self) -> Result<Node, Box<Problem>> {
        let mut documents = 0;
        for event in Parser::new_from_str(self.text) {
            let (event, span) =
                event.map_err(|error| syntax::problem(self.file, self.text, &error))?;
            let place = self.place(&span);
            match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        let message = "a file has one document, and here begins a second one";
                        let hint = "put it into a file of its own, or remove the `---`";
                        return refuse(Problem::error(codes::SYNTAX, place, message).hint(hint));
                    }
                }
                Event::Scalar(text, style, anchor, tag) => {
                    self.no_tag(tag.as_deref(), &span)?;
                    let style = Style::from(style);
                    let place = self.with_header(style, place);
                    let size = Size { nodes: 1, text: text.len() };
                    self.size.grow(size, place)?;
                    let scalar = Scalar { text: text.into_owned(), style, reference: None };
                    let node = Node { place, key: None, kind: Kind::Scalar(scalar) };
                    self.finished(node, anchor, size, 0)?;
                }
                Event::SequenceStart(style, anchor, tag) => {
                    self.no_tag(tag.as_deref(), &span)?;
                    let flow = style == StructureStyle::Flow;
                    self.open(OpenKind::List(Vec::new()), place, anchor, flow)?;
                }
                Event::MappingStart(style, anchor, tag) => {
                    let (entries, keys, key) = (Vec::new(), HashSet::new(), None);
                    self.no_tag(tag.as_deref(), &span)?;
                    let flow = style == StructureStyle::Flow;
                    self.open(OpenKind::Map { entries, keys, key }, place, anchor, flow)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(place)?,
                Event::Alias(anchor) => self.repeat(anchor, place)?,
                _ => {}
            }
        }
        let end = Place::new(self.file, self.text.len()..self.text.len());
        Ok(self.root.unwrap_or_else(|| Node::nothing(end)))
    }

    fn open(
        &mut self,
        kind: OpenKind,
        place: Place,
        anchor: usize,
        flow: bool,
    ) -> Result<(), Box<Problem>> {
        let before = self.size;
        self.size.grow(Size { nodes: 1, text: 0 }, place)?;
        let depth = self.stack.len() + 1;
        limits::not_too_deep(depth, place)?;
        self.stack.push(Open { place, anchor, flow, before, deepest: depth, kind });
        Ok(())
    }

    fn close(&mut self, end: Place) -> Result<(), Box<Problem>> {
        let Some(open) = self.stack.pop() else { return Ok(()) };
        let kind = match open.kind {
            OpenKind::List(items) => Kind::List(items),
            OpenKind::Map { entries, .. } => Kind::Map(entries),
        };
        // A block ends where the next line begins that is not part of it: too far for a message.
        let end = match &kind {
            Kind::List(items) => items.last().map(|item| item.place.end),
            Kind::Map(entries) => entries.last().map(|entry| entry.value.place.end),
            Kind::Scalar(_) => None,
        }
        .filter(|_| !open.flow)
        .unwrap_or(end.end);
        let end = end.max(open.place.end);
        let node = Node { place: Place { end, ..open.place }, key: None, kind };
        let size = self.size.since(open.before);
        let levels = open.deepest - self.stack.len();
        self.finished(node, open.anchor, size, levels)
    }

    /// An alias gets a copy of what it means, which counts like everything that is written.
    fn repeat(&mut self, anchor: usize, place: Place) -> Result<(), Box<Problem>> {
        let Some(known) = self.anchors.get(&anchor) else {
            let message = "this alias stands inside of what it repeats";
            return refuse(Problem::error(codes::SYNTAX, place, message));
        };
        let (size, levels) = (known.size, known.levels);
        self.size.grow(size, place)?;
        limits::not_too_deep(self.stack.len() + levels, place)?;
        let node = self.anchors[&anchor].node.clone();
        self.finished(node, 0, size, levels)
    }

    /// Puts a node where it belongs: into what is open, as a key or as a value.
    fn finished(
        &mut self,
        mut node: Node,
        anchor: usize,
        size: Size,
        levels: usize,
    ) -> Result<(), Box<Problem>> {
        if anchor != 0 {
            // What is kept to be repeated takes memory as well, once for each anchor around it.
            self.size.grow(size, node.place)?;
            self.anchors.insert(anchor, Anchor { node: node.clone(), size, levels });
        }
        let depth = self.stack.len() + levels;
        let file = self.file;
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.deepest = open.deepest.max(depth);
        match &mut open.kind {
            OpenKind::List(items) => items.push(node),
            OpenKind::Map { entries, keys, key: waiting } => match waiting.take() {
                None => *waiting = Some(as_key(node, file, keys, entries)?),
                Some((key, key_place)) => {
                    node.key = Some(key_place);
                    // What was left empty stands behind its key, not before the next line.
                    if node.place.start == node.place.end {
                        node.place = Place { start: key_place.end, ..key_place };
                    }
                    entries.push(Entry { key, key_place, value: node });
                }
            },
        }
        Ok(())
    }

    fn no_tag(&self, tag: Option<&Tag>, span: &Span) -> Result<(), Box<Problem>> {
        if tag.is_none() {
            return Ok(());
        }
        let place = self.place(&span.tag_span().unwrap_or(*span));
        let problem =
            Problem::error(codes::SYNTAX, place, "tags such as `!name` mean nothing here");
        refuse(problem.hint("remove it; a text that looks like a number is put in quotes"))
    }

    /// The parser's place of a block begins with its content; a message points at its `|` or `>`.
    fn with_header(&self, style: Style, place: Place) -> Place {
        let mark = match style {
            Style::Literal => '|',
            Style::Folded => '>',
            Style::Plain | Style::Single | Style::Double => return place,
        };
        let before = self.text.get(..place.range().start).unwrap_or("").trim_end();
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let mut candidates = before[line..].match_indices(mark).map(|(at, _)| line + at);
        let header = candidates.find(|at| is_header(&before[at + 1..]));
        header.map_or(place, |start| Place::new(place.file, start..place.range().end))
    }

    fn place(&self, span: &Span) -> Place {
        Place::new(self.file, span.byte_range().unwrap_or(0..0))
    }
}

/// What can stand behind `|` or `>`: indicators, blanks, a comment.
fn is_header(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
    rest.is_empty() || (rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#'))
}

/// A key is a scalar that is not there yet.
fn as_key(
    node: Node,
    file: u16,
    keys: &mut HashSet<String>,
    entries: &[Entry],
) -> Result<(String, Place), Box<Problem>> {
    let place = Place { file, ..node.place };
    let Kind::Scalar(scalar) = node.kind else {
        let problem = Problem::error(codes::SYNTAX, place, "a key is a text, not a list or a map");
        return refuse(problem.hint("a text that begins with `{` or `[` is put in quotes"));
    };
    if scalar.style == Style::Plain && scalar.text == "<<" {
        let problem = Problem::error(codes::SYNTAX, place, "maps cannot be merged with `<<`");
        return refuse(problem.hint("repeat a whole map with an alias, or write an overlay"));
    }
    if !keys.insert(scalar.text.clone()) {
        let message = format!("the key {} is there twice", scalar.shown());
        let mut problem = Problem::error(codes::DUPLICATE_KEY, place, message);
        if let Some(first) = entries.iter().find(|entry| entry.key == scalar.text) {
            problem = problem.also(first.key_place, "here for the first time");
        }
        return refuse(problem);
    }
    Ok((scalar.text, place))
}

fn refuse<T>(problem: Problem) -> Result<T, Box<Problem>> {
    Err(Box::new(problem))
}
