//! Which addresses lead off this machine.

use std::net::{Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// Whether the host of `url` is this very machine: `localhost`, or a loopback address. A name that merely leads
/// here is not: who answers for it can change. An address that cannot be read is elsewhere.
pub fn is_on_this_machine(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || host.parse::<Ipv6Addr>().is_ok_and(|address| address.to_canonical().is_loopback())
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
}
