use reqwest::Method;
use serde_json::{Value, json};

use crate::client::send;
use crate::{Client, Reply, TestApp};

pub(super) async fn import(client: &Client, query: &str, file: &str) -> Reply {
    let request = client.request(Method::POST, &format!("/api/import/{query}"));
    send(request.header("content-type", "text/csv").body(file.to_owned())).await
}

/// Row, status and message of each row.
pub(super) fn rows(result: &Value) -> Vec<(u64, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = result["rows"].as_array().unwrap();
    rows.iter()
        .map(|row| (row["row"].as_u64().unwrap(), text(&row["status"]), text(&row["message"])))
        .collect()
}

pub(super) async fn repairs(client: &Client) -> Vec<Value> {
    client.get("/api/repair-history?limit=200").await.json().as_array().unwrap().clone()
}

#[tokio::test]
async fn what_is_exported_is_imported_again_as_it_was() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let body = json!({
        "make": "=Citroën", "model": "C3; \"Aircross\", 1.2", "year": 2018, "engine": "+1.2 L",
        "vinNumber": "1HGBH41JXMN109186", "licensePlate": "'-1",
    });
    let vehicle = ann.post("/api/vehicles", &body).await.expect_status(201).json()["id"].clone();
    let change = json!({
        "vehicleId": vehicle, "mileage": 52_000, "oilType": "@0W-20", "oilBrand": "-x", "notes": "a\nb, \"c\"",
        "cost": 49.9, "changeDate": "2026-05-06",
    });
    ann.post("/api/oil-changes", &change).await.expect_status(201);
    let repair = json!({
        "vehicleId": vehicle, "mileage": 53_000, "partReplaced": "=HYPERLINK(\"x\")", "repairDate": "2026-07-08",
    });
    ann.post("/api/repair-history", &repair).await.expect_status(201);
    for kind in ["vehicles", "oil-changes", "repairs"] {
        let file = ann.get(&format!("/api/export/{kind}.csv")).await;
        file.expect_status(200);
        assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
        let name = format!("attachment; filename=\"partsight-{kind}.csv\"");
        assert_eq!(file.header("content-disposition"), name);
        assert!(file.text.starts_with('\u{feff}'));
        for line in file.text.trim_start_matches('\u{feff}').lines() {
            let cells = line.split(',').map(|cell| cell.trim_start_matches('"'));
            assert!(cells.clone().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{line}");
        }
        let result = import(&bob, kind, &file.text).await.expect_status(200).json();
        assert_eq!(result["saved"], true);
        assert_eq!(result["new"], 1);
        assert_eq!(result["errors"], 0);
        assert_eq!(result["format"], "partsight");
        // Again, and into the garage that it came from, it is there already.
        for client in [&ann, &bob] {
            let again = import(client, kind, &file.text).await.expect_status(200).json();
            assert_eq!((&again["new"], &again["duplicates"]), (&json!(0), &json!(1)), "{again}");
        }
        let copy = bob.get(&format!("/api/export/{kind}.csv")).await;
        assert_eq!(copy.text, file.text);
    }
}

#[tokio::test]
async fn the_marked_vehicle_of_a_file_becomes_the_default_of_an_account_without_one() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    ann.add_vehicle("Jazz").await;
    let file = "year,make,model,default\n2018,Honda,Civic,no\n2019,Honda,Accord,Yes\n2020,Honda,Pilot,no\n";
    for (client, expected) in
        [(&bob, ["Accord", "Civic", "Pilot"].as_slice()), (&ann, &["Jazz", "Civic", "Accord", "Pilot"])]
    {
        let result = import(client, "vehicles", file).await.expect_status(200).json();
        assert_eq!((&result["new"], &result["ignoredColumns"]), (&json!(3), &json!([])));
        let vehicles = client.get("/api/vehicles").await.json();
        let models: Vec<&str> =
            vehicles.as_array().unwrap().iter().map(|vehicle| vehicle["model"].as_str().unwrap()).collect();
        assert_eq!(models, expected);
        assert_eq!(vehicles[0]["isDefault"], true);
    }
}

