use std::io::Cursor;

use partsight_app::{CatalogFileError, Owner};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::shop::{Shop, in_shop};

/// A file of taught parts: by the first byte as it came, or its lines below a header and above an end that fit them.
pub(crate) fn catalog_file(data: &[u8]) {
    let Some((&choice, body)) = data.split_first() else { return };
    in_shop(async |shop| {
        let user = shop.user().await;
        let owner = Owner::of(&user);
        let file = if choice & 1 == 0 { whole(shop, body) } else { body.to_vec() };
        let mut n_taught = 0;
        let result = shop
            .app
            .teaching
            .import_catalog(&owner, &mut Cursor::new(&file), choice & 2 == 0, |part| {
                n_taught += part.n_taught;
            })
            .await;
        match result {
            Ok(()) => {}
            Err(CatalogFileError::App(error)) => panic!("{error:?}"),
            // Refused before anything was taken in, or at a picture that cannot be read.
            Err(_) => {
                shop.spoil();
                return;
            }
        }
        shop.spoil();
        let mut exported = Vec::new();
        let written = shop
            .app
            .teaching
            .export_catalog(&owner, &[], &mut exported)
            .await
            .expect("what is there is exported");
        assert_eq!(written.n_references, n_taught, "what was taken in is exported");
        let mut n_again = 0;
        let again = shop
            .app
            .teaching
            .import_catalog(&owner, &mut Cursor::new(&exported), true, |part| {
                n_again += part.n_taught;
            })
            .await;
        assert!(again.is_ok() && n_again == 0, "our own export brings {n_again} more: {again:?}");
    });
}

/// The lines with the header and the end that make a file of them.
fn whole(shop: &Shop, lines: &[u8]) -> Vec<u8> {
    let identifier = &shop.app.recognition;
    let header = json!({
        "format": "partsight-catalog", "version": 1, "modelSha256": identifier.model_sha256(),
        "dimension": identifier.manifest().embedding.dimension, "exportedAt": "2027-01-15T08:00:00Z",
    });
    let mut file = format!("{header}\n").into_bytes();
    file.extend_from_slice(lines);
    if !file.ends_with(b"\n") {
        file.push(b'\n');
    }
    let count =
        |kind: &[u8]| lines.split(|&byte| byte == b'\n').filter(|line| line.starts_with(kind)).count();
    let (parts, references) = (count(b"{\"part\""), count(b"{\"reference\""));
    let sha256 = hex::encode(Sha256::digest(&file));
    let end = json!({ "end": { "parts": parts, "references": references, "sha256": sha256 } });
    file.extend_from_slice(format!("{end}\n").as_bytes());
    file
}
