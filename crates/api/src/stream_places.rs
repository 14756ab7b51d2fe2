//! Places for streams of events.

use partsight_app::{Person, Place, Places, Share};
use partsight_domain::User;

use crate::{ApiError, ConnectionLimits};

/// Streams that an account may have in any case: the tabs of a browser, and a program or two.
const LEAST_STREAMS: usize = 8;

/// Places for streams. Each keeps a connection for a minute, and behind a proxy no limit of connections counts whose
/// they are: without places of its own one account could take all of them.
#[derive(Clone)]
pub(crate) struct StreamPlaces(Places<Person>);

impl StreamPlaces {
    /// Half of the connections, so that the other calls always have some.
    pub(crate) fn new(limits: &ConnectionLimits) -> Self {
        Self(Places::new(limits.connections / 2, Share::HalfOfFree, LEAST_STREAMS))
    }

    /// A place for one stream of the user, held until it is dropped.
    ///
    /// # Errors
    /// 503 where the user has too many streams, or all together have.
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
