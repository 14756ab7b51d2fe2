use serde_json::{Value, json};

use crate::{Client, TestApp};

async fn log_oil_change(client: &Client, vehicle: &str, day: &str, mileage: u32) {
    let body = json!({ "vehicleId": vehicle, "mileage": mileage, "changeDate": day });
    client.post("/api/oil-changes", &body).await.expect_status(201);
}

fn item<'a>(plan: &'a Value, id: &str) -> &'a Value {
    plan["items"].as_array().unwrap().iter().find(|item| item["item"] == id).unwrap()
}

#[tokio::test]
async fn what_is_due_on_all_vehicles_is_one_call() {
    const PATH: &str = "/api/maintenance";
    let (app, ann) = TestApp::with_ann().await;
    assert_eq!(ann.get(PATH).await.expect_status(200).json(), json!([]));
    let (civic, accord) = (ann.add_vehicle("Civic").await, ann.add_vehicle("Accord").await);
    app.sign_up("bob").await.add_vehicle("Jazz").await;
    log_oil_change(&ann, &accord, "2026-12-01", 20_000).await;
    let of =
        async |id: &str| ann.get(&format!("/api/vehicles/{id}/maintenance")).await.expect_status(200).json();
    let mut plans = [of(&civic).await, of(&accord).await];
    plans.sort_by_key(|plan| plan["vehicleId"].to_string());
    let sorted = |list: Value| {
        let mut list = list.as_array().unwrap().clone();
        list.sort_by_key(|plan| plan["vehicleId"].to_string());
        list
    };
    assert_eq!(sorted(ann.get(PATH).await.expect_status(200).json()), plans);
    for plan in &mut plans {
        let oil = item(plan, "engine-oil").clone();
        plan["items"] = json!([oil]);
    }
    let oil = ann.get(&format!("{PATH}?item=engine-oil&today=2027-01-15")).await;
    assert_eq!(sorted(oil.expect_status(200).json()), plans);
    for unknown in ["a%20b", "nope"] {
        ann.get(&format!("{PATH}?item={unknown}")).await.invalid("item");
    }
    // No vehicle has it, and one could.
    let diesel = ann.get(&format!("{PATH}?item=diesel-fuel-filter")).await;
    assert_eq!(diesel.expect_status(200).json().as_array().unwrap().len(), 2);
    ann.get(&format!("{PATH}?today=never")).await.problem(422, "invalid");
}

#[tokio::test]
async fn what_is_due_on_all_vehicles_tells_equal_ones_apart() {
    let (_app, client) = TestApp::with_ann().await;
    for plate in ["AAA 111", "BBB 222"] {
        let body = json!({ "make": "Ford", "model": "Transit", "year": 2019, "licensePlate": plate });
        client.post("/api/vehicles", &body).await.expect_status(201);
    }
    client.add_vehicle("Civic").await;
    let plans = client.get("/api/maintenance").await.expect_status(200).json();
    let mut names: Vec<&str> =
        plans.as_array().unwrap().iter().map(|plan| plan["vehicleName"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["2015 Honda Civic", "AAA 111, 2019 Ford Transit", "BBB 222, 2019 Ford Transit"]);
}

#[tokio::test]
async fn alerts_follow_three_calendar_months_after_the_last_oil_change_of_each_vehicle() {
    let (_app, client) = TestApp::with_ann().await;
    assert_eq!(client.get("/api/alerts").await.expect_status(200).json(), json!([]));
    // Today is 2027-01-15.
    for (model, days) in [
        ("Overdue", ["2025-01-01", "2026-10-05"]),
        ("Today", ["2026-01-01", "2026-10-15"]),
        ("Soon", ["2026-01-01", "2026-11-14"]),
        ("Later", ["2026-01-01", "2026-11-15"]),
    ] {
        let vehicle = client.add_vehicle(model).await;
        for (day, mileage) in days.iter().zip([10_000, 20_000]) {
            log_oil_change(&client, &vehicle, day, mileage).await;
        }
    }
    client.add_vehicle("Never").await;
    let alerts = client.get("/api/alerts").await.expect_status(200).json();
    let shown: Vec<Value> = alerts
        .as_array()
        .unwrap()
        .iter()
        .map(|alert| json!([alert["type"], alert["message"], alert["daysOverdue"], alert["daysDue"]]))
        .collect();
    assert_eq!(
        json!(shown),
        json!([
            ["overdue", "Oil change for your 2015 Honda Overdue is overdue by 10 days.", 10, null],
            ["due_today", "Oil change for your 2015 Honda Today is due today.", null, 0],
            ["due_soon", "Oil change for your 2015 Honda Soon is due in 30 days.", null, 30],
        ])
    );
    assert_eq!(alerts[0]["vehicleName"], "2015 Honda Overdue");
    assert_eq!(alerts[0]["title"], "Oil change overdue");
}

#[tokio::test]
async fn the_caller_says_which_day_it_is_where_they_are() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    log_oil_change(&client, &vehicle, "2026-10-15", 20_000).await;
    let kind =
        async |today: &str| client.get(&format!("/api/alerts?today={today}")).await.json()[0]["type"].clone();
    assert_eq!(kind("2027-01-14").await, "due_soon");
    assert_eq!(kind("2027-01-15").await, "due_today");
    assert_eq!(kind("2027-01-16").await, "overdue");
    for bad in ["2027-01-17", "9999-12-31", "today", ""] {
        client.get(&format!("/api/alerts?today={bad}")).await.invalid("today");
    }
}

