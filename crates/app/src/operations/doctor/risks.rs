//! Checks for settings that are valid but risky or unknown.

use super::{Examination, Finding};
use crate::operations::readiness;
use crate::{Settings, TrustedProxies};

/// A finding for each risky or unknown setting, or one finding that there is none.
pub(super) fn risks(settings: &Settings, wanted: &Examination) -> Vec<Finding> {
    let mut findings = Vec::new();
    let server = &settings.server;
    let is_open = !server.listen.ip().is_loopback();
    match server.public_url.as_deref() {
        None if is_open => findings.push(Finding::warning(
            "settings",
            format!("`listen` is {}, which other machines can reach, and `public_url` is not set", server.listen),
            "set `public_url` to the address that people type, with https; listen on 127.0.0.1 behind a proxy",
        )),
        Some(url) if url.starts_with("http://") && !partsight_providers::is_on_this_machine(url) => {
            findings.push(Finding::problem(
                "settings",
                format!("`public_url` is {url}: passwords and photographs cross the network unencrypted"),
                "put a proxy that speaks https before the server, and set `public_url` to its address",
            ));
        }
        Some(url) if url.starts_with("https://") && server.trusted_proxies == TrustedProxies::default() => {
            findings.push(Finding::warning(
                "settings",
                "`public_url` has https and `trusted_proxies` is not set",
                "name the proxy there, such as 127.0.0.1: until then everybody counts as one address",
            ));
        }
        _ => {}
    }
    if let Some(range) = server.trusted_proxies.range_of_strangers() {
        findings.push(Finding::warning(
            "settings",
            format!("`trusted_proxies` holds all of {range}: whoever connects from there can claim another address"),
            "name the proxies alone, such as 127.0.0.1: limits on sign-in and connections count by address",
        ));
    }
    if settings.monitoring.metrics_public {
        findings.push(Finding::warning(
            "settings",
            "`metrics_public` is set: everybody can read how much is scanned here",
            "unset it, or let the proxy refuse `/metrics`",
        ));
    }
    if settings.accounts.sign_in_attempts == 0 {
        findings.push(Finding::warning(
            "settings",
            "`sign_in_attempts` is 0: passwords can be guessed without end",
            "unset it",
        ));
    }
    if server.public_url.is_some() && server.support_email == Settings::default().server.support_email {
        findings.push(Finding::warning(
            "settings",
            "`support_email` is the example",
            "set an address that people who need help can write to",
        ));
    }
    if !readiness::is_within(&settings.photos.limits()) {
        findings.push(Finding::problem(
            "settings",
            "the limits on photographs refuse the one that the server tries itself with (640 x 427 pixels, 35 kB)",
            "raise `max_photo_pixels` or `max_photo_bytes`: until then /ready says not ready",
        ));
    }
    for name in &wanted.unknown_variables {
        findings.push(Finding::warning(
            "settings",
            format!("there is no setting `{name}`"),
            "`partsight config --format sample` lists all settings",
        ));
    }
    findings.extend(open_settings_file(wanted));
    if findings.is_empty() {
        findings.push(Finding::ok("settings", "nothing unknown or dangerous"));
    }
    findings
}

#[cfg(unix)]
fn open_settings_file(wanted: &Examination) -> Option<Finding> {
    use std::os::unix::fs::MetadataExt;
    let file = wanted.settings_file.as_deref()?;
    let mode = file.metadata().ok()?.mode() & 0o777;
    (mode & 0o007 != 0).then(|| {
        Finding::warning(
            "settings",
            format!("`{}` can be read by everybody on this machine ({mode:o})", file.display()),
            format!(
                "chmod 640 '{}', owned by root and the group of the server: it may hold secrets",
                file.display()
            ),
        )
    })
}

#[cfg(not(unix))]
fn open_settings_file(_: &Examination) -> Option<Finding> {
    None
}

#[cfg(test)]
mod tests {
    use super::super::Health;
    use super::*;

    #[test]
    fn what_endangers_people_is_named() {
        type Change = fn(&mut Settings);
        let cases: [(Change, Health, &str); 15] = [
            (|_| {}, Health::Ok, "nothing unknown"),
            (|s| s.server.listen = ([0, 0, 0, 0], 8080).into(), Health::Warning, "`public_url` is not set"),
            (
                |s| {
                    s.server.public_url = Some("http://parts.example.com".to_owned());
                    s.server.support_email = "help@example.com".to_owned();
                },
                Health::Problem,
                "unencrypted",
            ),
            (
                |s| s.server.trusted_proxies = "0.0.0.0/0".to_owned().try_into().unwrap(),
                Health::Warning,
                "all of 0.0.0.0/0",
            ),
            (
                |s| s.server.trusted_proxies = "127.0.0.1, ::/0".to_owned().try_into().unwrap(),
                Health::Warning,
                "all of ::/0",
            ),
            (
                |s| s.server.trusted_proxies = "0.0.0.0/1,128.0.0.0/1".to_owned().try_into().unwrap(),
                Health::Warning,
                "all of 0.0.0.0/0",
            ),
            (
                |s| s.server.trusted_proxies = "2000::/3".to_owned().try_into().unwrap(),
                Health::Warning,
                "all of 2000::/3",
            ),
            (
                |s| {
                    s.server.trusted_proxies =
                        "10.0.0.0/8, 192.168.0.0/16, fc00::/7".to_owned().try_into().unwrap();
                },
                Health::Ok,
                "nothing unknown",
            ),
            (
                |s| {
                    s.server.trusted_proxies =
                        "10.0.0.0/8, 11.0.0.0/8, 126.0.0.0/8, 127.0.0.0/8".to_owned().try_into().unwrap();
                },
                Health::Ok,
                "nothing unknown",
            ),
            (
                |s| s.server.trusted_proxies = "11.0.0.0/8, 10.0.0.0/7".to_owned().try_into().unwrap(),
                Health::Warning,
                "all of 10.0.0.0/7",
            ),
            (|s| s.monitoring.metrics_public = true, Health::Warning, "`metrics_public`"),
            (|s| s.accounts.sign_in_attempts = 0, Health::Warning, "guessed"),
            (|s| s.photos.max_pixels = 1, Health::Problem, "refuse"),
            (|s| s.photos.max_bytes = 1024, Health::Problem, "refuse"),
            (
                |s| {
                    s.server.public_url = Some("https://parts.example.com".to_owned());
                    s.server.support_email = "help@example.com".to_owned();
                },
                Health::Warning,
                "`trusted_proxies`",
            ),
        ];
        for (change, health, part) in cases {
            let mut settings = Settings::default();
            change(&mut settings);
            let found = risks(&settings, &Examination::default());
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].health, health, "{found:?}");
            assert!(found[0].found.contains(part), "{found:?}");
        }
    }
}
