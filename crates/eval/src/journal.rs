//! The journal: answers are written to disk one by one, so that an interrupted run resumes.
//!
//! A JSON lines file: a header with the key of the answers, one line per photograph, and a mark at the end that the run
//! is complete. Lines are only appended, so an interruption truncates at most the last line.

use std::collections::HashMap;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::{Answer, Error, Result};

/// Increased when the format of the lines changes.
const VERSION: u32 = 2;

/// Which earlier answers are reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resume {
    /// Those of an interrupted run.
    #[default]
    Interrupted,
    /// Those of the last run, even if it was complete.
    Always,
    /// None.
    Never,
}

/// Detects a changed file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stamp {
    size_bytes: u64,
    modified_ns: u64,
}

impl Stamp {
    /// `None` for a file that is missing or has no usable time; such a file is always read again.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().and_then(Self::from_metadata)
    }

    fn from_metadata(metadata: &Metadata) -> Option<Self> {
        let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self { size_bytes: metadata.len(), modified_ns: u64::try_from(since.as_nanos()).ok()? })
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    version: u32,
    /// Hash of everything except the photograph that an answer depends on.
    key: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Photo { path: String, stamp: Stamp, answer: Answer },
    End { complete: bool },
}

/// An open journal, locked against other runs.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
}

/// Answers of an earlier run by path.
pub(crate) type Earlier = HashMap<String, (Stamp, Answer)>;

