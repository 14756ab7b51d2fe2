//! The parts of a shop as CSV, ACES and PIES.

use partsight_domain::Plan;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::send;
use crate::parts::shop_parts::{create, plug};
use crate::{Client, Reply, TestApp};

async fn import(client: &Client, query: &str, media_type: &str, file: &str) -> Reply {
    let request = client.request(Method::POST, &format!("/api/catalog/parts/import{query}"));
    send(request.header("content-type", media_type).body(file.to_owned())).await
}

async fn csv(client: &Client, query: &str, file: &str) -> Reply {
    import(client, query, "text/csv", file).await
}

async fn xml(client: &Client, query: &str, file: &str) -> Reply {
    import(client, query, "application/xml", file).await
}

async fn parts(client: &Client) -> Vec<Value> {
    client.get("/api/catalog/parts").await.expect_status(200).json().as_array().unwrap().clone()
}

/// Row, status and the beginning of the message of each row.
fn rows(reply: &Reply) -> Vec<(u64, String, String)> {
    let report = reply.expect_status(200).json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let rows = report["rows"].as_array().unwrap();
    rows.iter()
        .map(|row| (row["row"].as_u64().unwrap(), text(&row["status"]), text(&row["message"])))
        .collect()
}

fn statuses(reply: &Reply) -> Vec<String> {
    rows(reply).into_iter().map(|(_, status, _)| status).collect()
}

#[tokio::test]
async fn what_is_exported_is_imported_again_as_it_was() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    create(&ann, &plug("=1+1")).await;
    create(
        &ann,
        &json!({
            "label": "rim", "number": "-17, \"x\"; 7", "name": "+Wheel",
            "fitments": [
                { "make": "Honda", "model": "Civic", "yearFrom": 2012 },
                { "make": "BMW", "fits": false, "note": "@hub" },
            ],
        }),
    )
    .await;
    let file = ann.get("/api/export/parts.csv").await;
    assert_eq!(file.expect_status(200).header("content-type"), "text/csv; charset=utf-8");
    insta::assert_snapshot!("parts_csv", file.text);
    for line in file.text.trim_start_matches('\u{feff}').lines() {
        let cells = line.split(',').map(|cell| cell.trim_start_matches('"'));
        assert!(cells.clone().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{line}");
    }
    assert_eq!(statuses(&csv(&bob, "", &file.text).await), ["new", "new", "changed"]);
    let plain = |parts: Vec<Value>| -> Vec<Value> {
        parts
            .into_iter()
            .map(|mut part| {
                for field in ["id", "createdAt", "updatedAt"] {
                    part[field] = Value::Null;
                }
                part
            })
            .collect()
    };
    assert_eq!(plain(parts(&bob).await), plain(parts(&ann).await));
    // Again, it is there already.
    assert_eq!(statuses(&csv(&ann, "", &file.text).await), ["unchanged", "unchanged", "unchanged"]);
}

#[tokio::test]
async fn the_export_of_a_full_shop_is_imported_again() {
    let (_app, client) = TestApp::stand_in_with_ann_on(Plan::Pro).await;
    let rows = (0..20_000).map(|row| format!("spark-plug,A-{row},{}", "x".repeat(300)));
    let full = format!("type,number,notes\n{}\n", rows.collect::<Vec<_>>().join("\n"));
    assert!(full.len() > 6_000_000, "it is larger than a file of records may be");
    assert_eq!(csv(&client, "", &full).await.expect_status(200).json()["new"], 20_000);
    let file = client.get("/api/export/parts.csv").await;
    let again = csv(&client, "", &file.expect_status(200).text).await.expect_status(200).json();
    assert_eq!((&again["saved"], &again["unchanged"]), (&json!(true), &json!(20_000)));
}

