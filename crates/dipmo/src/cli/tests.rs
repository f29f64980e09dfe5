//! No command is forgotten: each says what it does, shows examples that work, and how it ends.

use clap::{Command, CommandFactory as _};

use super::Cli;

/// Commands that end with 0, or with 2 when they could not run, and say no more about it.
const PLAIN_ENDS: [&str; 5] = ["init", "print", "schema", "completions", "version"];

/// Every command, with those below it, by what is typed.
fn all() -> Vec<(String, Command)> {
    fn walk(path: &str, command: &Command, all: &mut Vec<(String, Command)>) {
        all.push((path.to_owned(), command.clone()));
        for below in command.get_subcommands() {
            walk(&format!("{path} {}", below.get_name()), below, all);
        }
    }
    let mut all = Vec::new();
    walk("dipmo", &Cli::command(), &mut all);
    all
}

fn shown_below(command: &Command) -> String {
    command.get_after_help().map(ToString::to_string).unwrap_or_default()
}

/// The commands of the examples, without what a shell makes of them and what is said of them.
fn examples(below: &str) -> Vec<&str> {
    let block = below.split("\n\n").find_map(|block| block.strip_prefix("Examples:\n"));
    let lines = block.unwrap_or_default().lines();
    lines
        .filter_map(|line| {
            let at = line.find("dipmo ")?;
            let typed = &line[at..];
            let end = ["  ", " |", " >", ")"].iter().filter_map(|end| typed.find(end)).min();
            Some(typed[..end.unwrap_or(typed.len())].trim_end())
        })
        .collect()
}

/// The words of a command, as a shell takes them: what is in quotes is one.
fn words(typed: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for letter in typed.chars() {
        match letter {
            '"' | '\'' if quote.is_none() => quote = Some(letter),
            letter if quote == Some(letter) => quote = None,
            ' ' if quote.is_none() => words.push(String::new()),
            letter => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn command_line_is_well_formed() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_says_what_it_does_and_shows_itself_in_examples() {
    for (path, command) in all() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(about.len() > 10, "{path} does not say what it does");
        let below = shown_below(&command);
        let shows_itself = examples(&below).iter().any(|example| example.starts_with(&path));
        assert!(shows_itself, "the help of {path} has no example of it:\n{below}");
    }
}

#[test]
fn every_example_is_understood() {
    for (path, command) in all() {
        for example in examples(&shown_below(&command)) {
            let parsed = Cli::command().try_get_matches_from(words(example));
            let wrong = parsed.err().filter(clap::Error::use_stderr);
            assert!(wrong.is_none(), "{path} shows {example}: {}", wrong.unwrap());
        }
    }
}

#[test]
fn every_command_that_ends_in_more_ways_than_two_says_how() {
    for (path, command) in all().into_iter().skip(1) {
        let says = shown_below(&command).contains("\n\nExit codes:\n  0 ");
        let is_plain = PLAIN_ENDS.contains(&command.get_name());
        assert_ne!(says, is_plain, "{path}: either its help has exit codes, or it is plain");
    }
}

#[test]
fn every_option_says_what_it_is_for() {
    for (path, command) in all() {
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{path}: {}", argument.get_id());
        }
    }
}
