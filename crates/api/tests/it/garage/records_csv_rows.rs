//! Which rows of a file are new, and as what they are read.

use serde_json::{Value, json};

use super::records_csv::{import, repairs, rows};
use crate::TestApp;

#[tokio::test]
async fn records_of_a_day_that_differ_are_all_restored_and_edited_ones_are_not_doubled() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    for client in [&ann, &bob] {
        client.add_vehicle("Civic").await;
    }
    let file = "date,mileage,part_replaced,cost,notes\n\
                2025-03-05,52000,Brake caliper,80,left\n\
                2025-03-05,52000,Brake caliper,90,right\n";
    let vehicle = ann.get("/api/vehicles").await.json()[0]["id"].as_str().unwrap().to_owned();
    let path = format!("repairs?vehicleId={vehicle}");
    assert_eq!(import(&ann, &path, file).await.expect_status(200).json()["new"], 2);
    let again = import(&ann, &path, file).await.expect_status(200).json();
    assert_eq!((&again["new"], &again["duplicates"]), (&json!(0), &json!(2)), "{again}");

    let exported = ann.get("/api/export/repairs.csv").await.text;
    assert_eq!(import(&bob, "repairs", &exported).await.expect_status(200).json()["new"], 2);
    // One is deleted and the other one edited: the file brings back the first alone.
    let saved = repairs(&bob).await;
    let of = |notes: &str| {
        let found = saved.iter().find(|repair| repair["notes"] == notes).unwrap();
        (format!("/api/repair-history/{}", found["id"].as_str().unwrap()), found["vehicleId"].clone())
    };
    bob.delete(&of("left").0).await.expect_status(204);
    let (path, vehicle) = of("right");
    let body = json!({
        "vehicleId": vehicle, "mileage": 52000, "partReplaced": "Brake caliper", "cost": 95,
        "notes": "right", "repairDate": "2025-03-05",
    });
    bob.put_json(&path, &body).await.expect_status(200);
    let result = import(&bob, "repairs?dryRun=true", &exported).await.expect_status(200).json();
    assert_eq!((&result["new"], &result["duplicates"]), (&json!(1), &json!(1)), "{result}");
}

#[tokio::test]
async fn two_equal_vehicles_of_a_fleet_are_both_restored() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    for _ in 0..2 {
        ann.add_vehicle("Civic").await;
    }
    let file = ann.get("/api/export/vehicles.csv").await.text;
    for (new, duplicates) in [(2, 0), (0, 2)] {
        let result = import(&bob, "vehicles", &file).await.expect_status(200).json();
        assert_eq!((&result["new"], &result["duplicates"]), (&json!(new), &json!(duplicates)), "{result}");
    }
}

#[tokio::test]
async fn repairs_are_not_imported_as_oil_changes() {
    let (_app, client) = TestApp::with_ann().await;
    client.add_vehicle("Civic").await;
    let file = "vehicle,date,mileage,part_replaced,cost\n\
                2015 Honda Civic,2025-03-05,52000,Alternator,349.50\n\
                2015 Honda Civic,2025-04-05,53000,Oil change,49\n";
    let result = import(&client, "oil-changes?dryRun=true", file).await.expect_status(200).json();
    let why = "\"Alternator\" is no oil change. Import the file as repairs to keep it.";
    assert_eq!(
        rows(&result),
        [(2, "skipped".to_owned(), why.to_owned()), (3, "new".to_owned(), String::new())]
    );
}

#[tokio::test]
async fn the_order_of_dates_can_be_chosen_where_both_ways_fit() {
    let (_app, client) = TestApp::with_ann().await;
    client.add_vehicle("Civic").await;
    let file = "vehicle,date,mileage,oil_type\n2015 Honda Civic,3/4/2025,52000,0W-20\n";
    let result = import(&client, "oil-changes?dryRun=true", file).await.expect_status(200).json();
    assert_eq!(result["dateOrder"], "month-day");
    let chosen = import(&client, "oil-changes?dateOrder=day-month", file).await.expect_status(200).json();
    assert_eq!(chosen["dateOrder"], "day-month");
    assert_eq!(client.get("/api/oil-changes").await.json()[0]["changeDate"], "2025-04-03");
    import(&client, "oil-changes?dateOrder=year", file).await.problem(422, "invalid");
    let plain = "vehicle,date,mileage,oil_type\n2015 Honda Civic,2025-03-05,52001,0W-20\n";
    let result = import(&client, "oil-changes?dryRun=true", plain).await.expect_status(200).json();
    assert_eq!(result["dateOrder"], Value::Null);
}