#[tokio::test]
async fn a_dry_run_says_what_an_import_would_do_and_saves_nothing() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    let id = create(&client, &plug("1")).await;
    let file = "Part Type;Part Number;Brand;Price;Make;Model;Year;Colour\r\n\
                Spark Plug;1;NGK;13,75;Honda;Accord;2014;red\r\n\
                ;1;ngk;;;;;\r\n\
                sparkplug-x;2;NGK;;;;;\r\n\
                Brake Disc;3;;x;;;;\r\n\
                ;4;;;;;;\r\n\
                rim;;;;;;;\r\n\
                rim;5;;1.234,50;;;;\r\n\
                rim;5;;99;;;;\r\n";
    let reply = csv(&client, "?dryRun=true", file).await;
    let report = reply.json();
    assert_eq!((&report["saved"], &report["ignoredColumns"]), (&json!(false), &json!(["Colour"])));
    assert_eq!((&report["new"], &report["changed"], &report["errors"]), (&json!(1), &json!(1), &json!(5)));
    let expected = [
        (2, "changed", ""),
        (3, "unchanged", ""),
        (4, "error", "no part type \"sparkplug-x\""),
        (5, "error", "price"),
        (6, "error", "does not say the type"),
        (7, "error", "part number"),
        (8, "new", ""),
        (9, "error", "another price"),
    ];
    let found = rows(&reply);
    assert_eq!(found.len(), expected.len());
    for ((row, status, message), (at, expected, part)) in found.iter().zip(expected) {
        assert!(*row == at && status == expected && message.contains(part), "{row} {status} {message}");
    }
    let refused = csv(&client, "", file).await.problem(422, "invalid");
    assert!(refused.starts_with("Nothing was imported. Row 4: "), "{refused}");
    assert_eq!(parts(&client).await.len(), 1);

    let good = file.lines().take(3).collect::<Vec<_>>().join("\r\n");
    assert_eq!(csv(&client, "", &good).await.expect_status(200).json()["saved"], true);
    let part = client.get(&format!("/api/catalog/parts/{id}")).await.json();
    assert_eq!(part["price"], json!({ "cents": 1375, "currency": "USD" }));
    assert_eq!((part["fitments"].as_array().unwrap().len(), &part["notes"]), (2, &json!("Gap 0.8 mm")));
    // The type of all rows that do not say it.
    assert_eq!(statuses(&csv(&client, "?label=rim", "number\n7\n").await), ["new"]);
    csv(&client, "?label=no-such-part", "number\n7\n").await.problem(404, "not-found");
    csv(&client, "", "brand\nNGK\n").await.problem(422, "invalid");
    import(&client, "", "application/json", "{}").await.problem(415, "unsupported-media-type");
}

#[tokio::test]
async fn what_a_file_leaves_blank_stays_as_it_was() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    let mut part = plug("1");
    part["currency"] = json!("EUR");
    create(&client, &part).await;
    // Neither the type nor the currency is said; another note makes another fitment.
    let file = "number,brand,price,make,model,year_from,year_to,fitment_note\r\n\
                1,NGK,20,Honda,Civic,2012,2015,\r\n\
                1,NGK,,Honda,Civic,2012,2015,left\r\n\
                1,NGK,,Honda,Civic,2012,2015,right\r\n\
                1,NGK,,Honda,Civic,2012,2015,left\r\n";
    let reply = csv(&client, "?label=rim", file).await;
    assert_eq!(statuses(&reply), ["changed", "changed", "changed", "unchanged"]);
    let parts = parts(&client).await;
    assert_eq!((parts.len(), &parts[0]["label"]), (1, &json!("spark-plug")));
    assert_eq!(parts[0]["price"], json!({ "cents": 2000, "currency": "EUR" }));
    assert_eq!(parts[0]["name"], "Iridium plug");
    let notes: Vec<&Value> =
        parts[0]["fitments"].as_array().unwrap().iter().map(|fitment| &fitment["note"]).collect();
    assert_eq!(notes, [&Value::Null, &json!("left"), &json!("right")]);
}

const ACES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<ACES version="4.2" xmlns="http://www.autocare.org">
  <Header><Company>Test</Company></Header>
  <App action="A" id="1"><Years from="2012" to="2015"/><Make>Honda</Make><Model>Civic</Model>
    <Note>1.8 &amp; 2.0</Note><Qty>4</Qty><PartType id="7212"/><Part BrandAAIAID="BBCD">ILZKR7B-11S</Part></App>
  <App action="A" id="2"><BaseVehicle id="5911"/><Qty>4</Qty><PartType id="7212"/><Part>ILZKR7B-11S</Part></App>
  <App action="A" id="3"><Years from="2012" to="2015"/><Make id="59"/><Model id="698"/><Part>X</Part></App>
  <App action="A" id="4"><Years from="2013" to="2014"/><Make name="Honda"/><Model name="Accord"/>
    <SubModel name="Sport"/><EngineBase id="2121"/><Qual id="5"><text>With towing package</text></Qual>
    <Position name="Rear"/><Part BrandAAIAID="BBCD">ILZKR7B-11S</Part></App>
  <App action="D" id="5"><Make>Honda</Make><Part>Y</Part></App>
  <Footer><RecordCount>5</RecordCount></Footer>
</ACES>"#;

const PIES: &str = r#"<PIES xmlns="http://www.autocare.org"><Items>
  <Item MaintenanceType="A"><PartNumber>ILZKR7B-11S</PartNumber><BrandAAIAID>BBCD</BrandAAIAID>
    <BrandLabel>NGK</BrandLabel><PartTerminologyID>7212</PartTerminologyID>
    <Descriptions>
      <Description DescriptionCode="DES" LanguageCode="EN">Spark Plug</Description>
      <Description DescriptionCode="SHO" LanguageCode="EN">Laser iridium plug</Description>
    </Descriptions>
    <Prices>
      <Pricing PriceType="JBR"><CurrencyCode>USD</CurrencyCode><Price UOM="PE">8.10</Price></Pricing>
      <Pricing PriceType="RET"><CurrencyCode>USD</CurrencyCode><Price UOM="PE">16.49</Price></Pricing>
    </Prices></Item>
  <Item MaintenanceType="A"><PartNumber>Z</PartNumber><BrandLabel>NGK</BrandLabel></Item>
