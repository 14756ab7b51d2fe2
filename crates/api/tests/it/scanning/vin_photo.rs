//! VINs on photographs.

use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::json;

use crate::client::{file, send};
use crate::engine::Behaviour;
use crate::{Client, Reply, TestApp};

const ACCORD: &str = "1HGCM82633A004352";

/// A drawing of a door-jamb label with [`ACCORD`] as Code 39.
fn label() -> Vec<u8> {
    std::fs::read(format!("{}/../../web/e2e/pictures/vin-label.png", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

async fn read(client: &Client, photos: &[&[u8]]) -> Reply {
    let form = photos.iter().fold(Form::new(), |form, photo| form.part("image", file(photo, "image/png")));
    send(client.request(Method::POST, "/api/vehicles/read-vin").multipart(form)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_code_on_a_door_jamb_is_read_and_no_scan_is_counted() {
    let (_app, ann) = TestApp::ready_to_scan().await;
    let found = read(&ann, &[&label()]).await.expect_status(200).json();
    let expected = json!([{ "vin": ACCORD, "readAs": ACCORD, "source": "barcode", "checkDigitFits": true }]);
    assert_eq!(found["vins"], expected);
    assert_eq!(ann.used().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photograph_without_a_vin_has_none_and_a_wrong_one_says_what_is_wrong() {
    let app = TestApp::reading(Behaviour::Tie(["brake-caliper", "brake-pad"])).await;
    let ann = app.sign_up("ann").await;
    let path = format!("{}/../../models/reading/golden/level.png", env!("CARGO_MANIFEST_DIR"));
    let other = std::fs::read(path).unwrap();
    assert_eq!(read(&ann, &[&other]).await.expect_status(200).json(), json!({ "vins": [] }));
    read(&ann, &[]).await.problem(422, "invalid");
    let form = Form::new().part("image", file(&other, "image/png")).text("vehicleId", "1");
    let refused = send(ann.request(Method::POST, "/api/vehicles/read-vin").multipart(form)).await;
    let sentence = refused.problem(422, "invalid");
    assert_eq!(sentence, "The form has no field `vehicleId`. Please leave it out.");
    read(&ann, &[&other, &other]).await.problem(422, "invalid");
    let damaged = read(&ann, &[&label()[..200]]).await;
    damaged.problem(422, "invalid");
    read(&app.client(), &[&label()]).await.expect_status(401);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reads_without_end() {
    let (_app, ann) = TestApp::ready_to_scan().await;
    let label = label();
    for _ in 0..30 {
        // What is refused counts as well: it takes the same time.
        read(&ann, &[&label[..40]]).await;
    }
    let refused = read(&ann, &[&label]).await;
    refused.problem(429, "too-many-attempts");
}