impl Journal {
    /// Opens or creates the journal at `path`, and returns the earlier answers that are valid for `key`.
    ///
    /// # Errors
    /// [`Error::JournalBusy`] while another run holds the lock, [`Error::Journal`].
    pub(crate) fn open(path: &Path, key: &str, resume: Resume) -> Result<(Self, Earlier)> {
        let failed = |source| Error::Journal { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            // Only after locking: another run may be writing to this journal.
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        // A second run fails at once: if it waited, it would measure everything a second time.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::JournalBusy { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let mut journal = Self { file, path: path.to_owned() };
        let earlier = journal.read(key, resume).map_err(failed)?;
        if let Some(earlier) = earlier {
            return Ok((journal, earlier));
        }
        journal.restart(key)?;
        Ok((journal, Earlier::new()))
    }

    /// The earlier answers; `None` if the journal must be restarted. Leaves the file position at the end.
    fn read(&mut self, key: &str, resume: Resume) -> io::Result<Option<Earlier>> {
        if resume == Resume::Never {
            return Ok(None);
        }
        let mut lines = BufReader::new(&self.file).split(b'\n');
        let header = lines.next().transpose()?.unwrap_or_default();
        // An answer of another model, calibration or limit cannot be reused.
        let fits = serde_json::from_slice::<Header>(&header)
            .is_ok_and(|header| header.version == VERSION && header.key == key);
        if !fits {
            return Ok(None);
        }
        let mut earlier = Earlier::new();
        let mut is_complete = false;
        for line in lines {
            // A truncated line is skipped; its photograph is measured again.
            match serde_json::from_slice(&line?) {
                Ok(Line::Photo { path, stamp, answer }) => {
                    // The mark is valid only as the last line: a later run that reused the answers may have been
                    // interrupted after it.
                    is_complete = false;
                    earlier.insert(path, (stamp, answer));
                }
                Ok(Line::End { complete }) => is_complete = complete,
                Err(_) => {}
            }
        }
        // A run that is started again after it was complete measures again.
        if is_complete && resume == Resume::Interrupted {
            return Ok(None);
        }
        self.file.seek(SeekFrom::End(0))?;
        // Ends a truncated line; an empty line is skipped too.
        self.file.write_all(b"\n")?;
        Ok(Some(earlier))
    }

    fn restart(&mut self, key: &str) -> Result<()> {
        let begin = |file: &mut File| {
            // Truncated, not replaced, because the lock is on this file.
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0)).map(|_| ())
        };
        begin(&mut self.file).map_err(|source| self.failed(source))?;
        self.append(&Header { version: VERSION, key: key.to_owned() })
    }

    /// Appends the answer for a photograph.
    pub(crate) fn add(&mut self, path: &str, stamp: Stamp, answer: &Answer) -> Result<()> {
        self.append(&Line::Photo { path: path.to_owned(), stamp, answer: answer.clone() })
    }

    /// Marks the run as complete: the next run starts again unless its [`Resume`] is `Always`.
    pub(crate) fn complete(&mut self) -> Result<()> {
        self.append(&Line::End { complete: true })
    }

    /// One write per line, so that an interruption between two writes leaves whole lines.
    fn append(&mut self, line: &impl Serialize) -> Result<()> {
        let mut text = serde_json::to_vec(line).map_err(|error| self.failed(error.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Journal { path: self.path.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use partsight_app::Fingerprint;
    use partsight_domain::{StageTimings, Verdict};

    use super::*;
    use crate::Guess;

    fn answer(class: usize) -> Answer {
        Answer {
            guesses: vec![Guess { class, confidence: 0.1 + 0.2_f32 }],
            known_score: 0.7,
            verdict: Verdict::NotSure,
            timings_ms: StageTimings::default(),
            fingerprint: Fingerprint::from_bytes(&[7; 30]),
        }
    }

    const STAMP: Stamp = Stamp { size_bytes: 3, modified_ns: 17 };

    fn open(path: &Path, resume: Resume) -> (Journal, Earlier) {
        Journal::open(path, "key", resume).unwrap()
    }

    #[test]
    fn an_interrupted_run_is_taken_over_and_a_torn_line_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/journal.jsonl");
        let (mut journal, earlier) = open(&path, Resume::Interrupted);
        assert!(earlier.is_empty());
        journal.add("a.jpg", STAMP, &answer(1)).unwrap();
        journal.add("b.jpg", STAMP, &answer(2)).unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 9]).unwrap();

        let (mut journal, earlier) = open(&path, Resume::Interrupted);
        assert_eq!(earlier.len(), 1);
        assert_eq!(earlier["a.jpg"], (STAMP, answer(1)));
        journal.add("b.jpg", STAMP, &answer(3)).unwrap();
        drop(journal);
        let (_, earlier) = open(&path, Resume::Interrupted);
        assert_eq!(earlier["b.jpg"], (STAMP, answer(3)), "the line after the torn one is whole");
    }

    #[test]
    fn a_complete_run_is_taken_over_only_when_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let (mut journal, _) = open(&path, Resume::Interrupted);
        journal.add("a.jpg", STAMP, &answer(1)).unwrap();
        journal.complete().unwrap();
        drop(journal);
        assert_eq!(open(&path, Resume::Always).1.len(), 1);
        assert_eq!(open(&path, Resume::Interrupted).1.len(), 0);
        assert_eq!(open(&path, Resume::Always).1.len(), 0, "it was begun anew");
    }

    #[test]
    fn answers_under_another_key_or_of_no_journal_are_not_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        for garbage in
            ["", "not a journal\n", "{\"version\":0,\"key\":\"key\"}\n", "{\"version\":2,\"key\":\"x\"}\n"]
        {
            let line =
                serde_json::to_string(&Line::Photo { path: "a".into(), stamp: STAMP, answer: answer(1) });
            fs::write(&path, format!("{garbage}{}\n", line.unwrap())).unwrap();
            assert!(open(&path, Resume::Always).1.is_empty(), "{garbage:?}");
        }
        let (mut journal, _) = open(&path, Resume::Interrupted);
        journal.add("a.jpg", STAMP, &answer(1)).unwrap();
        drop(journal);
        assert!(open(&path, Resume::Never).1.is_empty());
    }

    #[test]
    fn two_runs_at_a_time_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let _held = open(&path, Resume::Interrupted);
        let error = Journal::open(&path, "key", Resume::Interrupted).unwrap_err();
        assert!(matches!(error, Error::JournalBusy { .. }), "{error:?}");
    }
}
