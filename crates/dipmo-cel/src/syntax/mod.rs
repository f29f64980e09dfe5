//! From text to a tree.

pub(crate) mod ast;
mod lexer;
mod parser;
mod text;

pub(crate) use self::parser::parse;
