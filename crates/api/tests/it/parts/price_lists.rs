//! Price lists: uploaded, previewed, replaced, deleted, restored, and shown beside a part.

use std::fmt::Write as _;

use jiff::SignedDuration;
use partsight_domain::Plan;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::client::{assert_reply_snapshot, send};
use crate::parts::cross_references;
use crate::plans::company::{join, make};
use crate::{Client, Reply, TestApp};

/// A server on which everybody has Business, and Ann with a 2015 Honda Civic.
pub(crate) async fn start() -> (TestApp, Client) {
    TestApp::ready_to_scan_on(Plan::Business).await
}

/// Names and values of a form.
type Fields<'f> = &'f [(&'static str, &'f str)];

fn form(fields: Fields<'_>, file: impl Into<Vec<u8>>) -> Form {
    let form = fields.iter().fold(Form::new(), |form, (name, value)| form.text(*name, (*value).to_owned()));
    form.part("file", Part::bytes(file.into()).file_name("prices.csv").mime_str("text/csv").unwrap())
}

async fn send_form(client: &Client, form: Form) -> Reply {
    send(client.request(Method::POST, "/api/price-lists").multipart(form)).await
}

/// Uploads a list of the supplier Lee.
pub(crate) async fn upload(client: &Client, fields: Fields<'_>, file: &str) -> Reply {
    let fields: Vec<_> = [("supplier", "Lee")].iter().chain(fields).copied().collect();
    send_form(client, form(&fields, file)).await
}

/// The offers of a part with a price, as supplier, price with currency, and whether it is the best.
async fn offers(client: &Client, path: &str) -> Vec<(String, String, bool)> {
    let body = client.get(path).await.expect_status(200).json();
    let suppliers = body["suppliers"].as_array().unwrap().clone();
    let priced = suppliers.iter().filter(|supplier| !supplier["listedPrice"].is_null());
    priced
        .map(|supplier| {
            let text = |name: &str| supplier[name].as_str().unwrap().to_owned();
            let price = format!("{} {}", supplier["listedPrice"], text("currency"));
            (text("name"), price, supplier["isBestPrice"].as_bool().unwrap())
        })
        .collect()
}

const ROTORS: &str = "/api/parts/brake-rotor/ai-suppliers";

fn expected(rows: &[(&str, &str, bool)]) -> Vec<(String, String, bool)> {
    rows.iter().map(|(name, price, best)| ((*name).to_owned(), (*price).to_owned(), *best)).collect()
}

#[tokio::test]
async fn a_list_is_uploaded_and_its_prices_stand_before_the_estimates() {
    let (_app, ann) = start().await;
    let fields = [
        ("name", "Spring 2027"),
        ("website", "https://lee.example"),
        ("urlTemplate", "https://lee.example/p/{number}?v={year}+{make}+{model}"),
        ("shippingInfo", "2 days"),
        ("phone", "+1 555 0100"),
    ];
    let file = "SKU,Name,Brand,Unit Price,Qty,Shelf\n\
                45251-TBA,Brake Rotor,Brembo,64.50,3,A1\n\
                45251-TBB,brake disc,Zimmermann,49.99,0,A2\n\
                ,Rear lantern,,12,,\n";
    let reply = upload(&ann, &fields, file).await;
    assert_reply_snapshot!("price_list_uploaded", reply);
    let id = reply.expect_status(201).json()["id"].as_str().unwrap().to_owned();
    let lists = ann.get("/api/price-lists").await.expect_status(200).json();
    assert_eq!(lists[0]["id"], json!(id));
    assert_eq!(lists[0]["rows"], 3);
    assert_eq!(lists[0]["deletedAt"], Value::Null);
    let body = ann.get(ROTORS).await.json();
    assert_eq!(body["sources"], json!([]));
    assert_reply_snapshot!(
        "price_list_offers",
        Reply {
            status: 200,
            headers: reqwest::header::HeaderMap::new(),
            text: json!([body["suppliers"][0], body["suppliers"][1], body["suppliers"][2]]).to_string(),
        }
    );
    // What is sold out is no best price, and what has no price is no offer.
    assert_eq!(
        offers(&ann, ROTORS).await,
        expected(&[("Lee", "49.99 USD", false), ("Lee", "64.5 USD", true)])
    );
}