#[tokio::test]
async fn a_text_in_place_of_a_vin_names_no_vehicle_and_one_vin_of_two_decides_nothing() {
    let app = TestApp::start().await;
    let bob = app.sign_up("bob").await;
    for (name, vin) in [("ann", "UNKNOWN"), ("eve", "1HGCM82633A004352")] {
        let ann = app.sign_up(name).await;
        let mut ids = Vec::new();
        for (make, model, year) in [("Toyota", "Camry", 2020), ("Honda", "Accord", 2003)] {
            let body = json!({ "make": make, "model": model, "year": year, "vinNumber": vin });
            ids.push(ann.post("/api/vehicles", &body).await.expect_status(201).json()["id"].clone());
        }
        let file = format!(
            "vehicle,vin,date,mileage\n2020 Toyota Camry,{vin},2026-05-06,20000\n2003 Honda Accord,{vin},2026-05-07,90000\n"
        );
        let result = import(&ann, "oil-changes", &file).await.expect_status(200).json();
        assert_eq!((&result["new"], &result["errors"]), (&json!(2), &json!(0)), "{result}");
        for (id, mileage) in ids.iter().zip([20_000, 90_000]) {
            let path = format!("/api/oil-changes?vehicleId={}", id.as_str().unwrap());
            assert_eq!(ann.get(&path).await.json()[0]["mileage"], mileage, "{vin}");
        }
        if vin == "UNKNOWN" {
            let file = ann.get("/api/export/vehicles.csv").await.text;
            let result = import(&bob, "vehicles", &file).await.expect_status(200).json();
            assert_eq!(result["new"], 2, "{result}");
            let again = import(&bob, "vehicles", &file).await.expect_status(200).json();
            assert_eq!((&again["new"], &again["duplicates"]), (&json!(0), &json!(2)), "{again}");
        }
    }
}