#[tokio::test]
async fn alerts_are_of_ones_own_vehicles() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let vehicle = ann.add_vehicle("Civic").await;
    log_oil_change(&ann, &vehicle, "2026-01-01", 20_000).await;
    assert_eq!(bob.get("/api/alerts").await.json(), json!([]));
    app.client().get("/api/alerts").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn a_vehicle_that_is_sold_without_an_engine_needs_no_oil() {
    let (_app, client) = TestApp::with_ann().await;
    for (body, has_oil, has_belt) in [
        (json!({ "make": "Ford", "model": "F-150 Lightning", "year": 2023 }), false, false),
        // The engine stands in the number alone.
        (
            json!({ "make": "Honda", "model": "Odyssey", "year": 2010, "vinNumber": "5FNRL3H60AB000001" }),
            true,
            true,
        ),
    ] {
        let id = client.post("/api/vehicles", &body).await.expect_status(201).json()["id"].clone();
        let plan = client.get(&format!("/api/vehicles/{}/maintenance", id.as_str().unwrap())).await.json();
        let has = |wanted: &str| plan["items"].as_array().unwrap().iter().any(|item| item["item"] == wanted);
        assert_eq!((has("engine-oil"), has("timing-belt")), (has_oil, has_belt), "{body}: {plan}");
        assert!(has("tire-rotation"));
    }
}

#[tokio::test]
async fn the_plan_of_a_vehicle_projects_the_day_from_logged_mileages() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let path = format!("/api/vehicles/{vehicle}/maintenance");
    let plan = client.get(&path).await.expect_status(200).json();
    assert_eq!((&plan["vehicleName"], &plan["odometer"]), (&json!("2015 Honda Civic"), &Value::Null));
    let tires = item(&plan, "tire-rotation");
    assert_eq!((&tires["state"], &tires["dueDate"]), (&json!("unknown"), &Value::Null));

    // 30 miles a day.
    log_oil_change(&client, &vehicle, "2026-10-07", 10_000).await;
    let reading = json!({ "mileage": "13,000" });
    let reply = client.post(&format!("/api/vehicles/{vehicle}/odometer"), &reading).await;
    assert_eq!(
        reply.expect_status(201).json(),
        json!({ "mileage": 13_000, "date": "2027-01-15", "warnings": [] })
    );
    let set = json!({ "intervalMonths": 12, "intervalMiles": 5000, "lastDoneOn": "2026-10-07", "lastDoneMileage": 10_000 });
    let tires = client.put_json(&format!("{path}/tire-rotation"), &set).await.expect_status(200).json();
    assert_eq!((&tires["dueOn"], &tires["dueMileage"]), (&json!("2027-10-07"), &json!(15_000)));
    // 2,000 miles more, at 30 a day.
    assert_eq!((&tires["projectedOn"], &tires["dueDate"]), (&json!("2027-03-22"), &json!("2027-03-22")));
    assert_eq!(tires["state"], "later");
    assert_eq!(tires["daysLeft"], 66);
    assert_eq!(tires["ownInterval"], true);
    let plan = client.get(&path).await.json();
    assert_eq!(plan["odometer"], json!({ "mileage": 13_000, "on": "2027-01-15", "milesPerDay": 30.0 }));
    let oil = item(&plan, "engine-oil");
    assert_eq!((&oil["name"], &oil["dueDate"]), (&json!("Oil change"), &json!("2027-01-07")));
    assert_eq!((&oil["dueMileage"], &oil["state"]), (&json!(15_000), &json!("overdue")));
}

