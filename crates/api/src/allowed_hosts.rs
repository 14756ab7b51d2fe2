//! The host names that requests may use for this server.
//!
//! A page of another site can make its own host name resolve to this machine after it was loaded (DNS rebinding).
//! The browser then treats this server as that site and lets the page read the responses. The `Host` header still
//! names the other site. An IP address cannot be rebound.

use std::net::IpAddr;

use axum::http::uri::Authority;
use partsight_app::Settings;

/// Calls of monitoring, which reaches the server by its address.
const OPERATIONS_PATHS: [&str; 3] = ["/health", "/ready", "/metrics"];

/// The names that this server answers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AllowedHosts {
    /// Every name: the server listens on a network, and no setting gives its name there.
    All,
    /// Names of this machine and IP addresses: the server listens only on this machine, and no public address is
    /// set.
    ThisMachine,
    /// The name of the public address.
    Public {
        /// As browsers send it, in lower case and without the port.
        name: String,
        /// The public address, for the message to clients that use another name.
        url: String,
    },
}

impl AllowedHosts {
    pub(crate) fn new(settings: &Settings) -> Self {
        let url = settings.server.public_url.as_deref().map(|url| url.trim_end_matches('/'));
        // Without its port: a proxy may listen on another port than we do.
        let authority = url.and_then(|url| url.split_once("://")).and_then(|(_, rest)| name_of(rest));
        match (authority, url) {
            (Some(name), Some(url)) => Self::Public { name, url: url.to_owned() },
            _ if settings.server.listen.ip().to_canonical().is_loopback() => Self::ThisMachine,
            // See docs/decisions/0087-settings-decide-exposure.md.
            _ => Self::All,
        }
    }

    /// Whether people reach this server by a name that is not this machine's own, and so perhaps through a proxy.
    pub(crate) fn are_elsewhere(&self) -> bool {
        matches!(self, Self::Public { name, .. } if !is_this_machine(name))
    }

    /// Whether a request to `path` may use `host`. `is_local`: the request came from this machine.
    pub(crate) fn allow(&self, host: &str, path: &str, is_local: bool) -> bool {
        let Some(host) = name_of(host) else { return false };
        match self {
            Self::All => true,
            Self::ThisMachine => is_this_machine(&host) || is_address(&host),
            Self::Public { name, .. } => {
                *name == host
                    // A client on the server itself, or a proxy there that does not forward the name.
                    || (is_local && is_this_machine(&host))
                    || (OPERATIONS_PATHS.contains(&path) && (is_this_machine(&host) || is_address(&host)))
            }
        }
    }
}

/// The name in a `Host` header, in lower case, without its port and without a trailing full stop.
fn name_of(host: &str) -> Option<String> {
    let authority: Authority = host.parse().ok()?;
    let name = authority.host().trim_end_matches('.').to_lowercase();
    // `user@host` parses as an authority, but `host()` drops the part before the `@`, which another reader might
    // take for the name.
    (!name.is_empty() && !host.contains('@')).then_some(name)
}

/// Whether a name always refers to the machine that resolves it.
fn is_this_machine(name: &str) -> bool {
    name == "localhost"
        || name.ends_with(".localhost")
        || address(name).is_some_and(|address| address.to_canonical().is_loopback())
}

fn is_address(name: &str) -> bool {
    address(name).is_some()
}

fn address(name: &str) -> Option<IpAddr> {
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(listen: &str, public_url: Option<&str>) -> AllowedHosts {
        AllowedHosts::new(&Settings::with(|settings| {
            settings.server.listen = listen.parse().unwrap();
            settings.server.public_url = public_url.map(str::to_owned);
        }))
    }

    #[test]
    fn a_server_answers_to_its_own_names() {
        let public = hosts("0.0.0.0:8080", Some("https://Parts.example.com/"));
        let machine = hosts("127.0.0.1:8080", None);
        let network = hosts("0.0.0.0:8080", None);
        let cases: [(&AllowedHosts, &str, &str, bool, bool); 25] = [
            (&public, "parts.example.com", "/", false, true),
            (&public, "PARTS.example.com:443", "/", false, true),
            (&public, "parts.example.com.", "/", false, true),
            (&public, "evil.example", "/", false, false),
            (&public, "parts.example.com.evil.example", "/", false, false),
            (&public, "evil@parts.example.com", "/", false, false),
            (&public, "", "/", false, false),
            (&public, "192.168.1.5", "/api/vehicles", false, false),
            (&public, "192.168.1.5", "/health", false, true),
            (&public, "evil.example", "/health", false, false),
            (&public, "localhost", "/metrics", false, true),
            (&public, "localhost:8080", "/api/vehicles", true, true),
            (&public, "localhost:8080", "/api/vehicles", false, false),
            (&public, "evil.example", "/api/vehicles", true, false),
            (&machine, "localhost:8080", "/", true, true),
            (&machine, "partsight.localhost", "/", true, true),
            (&machine, "127.0.0.1:8080", "/", true, true),
            (&machine, "[::1]:8080", "/", true, true),
            (&machine, "192.168.1.5:8080", "/", true, true),
            (&machine, "evil.example", "/", true, false),
            (&machine, "localhost.evil.example", "/", true, false),
            (&network, "partsight.local", "/", false, true),
            (&network, "192.168.1.5:8080", "/", false, true),
            (&network, "a b", "/", false, false),
            (
                &hosts("0.0.0.0:8080", Some("http://[2001:db8::1]:8080")),
                "[2001:db8::1]:8080",
                "/",
                false,
                true,
            ),
        ];
        for (hosts, host, path, is_local, expected) in cases {
            assert_eq!(hosts.allow(host, path, is_local), expected, "{hosts:?} {host} {path} {is_local}");
        }
    }
}