#[tokio::test]
async fn a_dry_run_says_what_would_become_of_each_row_and_saves_nothing() {
    let (_app, ann) = start().await;
    let file = "\u{feff}Art.-Nr.;Bezeichnung;Preis;Bestand;Link\r\n\
                1;Brake Rotor;1.049,90;ja;https://lee.example/1\r\n\
                2;Spark Plug;auf Anfrage;;\r\n\
                3;Strut;12.5.1;;\r\n\
                4;Wing;7,00 $;vielleicht;lee.example\r\n\
                ;;5,00;;\r\n";
    let reply = upload(&ann, &[("dryRun", "true"), ("currency", "eur")], file).await;
    assert_reply_snapshot!("price_list_dry_run", reply);
    assert_eq!(ann.get("/api/price-lists").await.json(), json!([]));
    assert_eq!(offers(&ann, ROTORS).await, []);
}

#[tokio::test]
async fn a_list_with_a_faulty_row_is_refused_unless_such_rows_are_left_out() {
    let (_app, ann) = start().await;
    let mut file = "part,price\nBrake Rotor,45\n".to_owned();
    for _ in 0..7 {
        file.push_str("Brake Rotor,12 each\n");
    }
    let refused = upload(&ann, &[], &file).await;
    let detail = refused.invalid("file");
    assert!(detail.starts_with("Nothing was saved. Row 3, `price`: `12 each` is no price."), "{detail}");
    assert!(detail.contains("And 2 more") && detail.contains("`skipErrors`"), "{detail}");
    assert_eq!(ann.get("/api/price-lists").await.json(), json!([]));
    let report = upload(&ann, &[("skipErrors", "true")], &file).await.expect_status(201).json();
    assert_eq!((&report["accepted"], &report["errors"]), (&json!(1), &json!(7)));
    assert_eq!(offers(&ann, ROTORS).await, expected(&[("Lee", "45.0 USD", true)]));
}

#[tokio::test]
async fn a_list_replaces_that_of_its_name_and_can_be_deleted_and_restored() {
    let (_app, ann) = start().await;
    let id = |reply: Reply| reply.expect_status(201).json()["id"].as_str().unwrap().to_owned();
    let first = id(upload(&ann, &[], "part,price\nBrake Rotor,45\n").await);
    // A list that is refused leaves the one before it alone.
    upload(&ann, &[], "part,price\nBrake Rotor,4 5 x\n").await.problem(422, "invalid");
    upload(&ann, &[], "part,price\nBrake Rotor,\n").await.problem(422, "invalid");
    assert_eq!(offers(&ann, ROTORS).await, expected(&[("Lee", "45.0 USD", true)]));
    let second = upload(&ann, &[("name", "LEE")], "part,price\nBrake Rotor,44\n").await;
    assert_eq!(second.json()["replaced"], true);
    let second = id(second);
    assert_eq!(offers(&ann, ROTORS).await, expected(&[("Lee", "44.0 USD", true)]));

    let restore =
        async |id: &str| send(ann.request(Method::POST, &format!("/api/price-lists/{id}/restore"))).await;
    assert!(restore(&first).await.problem(409, "conflict").contains("newer price list"));
    ann.delete(&format!("/api/price-lists/{second}")).await.expect_status(204);
    ann.delete(&format!("/api/price-lists/{second}")).await.problem(404, "not-found");
    assert_eq!(offers(&ann, ROTORS).await, []);
    restore(&first).await.expect_status(204);
    restore(&first).await.problem(404, "not-found");
    assert_eq!(offers(&ann, ROTORS).await, expected(&[("Lee", "45.0 USD", true)]));
}

#[tokio::test]
async fn a_deleted_list_is_gone_after_thirty_days() {
    let (app, ann) = start().await;
    let reply = upload(&ann, &[], "part,price\nBrake Rotor,45\n").await;
    let id = reply.expect_status(201).json()["id"].as_str().unwrap().to_owned();
    ann.delete(&format!("/api/price-lists/{id}")).await.expect_status(204);
    app.advance(SignedDuration::from_hours(29 * 24));
    assert_eq!(app.use_cases.parts.purge_lists::<partsight_app::PriceListRows>().await.unwrap(), 0);
    app.advance(SignedDuration::from_hours(2 * 24));
    assert_eq!(app.use_cases.parts.purge_lists::<partsight_app::PriceListRows>().await.unwrap(), 1);
}

