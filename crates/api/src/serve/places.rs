use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::ConnectionLimits;

/// Least interval between log lines about refused connections.
const WARNING_INTERVAL: Duration = Duration::from_mins(1);

/// Counts the open connections, in total and for each address, and limits both.
#[derive(Debug)]
pub(super) struct Places {
    max: usize,
    max_per_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
    warned_at: Option<Instant>,
}

/// One connection's place, released on drop.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    /// `None` for a proxy, which counts for no address.
    address: Option<IpAddr>,
}

impl Places {
    pub(super) fn new(limits: &ConnectionLimits) -> Arc<Self> {
        Arc::new(Self {
            max: limits.connections,
            max_per_address: limits.connections_per_address,
            taken: Mutex::default(),
        })
    }

    /// A place for a connection from `peer`; `None` if the limit is reached. A proxy counts for no address.
    pub(super) fn take(places: &Arc<Self>, peer: IpAddr, is_proxy: bool) -> Option<Place> {
        let address = (!is_proxy).then(|| network(peer));
        let mut taken = places.lock();
        let n_from_there = address.and_then(|address| taken.by_address.get(&address)).copied().unwrap_or(0);
        // Checked and counted under one lock, or two connections at once could take the last place.
        if taken.total >= places.max || (address.is_some() && n_from_there >= places.max_per_address) {
            taken.warn(peer);
            return None;
        }
        taken.total += 1;
        if let Some(address) = address {
            taken.by_address.insert(address, n_from_there + 1);
        }
        Some(Place { places: Arc::clone(places), address })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        // Nothing panics in the middle of a change, so the numbers of a poisoned lock are right.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn warn(&mut self, peer: IpAddr) {
        let is_due = self.warned_at.is_none_or(|warned_at| warned_at.elapsed() >= WARNING_INTERVAL);
        if is_due {
            self.warned_at = Some(Instant::now());
            tracing::warn!(
                %peer,
                connections = self.total,
                "connections are refused: too many are open, in all or from one address; a proxy belongs into \
                 `trusted_proxies`, and `max_connections` says how many there may be"
            );
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.total -= 1;
        if let Some(address) = self.address
            && let Some(n_from_there) = taken.by_address.get_mut(&address)
        {
            *n_from_there -= 1;
            // The map holds only addresses with open connections, so no client can make it grow without limit.
            if *n_from_there == 0 {
                taken.by_address.remove(&address);
            }
        }
    }
}

/// What counts as one address: for IPv6 the /64 network, since a client usually has all of it.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(connections: usize, connections_per_address: usize) -> Arc<Places> {
        Places::new(&ConnectionLimits { connections, connections_per_address, ..ConnectionLimits::default() })
    }

    #[test]
    fn an_address_has_its_share_and_gets_it_back() {
        let places = places(3, 2);
        let take = |address: &str| Places::take(&places, address.parse().unwrap(), false);
        let first = take("203.0.113.7").unwrap();
        let _second = take("::ffff:203.0.113.7").unwrap();
        assert!(take("203.0.113.7").is_none());
        let _other = take("203.0.113.8").unwrap();
        assert!(take("203.0.113.9").is_none(), "all are taken");
        drop(first);
        assert!(take("203.0.113.7").is_some());
    }

    #[test]
    fn what_has_ended_leaves_nothing_behind() {
        let places = places(10, 10);
        drop(Places::take(&places, "203.0.113.7".parse().unwrap(), false));
        let taken = places.lock();
        assert_eq!((taken.total, taken.by_address.len()), (0, 0));
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let places = places(10, 1);
        let take = |address: &str| Places::take(&places, address.parse().unwrap(), false);
        let _first = take("2001:db8::1").unwrap();
        assert!(take("2001:db8::2:0:0:1").is_none());
        assert!(take("2001:db8:0:1::1").is_some());
    }

    #[test]
    fn a_proxy_is_limited_by_the_number_of_all_alone() {
        let places = places(3, 1);
        let take = || Places::take(&places, "10.0.0.1".parse().unwrap(), true);
        let _taken = [take().unwrap(), take().unwrap(), take().unwrap()];
        assert!(take().is_none());
    }
}
