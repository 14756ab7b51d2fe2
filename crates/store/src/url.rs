//! URLs of databases, which may hold a password.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use sqlx::postgres::PgSslMode;
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
            Some((name, _)) if name != "password" && is_parameter(name) => pair.to_owned(),
            // Also of a misspelt `password`.
            Some((name, _)) => format!("{name}={HIDDEN}"),
            // No parameter: the rest of a password with an unescaped `&`.
            None => HIDDEN.to_owned(),
        })
        .collect();
    format!("{scheme}://{place}?{}", query.join("&"))
}

/// The parameters that the driver reads in an address of PostgreSQL, and others of the same meaning.
const POSTGRES_PARAMETERS: [&str; 18] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

/// The first parameter of an address of PostgreSQL whose value the driver cannot read, because its error does not name
/// the parameter, or that the driver ignores, because it writes the value into the log; with what is wrong with it.
pub(crate) fn wrong_parameter(url: &str) -> Option<(&str, String)> {
    if !url.starts_with("postgres") {
        return None;
    }
    // A `#` begins what belongs to no parameter; behind an `@` may be the host, and before it a password.
    let address = url.split('#').next().unwrap_or_default();
    let (_, query) = address.split_once('?').filter(|(_, query)| !query.contains('@'))?;
    let mut parameters = query.split('&').filter_map(|pair| pair.split_once('='));
    parameters.find_map(|(name, value)| Some((name, fault(name, value)?)))
}

/// Whether the driver reads it.
fn is_parameter(name: &str) -> bool {
    POSTGRES_PARAMETERS.contains(&name) || name.starts_with("options[")
}

/// What is wrong with a parameter.
fn fault(name: &str, value: &str) -> Option<String> {
    let expected = match name {
        "sslmode" | "ssl-mode" if value.parse::<PgSslMode>().is_err() => {
            "`disable`, `allow`, `prefer`, `require`, `verify-ca` or `verify-full`"
        }
        "port" if value.parse::<u16>().is_err() => "a number from 0 to 65535",
        "statement-cache-capacity" if value.parse::<usize>().is_err() => "a whole number",
        "hostaddr" if value.parse::<IpAddr>().is_err() => "an IP address",
        _ if is_parameter(name) => return None,
        _ => return Some(format!("is unknown; there are `{}`", POSTGRES_PARAMETERS.join("`, `"))),
    };
    Some(format!("must be {expected}"))
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
            (
                "postgres://db/parts?password=s3&cret&user=ann",
                "postgres://db/parts?password=***&***&user=ann",
            ),
            ("postgres://db/parts?pwd=s3cret", "postgres://db/parts?pwd=***"),
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

    #[test]
    fn a_parameter_that_cannot_be_read_is_named_with_what_it_may_be() {
        for (query, expected) in [
            ("sslmode=bogus", Some(("sslmode", "must be `disable`, `allow`"))),
            ("user=ann&port=x", Some(("port", "must be a number from 0 to 65535"))),
            ("hostaddr=db", Some(("hostaddr", "must be an IP address"))),
            ("sslmod=require", Some(("sslmod", "is unknown; there are `sslmode`, "))),
            ("pwd=s3cret", Some(("pwd", "is unknown; there are"))),
            ("sslmode=VERIFY-FULL&sslrootcert=%2Fca.pem&options[search_path]=a&application_name=x", None),
            ("", None),
        ] {
            let url = format!("postgres://ann:s3cret@db/parts?{query}");
            match (wrong_parameter(&url), expected) {
                (Some((name, reason)), Some((its_name, start))) => {
                    assert_eq!(name, its_name, "{reason}");
                    assert!(reason.starts_with(start), "{reason}");
                }
                (found, expected) => assert_eq!(found.is_some(), expected.is_some(), "{query}: {found:?}"),
            }
        }
        // What may be a password in these is not named as a parameter.
        for url in [
            "postgres://ann:s3?cret=1@db/parts",
            "postgres://ann:s3#c?ret=1@db/parts",
            "sqlite:a.db?mode=rwc",
        ] {
            assert_eq!(wrong_parameter(url), None, "{url}");
        }
    }
}