#[tokio::test]
async fn prices_in_another_currency_are_shown_in_theirs_and_not_compared() {
    let (_app, ann) = start().await;
    upload(&ann, &[("currency", "EUR")], "part,price\nBrake Rotor,10\n").await.expect_status(201);
    // Alone they can be compared with each other.
    assert_eq!(offers(&ann, ROTORS).await, expected(&[("Lee", "10.0 EUR", true)]));
    upload(&ann, &[("name", "US")], "part,price\nBrake Rotor,45\n").await.expect_status(201);
    assert_eq!(
        offers(&ann, ROTORS).await,
        expected(&[("Lee", "45.0 USD", true), ("Lee", "10.0 EUR", false)])
    );
    let suppliers = ann.get(ROTORS).await.json()["suppliers"].clone();
    assert_eq!((&suppliers[1]["price"], &suppliers[1]["priceNote"]), (&Value::Null, &json!("10.00 EUR")));
    // A column says it row by row.
    let mixed = "part,price,currency\nBrake Rotor,9,GBP\nBrake Rotor,8,\nBrake Rotor,7 €,EUR\n";
    let report = upload(&ann, &[("name", "US")], mixed).await.expect_status(201).json();
    assert_eq!(report["currencies"], json!({ "EUR": 1, "GBP": 1, "USD": 1 }));
}

#[tokio::test]
async fn a_part_number_finds_its_rows_whatever_they_are_called() {
    let (_app, ann) = start().await;
    let file = "label,sku,price,make,model,year from,year to\n\
                brake-rotor,A-1,30,,,,\n\
                brake-rotor,B-2,40,Honda,Civic,2012,2015\n\
                brake-rotor,C-3,20,Honda,Civic,2016,\n\
                ,45251/TBA,50,,,,\n";
    upload(&ann, &[], file).await.expect_status(201);
    let fits = |body: Value| -> Vec<Value> {
        let suppliers = body["suppliers"].as_array().unwrap().clone();
        suppliers.iter().filter(|s| s["source"] == "price-list").map(|s| s["fits"].clone()).collect()
    };
    assert_eq!(
        offers(&ann, ROTORS).await,
        expected(&[("Lee", "30.0 USD", true), ("Lee", "40.0 USD", false)])
    );
    assert_eq!(fits(ann.get(ROTORS).await.json()), [Value::Null, json!(true)]);
    let by_number = format!("{ROTORS}?partNumber=45251-tba");
    assert_eq!(offers(&ann, &by_number).await, expected(&[("Lee", "50.0 USD", true)]));
    let vehicle =
        ann.post("/api/vehicles", &json!({ "make": "Honda", "model": "Civic", "year": 2019 })).await;
    let other = format!("{ROTORS}?vehicleId={}", vehicle.json()["id"].as_str().unwrap());
    assert_eq!(
        offers(&ann, &other).await,
        expected(&[("Lee", "20.0 USD", true), ("Lee", "30.0 USD", false)])
    );
    ann.get(&format!("{ROTORS}?partNumber=--")).await.problem(422, "invalid");
    ann.get(&format!("{ROTORS}?vehicleId=0190a0a0-0000-7000-8000-000000000000"))
        .await
        .problem(404, "not-found");
}

