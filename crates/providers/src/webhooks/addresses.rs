//! Which addresses may be connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Which addresses are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AddressRule {
    /// Whether addresses of this machine and of private networks are allowed too.
    pub(super) allows_private: bool,
}

/// A name resolves to no allowed address.
#[derive(Debug, thiserror::Error)]
#[error("the name leads to no allowed address")]
pub(super) struct InsideAddress;

/// A resolver that leaves out addresses that are not allowed.
pub(super) struct AllowedAddresses(pub(super) AddressRule);

impl Resolve for AllowedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let rule = self.0;
        Box::pin(async move {
            // The client puts in the port.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            // The client connects to the returned addresses, so there is no second look-up that could have another
            // result.
            let allowed: Vec<SocketAddr> = found.filter(|address| rule.allows(address.ip())).collect();
            if allowed.is_empty() {
                return Err(InsideAddress.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

impl AddressRule {
    pub(super) fn allows(self, address: IpAddr) -> bool {
        match reach(address) {
            Reach::Public => true,
            Reach::Private => self.allows_private,
            Reach::Never => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Of the internet.
    Public,
    /// Of this machine or a private network.
    Private,
    /// Never a receiver: link-local addresses, where clouds serve credentials, and addresses of no host.
    Never,
}

fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(embedded) => reach_v4(embedded),
            None => reach_v6(address),
        },
    }
}

/// By IANA's registry of special-purpose addresses (RFC 6890).
fn reach_v4(address: Ipv4Addr) -> Reach {
    let [a, b, c, _] = address.octets();
    if address.is_loopback() || address.is_private() {
        return Reach::Private;
    }
    let is_special = a == 0
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_multicast()
        || address.is_documentation()
        || a >= 240
        // Shared by providers, IETF assignments, benchmarks.
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && (b == 18 || b == 19));
    if is_special { Reach::Never } else { Reach::Public }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if address.is_loopback() || address.is_unique_local() {
        return Reach::Private;
    }
    // All global unicast addresses begin with 2000::/3; of those, 2001::/23 is for protocols (Teredo among them) and
    // 2001:db8::/32 for documentation.
    let [first, second, ..] = address.segments();
    let is_public =
        (0x2000..0x4000).contains(&first) && !(first == 0x2001 && (second < 0x200 || second == 0xdb8));
    if is_public { Reach::Public } else { Reach::Never }
}

/// The IPv4 address that packets to this one end at: mapped, translated (NAT64, RFC 6052) or tunnelled (6to4).
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let last = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    // Otherwise addresses such as ::ffff:10.0.0.1 would be checked as IPv6 and lead into the private network.
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(last(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_world_are_public() {
        let cases = [
            (
                Reach::Public,
                &["8.8.8.8", "100.63.0.1", "172.32.0.1", "198.20.0.1", "2606:4700::1", "2002:808:808::"][..],
            ),
            (
                Reach::Private,
                &[
                    "127.0.0.1",
                    "127.9.9.9",
                    "10.1.2.3",
                    "172.16.0.1",
                    "172.31.255.255",
                    "192.168.1.1",
                    "::1",
                    "fc00::1",
                    "fdff::1",
                    "::ffff:127.0.0.1",
                    "64:ff9b::a00:1",
                    "2002:c0a8:101::1",
                ],
            ),
            (
                Reach::Never,
                &[
                    "0.0.0.0",
                    "0.1.2.3",
                    "169.254.169.254",
                    "100.64.0.1",
                    "192.0.0.8",
                    "192.0.2.1",
                    "198.18.0.1",
                    "224.0.0.1",
                    "240.0.0.1",
                    "255.255.255.255",
                    "::",
                    "fe80::1",
                    "ff02::1",
                    "2001::1",
                    "2001:db8::1",
                    "::ffff:169.254.1.1",
                    "64:ff9b::a9fe:a9fe",
                    "5f00::1",
                ],
            ),
        ];
        for (expected, addresses) in cases {
            for address in addresses {
                assert_eq!(reach(address.parse().unwrap()), expected, "{address}");
            }
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_here_is_refused_unless_the_house_is_allowed() {
        let look_up = |allows_private| {
            AllowedAddresses(AddressRule { allows_private }).resolve("localhost".parse().unwrap())
        };
        let refused = look_up(false).await.err().unwrap();
        assert!(refused.is::<InsideAddress>(), "{refused}");
        assert!(look_up(true).await.unwrap().all(|address| address.ip().is_loopback()));
    }
}
