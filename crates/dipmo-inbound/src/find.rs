//! Finds the places that pointers name, in one walk, without building a tree.
//!
//! It walks JSON that was checked before, so it only has to know where a value ends. What no pointer
//! leads into is skipped by counting brackets. Of keys that occur twice the last one counts, as it
//! does for the parsers that come later.

use std::borrow::Cow;

use dipmo_domain::Json;

use crate::Pointer;

/// Some pointers, merged where they begin alike.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pointers {
    pointers: Vec<Pointer>,
    root: Node,
}

#[derive(Clone, Debug, Default)]
struct Node {
    slot: Option<usize>,
    steps: Vec<(String, Self)>,
}

/// What stands where the pointers lead, as it was written.
#[derive(Debug, Default)]
pub(crate) struct Found<'a>(Vec<Option<&'a str>>);

impl Pointers {
    pub(crate) fn new(all: impl IntoIterator<Item = Pointer>) -> Self {
        let mut this = Self::default();
        for pointer in all {
            if this.slot(&pointer).is_none() {
                this.root.add(pointer.tokens(), this.pointers.len());
                this.pointers.push(pointer);
            }
        }
        this
    }

    /// Where in [`Found`] the value of a pointer is.
    pub(crate) fn slot(&self, pointer: &Pointer) -> Option<usize> {
        self.pointers.iter().position(|known| known == pointer)
    }

    /// Looks for all of them at once.
    pub(crate) fn find<'a>(&self, json: &'a Json) -> Found<'a> {
        if self.pointers.is_empty() {
            return Found::default();
        }
        let mut walk = Walk { text: json.as_str(), at: 0, found: vec![None; self.pointers.len()] };
        walk.value(&self.root);
        Found(walk.found)
    }
}

impl<'a> Found<'a> {
    /// The JSON in a slot.
    pub(crate) fn json(&self, slot: usize) -> Option<&'a str> {
        self.0.get(slot).copied().flatten()
    }

    /// A string without its quotes, a number or a truth as written; all else is nothing.
    pub(crate) fn text(&self, slot: usize) -> Option<Cow<'a, str>> {
        let json = self.json(slot)?;
        match json.as_bytes().first()? {
            b'"' => unquote(json),
            b'{' | b'[' | b'n' => None,
            _ => Some(Cow::Borrowed(json)),
        }
    }
}

impl Node {
    fn add(&mut self, tokens: &[String], slot: usize) {
        let [token, rest @ ..] = tokens else {
            self.slot = Some(slot);
            return;
        };
        let known = self.steps.iter().position(|(name, _)| name == token);
        let at = known.unwrap_or_else(|| {
            self.steps.push((token.clone(), Self::default()));
            self.steps.len() - 1
        });
        self.steps[at].1.add(rest, slot);
    }

    fn step(&self, token: &str) -> Option<&Self> {
        self.steps.iter().find(|(name, _)| name == token).map(|(_, node)| node)
    }
}

/// A string without its quotes. One that no text can hold, with half of a surrogate pair, is none.
fn unquote(json: &str) -> Option<Cow<'_, str>> {
    if json.contains('\\') {
        return serde_json::from_str(json).ok().map(Cow::Owned);
    }
    json.get(1..json.len().saturating_sub(1)).map(Cow::Borrowed)
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
    found: Vec<Option<&'a str>>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, node: &Node) {
        self.space();
        let start = self.at;
        match self.peek() {
            b'{' if !node.steps.is_empty() => self.object(node),
            b'[' if !node.steps.is_empty() => self.array(node),
            _ => self.skip(),
        }
        if let Some(slot) = node.slot {
            self.found[slot] = self.text.get(start..self.at);
        }
    }

    fn object(&mut self, node: &Node) {
        self.at += 1;
        loop {
            self.space();
            if self.peek() != b'"' {
                break;
            }
            let start = self.at;
            self.string();
            let key = self.text.get(start..self.at).and_then(unquote);
            self.space();
            self.at += 1;
            self.member(key.and_then(|key| node.step(&key)));
            if !self.comma() {
                break;
            }
        }
        self.at += 1;
    }

    fn array(&mut self, node: &Node) {
        self.at += 1;
        self.space();
        for index in 0usize.. {
            if matches!(self.peek(), b']' | 0) {
                break;
            }
            self.member(node.step(&index.to_string()));
            if !self.comma() {
                break;
            }
        }
        self.at += 1;
    }

    fn member(&mut self, wanted: Option<&Node>) {
        match wanted {
            None => {
                self.space();
                self.skip();
            }
            Some(node) => {
                self.forget(node);
                self.value(node);
            }
        }
    }

    /// An earlier key of the same name, and all in it, does not count.
    fn forget(&mut self, node: &Node) {
        if let Some(slot) = node.slot {
            self.found[slot] = None;
        }
        for (_, below) in &node.steps {
            self.forget(below);
        }
    }

    /// Steps over a comma; false at the end of an object or array.
    fn comma(&mut self) -> bool {
        self.space();
        let more = self.peek() == b',';
        self.at += usize::from(more);
        more
    }

    /// Steps over one value.
    fn skip(&mut self) {
        match self.peek() {
            b'"' => self.string(),
            b'{' | b'[' => self.brackets(),
            _ => {
                let ends = |b: &u8| matches!(b, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
                self.at += self.rest().iter().position(ends).unwrap_or(self.rest().len());
            }
        }
    }

    fn string(&mut self) {
        self.at = behind_string(self.text.as_bytes(), self.at);
    }

    fn brackets(&mut self) {
        self.at = behind_brackets(self.text.as_bytes(), self.at);
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The byte here; 0, which JSON cannot hold, at the end.
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }
}

