use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize, Serializer};

/// Replacement for a password or a key.
const HIDDEN: &str = "***";
/// Query parameters that are shown: Azure requires this one, and it is no secret.
const SHOWN: [&str; 1] = ["api-version"];

/// The address of another service, which may hold a password or a key. It derefs to the address itself. Printed, logged
/// and written out, it has `***` in place of what stands before an `@`, and of each value of its query. A place such as
/// `{number}`, which is filled later, is shown, and so is an `api-version`.
///
/// ```
/// use partsight_domain::ServiceUrl;
///
/// let url = ServiceUrl::new("https://ann:s3cret@erp.example/prices?key=s3cret&n={number}");
/// assert_eq!(url.to_string(), "https://***@erp.example/prices?key=***&n={number}");
/// ```
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ServiceUrl(String);

impl ServiceUrl {
    /// Wraps a URL.
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }
}

impl Deref for ServiceUrl {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = match self.0.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), self.0.as_str()),
        };
        f.write_str(&scheme)?;
        // A password may contain an unescaped slash or question mark, so that nothing before the last `@` is shown.
        let rest = match rest.rsplit_once('@') {
            Some((_, rest)) => {
                write!(f, "{HIDDEN}@")?;
                rest
            }
            None => rest,
        };
        let Some((place, query)) = rest.split_once('?') else { return f.write_str(rest) };
        write!(f, "{place}?")?;
        for (i, pair) in query.split('&').enumerate() {
            if i > 0 {
                f.write_str("&")?;
            }
            match pair.split_once('=') {
                Some((name, value))
                    if SHOWN.contains(&name) || (value.starts_with('{') && value.ends_with('}')) =>
                {
                    f.write_str(pair)?;
                }
                Some((name, _)) => write!(f, "{name}={HIDDEN}")?,
                None => f.write_str(HIDDEN)?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for ServiceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ServiceUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        let cases = [
            ("http://localhost:6334", "http://localhost:6334"),
            ("https://s3cret@api.example/v1", "https://***@api.example/v1"),
            ("https://ann:s3@c/r?et@api.example/v1", "https://***@api.example/v1"),
            ("ann:s3cret@api.example", "***@api.example"),
            ("https://api.example/p?s3cret", "https://api.example/p?***"),
            ("https://api.example/p?a=s3cret&n={number}&b=", "https://api.example/p?a=***&n={number}&b=***"),
            (
                "https://api.example/openai?api-version=2024-10-21",
                "https://api.example/openai?api-version=2024-10-21",
            ),
            ("", ""),
        ];
        for (url, shown) in cases {
            let url = ServiceUrl::new(url);
            assert_eq!(url.to_string(), shown);
            assert_eq!(format!("{url:?}"), shown);
            assert_eq!(serde_json::to_value(&url).unwrap(), shown);
        }
    }
}