#[tokio::test]
async fn what_is_exported_for_another_program_is_imported_again_as_it_was() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let vehicle = ann.add_vehicle("Civic").await;
    let copy_of_it = bob.add_vehicle("Civic").await;
    // Another vehicle, whose records are in no file of this one.
    let other = ann.add_vehicle("Jazz").await;
    for (id, mileage) in [(&vehicle, 52_000), (&other, 7)] {
        let change = json!({
            "vehicleId": id, "mileage": mileage, "oilType": "0W-20", "oilBrand": "Mobil 1", "filterBrand": "Wix",
            "notes": "a\nb, \"c\"", "cost": 49.9, "changeDate": "2026-05-06",
        });
        ann.post("/api/oil-changes", &change).await.expect_status(201);
        // One that is called like an oil change, with a part, a number and a maker.
        let repair = json!({
            "vehicleId": id, "mileage": mileage + 1000, "partReplaced": "Oil filter", "partLabel": "oil-filter",
            "partNumber": "15400", "partBrand": "=Honda", "notes": "x;y", "repairDate": "2026-07-08",
        });
        ann.post("/api/repair-history", &repair).await.expect_status(201);
        // A repair that says when an item of the maintenance schedule was done.
        let done = json!({ "mileage": mileage + 1500, "date": "2026-08-09" });
        ann.post(&format!("/api/vehicles/{id}/maintenance/coolant/done"), &done).await.expect_status(200);
        let reading = json!({ "mileage": mileage + 2000, "date": "2026-09-10" });
        ann.post(&format!("/api/vehicles/{id}/odometer"), &reading).await.expect_status(201);
    }
    for (kind, format, first_line, n) in [
        (
            "oil-changes",
            "lubelogger",
            "Date,Odometer,Description,Notes,Cost,extrafield_oil_type,extrafield_oil_brand,extrafield_filter_brand",
            1,
        ),
        (
            "repairs",
            "lubelogger",
            "Date,Odometer,Description,Notes,Cost,extrafield_part_type,extrafield_part_number,extrafield_part_brand,extrafield_maintenance_item",
            2,
        ),
        ("odometer", "lubelogger", "Date,Odometer,Notes", 1),
        (
            "odometer",
            "fuelly",
            "car_name,model,mpg,odometer,miles,gallons,price,city_percentage,fuelup_date,date_added",
            0,
        ),
        ("odometer", "partsight", "vehicle,vin,date,mileage,license_plate", 0),
    ] {
        let path = format!("/api/export/{kind}.csv?format={format}");
        let file = ann.get(&format!("{path}&vehicleId={vehicle}")).await;
        assert_eq!(
            file.expect_status(200).text.trim_start_matches('\u{feff}').lines().next(),
            Some(first_line)
        );
        let name = match format {
            "partsight" => format!("attachment; filename=\"partsight-{kind}.csv\""),
            _ => format!("attachment; filename=\"partsight-{kind}-{format}.csv\""),
        };
        assert_eq!(file.header("content-disposition"), name);
        let result = import(&bob, &format!("{kind}?vehicleId={copy_of_it}"), &file.text).await;
        let result = result.expect_status(200).json();
        assert_eq!(result["format"], json!(format));
        assert_eq!(result["errors"], 0);
        assert_eq!(result["skipped"], 0);
        // Readings that came with the records before are there already.
        assert_eq!(result["new"], n, "{kind} {format}: {result}");
        let copy = bob.get(&format!("{path}&vehicleId={copy_of_it}")).await;
        assert_eq!(copy.text, file.text, "{kind} {format}");
    }
    for (list, n) in [("/api/oil-changes", 1), ("/api/repair-history", 2)] {
        let of = async |client: &Client, id: &str| {
            let mut rows = client.get(&format!("{list}?vehicleId={id}")).await.expect_status(200).json();
            for row in rows.as_array_mut().unwrap() {
                for field in ["id", "vehicleId", "createdAt"] {
                    row[field] = Value::Null;
                }
            }
            rows
        };
        let (mine, theirs) = (of(&ann, &vehicle).await, of(&bob, &copy_of_it).await);
        assert_eq!((mine.as_array().unwrap().len(), &theirs), (n, &mine), "{list}");
    }
    let items = bob.get(&format!("/api/vehicles/{copy_of_it}/maintenance")).await.expect_status(200).json();
    let coolant = items["items"].as_array().unwrap().iter().find(|item| item["item"] == "coolant").unwrap();
    assert_eq!(coolant["lastDoneOn"], "2026-08-09", "{coolant}");
}

#[tokio::test]
async fn a_file_that_another_program_does_not_have_is_refused_with_the_reason() {
    let (_app, client, _) = TestApp::with_vehicle().await;
    for (query, field, part) in [
        ("vehicles.csv?format=lubelogger", "format", "no"),
        ("vehicles.csv?format=fuelly", "format", "Neither LubeLogger nor Fuelly has a file of vehicles"),
        ("repairs.csv?format=fuelly", "format", "Fuelly has a fuel log"),
        ("oil-changes.csv?format=fuelly", "format", "Fuelly has a fuel log"),
        ("oil-changes.csv?format=lubelogger", "vehicleId", "about one vehicle"),
        ("odometer.csv?format=lubelogger", "vehicleId", "about one vehicle"),
        ("repairs.csv?format=excel", "format", "partsight, lubelogger and fuelly"),
    ] {
        let reply = client.get(&format!("/api/export/{query}")).await;
        let sentence = reply.invalid(field);
        assert!(sentence.contains(part), "{query}: {sentence}");
    }
    let unknown = "repairs.csv?vehicleId=0190a0a0-0000-7000-8000-000000000000";
    client.get(&format!("/api/export/{unknown}")).await.problem(404, "not-found");
}

