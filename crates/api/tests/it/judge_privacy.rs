//! What leaves with a photograph that is sent to the judge: every byte is kept and looked through.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::judge::{scan, unsure};
use crate::judge_peer::{JudgePeer, Says};
use crate::pictures;

/// The segment of a JPEG with this marker.
fn segment(marker: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len() + 2).unwrap().to_be_bytes();
    [&[0xff, marker], &length[..], payload].concat()
}

/// Camera, time and place in the form of EXIF 2.32: a TIFF with one directory and one of GPS.
fn exif() -> Vec<u8> {
    let entry = |tag: u16, kind: u16, count: u32, value: u32| {
        [&tag.to_be_bytes()[..], &kind.to_be_bytes(), &count.to_be_bytes(), &value.to_be_bytes()].concat()
    };
    let mut tiff = b"MM\0*\0\0\0\x08".to_vec();
    // Make and time lie at 200 and 240, the GPS directory at 80, the latitude at 160.
    tiff.extend(3_u16.to_be_bytes());
    tiff.extend(entry(0x010f, 2, 18, 200));
    tiff.extend(entry(0x0132, 2, 20, 240));
    tiff.extend(entry(0x8825, 4, 1, 80));
    tiff.resize(80, 0);
    tiff.extend(2_u16.to_be_bytes());
    tiff.extend(entry(0x0001, 2, 2, u32::from_be_bytes(*b"N\0\0\0")));
    tiff.extend(entry(0x0002, 5, 3, 160));
    tiff.resize(160, 0);
    for (numerator, denominator) in [(47_u32, 1_u32), (22, 1), (4_712_345, 100_000)] {
        tiff.extend(numerator.to_be_bytes());
        tiff.extend(denominator.to_be_bytes());
    }
    tiff.resize(200, 0);
    tiff.extend(b"Spionkamera GmbH \0");
    tiff.resize(240, 0);
    tiff.extend(b"2027:01:15 08:00:00\0");
    [b"Exif\0\0", &tiff[..]].concat()
}

/// All windows of `length` bytes, but those of one byte alone, which any file may have.
fn windows(bytes: &[u8], length: usize) -> HashSet<&[u8]> {
    bytes.windows(length).filter(|window| window.iter().any(|byte| *byte != window[0])).collect()
}

#[tokio::test]
async fn nothing_that_the_camera_wrote_leaves_with_the_photograph() {
    let peer = JudgePeer::saying(Says::Candidate(0)).await;
    let app = unsure(&peer, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let comment = b"Hobbykeller, Akazienallee 12, Zweitschluessel beim Nachbarn".to_vec();
    let xmp = b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>owner Ann Lee</x:xmpmeta>".to_vec();
    let mut photo = pictures::blocks(1, 0);
    let hidden = [segment(0xe1, &exif()), segment(0xe1, &xmp), segment(0xfe, &comment)].concat();
    photo.splice(2..2, hidden);
    // And something behind the end of the picture, where some cameras put a second one.
    photo.extend(b"MPF-Zweitbild-der-Garagenauffahrt");

    assert_eq!(scan(&client, &photo).await["receipt"]["verdictPath"], "llm");
    let sent = STANDARD.decode(peer.questions().remove(0).picture()).unwrap();
    assert_eq!((&sent[..2], &sent[sent.len() - 2..]), (&[0xff, 0xd8][..], &[0xff, 0xd9][..]));
    assert!(image::load_from_memory(&sent).is_ok());
    let all = peer.bytes();
    let secrets =
        [exif(), xmp, comment, b"MPF-Zweitbild-der-Garagenauffahrt".to_vec(), b"IMG_0001.jpg".to_vec()];
    let (seen_sent, seen_all) = (windows(&sent, 8), windows(&all, 8));
    for secret in &secrets {
        for window in windows(secret, 8) {
            assert!(!seen_sent.contains(window), "{:?}", String::from_utf8_lossy(window));
            assert!(!seen_all.contains(window), "{:?}", String::from_utf8_lossy(window));
        }
        // In base64 a text looks one of three ways, by where it begins.
        for shift in 0..3.min(secret.len()) {
            let encoded = STANDARD.encode(&secret[shift..]);
            let inside = &encoded.as_bytes()[..(encoded.len() / 4 - 1) * 4];
            for window in windows(inside, 12) {
                assert!(
                    !all.windows(12).any(|found| found == window),
                    "{:?}",
                    String::from_utf8_lossy(window)
                );
            }
        }
    }
    // Neither who asks, nor for whom.
    for personal in ["ann@example.com", "Ann", "Lee", "partsight_session"] {
        let personal = personal.as_bytes();
        // Three letters come up in base64 by chance; the photograph's is cut out.
        let picture = peer.questions().remove(0).picture();
        let text = String::from_utf8_lossy(&all).replace(&picture, "");
        assert!(!text.as_bytes().windows(personal.len()).any(|found| found == personal), "{text}");
    }
}

#[tokio::test]
async fn a_photograph_is_sent_no_larger_than_the_judge_needs() {
    let peer = JudgePeer::saying(Says::Candidate(0)).await;
    let app = unsure(&peer, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let picture = image::load_from_memory(&pictures::blocks(1, 0)).unwrap();
    let large = picture.resize_exact(1800, 1350, image::imageops::FilterType::Nearest);
    scan(&client, &pictures::encode(&large, image::ImageFormat::Png)).await;
    let sent = STANDARD.decode(peer.questions().remove(0).picture()).unwrap();
    let sent = image::load_from_memory(&sent).unwrap();
    assert_eq!((sent.width(), sent.height()), (1024, 768));
}
