//! From files to a configuration: read, merged, references resolved, checked for its shape.

mod environment;
mod overlay;
mod references;

use std::path::Path;

pub use environment::{Environment, ProcessEnvironment};

use crate::node::{self, Node};
use crate::problem::codes;
use crate::{Config, Files, Problem, Problems, Read as _};

/// A configuration whose shape is right, and the files that it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// The files, for places.
    pub files: Files,
    /// Warnings.
    pub warnings: Problems,
}

/// Files that are no configuration.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// What is wrong, warnings included.
    pub problems: Problems,
    /// The files, for places.
    pub files: Files,
}

/// A file by its name and its text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The name that messages have.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// What is done with `${env:…}` and `${file:…}`.
#[derive(Clone, Copy)]
pub enum References<'a> {
    /// They are resolved, and what is missing is an error.
    Resolve(&'a dyn Environment),
    /// They are left as they are: who only looks at processes needs no secrets. Texts are read as they are
    /// written; a number, a truth, a duration or a word that is a reference is read as not given.
    Keep,
}

impl Config {
    /// Reads the main file and the overlays, each of which changes what those before it say.
    ///
    /// # Errors
    /// With all that is wrong, in the file that said it.
    pub fn load(
        main: &Path,
        overlays: &[&Path],
        references: References<'_>,
    ) -> Result<Loaded, Box<Rejected>> {
        let (mut texts, mut problems) = (Vec::new(), Problems::default());
        for path in std::iter::once(main).chain(overlays.iter().copied()) {
            match read_text(path) {
                Ok(text) => texts.push((path.display().to_string(), text)),
                Err(problem) => {
                    let message = format!("{} cannot be read: {problem}", path.display());
                    problems.push(Problem::error(codes::FILE_UNREADABLE, None, message));
                }
            }
        }
        if problems.any_error() {
            return Err(Box::new(Rejected { problems, files: Files::default() }));
        }
        let sources: Vec<Source<'_>> =
            texts.iter().map(|(name, text)| Source { name, text }).collect();
        Self::from_texts(&sources, references)
    }

    /// The same from texts: the main one first, then the overlays.
    ///
    /// # Errors
    /// With all that is wrong, in the text that said it.
    pub fn from_texts(
        sources: &[Source<'_>],
        references: References<'_>,
    ) -> Result<Loaded, Box<Rejected>> {
        let (mut files, mut problems) = (Files::default(), Problems::default());
        let config = merged(sources, &mut files, &mut problems).and_then(|mut root| {
            references::resolve(&mut root, references, &mut problems);
            Self::read(&root, &mut problems)
        });
        problems.sort();
        for secret in problems.iter().filter_map(|problem| problem.hidden) {
            files.hide(secret);
        }
        match config {
            Some(config) if !problems.any_error() => {
                Ok(Loaded { config, files, warnings: problems })
            }
            _ => Err(Box::new(Rejected { problems, files })),
        }
    }
}

/// The text of a file, unless it is larger than any that a person writes.
pub(crate) fn read_text(path: &Path) -> std::io::Result<String> {
    environment::read_file(path, node::BYTES)
}

/// All files as one tree; every file is read, also behind one that is no YAML.
fn merged(sources: &[Source<'_>], files: &mut Files, problems: &mut Problems) -> Option<Node> {
    let mut roots = Vec::new();
    for source in sources {
        let file = files.add(source.name, source.text);
        match node::parse(files, file) {
            Ok(root) => roots.push(root),
            Err(problem) => problems.push(*problem),
        }
    }
    if problems.any_error() {
        return None;
    }
    let mut roots = roots.into_iter();
    let main = roots.next()?;
    Some(roots.fold(main, |base, over| overlay::merge(base, over, problems)))
}