#[tokio::test]
async fn a_mistyped_mileage_is_listed_and_deleted() {
    let (app, client, vehicle) = TestApp::with_vehicle().await;
    let path = format!("/api/vehicles/{vehicle}/odometer");
    assert_eq!(client.get(&path).await.expect_status(200).json(), json!([]));
    log_oil_change(&client, &vehicle, "2026-10-07", 10_000).await;
    for (date, mileage) in [("2026-11-01", 11_000), ("2026-12-01", 120_000)] {
        client.post(&path, &json!({ "mileage": mileage, "date": date })).await.expect_status(201);
    }
    let listed = client.get(&path).await.json();
    let expected = json!([
        { "mileage": 120_000, "date": "2026-12-01" },
        { "mileage": 11_000, "date": "2026-11-01" },
    ]);
    assert_eq!(listed, expected, "those of records stand in the records");

    let mistyped = format!("{path}?date=2026-12-01&mileage=120000");
    let bob = app.sign_up("bob").await;
    bob.delete(&mistyped).await.problem(404, "not-found");
    bob.get(&path).await.problem(404, "not-found");
    for other in ["date=2026-12-01&mileage=12000", "date=2026-12-02&mileage=120000", "date=x&mileage=0"] {
        client.delete(&format!("{path}?{other}")).await.problem(404, "not-found");
    }
    client.delete(&mistyped).await.expect_status(204);
    client.delete(&mistyped).await.problem(404, "not-found");
    let plan = client.get(&format!("/api/vehicles/{vehicle}/maintenance")).await.json();
    assert_eq!(plan["odometer"]["mileage"], 11_000);
}

#[tokio::test]
async fn an_item_is_snoozed_done_and_reset() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let path = format!("/api/vehicles/{vehicle}/maintenance");
    let tires = format!("{path}/tire-rotation");
    client.put_json(&tires, &json!({ "lastDoneOn": "2025-01-01" })).await.expect_status(200);
    let alerts = async || client.get("/api/alerts").await.json().as_array().unwrap().len();
    assert_eq!(alerts().await, 1);
    let snoozed = client.post(&format!("{tires}/snooze"), &json!({ "until": "2027-02-01" })).await;
    assert_eq!(snoozed.expect_status(200).json()["state"], "snoozed");
    assert_eq!(alerts().await, 0);
    let woken = client.delete(&format!("{tires}/snooze")).await;
    assert_eq!(woken.expect_status(200).json()["state"], "overdue");
    for bad in ["2027-01-15", "2020-01-01", "2029-01-01", "never"] {
        client.post(&format!("{tires}/snooze"), &json!({ "until": bad })).await.invalid("until");
    }

    let done = json!({ "mileage": 52_000, "cost": 20 });
    let done = client.post(&format!("{tires}/done"), &done).await.expect_status(200).json();
    assert_eq!((&done["lastDoneOn"], &done["lastDoneMileage"]), (&json!("2027-01-15"), &json!(52_000)));
    let repairs = client.get("/api/repair-history").await.json();
    assert_eq!((&repairs[0]["partReplaced"], &repairs[0]["cost"]), (&json!("Tire rotation"), &json!(20.0)));
    assert_eq!(done["warnings"], json!([]));
    client.post(&format!("{tires}/done"), &json!({})).await.problem(422, "invalid");
    // Saved, and said.
    let earlier = json!({ "mileage": 60_000, "date": "2026-12-01" });
    let earlier = client.post(&format!("{tires}/done"), &earlier).await.expect_status(200).json();
    assert_eq!(earlier["warnings"][0]["code"], "mileage-runs-ahead");

    let oil = client.post(&format!("{path}/engine-oil/done"), &json!({ "mileage": 52_001 })).await;
    assert_eq!(oil.expect_status(200).json()["dueDate"], "2027-04-15");
    assert_eq!(client.get("/api/oil-changes").await.json()[0]["mileage"], 52_001);

    // What was set is taken back; what was logged is still there.
    client.delete(&tires).await.expect_status(204);
    assert_eq!(client.get(&tires).await.json()["lastDoneOn"], "2027-01-15");
    client.delete(&tires).await.problem(404, "not-found");
}

