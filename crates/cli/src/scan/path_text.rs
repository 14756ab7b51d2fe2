//! A path as rows hold it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// The path as text, with `\xff` for a byte that is not UTF-8: replacement characters would give several files one path,
/// and `--resume` could not tell which of them has its row.
pub(super) fn path_text(path: &Path) -> Cow<'_, str> {
    if let Some(text) = path.to_str() {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    Cow::Owned(text)
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn only_bytes_that_are_not_utf8_are_written_as_numbers() {
        for (name, expected) in [
            (&b"shelf/brake.jpg"[..], "shelf/brake.jpg"),
            ("b\u{fc}hne\n.jpg".as_bytes(), "b\u{fc}hne\n.jpg"),
            (b"b\xfchne.jpg", r"b\xfchne.jpg"),
            (b"\xe2\x82/\xff", r"\xe2\x82/\xff"),
        ] {
            assert_eq!(path_text(Path::new(OsStr::from_bytes(name))), expected);
        }
    }
}
