use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use serde::{Deserialize, Serialize};

use partsight_domain::InvalidSetting;

/// The shortest prefix of a network of one owner, such as 10.0.0.0/8.
const WIDEST_PREFIX_BITS: u8 = 8;
/// Addresses of no stranger that could make a wider range with public ones beside them: private networks (RFC 1918,
/// RFC 4193), and this machine. The other private networks are too small for that.
const OUR_OWN: [IpNet; 3] = [
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(10, 0, 0, 0), 8)),
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)),
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7)),
];

/// The proxies whose word about a client's address counts. Anybody can send an `X-Forwarded-For` header; only
/// what our own proxies appended to it is true.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Listed", into = "String")]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// The client behind a connection from `peer` whose `X-Forwarded-For` headers hold `forwarded`, in order.
    ///
    /// Each proxy appends whom it was called by. From the last entry on, our own proxies are passed over; the
    /// first that is none of ours is the client. An entry that is no address ends the search.
    pub fn client<'a>(&self, peer: IpAddr, forwarded: impl DoubleEndedIterator<Item = &'a str>) -> IpAddr {
        // An IPv4 client comes as `::ffff:a.b.c.d` on a socket for IPv6.
        let mut client = peer.to_canonical();
        let mut entries = forwarded.rev().flat_map(|header| header.rsplit(','));
        while self.contains(client) {
            match entries.next().and_then(|entry| address(entry.trim())) {
                Some(address) => client = address.to_canonical(),
                None => break,
            }
        }
        client
    }

    /// Whether `address` is that of one of them.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// A range, given at once or in pieces, that holds more than a /8 of public addresses: nobody has so many proxies.
    pub fn range_of_strangers(&self) -> Option<IpNet> {
        let is_ours = |network: &IpNet| OUR_OWN.iter().any(|own| own.contains(network));
        let others: Vec<IpNet> = self.0.iter().filter(|network| !is_ours(network)).copied().collect();
        IpNet::aggregate(&others).into_iter().find(|network| network.prefix_len() < WIDEST_PREFIX_BITS)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The address in an entry of `X-Forwarded-For`: some proxies append the port as well, or put IPv6 in brackets.
fn address(entry: &str) -> Option<IpAddr> {
    let in_brackets = || entry.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || entry.parse().ok().map(|socket: SocketAddr| socket.ip());
    entry.parse().ok().or_else(in_brackets).or_else(with_port)
}

/// An address or a network. IPv4 written as IPv6 (`::ffff:a.b.c.d`) becomes IPv4, as the addresses of clients do.
fn network(entry: &str) -> Option<IpNet> {
    if let Ok(address) = entry.parse::<IpAddr>() {
        return Some(address.to_canonical().into());
    }
    let network: IpNet = entry.parse().ok()?;
    let mapped = match network.addr().to_canonical() {
        IpAddr::V4(address) if network.addr().is_ipv6() => {
            network.prefix_len().checked_sub(96).map(|n| (address, n))
        }
        _ => None,
    };
    mapped.map_or(Some(network), |(address, prefix)| IpNet::new(address.into(), prefix).ok())
}

/// One text with commas, or a list of texts as TOML has them.
#[derive(Deserialize)]
#[serde(untagged, expecting = "addresses or networks with commas between them, or a list of them")]
enum Listed {
    Text(String),
    List(Vec<String>),
}

impl TryFrom<Listed> for TrustedProxies {
    type Error = InvalidSetting;

    fn try_from(listed: Listed) -> Result<Self, Self::Error> {
        match listed {
            Listed::Text(text) => text.try_into(),
            Listed::List(entries) => entries.join(", ").try_into(),
        }
    }
}

impl TryFrom<String> for TrustedProxies {
    type Error = InvalidSetting;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let networks: Option<Vec<IpNet>> = entries.map(network).collect();
        networks.map(Self).ok_or(InvalidSetting {
            name: "trusted_proxies",
            found: text,
            expected: "addresses or networks with commas between them, such as `127.0.0.1, 10.0.0.2`".into(),
        })
    }
}

impl From<TrustedProxies> for String {
    fn from(proxies: TrustedProxies) -> Self {
        proxies.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_our_own_proxies_said_counts() {
        let cases: [(&str, &str, &[&str], &str); 14] = [
            ("", "203.0.113.7", &["198.51.100.1"], "203.0.113.7"),
            ("10.0.0.0/8", "203.0.113.7", &["198.51.100.1"], "203.0.113.7"),
            ("10.0.0.0/8", "10.0.0.2", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.0/8", "10.0.0.2", &[], "10.0.0.2"),
            // What the client made up stands before what the proxy appended.
            ("10.0.0.0/8", "10.0.0.2", &["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.0/8", "10.0.0.2", &["1.1.1.1", "198.51.100.1, 10.0.0.3"], "198.51.100.1"),
            ("10.0.0.0/8", "10.0.0.2", &["198.51.100.1, nonsense"], "10.0.0.2"),
            ("127.0.0.1", "::ffff:127.0.0.1", &["2001:db8::1"], "2001:db8::1"),
            ("10.0.0.2", "10.0.0.2", &["198.51.100.1:443"], "198.51.100.1"),
            ("10.0.0.2", "10.0.0.2", &["[2001:db8::1]"], "2001:db8::1"),
            ("10.0.0.2", "10.0.0.2", &["[2001:db8::1]:443"], "2001:db8::1"),
            ("::ffff:10.0.0.2", "10.0.0.2", &["198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.0/104", "10.0.0.2", &["198.51.100.1"], "198.51.100.1"),
            ("::1, 127.0.0.1", "::1", &[" ::1 ,198.51.100.1,127.0.0.1"], "198.51.100.1"),
        ];
        for (proxies, peer, headers, expected) in cases {
            let proxies = TrustedProxies::try_from(proxies.to_owned()).unwrap();
            let client = proxies.client(peer.parse().unwrap(), headers.iter().copied());
            assert_eq!(client, expected.parse::<IpAddr>().unwrap(), "{proxies:?} {peer} {headers:?}");
        }
    }

    #[test]
    fn a_list_is_read_and_written() {
        let proxies = TrustedProxies::try_from(" 10.0.0.0/8,::1 ".to_owned()).unwrap();
        assert_eq!(String::from(proxies), "10.0.0.0/8, ::1/128");
        let error = TrustedProxies::try_from("10.0.0.0/8, proxy.example".to_owned()).unwrap_err().to_string();
        assert!(error.contains("`trusted_proxies`"), "{error}");
    }
}
