//! Places for event streams.

use partsight_app::{Person, Place, Places, Share};
use partsight_domain::User;

use crate::{ApiError, ConnectionLimits};

/// Streams that an account may have in any case: for the tabs of a browser and a program or two.
const LEAST_STREAMS: usize = 8;

/// Limits the open streams. Each keeps a connection open for up to a minute, and connections through a proxy are not
/// limited by address: without this limit one account could take all of them.
#[derive(Clone)]
pub(crate) struct StreamPlaces(Places<Person>);

impl StreamPlaces {
    /// Half of the connections, so that some are always left for other calls.
    pub(crate) fn new(limits: &ConnectionLimits) -> Self {
        Self(Places::new(limits.connections / 2, Share::HalfOfFree, LEAST_STREAMS))
    }

    /// A place for one stream of the user, released on drop.
    ///
    /// # Errors
    /// 503 if the user, or all users together, have too many streams open.
    pub(crate) fn take(&self, user: &User) -> Result<Place<Person>, ApiError> {
        Ok(self.0.take(user.into())?)
    }
}

#[cfg(test)]
mod tests {
    use partsight_domain::UserId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn nobody_has_all_streams_and_a_closed_one_is_free_again() {
        let places = StreamPlaces::new(&ConnectionLimits::default()).0;
        let person = |number| Person::from(UserId(Uuid::from_u128(number)));
        let mut held = Vec::new();
        while let Ok(place) = places.take(person(1)) {
            held.push(place);
        }
        assert!(held.len() < ConnectionLimits::default().connections / 4, "{}", held.len());
        assert!(held.len() > LEAST_STREAMS);
        let others: Vec<_> = (0..LEAST_STREAMS).map(|_| places.take(person(2)).unwrap()).collect();
        drop((held, others));
        assert_eq!(places.n_taken(), 0);
    }
}
