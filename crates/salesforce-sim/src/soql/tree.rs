//! A query as it was written: names are not looked up yet.

/// `SELECT … FROM … [WHERE …] [ORDER BY …] [LIMIT …] [OFFSET …]`.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) select: Select,
    pub(super) from: Name,
    /// `FROM Contact c`.
    pub(super) alias: Option<String>,
    pub(super) filter: Option<Condition>,
    pub(super) order: Vec<Order>,
    pub(super) limit: Option<usize>,
    pub(super) offset: Option<usize>,
}

/// A name, or a path of names with dots, and the byte of the query where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) offset: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Select {
    /// `COUNT()`.
    Count,
    /// `COUNT(field), …`.
    Counts(Vec<Counted>),
    Fields(Vec<Selected>),
}

/// How many records have a value in a field.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub(super) field: Name,
    /// What the answer calls it; without one it is `expr0`, `expr1` and so on.
    pub(super) alias: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) enum Selected {
    Field(Name),
    Group(Group),
}

/// `FIELDS(…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    All,
    Custom,
    Standard,
}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Compare(Name, Comparison, Literal),
    /// The field's value is one of these, or, if `false`, is none of them.
    In(Name, bool, Vec<Literal>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Like,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Number(f64),
    /// With its escapes.
    Text(String),
    Date(String),
    DateTime(String),
}

#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) field: Name,
    pub(super) descending: bool,
    pub(super) nulls_last: bool,
}