</Items></PIES>"#;

#[tokio::test]
async fn of_aces_what_is_said_in_words_is_imported_and_the_rest_reported() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    // Without a type there is nothing to tell it from.
    let untyped = xml(&client, "?dryRun=true", ACES).await;
    assert_eq!(statuses(&untyped), ["error", "skipped", "skipped", "error", "skipped"]);

    let reply = xml(&client, "?label=spark-plug", ACES).await;
    assert_eq!(statuses(&reply), ["new", "skipped", "skipped", "changed", "skipped"]);
    let report = reply.json();
    assert_eq!((&report["format"], &report["saved"]), (&json!("aces"), &json!(true)));
    assert!(rows(&reply)[1].2.contains("5911"), "{:?}", rows(&reply));
    let parts = parts(&client).await;
    assert_eq!((parts.len(), &parts[0]["brand"]), (1, &json!("BBCD")));
    assert_eq!(
        parts[0]["fitments"],
        json!([
            { "make": "Honda", "model": "Civic", "yearFrom": 2012, "yearTo": 2015, "note": "1.8 & 2.0",
              "fits": true, "source": "aces" },
            { "make": "Honda", "model": "Accord", "yearFrom": 2013, "yearTo": 2014,
              "note": "SubModel: Sport; only EngineBase 2121 of the vehicle database; With towing package; Position: Rear",
              "fits": true, "source": "aces" },
        ])
    );
    assert_eq!(statuses(&xml(&client, "", ACES).await)[0], "unchanged");
}

#[tokio::test]
async fn a_part_fits_no_other_vehicle_only_if_its_whole_list_was_read() {
    let (_app, client) = TestApp::stand_in_with_ann_on(Plan::Pro).await;
    client.add_vehicle("Civic").await;
    let accord =
        "<App action='A'><Make name='Honda'/><Model name='Accord'/><Part BrandLabel='NGK'>P-1</Part></App>";
    let unread = "<App action='A'><BaseVehicle id='5911'/><Part BrandLabel='ngk'>P 1</Part></App>";
    let removed = "<App action='D'><Make name='Honda'/><Part BrandLabel='NGK'>P-1</Part></App>";
    let other = "<App action='A'><BaseVehicle id='5911'/><Part>P-2</Part></App>";
    let file = |kind: &str, applications: &[&str]| {
        let header = format!("<Header><SubmissionType>{kind}</SubmissionType></Header>");
        format!("<ACES>{header}{}</ACES>", applications.concat())
    };
    let client = &client;
    let verdict = async |file: String, expected: &str| {
        xml(client, "?label=spark-plug", &file).await.expect_status(200);
        let id = parts(client).await[0]["id"].as_str().unwrap().to_owned();
        let fit = client.get(&format!("/api/parts/{id}/fits")).await;
        assert_eq!(fit.expect_status(200).json()["verdict"], expected, "{file}");
    };
    verdict(file("UPDATE", &[accord]), "unknown").await;
    verdict(file("FULL", &[accord, other]), "does-not-fit").await;
    verdict(file("FULL", &[accord, unread]), "unknown").await;
    verdict(file("FULL", &[accord]), "does-not-fit").await;
    // All of its applications are skipped.
    verdict(file("FULL", &[removed]), "unknown").await;
    verdict(file("full", &[accord]), "does-not-fit").await;
    // A file that lists no further vehicle changes nothing.
    verdict(format!("<ACES>{accord}</ACES>"), "does-not-fit").await;
    verdict(exported(client, "aces").await, "does-not-fit").await;
    verdict(format!("<ACES>{}</ACES>", accord.replace("Accord", "Fit")), "unknown").await;
    verdict(exported(client, "aces").await, "unknown").await;
}

#[tokio::test]
async fn of_pies_number_brand_description_and_price_are_imported() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    assert_eq!(statuses(&xml(&client, "?dryRun=true", PIES).await), ["new", "error"]);
    let reply = xml(&client, "?label=spark-plug", PIES).await;
    assert_eq!(
        (statuses(&reply), &reply.json()["format"]),
        (vec!["new".into(), "new".into()], &json!("pies"))
    );
    let part = parts(&client).await.into_iter().find(|part| part["number"] == "ILZKR7B-11S").unwrap();
    assert_eq!((&part["brand"], &part["name"]), (&json!("NGK"), &json!("Laser iridium plug")));
    assert_eq!((&part["label"], &part["price"]["cents"]), (&json!("spark-plug"), &json!(1649)));
}