#[tokio::test]
async fn a_dry_run_says_of_each_row_what_would_become_of_it_and_saves_nothing() {
    let (_app, client) = TestApp::with_ann().await;
    client.add_vehicle("Civic").await;
    let file = "vehicle,date,mileage,part_replaced,cost,mechanic\n\
                2015 Honda Civic,2025-03-05,52000,Alternator,349.50,Joe\n\
                2015 HONDA  civic,2025-03-05,\"52,000\",Alternator,$349.50,\n\
                2015 Honda Jazz,2025-03-05,1,Belt,,\n\
                ,2025-03-05,1,Belt,,\n\
                \n\
                2015 Honda Civic,2025-13-05,1,Belt,,\n\
                2015 Honda Civic,9999-12-31,1,Belt,,\n\
                2015 Honda Civic,2025-03-05,-1,Belt,,\n\
                2015 Honda Civic,2025-03-05,1,,,\n\
                2015 Honda Civic,2025-03-05,1,Belt,1.005,\n\
                2015 Honda Civic,2025-06-01,51000,Belt,,\n";
    let result = import(&client, "repairs?dryRun=true", file).await.expect_status(200).json();
    let expected = [
        (2, "new", ""),
        (3, "duplicate", "The same is there already."),
        (4, "error", "None of your vehicles is called 2015 Honda Jazz. Please add the vehicle first."),
        (5, "error", "The row names no vehicle. Please choose the vehicle that the file is about."),
        (7, "error", "\"2025-13-05\" is no date here. Please write it as year-month-day, like 2025-03-05."),
        (8, "error", "Please enter a date that is at most a year ahead."),
        (9, "error", "Please enter a valid mileage between 1 and 999,999"),
        (10, "error", "Please fill in all required fields"),
        (11, "error", "Please enter the cost with at most two decimals."),
        (12, "new", "The mileage is lower than the 52,000 miles of 2025-03-05."),
    ];
    let expected: Vec<_> =
        expected.iter().map(|&(row, status, text)| (row, status.to_owned(), text.to_owned())).collect();
    assert_eq!(rows(&result), expected);
    assert_eq!(result["ignoredColumns"], json!(["mechanic"]));
    assert_eq!((&result["saved"], &result["new"], &result["errors"]), (&json!(false), &json!(2), &json!(7)));
    // In earnest, one bad row refuses all of them.
    let refused = import(&client, "repairs", file).await.problem(422, "invalid");
    assert!(refused.starts_with("Nothing was imported. Row 4: None of your vehicles"), "{refused}");
    assert!(refused.ends_with("And 2 more; a dry run names them all."), "{refused}");
    assert!(repairs(&client).await.is_empty());
}

#[tokio::test]
async fn a_row_with_the_vin_of_another_vehicle_is_not_put_on_one_of_the_same_name() {
    let (_app, client) = TestApp::with_ann().await;
    let vehicle =
        json!({ "year": 2020, "make": "Ford", "model": "Transit", "vinNumber": "1FTBW2CM5LKA00001" });
    client.post("/api/vehicles", &vehicle).await.expect_status(201);
    let file = "vehicle,vin,date,mileage,part_replaced\n\
                2020 Ford Transit,1FTBW2CM5LKA99999,2025-02-01,90000,Starter\n\
                ,1FTBW2CM5LKA99999,2025-02-01,90000,Starter\n\
                2020 Ford Transit,,2025-02-01,90000,Starter\n\
                2020 Ford Transit,unknown,2025-02-02,90000,Starter\n";
    let result = import(&client, "repairs?dryRun=true", file).await.expect_status(200).json();
    let sentence = "None of your vehicles has the VIN 1FTBW2CM5LKA99999. Please add the vehicle first, or leave the \
                    VIN out.";
    let errors = [2, 3].map(|row| (row, "error".to_owned(), sentence.to_owned()));
    assert_eq!(rows(&result)[..2], errors);
    // Less than a whole number contradicts no name.
    assert_eq!(rows(&result)[2..], [4, 5].map(|row| (row, "new".to_owned(), String::new())));
}