#[tokio::test]
async fn what_does_not_fit_is_named() {
    let (_app, ann) = start().await;
    let good = "part,price\nBrake Rotor,45\n";
    let cases: [(Fields, &str, &str, &str); 15] = [
        (&[("supplier", "")], good, "supplier", "who sells"),
        (&[("currency", "dollars")], good, "currency", "three letters"),
        (&[("urlTemplate", "https://x.example/{vin}")], good, "urlTemplate", "known are"),
        (&[("website", "x.example")], good, "website", "https://"),
        (&[("mapping", "price")], good, "mapping", "JSON object"),
        (&[("mapping", "{\"cost\":\"price\"}")], good, "mapping", "no field `cost`"),
        (&[("mapping", "{\"price\":\"Net\"}")], good, "mapping", "it has `part`, `price`"),
        (&[("delimiter", "pipe")], good, "delimiter", "`semicolon`"),
        (&[("decimalSign", "dot")], good, "decimalSign", "`comma`"),
        (&[("dryRun", "yes")], good, "dryRun", "`true` or `false`"),
        // Passed over, it would replace the list.
        (&[("dryrun", "true")], good, "form", "no field `dryrun`"),
        (&[], "", "file", "The file is empty"),
        (&[], "code,amount\n1,2\n", "file", "has `code`, `amount`"),
        (&[], "part,price\n\"Rotor,45\n", "file", "never closed"),
        (&[], "part,price\nRotor,1.234\n", "file", "`decimalSign`"),
    ];
    for (fields, file, field, sentence) in cases {
        let fields: Vec<_> = [("supplier", "Lee")].iter().chain(fields).copied().collect();
        let reply = send_form(&ann, form(&fields, file)).await;
        let detail = reply.invalid(field);
        assert!(detail.contains(sentence), "{detail}");
    }
    let latin = form(&[("supplier", "Lee")], b"part,price\nCitro\xebn rotor,45\n".to_vec());
    assert!(send_form(&ann, latin).await.problem(422, "invalid").contains("CSV UTF-8"));
    let late = form(&[("supplier", "Lee")], good).text("currency", "EUR");
    assert!(send_form(&ann, late).await.problem(422, "invalid").contains("last field"));
    // A supplier that stands behind the file is not called missing.
    let behind = form(&[], good).text("supplier", "Lee");
    assert!(send_form(&ann, behind).await.problem(422, "invalid").contains("last field"));
    let none = Form::new().text("supplier", "Lee");
    assert!(send_form(&ann, none).await.problem(422, "invalid").contains("`file`"));
    let json = send(ann.request(Method::POST, "/api/price-lists").json(&json!({}))).await;
    json.problem(415, "unsupported-media-type");
    let beside = ann.request(Method::POST, "/api/price-lists?dryRun=true");
    let beside = send(beside.multipart(form(&[("supplier", "Lee")], good))).await;
    assert!(beside.problem(422, "invalid").contains("as fields of the form"), "{beside:?}");
    assert_eq!(ann.get("/api/price-lists").await.json(), json!([]));
}

#[tokio::test]
async fn a_team_shares_its_lists_and_its_managers_change_them() {
    let (app, ann) = start().await;
    let (bob, carol, dave) =
        (app.sign_up("bob").await, app.sign_up("carol").await, app.sign_up("dave").await);
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    join(&ann, &company, &carol, "manager").await;
    let file = "part,price\nBrake Rotor,45\n";
    let reply = upload(&carol, &[], file).await;
    let path = format!("/api/price-lists/{}", reply.expect_status(201).json()["id"].as_str().unwrap());
    for member in [&ann, &bob, &carol] {
        assert_eq!(offers(member, ROTORS).await, expected(&[("Lee", "45.0 USD", true)]));
        assert_eq!(member.get("/api/price-lists").await.json().as_array().unwrap().len(), 1);
    }
    upload(&bob, &[], file).await.problem(403, "forbidden");
    bob.delete(&path).await.problem(403, "forbidden");
    assert_eq!(offers(&dave, ROTORS).await, []);
    dave.delete(&path).await.problem(404, "not-found");
    ann.delete(&path).await.expect_status(204);
}

