//! The text on the photographs of scans, and the parts that its numbers identify.
//!
//! An answer does not wait for the text, unless the caller asks for that: reading takes longer than identifying.
//! Later readings use spare turns, and are dropped if too many are waiting.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::SignedDuration;
use partsight_domain::{
    Answer, InvalidInput, MAX_READ_LINES, MatchedPart, PictureSays, ReadLine, ReadNumber, Reading, Scan,
    ScanId, TenantId, TextKind, User, match_numbers, messages, numbers_in,
};
use partsight_vehicle_data::vins_in_code;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::Instrument as _;

use crate::judging::asking::SharedPhoto;
use crate::limits::person::Person;
use crate::limits::places::{Place, Places, Share};
use crate::recognition::photo_budget::Asker;
use crate::scanning::Scanning;
use crate::scanning::line_vins::lines_with_vins;
use crate::scanning::photographs::Evidence;
use crate::{Error, Identification, Result};

/// Most scans that wait to be read; one person may always have `LEAST_PLACES`.
const PLACES: usize = 32;
const LEAST_PLACES: usize = 2;
/// Memory for the files that wait, in KiB: three of the largest photographs, or twenty usual ones.
const HELD_KIB: usize = 80 * 1024;
/// Most lines that are sent to the judge, and characters of each: they cost far less than the photograph.
const LINES_FOR_JUDGE: usize = 12;
const CHARS_FOR_JUDGE: usize = 80;
/// Attempts of a correction while others correct the same reading.
const CORRECTION_TRIES: usize = 8;
/// How long after its scan a later reading is still expected: another server may be reading it.
const EXPECTED_WITHIN: SignedDuration = SignedDuration::from_secs(30);

/// Whether and when the text on the photographs of a scan is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadText {
    /// After the answer, when nobody waits.
    #[default]
    Later,
    /// Before the answer, which it may change.
    First,
    /// Not at all.
    Never,
}

/// State of the reading of a scan.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadingState {
    /// This server reads no text.
    Off,
    /// Not read, and it will not be: it was not requested, or too many were waiting.
    NotRead,
    /// It may still come.
    Pending,
    /// Read; there may be no text.
    Read(Box<Reading>),
}

/// The scans whose text waits to be read or is being read.
#[derive(Debug)]
pub(crate) struct ReadingQueue {
    places: Places<Person>,
    kib: Arc<Semaphore>,
    waiting: Mutex<HashSet<ScanId>>,
}

impl Default for ReadingQueue {
    fn default() -> Self {
        Self {
            places: Places::new(PLACES, Share::OfFree, LEAST_PLACES),
            kib: Arc::new(Semaphore::new(HELD_KIB)),
            waiting: Mutex::default(),
        }
    }
}

/// The place of one scan in the queue, released when it is dropped.
struct QueuedReading {
    queue: Arc<ReadingQueue>,
    id: ScanId,
    _place: Place<Person>,
    _held: OwnedSemaphorePermit,
}

impl ReadingQueue {
    /// Takes a place for a scan; `None` if too many are waiting.
    fn join(self: &Arc<Self>, person: Person, id: ScanId, files: &[SharedPhoto]) -> Option<QueuedReading> {
        let place = self.places.take(person).ok()?;
        let n_bytes: usize = files.iter().map(|file| file.as_ref().len()).sum();
        let kib = u32::try_from(n_bytes / 1024 + 1).ok()?;
        // Not waited for: the files would be held all that time.
        let held = Arc::clone(&self.kib).try_acquire_many_owned(kib).ok()?;
        self.waiting().insert(id);
        Some(QueuedReading { queue: Arc::clone(self), id, _place: place, _held: held })
    }

    fn waiting(&self) -> MutexGuard<'_, HashSet<ScanId>> {
        // A set of ids is whole whatever panicked.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for QueuedReading {
    fn drop(&mut self) {
        self.queue.waiting().remove(&self.id);
    }
}

/// The reading before an answer was given.
#[derive(Debug, Clone)]
pub(crate) struct FirstReading {
    lines: Vec<ReadLine>,
    parts: Vec<MatchedPart>,
    /// The answer by the picture alone.
    picture: Answer,
}

impl FirstReading {
    /// The lines for the judge: the most confident ones, without any that may identify a person's vehicle.
    pub(crate) fn for_judge(&self) -> Vec<String> {
        let mut lines = without_vins(&self.lines);
        lines.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        lines.truncate(LINES_FOR_JUDGE);
        lines.into_iter().map(|line| line.text.chars().take(CHARS_FOR_JUDGE).collect()).collect()
    }