#[tokio::test]
async fn vehicles_of_one_name_keep_their_records_by_their_plates() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    for (plate, mileage) in [("AAA 1", 10_000), ("BBB 2", 90_000)] {
        let vehicle = json!({ "year": 2020, "make": "Ford", "model": "Transit", "licensePlate": plate });
        let saved = ann.post("/api/vehicles", &vehicle).await.expect_status(201).json();
        let repair = json!({ "vehicleId": saved["id"], "mileage": mileage, "partReplaced": "Belt", "repairDate": "2026-05-06" });
        ann.post("/api/repair-history", &repair).await.expect_status(201);
        // The same part on the same day, with another number.
        let mut other = repair;
        other["partNumber"] = json!("K060");
        ann.post("/api/repair-history", &other).await.expect_status(201);
    }
    for (kind, n) in [("vehicles", 2), ("repairs", 4)] {
        let file = ann.get(&format!("/api/export/{kind}.csv")).await.expect_status(200).text.clone();
        let result = import(&bob, kind, &file).await.expect_status(200).json();
        assert_eq!((&result["new"], &result["errors"]), (&json!(n), &json!(0)), "{result}");
        assert_eq!(bob.get(&format!("/api/export/{kind}.csv")).await.text, file);
    }
}

#[tokio::test]
async fn dots_part_thousands_where_semicolons_part_cells() {
    let (_app, client) = TestApp::with_ann().await;
    client.add_vehicle("Civic").await;
    let file = "vehicle;date;mileage;oil_type;cost\n\
                2015 Honda Civic;05.03.2025;52.000;5W-30;1.200\n\
                2015 Honda Civic;05.06.2025;57.000;5W-30;49.90\n\
                2015 Honda Civic;05.09.2025;61000;5W-30;1.234,50\n";
    import(&client, "oil-changes", file).await.expect_status(200);
    let saved = client.get("/api/oil-changes").await.json();
    let of = |field: &str| saved.as_array().unwrap().iter().map(|row| row[field].clone()).collect::<Vec<_>>();
    assert_eq!(json!(of("mileage")), json!([61_000, 57_000, 52_000]));
    assert_eq!(json!(of("cost")), json!([1234.5, 49.9, 1200.0]));
}

#[tokio::test]
async fn the_files_of_lubelogger_are_known() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let file = "Date,Odometer,Description,Cost,Notes,Tags\r\n\
                01/02/2024,45000,Oil Change,$40.45,\"5W-30, Mobil 1\",diy\r\n\
                3/5/2024,47000,Front brake pads,120,,\r\n\
                12/31/2024,0,Car wash,10,,\r\n";
    // The file names no vehicle.
    import(&client, "repairs", file).await.problem(422, "invalid");
    let result =
        import(&client, &format!("repairs?vehicleId={vehicle}"), file).await.expect_status(200).json();
    assert_eq!(result["format"], "lubelogger");
    assert_eq!((&result["new"], &result["skipped"]), (&json!(1), &json!(2)));
    assert_eq!(
        rows(&result)[0].2,
        "\"Oil Change\" is an oil change. Import the file as oil changes to keep it."
    );
    assert_eq!(rows(&result)[2].2, "The row has no odometer reading.");
    assert_eq!(result["notes"], json!(["Dates like 3/12/2025 were read as month/day/year."]));
    let saved = repairs(&client).await;
    assert_eq!(saved[0]["partReplaced"], "Front brake pads");
    assert_eq!(saved[0]["repairDate"], "2024-03-05");
    let result = import(&client, &format!("oil-changes?vehicleId={vehicle}"), file).await.json();
    assert_eq!((&result["new"], &result["ignoredColumns"]), (&json!(1), &json!(["Tags"])));
    let change = &client.get("/api/oil-changes").await.json()[0];
    assert_eq!((&change["mileage"], &change["cost"]), (&json!(45_000), &json!(40.45)));
    assert_eq!(change["changeDate"], "2024-01-02");
    assert_eq!(change["notes"], json!("Oil Change\n5W-30, Mobil 1"));
}