/// The parts of a shop by number, without what an import makes anew and with what `change` makes of each.
async fn plain_parts(client: &Client, change: impl Fn(&mut Value)) -> Vec<Value> {
    let mut parts = parts(client).await;
    for part in &mut parts {
        for field in ["id", "createdAt", "updatedAt"] {
            part[field] = Value::Null;
        }
        change(part);
    }
    parts.sort_by_key(|part| part["number"].as_str().unwrap().to_owned());
    parts
}

async fn exported(client: &Client, format: &str) -> String {
    let file = client.get(&format!("/api/export/parts.xml?format={format}")).await;
    assert_eq!(file.expect_status(200).header("content-type"), "application/xml; charset=utf-8");
    let name = format!("attachment; filename=\"partsight-parts-{format}.xml\"");
    assert_eq!(file.header("content-disposition"), name);
    file.text
}

#[tokio::test]
async fn what_aces_and_pies_can_say_is_exported_and_imported_again_as_it_was() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let (ann, bob, carol) = (app.sign_up("ann").await, app.sign_up("bob").await, app.sign_up("carol").await);
    create(&ann, &plug("1 <&> \"'")).await;
    let rest = [
        json!({
            "label": "rim", "number": "2", "brand": "BBCD", "name": "]]> &amp; Räder",
            "price": "1049.90", "currency": "EUR", "notes": format!("zwei\nZeilen {}", "轮".repeat(1900)),
            "fitments": [
                { "make": "Citroën & Co", "yearFrom": 2012, "note": "18\" <only>" },
                { "make": "BMW", "model": "M3", "fits": false },
                { "make": "BMW", "model": "M5", "yearTo": "2015" },
            ],
        }),
        json!({ "label": "alternator", "number": "3" }),
    ];
    for part in &rest {
        create(&ann, part).await;
    }

    let pies = exported(&ann, "pies").await;
    insta::assert_snapshot!("parts_pies", pies.replace(&"轮".repeat(1900), "轮"));
    assert_eq!(statuses(&xml(&bob, "", &pies).await), ["new", "new", "new"]);
    let without_vehicles = plain_parts(&ann, |part| part["fitments"] = json!([])).await;
    assert_eq!(plain_parts(&bob, |_| {}).await, without_vehicles);
    // Again, it is there already.
    assert_eq!(statuses(&xml(&ann, "", &pies).await), ["unchanged", "unchanged", "unchanged"]);

    let aces = exported(&ann, "aces").await;
    insta::assert_snapshot!("parts_aces", aces);
    assert_eq!(statuses(&xml(&carol, "", &aces).await), ["new", "new", "changed"]);
    let with_vehicles = plain_parts(&ann, |part| {
        (part["price"], part["notes"]) = (Value::Null, Value::Null);
        let fitments = part["fitments"].as_array_mut().unwrap();
        fitments.retain(|fitment| fitment["fits"] == true);
        for fitment in fitments {
            fitment["source"] = json!("aces");
        }
    });
    let with_vehicles: Vec<Value> =
        with_vehicles.await.into_iter().filter(|part| part["fitments"] != json!([])).collect();
    assert_eq!(plain_parts(&carol, |_| {}).await, with_vehicles);
    assert_eq!(statuses(&xml(&ann, "", &aces).await), ["unchanged", "unchanged", "unchanged"]);
    // Both together give all but the vehicles that a part does not fit.
    assert_eq!(statuses(&xml(&bob, "", &aces).await), ["changed", "changed", "changed"]);
}

#[tokio::test]
async fn a_shop_without_parts_is_a_file_without_records_and_an_unknown_format_is_none() {
    let (app, client) = TestApp::stand_in_with_ann().await;
    for format in ["aces", "pies"] {
        let file = exported(&client, format).await;
        assert_eq!(statuses(&xml(&client, "", &file).await), Vec::<String>::new());
    }
    for query in ["?format=csv", "?format=ACES", "?format=", ""] {
        client.get(&format!("/api/export/parts.xml{query}")).await.problem(422, "invalid");
    }
    app.client().get("/api/export/parts.xml?format=aces").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn xml_that_is_hostile_or_something_else_is_refused() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\">]><ACES><App>&b;</App></ACES>";
    for (file, part) in [
        (bomb, "document type"),
        ("<rss/>", "begins with `rss`"),
        ("<ACES><App></ACES>", "broken in line 1"),
        ("", "empty"),
    ] {
        let refused = xml(&client, "", file).await;
        let sentence = refused.problem(422, "invalid");
        assert!(sentence.contains(part), "{file}: {sentence}");
    }
    let large = format!("<ACES>{}</ACES>", " ".repeat(10 * 1024 * 1024));
    xml(&client, "", &large).await.problem(413, "too-large");
}