    /// Takes an answer that the judge has changed as that of the picture, which a correction can go back to.
    pub(crate) fn note_judged(&mut self, identification: &Identification) {
        self.picture = answer_of(identification);
    }

    /// Changes an answer to the part that the numbers identify.
    pub(crate) fn settle(&self, identification: &mut Identification) {
        if let Some(settled) = answer_of(identification).settled_by(&self.parts) {
            let Answer { verdict, best, alternatives, category, candidate_set } = settled;
            identification.verdict = verdict;
            identification.best = best;
            identification.alternatives = alternatives;
            identification.category = category;
            identification.candidate_set = candidate_set;
        }
    }
}

impl Scanning {
    /// Whether reading needs the files of a scan.
    pub(crate) fn will_read(&self, wish: ReadText) -> bool {
        wish != ReadText::Never && self.identifier.reads_text()
    }

    /// The files of a scan, if reading needs them.
    pub(crate) fn files_to_read<T>(&self, wish: ReadText, evidence: &mut Evidence<T>) -> Vec<SharedPhoto> {
        // Taken out in any case, so that unneeded files are freed now.
        let files = std::mem::take(&mut evidence.files);
        if self.will_read(wish) { files } else { Vec::new() }
    }

    /// Reads the text before the answer if requested, and lets it change the answer; `None` otherwise, and if reading
    /// fails or too much is waiting, which does not affect the answer. With `several` parts on the photograph, numbers
    /// do not count, because they may be those of any of them.
    pub(crate) async fn read_first(
        &self,
        user: &User,
        asker: &Asker,
        wish: ReadText,
        files: &[SharedPhoto],
        several: bool,
        identification: &mut Identification,
    ) -> Option<FirstReading> {
        // Without reading on this server no files are held.
        if wish != ReadText::First || files.is_empty() {
            return None;
        }
        // People who wait come before batches.
        let person = (!asker.is_of_batch).then(|| user.into());
        let lines = self.read_files(person, files).await?;
        let picture = answer_of(identification);
        let parts = if several {
            Vec::new()
        } else {
            self.parts_read(user, &lines, &picture).await.inspect_err(failed).ok()?
        };
        let first = FirstReading { lines, parts, picture };
        first.settle(identification);
        Some(first)
    }

    /// Saves the reading from before the answer of a saved scan, or starts a later one, also if the first could not
    /// be done in time.
    pub(crate) async fn keep_reading(
        &self,
        user: &User,
        scan: &Scan,
        first: Option<FirstReading>,
        files: Vec<SharedPhoto>,
    ) {
        if let Some(first) = first {
            self.keep_first_reading(user.tenant_id, scan.id, &first).await;
        } else if !files.is_empty() {
            self.read_later(user, scan, files);
        }
    }

    /// Saves the reading from before the answer of a saved scan.
    pub(crate) async fn keep_first_reading(&self, tenant_id: TenantId, id: ScanId, first: &FirstReading) {
        let FirstReading { lines, parts, picture } = first.clone();
        // Saved only if the numbers changed the answer, so that a correction can go back to it.
        let picture = Some(picture).filter(|picture| picture.settled_by(&parts).is_some());
        let reading = Reading { lines, parts, picture, read_at: self.clock.now() };
        let saved = self.store.save_reading(tenant_id, id, &reading, None, self.clock.now()).await;
        let _ = saved.inspect_err(failed);
    }

    fn read_later(&self, user: &User, scan: &Scan, files: Vec<SharedPhoto>) {
        let Some(place) = self.readings.join(user.into(), scan.id, &files) else {
            tracing::debug!(scan.id = %scan.id, "too much waits to be read");
            return;
        };
        let (scanning, user, scan) = (self.clone(), user.clone(), scan.clone());
        let work = async move {
            let _place = place;
            let Some(lines) = scanning.read_files(None, &files).await else { return };
            // Files are large, and looking numbers up does not need them.
            drop(files);
            let reading = Reading { lines, parts: Vec::new(), picture: None, read_at: scanning.clock.now() };
            let _ = scanning.match_and_save(&user, &scan, reading).await.inspect_err(failed);
        };
        self.tasks.begin(work.instrument(tracing::debug_span!("reading")));
    }

    /// The lines of all photographs; `None` if one could not be read.
    async fn read_files(&self, person: Option<Person>, files: &[SharedPhoto]) -> Option<Vec<ReadLine>> {
        let mut lines = Vec::new();
        for (number, file) in files.iter().enumerate() {
            lines.extend(self.identifier.read_text(person, file.clone(), number).await?);
        }
        Some(most_telling(lines, MAX_READ_LINES))
    }

