//! Photographs that arrive or are worked on, so many at a time.

use partsight_app::{Caller, Error, Person, Place, Places, Share};
use partsight_domain::{MAX_SCAN_PHOTOS, User};

/// One place for each photograph in memory. Each is held whole, so their number times the largest photograph bounds what
/// uploads can take; and somebody who sends slowly keeps theirs for minutes, so nobody may have all of them.
///
/// An account may have half as many as are free, and an address as many as are free: accounts cost nothing, addresses
/// do, and the people of one shop share theirs.
#[derive(Debug, Clone)]
pub(crate) struct UploadPlaces {
    accounts: Places<Person>,
    addresses: Places<String>,
}

/// The place of one photograph.
#[derive(Debug)]
pub(crate) struct UploadPlace {
    _account: Place<Person>,
    _address: Place<String>,
}

impl UploadPlaces {
    /// Twice the queue: while as many are worked on as may be, as many again may arrive. And at least one scan with all
    /// the photographs that it may have.
    pub(crate) fn new(queue_capacity: usize) -> Self {
        let capacity = (2 * queue_capacity).max(MAX_SCAN_PHOTOS);
        Self {
            accounts: Places::new(capacity, Share::HalfOfFree, MAX_SCAN_PHOTOS),
            addresses: Places::new(capacity, Share::OfFree, MAX_SCAN_PHOTOS),
        }
    }

    /// Takes a place, before anything is read.
    ///
    /// # Errors
    /// [`Error::Busy`].
    pub(crate) fn take(&self, user: &User, caller: &Caller) -> Result<UploadPlace, Error> {
        // Where the second is refused, the first is given back by being dropped.
        Ok(UploadPlace {
            _account: self.accounts.take(user.into())?,
            _address: self.addresses.take(caller.network())?,
        })
    }
}
