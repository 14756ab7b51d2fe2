//! Reads the photographs in a tool's arguments, and builds the multipart forms in which our calls accept them.

use std::fs::{self, File};
use std::io::Read;

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use uuid::Uuid;

use super::arguments::ToolError;
use super::{Answer, McpCaller, McpServer};

/// The photograph in a tool's arguments: base64, or a path if the caller is on this machine.
pub(super) fn photo(arguments: &Value, reads_files: bool, max_bytes: usize) -> Result<Vec<u8>, ToolError> {
    let error = |text: &str| ToolError(text.to_owned());
    match (arguments["imageBase64"].as_str(), arguments["path"].as_str()) {
        (Some(encoded), None) => {
            // Some clients send a data URL.
            let encoded = encoded.rsplit_once("base64,").map_or(encoded, |(_, data)| data);
            // MIME encoders and the `base64` command of most systems break lines.
            let encoded: String = encoded.split_ascii_whitespace().collect();
            STANDARD.decode(encoded).map_err(|_| error("`imageBase64` is no base64."))
        }
        (None, Some(path)) if reads_files => {
            let unopened = |source| ToolError(format!("`{path}` cannot be opened: {source}."));
            // Checked before opening: opening a named pipe blocks until something writes to it.
            if !fs::metadata(path).map_err(unopened)?.is_file() {
                return Err(ToolError(format!("`{path}` is no file.")));
            }
            let file = File::open(path).map_err(unopened)?;
            let mut bytes = Vec::new();
            // One byte more than the limit, so that the call itself refuses the photograph with its own message.
            let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
            file.take(limit)
                .read_to_end(&mut bytes)
                .map_err(|source| ToolError(format!("`{path}` cannot be read: {source}.")))?;
            Ok(bytes)
        }
        (None, Some(_)) => {
            Err(error("Files cannot be read here; please send the photograph as `imageBase64`."))
        }
        (Some(_), Some(_)) => Err(error("Please give either `imageBase64` or `path`.")),
        (None, None) if reads_files => {
            Err(error("The photograph is missing: please give its `path`, or `imageBase64`."))
        }
        (None, None) => Err(error("The photograph is missing: please give `imageBase64`.")),
    }
}

/// A multipart form (RFC 7578) of texts and photographs.
pub(super) struct PhotoForm {
    boundary: String,
    body: Vec<u8>,
}

impl PhotoForm {
    pub(super) fn new() -> Self {
        // Chosen after the photograph, so no photograph can contain it on purpose.
        Self { boundary: format!("partsight-{}", Uuid::now_v7()), body: Vec::new() }
    }

    pub(super) fn text(&mut self, name: &str, text: &str) {
        // A line break in the text could begin another field.
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        let head = format!("--{}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n", self.boundary);
        self.add(&head, text.as_bytes());
    }

    pub(super) fn photo(&mut self, name: &str, file: &str, bytes: &[u8]) {
        // Characters that would end the file name are left out.
        let file: String = file.chars().filter(|c| !c.is_control() && *c != '"').collect();
        let head = format!(
            "--{}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n",
            self.boundary
        );
        self.add(&head, bytes);
    }

    fn add(&mut self, head: &str, value: &[u8]) {
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(value);
        self.body.extend_from_slice(b"\r\n");
    }
}

impl McpServer {
    /// Posts a form to one of our calls.
    pub(super) async fn send_form(
        &self,
        caller: &McpCaller,
        path: &str,
        form: PhotoForm,
    ) -> Result<Answer, ToolError> {
        let media_type = format!("multipart/form-data; boundary={}", form.boundary);
        let mut body = form.body;
        body.extend_from_slice(format!("--{}--\r\n", form.boundary).as_bytes());
        self.call(caller, Method::POST, path, Some((&media_type, body))).await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_is_read_for_those_on_this_machine_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("photo.jpg");
        std::fs::write(&path, b"photo").unwrap();
        let named = json!({ "path": path });
        assert_eq!(photo(&named, true, 100).ok().unwrap(), b"photo");
        // The extra byte makes the call refuse the photograph.
        assert_eq!(photo(&named, true, 3).ok().unwrap(), b"phot");
        for (wrong, reads_files) in [
            (named, false),
            (json!({ "path": folder.path() }), true),
            (json!({ "path": "/nowhere/at all" }), true),
            (json!({}), true),
            (json!({ "imageBase64": "?" }), true),
            (json!({ "imageBase64": "cGhvdG8=", "path": "x" }), true),
        ] {
            assert!(photo(&wrong, reads_files, 100).is_err(), "{wrong}");
        }
        let missing = |reads_files| photo(&json!({}), reads_files, 100).err().unwrap().0;
        assert!(missing(true).contains("`path`") && !missing(false).contains("`path`"));
        let url = json!({ "imageBase64": "data:image/jpeg;base64,cGhvdG8=" });
        assert_eq!(photo(&url, false, 100).ok().unwrap(), b"photo");
    }

    #[test]
    fn no_text_begins_a_field_of_its_own() {
        let mut form = PhotoForm::new();
        form.text("key", "a\r\n\r\nb");
        form.photo("photo", "a\"; name=\"zip", b"photo");
        let body = String::from_utf8(form.body).unwrap();
        assert!(body.contains("name=\"key\"\r\n\r\nab\r\n"), "{body}");
        assert!(body.contains("filename=\"a; name=zip\"\r\n"), "{body}");
    }
}
