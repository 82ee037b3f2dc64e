//! The corpus: published rule sheets that are not part of this repository.
//!
//! `LUDEX_CORPUS` names a folder with `games/*.kif`, `gdl2/*.kif`, `invalid/*.kif` and
//! `traces/*.jsonl.gz`. Tests over the corpus pass without looking at anything when it is not set.

use std::path::{Path, PathBuf};

use ludex_gdl::{Rules, Source, load};

/// A folder of published sheets.
#[derive(Clone, Debug)]
pub struct Corpus {
    folder: PathBuf,
}

/// A sheet of the corpus.
#[derive(Clone, Debug)]
pub struct CorpusSheet {
    /// The name of the file without `.kif`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

impl Corpus {
    /// The corpus, or a line on standard output that says what is not tested without it.
    pub fn find(otherwise: &str) -> Option<Self> {
        let folder = std::env::var_os("LUDEX_CORPUS").map(PathBuf::from);
        if folder.is_none() {
            println!("LUDEX_CORPUS is not set: {otherwise}");
        }
        folder.map(|folder| Self { folder })
    }

    /// A file or folder in it.
    pub fn path(&self, inside: impl AsRef<Path>) -> PathBuf {
        self.folder.join(inside)
    }

    /// The sheets of one of its folders, in the order of their names.
    pub fn sheets(&self, folder: &str) -> Vec<CorpusSheet> {
        let sheets: Vec<_> = kif_files(&self.path(folder)).into_iter().map(CorpusSheet::new).collect();
        assert!(!sheets.is_empty(), "no sheets in {}", self.path(folder).display());
        sheets
    }

    /// The game with this name.
    pub fn game(&self, name: &str) -> CorpusSheet {
        CorpusSheet::new(self.path("games").join(format!("{name}.kif")))
    }

    /// The recorded play of a game, if there is any.
    pub fn trace(&self, name: &str) -> Option<PathBuf> {
        Some(self.path("traces").join(format!("{name}.jsonl.gz"))).filter(|path| path.exists())
    }
}

impl CorpusSheet {
    fn new(path: PathBuf) -> Self {
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        Self { name, path }
    }

    /// Its bytes, not always UTF-8.
    pub fn source(&self) -> Source {
        let bytes = std::fs::read(&self.path);
        let bytes = bytes.unwrap_or_else(|error| panic!("{}: {error}", self.path.display()));
        Source::new(self.path.display().to_string(), bytes)
    }

    /// What it means, errors or not: published sheets break the letter of the language.
    pub fn rules(&self) -> Rules {
        load(&self.source()).rules
    }
}

/// The rule sheets in a folder, sorted.
pub fn kif_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "kif"));
    paths.sort();
    paths
}
