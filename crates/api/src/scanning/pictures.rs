//! Where the pictures of a scan are that are kept.

use partsight_domain::Scan;

/// Address of the thumbnail.
pub(crate) fn thumbnail_url(scan: &Scan) -> Option<String> {
    scan.has_thumbnail.then(|| format!("/api/scans/{}/thumbnail", scan.id))
}

/// Address of the whole photograph.
pub(crate) fn photo_url(scan: &Scan) -> Option<String> {
    scan.has_whole_photo.then(|| format!("/api/scans/{}/photo", scan.id))
}
