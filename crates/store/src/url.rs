//! Addresses of databases, which may hold a password.

/// What stands where a password was.
const HIDDEN: &str = "***";

/// `url` as it may be shown: with `***` in place of its password.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    // An unescaped slash or question mark in a password moves the `@` out of where it belongs: then nothing
    // before it is shown.
    let place = match (place.rsplit_once('@'), query.is_some_and(|query| query.contains('@'))) {
        (_, true) => return format!("{scheme}://{HIDDEN}"),
        (Some((user, host)), false) => match user.split_once(':') {
            Some((user, _)) => format!("{user}:{HIDDEN}@{host}"),
            None => format!("{user}@{host}"),
        },
        (None, false) => place.to_owned(),
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
        ];
        for (url, expected) in cases {
            assert_eq!(without_password(url), expected, "{url}");
        }
    }
}
