//! URLs of databases, which may hold a password.

use std::path::PathBuf;
use std::str::FromStr;

use sqlx::sqlite::SqliteConnectOptions;

/// Replaces a password.
const HIDDEN: &str = "***";

/// The file of the SQLite database at `url`, if it is one.
pub fn sqlite_file(url: &str) -> Option<PathBuf> {
    let options = SqliteConnectOptions::from_str(url).ok().filter(|_| url.starts_with("sqlite:"))?;
    Some(options.get_filename().to_owned())
}

/// `url` for display: with `***` in place of its password.
pub fn without_password(url: &str) -> String {
    // An SQLite file has no password.
    if url.is_empty() || url.starts_with("sqlite:") {
        return url.to_owned();
    }
    let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else {
        return HIDDEN.to_owned();
    };
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    // An unescaped slash or question mark in a password moves the `@` behind the host: then nothing before it is
    // shown.
    let (user, host) = place.rsplit_once('@').map_or((None, place), |(user, host)| (Some(user), host));
    // If the host or the database is malformed, a password may be in their place.
    if query.is_some_and(|query| query.contains('@')) || !is_host_and_database(host) {
        return format!("{scheme}://{HIDDEN}");
    }
    let place = match user.map(|user| user.split_once(':').ok_or(user)) {
        Some(Ok((user, _))) => format!("{user}:{HIDDEN}@{host}"),
        Some(Err(user)) => format!("{user}@{host}"),
        None => host.to_owned(),
    };
    let Some(query) = query else { return format!("{scheme}://{place}") };
    let query: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if name.to_lowercase().contains("password") => format!("{name}={HIDDEN}"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{scheme}://{place}?{}", query.join("&"))
}

/// Whether it is a URL scheme: letters, and characters that may stand between them.
fn is_scheme(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Whether it is `host`, `host:port` or empty, followed by `/database` or nothing.
fn is_host_and_database(text: &str) -> bool {
    let (host, database) = text.split_once('/').unwrap_or((text, ""));
    // A colon inside the brackets of an IPv6 address is not followed by a port.
    let (name, port) = match host.rsplit_once(']') {
        Some((name, port)) => (name, port.strip_prefix(':').unwrap_or(port)),
        None => host.split_once(':').unwrap_or((host, "")),
    };
    let is_plain = |text: &str, others: &[u8]| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
    };
    is_plain(name, b".-_%[:") && port.bytes().all(|byte| byte.is_ascii_digit()) && is_plain(database, b".-_%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let cases = [
            ("postgres://ann:s3cret@db.example/parts", "postgres://ann:***@db.example/parts"),
            (
                "postgres://ann:s3@cret@db/parts?sslmode=require",
                "postgres://ann:***@db/parts?sslmode=require",
            ),
            ("postgres://ann:s3/cret@db/parts", "postgres://ann:***@db/parts"),
            ("postgres://ann:s3?cret@db/parts", "postgres://***"),
            ("postgres://db/parts?user=ann&password=s3cret", "postgres://db/parts?user=ann&password=***"),
            ("postgres://ann@db/parts", "postgres://ann@db/parts"),
            ("sqlite:///data/partsight.db?mode=rwc", "sqlite:///data/partsight.db?mode=rwc"),
            ("sqlite::memory:", "sqlite::memory:"),
            ("postgres://ann:s3cret@[::1]:5432/parts", "postgres://ann:***@[::1]:5432/parts"),
            ("postgres://db:5432/parts", "postgres://db:5432/parts"),
            ("postgres://ann:s3cret@%2Frun%2Fpg/parts", "postgres://ann:***@%2Frun%2Fpg/parts"),
            // Mistyped: what is the password in these cannot be told.
            ("postgres:/ann:s3cret@db/parts", "***"),
            ("postgres//ann:s3cret@db/parts", "***"),
            ("ann:s3cret@db/parts", "***"),
            ("ann:s3cret@db/parts?proxy=http://x", "***"),
            ("host=db user=ann password=s3cret", "***"),
            ("postgres://host=db password=s3cret", "postgres://***"),
            ("postgres://ann:s3cret/parts", "postgres://***"),
            ("postgres:///ann:s3cret/parts", "postgres://***"),
            ("postgres:///parts", "postgres:///parts"),
            ("", ""),
        ];
        for (url, expected) in cases {
            assert_eq!(without_password(url), expected, "{url}");
        }
    }
}