#[tokio::test]
async fn what_a_shop_uploaded_goes_along_when_it_becomes_a_company() {
    let (app, ann) = start().await;
    upload(&ann, &[], "part,price\nBrake Rotor,41.90\n").await.expect_status(201);
    let numbers = "number,brand,relation,otherNumber,otherBrand\nA-1,Bosch,equals,B-2,VW\n";
    cross_references::upload(&ann, &[], numbers).await.expect_status(201);
    ann.put_json("/api/grades/scale", &json!({ "grades": ["Good", "Scrap"] })).await.expect_status(200);
    let paths = ["/api/price-lists", "/api/cross-references", "/api/grades/scale"];
    let mut before = Vec::new();
    for path in paths {
        before.push(ann.get(path).await.expect_status(200).json());
    }
    assert_eq!(before.iter().map(|list| list.as_array().map_or(0, Vec::len)).sum::<usize>(), 2);

    let company = make(&ann).await;
    let bob = app.sign_up("bob").await;
    join(&ann, &company, &bob, "member").await;
    for (path, before) in paths.into_iter().zip(before) {
        assert_eq!(ann.get(path).await.expect_status(200).json(), before, "{path}");
        assert_eq!(bob.get(path).await.expect_status(200).json(), before, "{path} of a member");
    }
    assert_eq!(offers(&ann, ROTORS).await, expected(&[("Lee", "41.9 USD", true)]));
}

#[tokio::test]
async fn price_lists_are_part_of_business() {
    let (app, ann) = TestApp::stand_in_with_ann().await;
    let file = "part,price\nBrake Rotor,45\n";
    let refused = upload(&ann, &[], file).await.problem(403, "forbidden");
    assert!(refused.contains("Business"), "{refused}");
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    upload(&ann, &[], file).await.expect_status(201);
    assert_eq!(offers(&ann, ROTORS).await.len(), 1);
    app.execute("UPDATE app_user SET plan = 'pro' WHERE email = 'ann@example.com'").await;
    assert_eq!(offers(&ann, ROTORS).await, []);
    // They are still hers to see and to delete.
    assert_eq!(ann.get("/api/price-lists").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_taught_part_is_found_in_a_list_by_its_name() {
    let (app, ann) = start().await;
    app.execute(
        "INSERT INTO taught_part_type (taught_part_type_id, tenant_id, label, name, category, created_at) \
         SELECT '0190a0a0-0000-7000-8000-0000000000f1', tenant_id, 'egr-valve-2-0-tdi', 'EGR valve, 2.0 TDI', \
                'engine', 1800000000000 FROM app_user WHERE email = 'ann@example.com'",
    )
    .await;
    upload(&ann, &[], "part;price\nEGR Valve 2.0 TDI;120\n").await.expect_status(201);
    let path = "/api/parts/egr-valve-2-0-tdi/ai-suppliers";
    assert_eq!(offers(&ann, path).await, expected(&[("Lee", "120.0 USD", true)]));
}

#[tokio::test]
async fn a_long_list_arrives_in_pieces() {
    let (_app, ann) = start().await;
    // With PARTSIGHT_TEST_ROWS=500000 as long as a wholesaler's.
    let n_rows: u32 = std::env::var("PARTSIGHT_TEST_ROWS").map_or(12_000, |rows| rows.parse().unwrap());
    let mut file = "sku;name;brand;price;stock\n".to_owned();
    for row in 0..n_rows {
        let name = if row % 1000 == 0 { "Brake Rotor" } else { "Gasket" };
        writeln!(file, "N{row:07};{name};Brand {};{},{:02};{}", row % 90, row % 700 + 1, row % 100, row % 5)
            .unwrap();
    }
    let start = std::time::Instant::now();
    let report = upload(&ann, &[], &file).await.expect_status(201).json();
    println!("{n_rows} rows, {} bytes: {:?}", file.len(), start.elapsed());
    assert_eq!((&report["accepted"], &report["errors"]), (&json!(n_rows), &json!(0)));
    let start = std::time::Instant::now();
    let found = offers(&ann, ROTORS).await;
    println!("found among them in {:?}", start.elapsed());
    assert_eq!(found.len(), (n_rows as usize / 1000).min(20));
    let last = n_rows - 1;
    assert_eq!(offers(&ann, &format!("{ROTORS}?partNumber=n{last:07}")).await.len(), 1);
    // Others can write while it arrives, and the list before it holds until then.
    let writing = async {
        for model in ["Jazz", "Accord", "Legend"] {
            ann.add_vehicle(model).await;
        }
    };
    let (again, ()) = tokio::join!(upload(&ann, &[], &file), writing);
    assert_eq!(again.expect_status(201).json()["replaced"], true);
}