#[tokio::test]
async fn extra_fields_of_others_do_not_make_everything_an_oil_change_or_a_repair() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let file = "Date,Odometer,Description,Cost,Notes,ExtraField_Oil Type,ExtraField_Part Type\r\n\
                01/02/2024,45000,Oil change and wipers,40.45,,5W-30,\r\n\
                03/25/2024,47000,Front brake pads,120,,,brake-pad\r\n";
    let changes = import(&client, &format!("oil-changes?vehicleId={vehicle}"), file).await.json();
    assert_eq!((&changes["new"], &changes["skipped"]), (&json!(1), &json!(1)));
    let change = &client.get("/api/oil-changes").await.json()[0];
    assert_eq!((&change["oilType"], &change["notes"]), (&json!("5W-30"), &json!("Oil change and wipers")));
    let result = import(&client, &format!("repairs?vehicleId={vehicle}"), file).await.json();
    assert_eq!((&result["new"], &result["skipped"]), (&json!(1), &json!(1)));
    assert_eq!(repairs(&client).await[0]["partReplaced"], "Front brake pads");
}

#[tokio::test]
async fn the_fuel_logs_of_fuelly_give_odometer_readings() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let header = "car_name,model,mpg,odometer,miles,gallons,price,city_percentage,fuelup_date,date_added,tags,\
                  notes,missed_fuelup,partial_fuelup,latitude,longitude,brand\n";
    let file = format!(
        "{header}Civic,Honda,22.5,10000.6,192.3,8.541,3.459,50,10/07/2026 0:00,10/07/2026,,,0,0,,,\n\
         Civic,Honda,22.5,13000,192.3,8.541,3.459,50,01/15/2027 0:00,01/15/2027,,,0,0,,,\n\
         Truck,Ford,22.5,500,1,1,1,50,01/15/2027 0:00,01/15/2027,,,0,0,,,\n"
    );
    let result = import(&client, "odometer", &file).await.expect_status(200).json();
    assert_eq!(result["format"], "fuelly");
    assert_eq!(result["new"], 2);
    assert_eq!(result["skipped"], 1);
    assert_eq!(rows(&result)[2].2, "None of your vehicles is called Truck. Please add the vehicle first.");
    let plan = client.get(&format!("/api/vehicles/{vehicle}/maintenance")).await.json();
    assert_eq!(plan["odometer"]["mileage"], 13_000);
    assert_eq!(plan["odometer"]["milesPerDay"], json!(30.0));
    for kind in ["repairs", "oil-changes"] {
        let refused = import(&client, kind, &file).await.problem(422, "invalid");
        assert!(refused.contains("odometer readings"), "{refused}");
    }
    // Kilometres of a metric account; one car, so that the chosen vehicle is it.
    let metric = "car_name,model,l/100km,odometer,km,litres,price,city_percentage,fuelup_date\n\
                  Flitzer,VW,7.1,100000,306,57,1.2,50,13/06/2021 0:00\n";
    let metric = import(&client, &format!("odometer?dryRun=true&vehicleId={vehicle}"), metric).await.json();
    assert_eq!((&metric["new"], metric["notes"].as_array().unwrap().len()), (&json!(1), 2), "{metric}");
}

#[tokio::test]
async fn spreadsheets_may_use_semicolons_and_decimal_commas() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let file = "\u{feff}Date;Mileage;Part;Cost;Notes\r\n31.12.2024;52000;Batterie;\"1.234,50\";\"zwei\r\nZeilen\"\r\n";
    let result =
        import(&client, &format!("repairs?vehicleId={vehicle}"), file).await.expect_status(200).json();
    assert_eq!(result["new"], 1, "{result}");
    let saved = &repairs(&client).await[0];
    assert_eq!((&saved["cost"], &saved["notes"]), (&json!(1234.5), &json!("zwei\nZeilen")));
    assert_eq!(saved["repairDate"], "2024-12-31");
}

