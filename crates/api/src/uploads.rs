//! Limits how many photographs are uploaded or processed at a time, and how much memory they use.

use std::time::Duration;

use partsight_app::{Caller, Error, Person, Place, Places, Settings, Share};
use partsight_domain::{MAX_SCAN_PHOTOS, User};
use tokio::time::{Instant, sleep};

/// The unit in which memory is counted, in bytes.
const PIECE: usize = 64 << 10;
/// Most zip files on the disk at a time.
const MOST_FILES: usize = 8;
/// How often waiting code checks whether memory is free.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// One place for each photograph that is uploaded or processed. A slow client holds its place for minutes, so no
/// client may have all of them.
///
/// An account may hold half as many places as are free, and an address as many as are free: accounts are cheap and
/// addresses are not, and the people of one shop share an address.
///
/// Photographs of scans and of taught parts are held in memory as a whole, so their bytes are counted as well: many
/// small ones may arrive at a time, or a few of the largest.
///
/// For batches, the bytes in memory are counted. For a single photograph that is the part received so far, until it
/// is stored, so a slow client takes little from others. A zip file lies on the disk, a few of them at a time, and
/// only its unpacked entries are in memory. Batches leave half of the memory to people at a screen, and wait for
/// their own half.
#[derive(Debug, Clone)]
pub(crate) struct UploadPlaces {
    accounts: Places<Person>,
    addresses: Places<String>,
    files: Places<Person>,
    /// In units of [`PIECE`].
    memory: Places<Person>,
    /// The pieces that batches may have, and those that they leave to others.
    n_for_batches: usize,
    n_for_others: usize,
    max_photo_bytes: usize,
}

/// The memory of photographs, released on drop.
#[derive(Debug)]
pub(crate) struct UploadMemory {
    _pieces: Place<Person>,
}

/// The memory of one upload into a batch; it grows.
#[derive(Debug)]
pub(crate) struct BatchMemory<'u> {
    uploads: &'u UploadPlaces,
    person: Person,
    held: Vec<Place<Person>>,
    n_pieces: usize,
}

impl BatchMemory<'_> {
    /// Holds memory for `n_bytes` in total, and waits up to `wait` for it. Holds at most what all batches may have
    /// together.
    ///
    /// # Errors
    /// [`Error::Busy`] if the memory is not free in time.
    pub(crate) async fn hold(&mut self, n_bytes: usize, wait: Duration) -> Result<(), Error> {
        let UploadPlaces { memory, n_for_batches, n_for_others, .. } = self.uploads;
        let wanted = pieces(n_bytes).min(*n_for_batches);
        let end = Instant::now() + wait;
        while self.n_pieces < wanted {
            match memory.take_beside(self.person, wanted - self.n_pieces, *n_for_others) {
                Ok(more) => {
                    self.held.push(more);
                    self.n_pieces = wanted;
                }
                Err(error) if Instant::now() >= end => return Err(error),
                Err(_) => sleep(LOOK_AGAIN).await,
            }
        }
        Ok(())
    }
}

/// The place of one zip file on the disk.
#[derive(Debug)]
pub(crate) struct FilePlace {
    _account: Place<Person>,
}

/// The place of one photograph.
#[derive(Debug)]
pub(crate) struct UploadPlace {
    _account: Place<Person>,
    _address: Place<String>,
}

impl UploadPlaces {
    /// Twice the queue: as many photographs may arrive as are being processed. At least one scan with the most
    /// photographs fits.
    pub(crate) fn new(settings: &Settings) -> Self {
        let capacity = (2 * settings.model.queue_capacity).max(MAX_SCAN_PHOTOS);
        let max_photo_bytes = settings.photos.max_bytes;
        let one_scan = pieces(most_bytes(max_photo_bytes));
        let memory = pieces(settings.photos.max_upload_bytes).max(one_scan);
        let n_for_others = memory / 2;
        Self {
            accounts: Places::new(capacity, Share::HalfOfFree, MAX_SCAN_PHOTOS),
            addresses: Places::new(capacity, Share::OfFree, MAX_SCAN_PHOTOS),
            files: Places::new(MOST_FILES, Share::HalfOfFree, 1),
            memory: Places::new(memory, Share::OfFree, one_scan),
            n_for_batches: memory - n_for_others,
            n_for_others,
            max_photo_bytes,
        }
    }

    /// Takes the memory for a form of `n_bytes`, or for one photograph if its length is unknown.
    ///
    /// # Errors
    /// [`Error::Busy`] if too little memory is free.
    pub(crate) fn take_memory(&self, person: Person, n_bytes: Option<u64>) -> Result<UploadMemory, Error> {
        // No more for a longer form: it is refused, and its rest is discarded.
        let n_bytes = n_bytes.map_or(self.max_photo_bytes, |n_bytes| {
            usize::try_from(n_bytes).unwrap_or(usize::MAX).min(most_bytes(self.max_photo_bytes))
        });
        Ok(UploadMemory { _pieces: self.memory.take_several(person, pieces(n_bytes))? })
    }

