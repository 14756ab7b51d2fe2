//! Paths as text in rows and lists.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// An unambiguous text for a path: a byte that is not UTF-8 is written as `\xff`, since replacement characters would
/// give several files the same name. A backslash that would look like the start of such an escape is written as
/// `\x5c`; all other characters are unchanged.
pub fn path_text(path: &Path) -> Cow<'_, str> {
    if let Some(text) = path.to_str()
        && escape_in(text).is_none()
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((before, behind)) = escape_in(rest).and_then(|at| rest.split_at_checked(at)) {
            text.push_str(before);
            text.push_str(r"\x5c");
            rest = behind.strip_prefix('\\').unwrap_or(behind);
        }
        text.push_str(rest);
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    Cow::Owned(text)
}

/// Parses the text of [`path_text`].
#[cfg(unix)]
pub fn path_of_text(text: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;

    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&first, behind)) = rest.split_first() {
        let (byte, behind) = escaped_byte(rest).unwrap_or((first, behind));
        bytes.push(byte);
        rest = behind;
    }
    std::ffi::OsString::from_vec(bytes).into()
}

/// Parses the text of [`path_text`]. On this system no file name has a backslash.
#[cfg(not(unix))]
pub fn path_of_text(text: &str) -> PathBuf {
    text.into()
}

/// Position of the first backslash that looks like the start of an escape; `None` on systems where backslashes separate
/// folders.
fn escape_in(text: &str) -> Option<usize> {
    let mut backslashes = text.match_indices('\\').map(|(at, _)| at);
    backslashes
        .find(|&at| cfg!(unix) && text.as_bytes().get(at..).is_some_and(|rest| escaped_byte(rest).is_some()))
}

/// The byte of the escape, such as `\xff`, with which `text` begins, and the rest.
fn escaped_byte(text: &[u8]) -> Option<(u8, &[u8])> {
    let [b'\\', b'x', high, low, behind @ ..] = text else { return None };
    let digit = |digit: u8| char::from(digit).to_digit(16);
    Some((u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?, behind))
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn each_path_has_a_text_of_its_own_and_is_found_by_it() {
        for (name, expected) in [
            (&b"shelf/brake.jpg"[..], "shelf/brake.jpg"),
            ("b\u{fc}hne\n.jpg".as_bytes(), "b\u{fc}hne\n.jpg"),
            (b"b\xfchne.jpg", r"b\xfchne.jpg"),
            (b"\xe2\x82/\xff", r"\xe2\x82/\xff"),
            // The file names that contain the characters of the escapes above.
            (br"b\xfchne.jpg", r"b\x5cxfchne.jpg"),
            (br"\xFF\x5cxff", r"\x5cxFF\x5cx5cxff"),
            (b"\\xf\xff\\x0", r"\xf\xff\x0"),
            // Backslashes that begin no escape.
            (br"a\b\\x1\xg0.jpg", r"a\b\\x1\xg0.jpg"),
            (br"a\\x41.jpg", r"a\\x5cx41.jpg"),
        ] {
            let path = Path::new(OsStr::from_bytes(name));
            assert_eq!(path_text(path), expected);
            assert_eq!(path_of_text(expected), path, "{expected}");
        }
    }
}