#[tokio::test]
async fn dates_that_fit_neither_order_are_refused_by_row() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let file = "date,mileage,part\n12/31/2024,1,a\n31/12/2024,2,b\n";
    let refused =
        import(&client, &format!("repairs?vehicleId={vehicle}"), file).await.problem(422, "invalid");
    assert!(refused.contains("Row 3: \"31/12/2024\" is no date here."), "{refused}");
    let file = "date,mileage,part\n3/12/2024,1,a\n31/12/2024,2,b\n";
    let result =
        import(&client, &format!("repairs?vehicleId={vehicle}"), file).await.expect_status(200).json();
    assert_eq!(result["notes"], json!(["Dates like 3/12/2025 were read as day/month/year."]));
    assert_eq!(repairs(&client).await[1]["repairDate"], "2024-12-03");
}

#[tokio::test]
async fn what_is_no_such_file_is_refused_with_what_to_do() {
    let (app, client) = TestApp::with_ann().await;
    for (file, sentence) in [
        ("", "The file is empty. Its first row must name the columns."),
        (
            "a,b\n1,2\n",
            "The file has no columns `date`, `mileage`, `part_replaced`. Its first row must name the columns.",
        ),
        ("date,mileage,part\n2025-01-01,1,\"open", "A quotation mark that opens in row 2 is never closed."),
    ] {
        let reply = import(&client, "repairs", file).await;
        assert_eq!(reply.invalid("body"), sentence);
    }
    let many = format!("date,mileage,part\n{}", "2025-01-01,1,a\n".repeat(10_001));
    let refused = import(&client, "repairs", &many).await.problem(422, "invalid");
    assert_eq!(refused, "The file has 10001 rows; please import at most 10000 at a time.");
    import(&client, "repairs", &"x".repeat(5 * 1024 * 1024 + 1)).await.problem(413, "too-large");
    import(&client, "secrets", "date\n").await.problem(404, "not-found");
    import(&client, "repairs?dryRun=perhaps", "date\n").await.problem(422, "invalid");
    client.post("/api/import/repairs", &json!({})).await.problem(415, "unsupported-media-type");
    client.get("/api/export/secrets.csv").await.problem(404, "not-found");
    import(&app.client(), "repairs", "date\n").await.problem(401, "not-signed-in");
    app.client().get("/api/export/vehicles.csv").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn nobody_imports_onto_or_exports_the_vehicles_of_somebody_else() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let hers = ann.add_vehicle("Civic").await;
    let file = "date,mileage,part\n2025-01-01,1,a\n";
    import(&bob, &format!("repairs?vehicleId={hers}"), file).await.problem(404, "not-found");
    let named = "vehicle,date,mileage,part\n2015 Honda Civic,2025-01-01,1,a\n";
    import(&bob, "repairs", named).await.problem(422, "invalid");
    assert!(repairs(&ann).await.is_empty());
    let exported = bob.get("/api/export/vehicles.csv").await.text;
    assert_eq!(exported.lines().count(), 1, "{exported}");
}

#[tokio::test]
async fn a_file_that_is_sent_twice_at_once_is_imported_once() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let rows: Vec<String> = (1..=500).map(|row| format!("2025-01-05,{row},part {row}")).collect();
    let file = format!("date,mileage,part\n{}\n", rows.join("\n"));
    let query = format!("repairs?vehicleId={vehicle}");
    let replies = tokio::join!(import(&client, &query, &file), import(&client, &query, &file));
    let new = |reply: &Reply| reply.expect_status(200).json()["new"].as_u64().unwrap();
    assert_eq!(new(&replies.0) + new(&replies.1), 500);
    let exported = client.get("/api/export/repairs.csv").await.text;
    assert_eq!(exported.lines().count(), 501);
}

#[tokio::test]
async fn ten_thousand_rows_are_imported_in_one_go() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let rows: Vec<String> =
        (0..10_000).map(|row| format!("2025-01-{:02},{},part {row}", 1 + row % 28, 1 + row)).collect();
    let file = format!("date,mileage,part\n{}\n", rows.join("\n"));
    let result =
        import(&client, &format!("repairs?vehicleId={vehicle}"), &file).await.expect_status(200).json();
    assert_eq!((&result["new"], &result["saved"]), (&json!(10_000), &json!(true)));
    assert_eq!(repairs(&client).await.len(), 200);
}