    /// The parts that numbers in these lines identify, given the answer by the picture.
    async fn parts_read(
        &self,
        user: &User,
        lines: &[ReadLine],
        picture: &Answer,
    ) -> Result<Vec<MatchedPart>> {
        let numbers = numbers_to_look_up(lines);
        let texts: Vec<&str> = lines.iter().map(ReadLine::says).collect();
        let known = self.parts.known_numbers(user, &numbers, &texts).await?;
        let picture =
            PictureSays { candidates: picture.candidates(), can_see: &|label| self.parts.model_knows(label) };
        Ok(match_numbers(&numbers, &known, &picture))
    }

    /// Looks up the numbers of a reading; also returns the scan if they lead to another answer.
    async fn matched(&self, user: &User, scan: &Scan, reading: &mut Reading) -> Result<Option<Scan>> {
        // The answer by the picture, even if an earlier reading has replaced it in the scan.
        let picture = reading.picture.take().unwrap_or_else(|| scan.answer());
        let regions = self.store.find_regions(user.tenant_id, scan.id).await?;
        let shows_several = regions.is_some_and(|found| found.regions.len() > 1);
        reading.parts =
            if shows_several { Vec::new() } else { self.parts_read(user, &reading.lines, &picture).await? };
        let answer = match picture.settled_by(&reading.parts) {
            Some(settled) => {
                reading.picture = Some(picture);
                settled
            }
            None => picture,
        };
        Ok((answer != scan.answer()).then(|| scan.clone().with_answer(answer)))
    }

    async fn match_and_save(&self, user: &User, scan: &Scan, mut reading: Reading) -> Result<()> {
        let amended = self.matched(user, scan, &mut reading).await?;
        // A scan that was deleted meanwhile needs no reading.
        self.store
            .save_reading(user.tenant_id, scan.id, &reading, amended.as_ref(), self.clock.now())
            .await?;
        Ok(())
    }

    /// The text on the photographs of a scan of the user, as far as it is read.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that does not exist or belongs to somebody else.
    pub async fn reading_of(&self, user: &User, id: ScanId) -> Result<ReadingState> {
        let scan = self.scan_of(user, id).await?;
        let is_waiting = self.readings.waiting().contains(&id);
        // After the queue: a scan that has left it is saved, or never will be.
        if let Some(reading) = self.store.find_reading(user.tenant_id, id).await? {
            return Ok(ReadingState::Read(Box::new(reading)));
        }
        if !self.identifier.reads_text() {
            return Ok(ReadingState::Off);
        }
        let is_recent = self.clock.now().duration_since(scan.scanned_at) < EXPECTED_WITHIN;
        let may_come = is_waiting || (is_recent && !scan.receipt.leaves_text_unread);
        Ok(if may_come { ReadingState::Pending } else { ReadingState::NotRead })
    }

    /// Corrects a line as the user says, looks the numbers up again, and changes the answer accordingly.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that does not exist or belongs to somebody else, [`Error::Invalid`] for a line that
    /// there is not, or a text that is too long.
    pub async fn correct_reading(&self, user: &User, id: ScanId, line: usize, text: &str) -> Result<Reading> {
        for _ in 0..CORRECTION_TRIES {
            let scan = self.scan_of(user, id).await?;
            let found = self.store.find_reading(user.tenant_id, id).await?;
            let found = found.ok_or_else(|| InvalidInput::new("line", messages::NOTHING_READ))?;
            let mut reading = found.clone();
            reading.correct(line, text)?;
            let amended = self.matched(user, &scan, &mut reading).await?;
            let now = self.clock.now();
            let is_saved = self
                .store
                .replace_reading(user.tenant_id, id, &found, &reading, amended.as_ref(), now)
                .await?;
            if is_saved {
                return Ok(reading);
            }
            // Another line was corrected meanwhile, and that correction must stay.
        }
        Err(Error::internal("a reading was corrected by others at each try"))
    }
}

/// The lines that hold no VIN and no piece of one.
fn without_vins(lines: &[ReadLine]) -> Vec<&ReadLine> {
    let with_vins = lines_with_vins(lines);
    let kept = lines.iter().enumerate().filter(|(at, _)| !with_vins.contains(at));
    kept.map(|(_, line)| line).collect()
}

/// The numbers in the lines that may identify a part, which a VIN does not.
fn numbers_to_look_up(lines: &[ReadLine]) -> Vec<ReadNumber> {
    let with_vins = lines_with_vins(lines);
    let kept = lines.iter().enumerate().filter(|(at, line)| line.code.is_some() || !with_vins.contains(at));
    let mut numbers = numbers_in(kept.map(|(_, line)| line));
    // A code may hold the number of a part beside the VIN.
    numbers.retain(|number| vins_in_code(&number.text).is_empty());
    numbers
}

