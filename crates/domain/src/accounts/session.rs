use std::fmt;

use jiff::{SignedDuration, Timestamp};

use crate::SessionId;

/// How long a sign-in counts as fresh, which irreversible actions require.
const FRESH: SignedDuration = SignedDuration::from_mins(10);
/// Longest path to return to after a sign-in, in bytes.
const RETURN_PATH_MAX_BYTES: usize = 512;

named! {
    /// How the user signed in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SignInMethod {
        /// With e-mail and password.
        Password = "password",
        /// With an account at the sign-in provider.
        Provider = "provider",
    }
}

/// A session: a signed-in browser, as shown to its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Not the secret in the cookie.
    pub id: SessionId,
    /// When the user signed in.
    pub created_at: Timestamp,
    /// When it was last used, to within a few minutes.
    pub last_seen_at: Timestamp,
    /// When it expires, however often it is used.
    pub expires_at: Timestamp,
    /// Such as `Firefox on Windows`; empty if the browser did not state it.
    pub browser: String,
    /// How the user signed in.
    pub method: SignInMethod,
}

impl Session {
    /// Whether the user signed in with the provider at most ten minutes before `now`, or at most ten minutes after it,
    /// to allow for clock skew.
    pub fn is_fresh_provider_sign_in(&self, now: Timestamp) -> bool {
        // The absolute value, because the clocks of two servers differ.
        self.method == SignInMethod::Provider && now.duration_since(self.created_at).abs() <= FRESH
    }
}

/// A short name for a `User-Agent` header, such as `Firefox on Windows`; empty without a header.
///
/// The order matters, because most browsers also name those that they are compatible with.
pub fn browser_name(user_agent: &str) -> String {
    const BROWSERS: [(&str, &str); 8] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("SamsungBrowser/", "Samsung Internet"),
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("CriOS/", "Chrome"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    const SYSTEMS: [(&str, &str); 7] = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("CrOS", "ChromeOS"),
        ("Windows", "Windows"),
        // After the phones, whose headers contain it too.
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ];
    let first = |names: &[(&str, &'static str)]| {
        names.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    match (first(&BROWSERS), first(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        // A program: its name without the version. Filtered and truncated, because the header is untrusted and shown to
        // the owner.
        (None, None) => {
            let name = user_agent.split(['/', ' ']).next().unwrap_or_default();
            name.chars().filter(char::is_ascii_graphic).take(40).collect()
        }
    }
}

/// A page of this server to redirect to after signing in.
///
/// An open redirect could lead to a page that looks like ours and asks for the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnPath(String);

impl ReturnPath {
    /// The path in `text`, or the home page if it is not the path of one of our pages.
    pub fn or_home(text: Option<&str>) -> Self {
        match text {
            Some(text) if is_own_page(text) => Self(text.to_owned()),
            _ => Self("/".to_owned()),
        }
    }

    /// The path, with its query.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ReturnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Browsers treat `//host` and `/\host` as another host, resolve `/.//host` to `//host`, and drop tabs and line breaks
/// before parsing. Paths of the API are no pages.
fn is_own_page(path: &str) -> bool {
    let is_call = path == "/api" || path.starts_with("/api/");
    // A query may contain anything, because it cannot change the host.
    let before_query = path.split(['?', '#']).next().unwrap_or_default();
    path.starts_with('/')
        && !before_query.contains("//")
        && !path.contains('\\')
        && !is_call
        && path.len() <= RETURN_PATH_MAX_BYTES
        // Excludes tabs and line breaks, which a browser would drop, and all characters that need encoding.
        && path.chars().all(|c| c.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_named_in_a_few_words() {
        let cases = [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "Firefox on Windows",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
                 Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile \
                 Safari/537.36",
                "Chrome on Android",
            ),
            ("curl/8.5.0", "curl"),
            ("", ""),
            ("\u{202e}evil\u{0} 🚗", "evil"),
        ];
        for (header, expected) in cases {
            assert_eq!(browser_name(header), expected, "{header}");
        }
        assert_eq!(browser_name(&"x".repeat(5000)).len(), 40);
    }

    #[test]
    fn a_sign_in_leads_back_to_our_own_pages_only() {
        for own in
            ["/", "/vehicle", "/subscribe?plan=pro&interval=year", "/parts/brake#top", "/vehicle?a=//b"]
        {
            assert_eq!(ReturnPath::or_home(Some(own)).as_str(), own);
        }
        for other in [
            "",
            "vehicle",
            "//evil.example",
            "/.//evil.example",
            "/parts/..//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/a\r\nSet-Cookie: x=y",
            "/\u{202e}",
            "/api/logout",
            "/api",
        ] {
            assert_eq!(ReturnPath::or_home(Some(other)).as_str(), "/", "{other:?}");
        }
        assert_eq!(ReturnPath::or_home(None).as_str(), "/");
        assert_eq!(ReturnPath::or_home(Some(&format!("/{}", "x".repeat(512)))).as_str(), "/");
    }

    #[test]
    fn a_provider_sign_in_is_fresh_for_ten_minutes() {
        let at = |minutes| Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes);
        let mut session = Session {
            id: SessionId(uuid::Uuid::nil()),
            created_at: at(0),
            last_seen_at: at(0),
            expires_at: at(100),
            browser: String::new(),
            method: SignInMethod::Provider,
        };
        assert!(session.is_fresh_provider_sign_in(at(10)));
        assert!(!session.is_fresh_provider_sign_in(at(11)));
        // The clock of the signing-in server was ahead.
        assert!(!session.is_fresh_provider_sign_in(at(-11)));
        session.method = SignInMethod::Password;
        assert!(!session.is_fresh_provider_sign_in(at(1)));
    }
}
