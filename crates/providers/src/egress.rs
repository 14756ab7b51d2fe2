//! Which URLs are on this machine, and which may be used without encryption.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use partsight_domain::is_web_address;
use reqwest::Url;

/// Whether the host of `url` is this machine: `localhost`, or a loopback address. Other names are not resolved,
/// since their addresses can change; a URL that cannot be parsed is not on this machine.
pub fn is_on_this_machine(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        // Canonical, because `::ffff:127.0.0.1` is the same address, IPv4-mapped.
        || host.parse::<Ipv6Addr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Whether `url` is encrypted or on this machine. Other URLs are refused for a service such as a sign-in provider:
/// an attacker who can change its answers can sign in as any user.
pub fn is_encrypted_or_local(url: &str) -> bool {
    if !is_web_address(url) {
        return false;
    }
    url.strip_prefix("http://").is_none_or(|rest| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // The host of `http://localhost:80@example.com` is example.com: the part before `@` is the user.
        !host.contains('@')
            && matches!(
                host.rsplit_once(':').map_or(host, |(name, _)| name),
                "localhost" | "127.0.0.1" | "[::1]"
            )
    })
}

/// Whether photographs and keys may be sent to `url`: it is encrypted, or in the private network of this machine. A
/// host name without a dot counts as in that network.
pub fn is_encrypted_or_private(url: &str) -> bool {
    if !is_web_address(url) {
        return false;
    }
    let Some(rest) = url.strip_prefix("http://") else { return true };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // The host of `http://localhost@example.com` is example.com: the part before `@` is the user.
    if authority.contains('@') {
        return false;
    }
    if is_on_this_machine(url) {
        return true;
    }
    // Parsed as browsers do: `http://134744072` is 8.8.8.8.
    let Ok(parsed) = Url::parse(url) else { return false };
    let host = parsed.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    match host.parse() {
        Ok(IpAddr::V4(address)) => address.is_private(),
        Ok(IpAddr::V6(address)) => address.is_unique_local(),
        Err(_) => !host.is_empty() && !host.contains('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_this_machine() {
        let cases = [
            ("http://localhost:11434/v1", true),
            ("http://127.0.0.1:8000", true),
            ("http://127.8.9.1", true),
            ("http://[::1]:8000/v1", true),
            ("http://[::ffff:127.0.0.1]/", true),
            ("smtp://localhost:25", true),
            ("https://api.openai.com/v1", false),
            ("http://localhost.example.com", false),
            ("http://127.0.0.1.example.com", false),
            ("http://localhost@example.com", false),
            ("http://10.0.0.1", false),
            ("http://0.0.0.0", false),
            ("localhost", false),
            ("", false),
        ];
        for (url, expected) in cases {
            assert_eq!(is_on_this_machine(url), expected, "{url}");
        }
    }

    #[test]
    fn a_sign_in_provider_is_encrypted_or_on_this_machine() {
        let cases = [
            ("https://accounts.google.com", true),
            ("http://localhost:9000/realms/x", true),
            ("http://127.0.0.1:9000", true),
            ("http://[::1]:9000", true),
            ("http://accounts.example.com", false),
            ("http://localhost.example.com", false),
            ("http://127.0.0.1.example.com:80", false),
            ("accounts.google.com", false),
            ("http://localhost:80@evil.example", false),
            ("http://localhost?x@evil.example", true),
            ("https://", false),
        ];
        for (issuer, expected) in cases {
            assert_eq!(is_encrypted_or_local(issuer), expected, "{issuer}");
        }
    }

    #[test]
    fn photographs_go_encrypted_or_to_a_private_address() {
        let cases = [
            ("https://api.openai.com/v1", true),
            ("http://localhost:11434/v1", true),
            ("http://192.168.1.20:8000/v1", true),
            ("http://[fd00::1]:8000/v1", true),
            ("http://vllm:8000/v1", true),
            ("http://8.8.8.8/v1", false),
            ("http://134744072/v1", false),
            ("http://0x8080808/v1", false),
            ("http://api.openai.com/v1", false),
            ("http://vllm@evil.example.com/v1", false),
            ("ftp://localhost", false),
            ("https://", false),
            ("https:///v1", false),
            ("", false),
        ];
        for (url, expected) in cases {
            assert_eq!(is_encrypted_or_private(url), expected, "{url}");
        }
    }
}