/// Where the string that begins at `at` has ended.
fn behind_string(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// Where the object or array that begins at `at` has ended.
fn behind_brackets(bytes: &[u8], mut at: usize) -> usize {
    let mut open = 0usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = behind_string(bytes, at);
                continue;
            }
            b'{' | b'[' => open += 1,
            b'}' | b']' => open -= 1,
            _ => {}
        }
        at += 1;
        if open == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn find(json: &str, pointers: &[&str]) -> Vec<Option<String>> {
        let set = Pointers::new(pointers.iter().map(|p| p.parse().unwrap()));
        let json = Json::parse(json).unwrap();
        let found = set.find(&json);
        (0..pointers.len()).map(|slot| found.text(slot).map(Cow::into_owned)).collect()
    }

    fn one(json: &str, pointer: &str) -> Option<String> {
        find(json, &[pointer]).remove(0)
    }

    #[test]
    fn scalars_are_text_as_written() {
        assert_eq!(one(r#"{"id":"e-1"}"#, "/id").as_deref(), Some("e-1"));
        assert_eq!(one(r#"{"id": 7.50e1}"#, "/id").as_deref(), Some("7.50e1"));
        assert_eq!(one(r#"{"id":true}"#, "/id").as_deref(), Some("true"));
        for nothing in [r#"{"id":null}"#, r#"{"id":{}}"#, r#"{"id":[1]}"#, "{}", "[]", "7"] {
            assert_eq!(one(nothing, "/id"), None, "{nothing}");
        }
    }

    #[test]
    fn several_are_found_in_one_walk() {
        let json = r#" { "a" : [ {"x":"]}"}, {"x": 2} ] , "b\u0062" : "q\"\n" , "c":{"d":-1.5} } "#;
        let found = find(json, &["/a/1/x", "/a/0/x", "/bb", "/c/d", "/c/e"]);
        let expected = [Some("2"), Some("]}"), Some("q\"\n"), Some("-1.5"), None];
        assert_eq!(found, expected.map(|text| text.map(str::to_owned)));
    }

    #[test]
    fn trap_4_the_last_of_two_equal_keys_counts() {
        assert_eq!(one(r#"{"a":1,"a":2}"#, "/a").as_deref(), Some("2"));
        assert_eq!(one(r#"{"a":{"b":1},"a":{}}"#, "/a/b"), None);
    }

    #[test]
    fn trap_4_a_lone_surrogate_is_no_text_and_a_nul_is() {
        assert_eq!(one(r#"{"a":"\ud800"}"#, "/a"), None);
        assert_eq!(one(r#"{"\ud800":1,"a":"x\u0000"}"#, "/a").as_deref(), Some("x\0"));
        assert_eq!(one(r#"{"a":1e400}"#, "/a").as_deref(), Some("1e400"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[ab/~\"\\\\]{0,2}", inner, 0..4)
                    .prop_map(|map| Value::from(serde_json::Map::from_iter(map))),
            ]
        })
    }

    /// Every pointer into a value.
    fn pointers(value: &Value, here: &str, all: &mut Vec<String>) {
        let mut step = |token: &str, below: &Value| {
            let token = token.replace('~', "~0").replace('/', "~1");
            let here = format!("{here}/{token}");
            all.push(here.clone());
            pointers(below, &here, all);
        };
        match value {
            Value::Object(map) => map.iter().for_each(|(key, below)| step(key, below)),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(at, below)| step(&at.to_string(), below));
            }
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn finds_what_a_tree_finds(value in any_json(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            let mut all = vec!["/none".to_owned()];
            pointers(&value, "", &mut all);
            let set = Pointers::new(all.iter().map(|p| p.parse().unwrap()));
            let json = Json::parse(&text).unwrap();
            let found = set.find(&json);
            for pointer in &all {
                let slot = set.slot(&pointer.parse().unwrap()).unwrap();
                let found = found.json(slot).map(|json| serde_json::from_str::<Value>(json).unwrap());
                prop_assert_eq!(found.as_ref(), value.pointer(pointer), "{}", pointer);
            }
        }
    }
}