fn answer_of(identification: &Identification) -> Answer {
    Answer {
        verdict: identification.verdict,
        best: identification.best.clone(),
        alternatives: identification.alternatives.clone(),
        category: identification.category,
        candidate_set: identification.candidate_set.clone(),
    }
}

/// Logs the failure; the scan is answered without its text.
fn failed(error: &(impl std::error::Error + 'static)) {
    tracing::warn!(error = error as &dyn std::error::Error, "the text on a part could not be kept");
}

/// At most `most` of the lines, in their order: codes before part numbers, and those before other text, so that none is
/// left out for the small print on another photograph.
fn most_telling(lines: Vec<ReadLine>, most: usize) -> Vec<ReadLine> {
    let rank = |line: &ReadLine| match line.kind {
        TextKind::Barcode => 0,
        TextKind::PartNumber | TextKind::Vin => 1,
        TextKind::Brand | TextKind::Size => 2,
        TextKind::Word => 3,
    };
    let mut chosen: Vec<(usize, ReadLine)> = lines.into_iter().enumerate().collect();
    // Stable, so that earlier photographs and lines come first within a rank.
    chosen.sort_by_key(|(_, line)| rank(line));
    chosen.truncate(most);
    chosen.sort_by_key(|(place, _)| *place);
    chosen.into_iter().map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use partsight_domain::{Candidate, CodeSymbology, PartCode, PartLabel, Verdict};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_number_is_not_left_out_for_small_print() {
        let line =
            |text: &str, kind| ReadLine { kind, ..ReadLine::new(text.to_owned(), 0.9, 0, [[0.0; 2]; 4]) };
        let words = (0..5).map(|n| line(&format!("word {n}"), TextKind::Word));
        let numbers = [line("AL-130", TextKind::PartNumber), line("4006633", TextKind::Barcode)];
        let lines: Vec<ReadLine> = words.chain(numbers).collect();
        let texts = |most| {
            let kept = most_telling(lines.clone(), most);
            kept.into_iter().map(|line| line.text).collect::<Vec<_>>()
        };
        assert_eq!(texts(3), ["word 0", "AL-130", "4006633"]);
        assert_eq!(texts(1), ["4006633"]);
        assert_eq!(texts(9).len(), 7);
    }

    #[test]
    fn a_vin_is_neither_sent_to_the_judge_nor_looked_up_as_a_part_number() {
        let line = |text: &str| ReadLine::new(text.to_owned(), 0.9, 0, [[0.0; 2]; 4]);
        let (code, text) =
            PartCode::new(CodeSymbology::QrCode, false, "VIN:1HGCM82633A004352;PART:AB-12345").unwrap();
        let lines = vec![
            line("VIN 1HGCM82633A004352"),
            line("IHGCM82633AOO4352"),
            line("1HGCM 82633 A004352"),
            line("1HGCM82633A004352"),
            ReadLine::of_code(code, text, 0, [[0.0; 2]; 4]),
            line("27060-0L022"),
        ];
        let numbers: Vec<String> = numbers_to_look_up(&lines).into_iter().map(|number| number.text).collect();
        assert_eq!(numbers, ["AB-12345", "27060-0L022"]);
        let picture = Answer {
            verdict: Verdict::NotSure,
            best: Candidate { label: PartLabel::new("rotor").unwrap(), confidence: 0.5 },
            alternatives: Vec::new(),
            category: None,
            candidate_set: None,
        };
        let reading = FirstReading { lines, parts: Vec::new(), picture };
        assert_eq!(reading.for_judge(), ["27060-0L022"]);
    }

    #[test]
    fn a_queue_that_is_full_drops_what_comes_and_nobody_takes_it_all() {
        let queue = Arc::new(ReadingQueue::default());
        let file = [SharedPhoto::new(vec![0; 1024])];
        let join = |person| queue.join(Person::number(person), ScanId(Uuid::now_v7()), &file);
        let ann: Vec<_> = std::iter::from_fn(|| join(1)).collect();
        assert_eq!(ann.len(), PLACES / 2);
        let bob: Vec<_> = std::iter::from_fn(|| join(2)).collect();
        assert!(!bob.is_empty());
        drop((ann, bob));
        assert!(queue.waiting().is_empty());
        let large = [SharedPhoto::new(vec![0; HELD_KIB * 1024])];
        assert!(queue.join(Person::number(1), ScanId(Uuid::now_v7()), &large).is_none());
        assert!(queue.waiting().is_empty());
    }
}
