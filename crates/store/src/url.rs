//! URLs of databases, which may hold a password.

use std::borrow::Cow;
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

/// The database at `url` for display: the file of SQLite, or the address without its password.
pub(crate) fn shown(url: &str) -> String {
    sqlite_file(url).map_or_else(|| without_password(url), |file| file.display().to_string())
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
    // An unescaped slash or question mark in a password moves the `@` behind the host: then nothing before it is shown.
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

/// Parameters of libpq that the driver lacks, and that matter to no statement: how a connection is kept alive, named, or
/// chosen among several servers. Those who host databases write them into the addresses that they show.
const UNUSED_PARAMETERS: [&str; 13] = [
    "channel_binding",
    "client_encoding",
    "connect_timeout",
    "fallback_application_name",
    "gssencmode",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "load_balance_hosts",
    "sslnegotiation",
    "target_session_attrs",
    "tcp_user_timeout",
];

/// `url` without its [`unused_parameters`]: the driver ignores them too, but writes their values into the log.
pub(crate) fn for_driver(url: &str) -> Cow<'_, str> {
    let Some(query) = query(url).filter(|_| unused_parameters(url).next().is_some()) else {
        return Cow::Borrowed(url);
    };
    let is_used = |pair: &&str| pair.split_once('=').is_none_or(|(name, _)| !is_unused(name));
    let used: Vec<&str> = query.split('&').filter(is_used).collect();
    let (place, rest) = url.split_once('?').unwrap_or((url, ""));
    Cow::Owned(format!("{place}?{}{}", used.join("&"), rest.strip_prefix(query).unwrap_or_default()))
}

/// The parameters of an address of PostgreSQL that have no effect here.
pub(crate) fn unused_parameters(url: &str) -> impl Iterator<Item = &str> {
    parameters(query(url).unwrap_or_default()).map(|(name, _)| name).filter(|name| is_unused(name))
}

fn is_unused(name: &str) -> bool {
    UNUSED_PARAMETERS.contains(&name)
}

/// The first wrong parameter of an address of PostgreSQL, and what is wrong with it. Wrong is a parameter whose value
/// the driver cannot read, because its error does not name the parameter; and a parameter that the driver ignores,
/// because it writes the value into the log.
pub(crate) fn wrong_parameter(url: &str) -> Option<(&str, String)> {
    let query = query(url)?;
    // The driver takes the last one.
    let mode = parameters(query).filter(|(name, _)| ["sslmode", "ssl-mode"].contains(name)).last();
    let is_verified = mode.is_some_and(|(_, mode)| matches!(mode.parse(), Ok(PgSslMode::VerifyFull)));
    parameters(query).find_map(|(name, value)| Some((name, fault(name, value, is_verified)?)))
}

/// The parameters in an address of PostgreSQL.
fn query(url: &str) -> Option<&str> {
    // A `#` begins what belongs to no parameter; behind an `@` may be the host, and before it a password.
    let address = url.split('#').next().filter(|_| url.starts_with("postgres"))?;
    let (_, query) = address.split_once('?').filter(|(_, query)| !query.contains('@'))?;
    Some(query)
}

fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter_map(|pair| pair.split_once('='))
}

/// Whether the driver reads it.
fn is_parameter(name: &str) -> bool {
    POSTGRES_PARAMETERS.contains(&name) || name.starts_with("options[")
}

/// What is wrong with a parameter of an address; `is_verified` if the server has to prove by its certificate that it is the
/// right one.
fn fault(name: &str, value: &str, is_verified: bool) -> Option<String> {
    let expected = match name {
        "sslmode" | "ssl-mode" if value.parse::<PgSslMode>().is_err() => {
            "`disable`, `allow`, `prefer`, `require`, `verify-ca` or `verify-full`"
        }
        "port" if value.parse::<u16>().is_err() => "a number from 0 to 65535",
        "statement-cache-capacity" if value.parse::<usize>().is_err() => "a whole number",
        "hostaddr" if value.parse::<IpAddr>().is_err() => "an IP address",
        // Ignored, both would connect with less protection than was asked for.
        "channel_binding" if value == "require" && !is_verified => {
            "`disable` or `prefer`, or `sslmode` must be `verify-full`: the driver binds no channels, so that only its \
             certificate shows that the server is the right one"
        }
        "gssencmode" if value == "require" => "`disable` or `prefer`: the driver encrypts with TLS alone",
        _ if is_parameter(name) || is_unused(name) => return None,
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
            // Mistyped addresses, in which the password cannot be recognised.
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
    fn a_database_is_shown_as_its_file_or_without_its_password() {
        for (url, expected) in [
            ("sqlite:///data/partsight.db?mode=rwc", "/data/partsight.db"),
            ("sqlite://data/a%20b.db", "data/a b.db"),
            ("postgres://ann:s3cret@db/parts", "postgres://ann:***@db/parts"),
        ] {
            assert_eq!(shown(url), expected);
        }
    }

    #[test]
    fn what_has_no_effect_is_named_and_kept_from_the_driver() {
        for (url, rest, unused) in [
            (
                "postgres://db/parts?sslmode=verify-full&channel_binding=require&keepalives=1#x",
                "postgres://db/parts?sslmode=verify-full#x",
                &["channel_binding", "keepalives"][..],
            ),
            ("postgres://db/parts?connect_timeout=9", "postgres://db/parts?", &["connect_timeout"]),
            ("postgres://db/parts?user=ann", "postgres://db/parts?user=ann", &[]),
            ("postgres://ann:s3?keepalives=1@db/parts", "postgres://ann:s3?keepalives=1@db/parts", &[]),
            ("sqlite:a.db?keepalives=1", "sqlite:a.db?keepalives=1", &[]),
        ] {
            assert_eq!(for_driver(url), rest);
            assert_eq!(unused_parameters(url).collect::<Vec<_>>(), unused, "{url}");
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
            (
                "sslmode=require&channel_binding=require",
                Some(("channel_binding", "must be `disable` or `prefer`, or")),
            ),
            ("channel_binding=require&sslmode=verify-full", None),
            ("sslmode=require&channel_binding=prefer&gssencmode=disable&keepalives_idle=30", None),
            ("gssencmode=require", Some(("gssencmode", "must be `disable` or `prefer`: "))),
            ("target_session_attrs=read-write&connect_timeout=10", None),
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
        // Text that may be a password is not shown as the name of a parameter.
        for url in [
            "postgres://ann:s3?cret=1@db/parts",
            "postgres://ann:s3#c?ret=1@db/parts",
            "sqlite:a.db?mode=rwc",
        ] {
            assert_eq!(wrong_parameter(url), None, "{url}");
        }
    }
}
