//! What leaves with a photograph that is sent to the judge: every byte is kept and looked through (`egress.rs`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::{scan, unsure};
use crate::pictures;
use crate::recorder::secret_in;

#[tokio::test]
async fn nothing_that_the_camera_wrote_leaves_with_the_photograph() {
    let fake = FakeJudge::saying(Says::Candidate(0)).await;
    let (_app, client) = unsure(&fake, |_| {}).await;
    let photo = pictures::blocks(1, 0);
    assert!(secret_in(&photo).is_some());
    assert_eq!(scan(&client, &photo).await["receipt"]["verdictPath"], "llm");
    let sent = STANDARD.decode(fake.questions().remove(0).picture()).unwrap();
    assert_eq!((&sent[..2], &sent[sent.len() - 2..]), (&[0xff, 0xd8][..], &[0xff, 0xd9][..]));
    assert!(image::load_from_memory(&sent).is_ok());
    let all = fake.bytes();
    assert_eq!((secret_in(&sent), secret_in(&all)), (None, None));
    // Neither who asks, nor for whom.
    for personal in ["ann@example.com", "Ann", "Lee", "partsight_session"] {
        let personal = personal.as_bytes();
        // Three letters come up in base64 by chance; the photograph's is cut out.
        let picture = fake.questions().remove(0).picture();
        let text = String::from_utf8_lossy(&all).replace(&picture, "");
        assert!(!text.as_bytes().windows(personal.len()).any(|found| found == personal), "{text}");
    }
}

#[tokio::test]
async fn a_photograph_is_sent_no_larger_than_the_judge_needs() {
    let fake = FakeJudge::saying(Says::Candidate(0)).await;
    let (_app, client) = unsure(&fake, |_| {}).await;
    let picture = image::load_from_memory(&pictures::blocks(1, 0)).unwrap();
    let large = picture.resize_exact(1800, 1350, image::imageops::FilterType::Nearest);
    scan(&client, &pictures::encode(&large, image::ImageFormat::Png)).await;
    let sent = STANDARD.decode(fake.questions().remove(0).picture()).unwrap();
    let sent = image::load_from_memory(&sent).unwrap();
    assert_eq!((sent.width(), sent.height()), (1024, 768));
}
