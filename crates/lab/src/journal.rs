//! A file of JSON lines that is only ever added to. A kill can cut the last line off; it is
//! dropped.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system says no.
    #[error("{}: {problem}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        problem: std::io::Error,
    },
    /// A line that is not ours.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// Why it cannot be read.
        problem: serde_json::Error,
    },
}

/// A file of entries.
#[derive(Debug)]
pub(crate) struct Journal<T> {
    path: PathBuf,
    file: File,
    entries: PhantomData<T>,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// Opens a journal, or makes one; what is in it.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<T>), JournalError> {
        let failed = |problem| JournalError::File { path: path.to_owned(), problem };
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = open.map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = whole_lines(&bytes);
        let entries = parse(path, whole)?;
        // What is added next begins on a line of its own.
        file.set_len(whole.len() as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok((Self { path: path.to_owned(), file, entries: PhantomData }, entries))
    }

    /// Adds an entry. When this returns, it stays.
    pub(crate) fn append(&mut self, entry: &T) -> Result<(), JournalError> {
        let write = |file: &mut File| -> std::io::Result<()> {
            let mut line = serde_json::to_vec(entry)?;
            line.push(b'\n');
            file.write_all(&line)?;
            file.sync_data()
        };
        write(&mut self.file).map_err(|problem| JournalError::File { path: self.path.clone(), problem })
    }
}

/// The entries of a journal, without a change to it; none if there is no such file.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, JournalError> {
    match std::fs::read(path) {
        Ok(bytes) => parse(path, whole_lines(&bytes)),
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(problem) => Err(JournalError::File { path: path.to_owned(), problem }),
    }
}

/// Everything up to the last end of a line.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    &bytes[..end]
}

fn parse<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<Vec<T>, JournalError> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    let entry = |(at, line): (usize, &[u8])| {
        serde_json::from_slice(line).map_err(|problem| JournalError::Line {
            path: path.to_owned(),
            line: at + 1,
            problem,
        })
    };
    lines.map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_dropped_and_a_broken_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        let (mut journal, entries) = Journal::<u32>::open(&path).unwrap();
        assert!(entries.is_empty());
        journal.append(&7).unwrap();
        journal.append(&8).unwrap();
        std::fs::write(&path, "7\n8\n12").unwrap();
        assert_eq!(read::<u32>(&path).unwrap(), [7, 8]);
        let (mut journal, entries) = Journal::<u32>::open(&path).unwrap();
        assert_eq!(entries, [7, 8]);
        journal.append(&9).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "7\n8\n9\n");
        std::fs::write(&path, "7\nx\n8\n").unwrap();
        let error = Journal::<u32>::open(&path).unwrap_err().to_string();
        assert!(error.contains("j.jsonl:2:"), "{error}");
    }
}