    /// Takes a place, and the memory for a form of `n_bytes`, but at most for one photograph.
    ///
    /// # Errors
    /// [`Error::Busy`] if no place or too little memory is free.
    pub(crate) fn take_with_memory(
        &self,
        user: &User,
        caller: &Caller,
        n_bytes: Option<u64>,
    ) -> Result<(UploadPlace, UploadMemory), Error> {
        let most = u64::try_from(self.max_photo_bytes).unwrap_or(u64::MAX);
        let n_bytes = n_bytes.unwrap_or(most).min(most);
        Ok((self.take(user, caller)?, self.take_memory(user.into(), Some(n_bytes))?))
    }

    /// The memory of an upload into a batch: empty at first.
    pub(crate) fn batch_memory(&self, person: Person) -> BatchMemory<'_> {
        BatchMemory { uploads: self, person, held: Vec::new(), n_pieces: 0 }
    }

    /// Takes the place of a zip file on the disk, before any of it is read.
    ///
    /// # Errors
    /// [`Error::Busy`] if no place is free.
    pub(crate) fn take_file(&self, user: &User) -> Result<FilePlace, Error> {
        Ok(FilePlace { _account: self.files.take(user.into())? })
    }

    /// Takes a place, before anything is read.
    ///
    /// # Errors
    /// [`Error::Busy`] if no place is free.
    pub(crate) fn take(&self, user: &User, caller: &Caller) -> Result<UploadPlace, Error> {
        // If the second is refused, the first is released by its drop.
        Ok(UploadPlace {
            _account: self.accounts.take(user.into())?,
            _address: self.addresses.take(caller.network())?,
        })
    }
}

#[cfg(test)]
impl UploadPlaces {
    /// The memory in use, in bytes.
    pub(crate) fn n_bytes_held(&self) -> usize {
        self.memory.n_taken() * PIECE
    }
}

/// Largest form of one scan that is held in memory, in bytes.
fn most_bytes(max_photo_bytes: usize) -> usize {
    max_photo_bytes.saturating_mul(MAX_SCAN_PHOTOS)
}

fn pieces(n_bytes: usize) -> usize {
    n_bytes.div_ceil(PIECE).max(1)
}

#[cfg(test)]
mod tests {
    use partsight_domain::UserId;
    use uuid::Uuid;

    use super::*;

    const MIB: u64 = 1 << 20;
    const ANN: Person = Person::SERVER;

    fn places(max_upload_bytes: usize) -> UploadPlaces {
        UploadPlaces::new(&Settings::with(|settings| {
            settings.photos.max_bytes = 20 << 20;
            settings.photos.max_upload_bytes = max_upload_bytes;
        }))
    }

    #[test]
    fn memory_bounds_large_photographs_and_not_small_ones() {
        let places = places(512 << 20);
        let small: Vec<_> = (0..100).map(|_| places.take_memory(ANN, Some(MIB / 2)).unwrap()).collect();
        drop(small);
        let mut large = Vec::new();
        while let Ok(memory) = places.take_memory(ANN, None) {
            large.push(memory);
        }
        // About half of the memory stays free for other accounts.
        assert_eq!(large.len(), 13);
    }

    #[test]
    fn nobody_has_all_places_for_zips() {
        let places = places(1);
        let person = |number| UserId(Uuid::from_u128(number));
        let mut held = Vec::new();
        let n_of = |held: &mut Vec<_>, number| {
            let before = held.len();
            while let Ok(place) = places.files.take(person(number).into()) {
                held.push(place);
            }
            held.len() - before
        };
        assert_eq!((n_of(&mut held, 1), n_of(&mut held, 2), n_of(&mut held, 3)), (3, 2, 1));
    }

    #[tokio::test]
    async fn batches_leave_half_of_the_memory_to_people_at_a_screen() {
        let places = places(512 << 20);
        let mut batches = Vec::new();
        // Each from another user, so that the share of one user does not matter.
        for number in 0..20 {
            let mut memory = places.batch_memory(UserId(Uuid::from_u128(number)).into());
            if memory.hold(20 << 20, Duration::ZERO).await.is_ok() {
                batches.push(memory);
            }
        }
        assert_eq!(batches.len(), 12);
        let _at_a_screen = places.take_memory(ANN, Some(100 * MIB)).unwrap();
    }

    #[tokio::test]
    async fn the_memory_of_a_batch_grows_with_what_has_come_and_is_waited_for() {
        let places = places(1);
        let mut one = places.batch_memory(ANN);
        one.hold(1, Duration::ZERO).await.unwrap();
        assert_eq!(places.n_bytes_held(), PIECE);
        // More than batches may have in total, as a zip file may be: holds all of it.
        one.hold(usize::MAX, Duration::ZERO).await.unwrap();
        assert_eq!(places.n_bytes_held(), 50 << 20);
        let mut other = places.batch_memory(ANN);
        assert!(matches!(other.hold(1, Duration::ZERO).await, Err(Error::Busy)));
        let (held, ()) = tokio::join!(other.hold(1, Duration::from_mins(1)), async { drop(one) });
        held.unwrap();
    }

    #[test]
    fn one_scan_of_the_largest_photographs_fits_and_a_longer_form_costs_no_more() {
        let places = places(1);
        drop(places.take_memory(ANN, Some(100 * MIB)).unwrap());
        let _held = places.take_memory(ANN, Some(u64::MAX)).unwrap();
        assert!(matches!(places.take_memory(ANN, Some(1)), Err(Error::Busy)));
    }
}