#[tokio::test]
async fn the_last_time_follows_the_records_that_were_logged() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let path = format!("/api/vehicles/{vehicle}/maintenance");
    log_oil_change(&client, &vehicle, "2026-06-01", 40_000).await;
    client
        .put_json(&format!("{path}/tire-rotation"), &json!({ "lastDoneOn": "2025-01-01" }))
        .await
        .expect_status(200);
    let alerts = async || client.get("/api/alerts").await.json().as_array().unwrap().len();
    assert_eq!(alerts().await, 2);
    for item in ["engine-oil", "tire-rotation"] {
        client.post(&format!("{path}/{item}/done"), &json!({ "mileage": 43_000 })).await.expect_status(200);
    }
    assert_eq!(alerts().await, 0);
    // A form that is saved sends back what it was shown, which must not outlive the record.
    let shown = json!({ "lastDoneOn": "2027-01-15", "lastDoneMileage": 43_000 });
    client.put_json(&format!("{path}/engine-oil"), &shown).await.expect_status(200);
    for list in ["/api/oil-changes", "/api/repair-history"] {
        let id = client.get(list).await.json()[0]["id"].as_str().unwrap().to_owned();
        client.delete(&format!("{list}/{id}")).await.expect_status(204);
    }
    let oil = client.get(&format!("{path}/engine-oil")).await.json();
    assert_eq!((&oil["lastDoneOn"], &oil["state"]), (&json!("2026-06-01"), &json!("overdue")));
    assert_eq!(alerts().await, 2);

    // An appointment is no oil change yet, and nothing is done on a day to come.
    log_oil_change(&client, &vehicle, "2027-03-01", 45_000).await;
    assert_eq!(alerts().await, 2);
    // Nor is one of tomorrow.
    log_oil_change(&client, &vehicle, "2027-01-16", 45_000).await;
    assert_eq!(alerts().await, 2);
    // An empty day is none, and does not mean today.
    for (item, date) in [("tire-rotation", "2027-03-01"), ("tire-rotation", ""), ("engine-oil", " ")] {
        let body = json!({ "mileage": 45_000, "date": date });
        client.post(&format!("{path}/{item}/done"), &body).await.invalid("date");
    }
}

#[tokio::test]
async fn an_item_of_ones_own_needs_a_name_and_an_interval() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let path = format!("/api/vehicles/{vehicle}/maintenance/wax");
    client.get(&path).await.problem(404, "not-found");
    for (body, field) in [
        (json!({}), "name"),
        (json!({ "name": "Wax" }), "intervalMonths"),
        (json!({ "name": "Wax", "intervalMonths": 0 }), "intervalMonths"),
        (json!({ "name": "Wax", "intervalMiles": 99 }), "intervalMiles"),
        (json!({ "name": "x".repeat(81), "intervalMonths": 6 }), "name"),
        (json!({ "name": "Wax", "intervalMonths": 6, "lastDoneOn": "2027-03-01" }), "lastDoneOn"),
        (json!({ "name": "Wax", "intervalMonths": 6, "lastDoneMileage": 5 }), "lastDoneOn"),
    ] {
        client.put_json(&path, &body).await.invalid(field);
    }
    let body = json!({ "name": "Wax", "intervalMonths": 6, "lastDoneOn": "2026-07-31" });
    let wax = client.put_json(&path, &body).await.expect_status(200).json();
    assert_eq!(wax["dueDate"], "2027-01-31");
    assert_eq!(wax["scheduled"], false);
    assert_eq!(wax["basis"], Value::Null);
    let off = json!({ "name": "Wax", "intervalMonths": 6, "lastDoneOn": "2026-07-31", "enabled": false });
    assert_eq!(client.put_json(&path, &off).await.json()["state"], "off");
    assert_eq!(client.get("/api/alerts").await.json(), json!([]));
    client.delete(&path).await.expect_status(204);
    client.get(&path).await.problem(404, "not-found");
    for bad in ["Wax", "a--b", "ö", &"x".repeat(61)] {
        let path = format!("/api/vehicles/{vehicle}/maintenance/{bad}");
        client.put_json(&path, &json!({ "name": "Wax", "intervalMonths": 6 })).await.invalid("item");
        client.get(&path).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn own_oil_values_are_kept_and_forgotten() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let path = format!("/api/vehicles/{vehicle}/oil");
    assert_eq!(client.get(&path).await.expect_status(200).json(), Value::Null);
    let oil = json!({ "oilType": " 0W-20 ", "oilCapacityQuarts": 3.9 });
    let saved = json!({ "oilType": "0W-20", "oilCapacityQuarts": 3.9, "oilFilter": null });
    assert_eq!(client.put_json(&path, &oil).await.expect_status(200).json(), saved);
    assert_eq!(client.get(&path).await.json(), saved);
    for (body, field) in [
        (json!({}), "oilType"),
        (json!({ "oilCapacityQuarts": 0 }), "oilCapacityQuarts"),
        (json!({ "oilCapacityQuarts": 61 }), "oilCapacityQuarts"),
        (json!({ "oilFilter": "a\u{0}" }), "oilFilter"),
    ] {
        client.put_json(&path, &body).await.invalid(field);
    }
    client.delete(&path).await.expect_status(204);
    client.delete(&path).await.expect_status(204);
    assert_eq!(client.get(&path).await.json(), Value::Null);
}
