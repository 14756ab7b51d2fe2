//! The tools for language models over HTTP.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use partsight_domain::Plan;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::client::send;
use crate::{Client, Reply, TestApp, pictures};

struct Program {
    client: Client,
    key: String,
}

impl Program {
    async fn with(app: &TestApp, ann: &Client, scopes: &[&str]) -> Self {
        let made = ann.post("/api/api-keys", &json!({ "name": "model", "scopes": scopes })).await;
        let key = made.expect_status(201).json()["key"].as_str().unwrap().to_owned();
        Self { client: app.client(), key }
    }

    async fn send(&self, message: &Value) -> Reply {
        send(self.client.request(Method::POST, "/mcp").bearer_auth(&self.key).json(message)).await
    }

    async fn ask(&self, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = self.send(&message).await.expect_status(200).json();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(1)));
        answer
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await["result"].clone()
    }
}

#[tokio::test]
async fn a_model_identifies_looks_up_and_logs() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let vehicle = ann.add_vehicle("Civic").await;
    let program = Program::with(&app, &ann, &["scan", "catalog", "garage-read", "garage-write"]).await;
    let begun = program.ask("initialize", json!({ "protocolVersion": "2025-06-18" })).await;
    assert_eq!(begun["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(begun["result"]["serverInfo"]["name"], "partsight");
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(program.send(&ready).await.expect_status(202).text, "");
    let tools = program.ask("tools/list", json!({})).await;
    let tools = tools["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 9);

    let image = STANDARD.encode(pictures::plain());
    let scan = program.call("identify_part", json!({ "imageBase64": image, "vehicleId": vehicle })).await;
    assert_eq!(scan["isError"], false, "{scan}");
    let scan = &scan["structuredContent"];
    let id = scan["id"].as_str().unwrap();
    assert_eq!(ann.get(&format!("/api/scans/{id}")).await.expect_status(200).json()["id"], scan["id"]);
    let found = program.call("search_parts", json!({ "query": "sparc plug", "limit": 3.0 })).await;
    assert_eq!(found["structuredContent"]["items"][0]["label"], "spark-plug");
    let vin = program.call("look_up_vin", json!({ "vin": "1HGCM82633A004352" })).await;
    assert_eq!(vin["structuredContent"]["vin"], "1HGCM82633A004352", "{vin}");
    let vehicles = program.call("list_vehicles", json!({})).await;
    assert_eq!(vehicles["structuredContent"]["items"][0]["id"], vehicle.as_str());
    let repair = json!({
        "vehicleId": vehicle, "mileage": 52_000.0, "partReplaced": "Alternator", "repairDate": "2027-01-10",
        "cost": null,
    });
    let logged = program.call("log_repair", repair).await;
    assert_eq!(logged["structuredContent"]["partReplaced"], "Alternator", "{logged}");
    assert_eq!(ann.get("/api/repair-history").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_version_that_is_not_spoken_is_refused_after_the_beginning() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let program = Program::with(&app, &ann, &["scan"]).await;
    // At the beginning the client gets to choose among those that are spoken.
    let begun = program.ask("initialize", json!({ "protocolVersion": "2000-01-01" })).await;
    assert_eq!(begun["result"]["protocolVersion"], "2025-11-25");
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for (version, status) in [("2025-03-26", 200), ("2000-01-01", 400), ("newest", 400), ("", 400)] {
        let request = program.client.request(Method::POST, "/mcp").bearer_auth(&program.key);
        let reply = send(request.header("MCP-Protocol-Version", version).json(&message)).await;
        assert_eq!(reply.status, status, "{version}: {}", reply.text);
        assert_eq!(reply.text.contains("2025-11-25, 2025-06-18"), status == 400, "{}", reply.text);
    }
}

#[tokio::test]
async fn a_page_of_another_site_reaches_no_tool() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let program = Program::with(&app, &ann, &["scan"]).await;
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let from = async |origin: &str| {
        let request = program.client.request(Method::POST, "/mcp").bearer_auth(&program.key);
        send(request.header("Origin", origin).json(&message)).await
    };
    for origin in ["http://evil.example", "null"] {
        from(origin).await.problem(403, "forbidden");
    }
    from(&format!("http://{}", app.address)).await.expect_status(200);
    program.send(&message).await.expect_status(200);
}

#[tokio::test]
async fn a_model_reads_many_vehicles_page_by_page() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let mut added = Vec::new();
    for model in ["Civic", "Accord", "Jazz"] {
        added.push(ann.add_vehicle(model).await);
    }
    ann.put(&format!("/api/vehicles/{}/default", added[1])).await.expect_status(200);
    let program = Program::with(&app, &ann, &["garage-read"]).await;
    for (limit, lengths) in [(json!(1), &[1, 1, 1][..]), (json!(2.0), &[2, 1]), (json!(3), &[3])] {
        let (mut cursor, mut pages) = (Value::Null, Vec::new());
        loop {
            let page = program.call("list_vehicles", json!({ "limit": limit, "cursor": cursor })).await;
            assert_eq!(page["isError"], false, "{page}");
            pages.push(page["structuredContent"]["items"].as_array().unwrap().clone());
            cursor = page["structuredContent"]["next"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), lengths);
        let ids: Vec<String> =
            pages.concat().iter().map(|vehicle| vehicle["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(ids, [&added[1], &added[0], &added[2]].map(ToString::to_string));
    }
    let all = program.call("list_vehicles", json!({})).await;
    assert_eq!(all["structuredContent"]["items"].as_array().unwrap().len(), 3);
    assert_eq!(all["structuredContent"]["next"], Value::Null);
    for (arguments, part) in [
        (json!({ "limit": 0 }), "1 to 200"),
        (json!({ "limit": 201 }), "1 to 200"),
        (json!({ "cursor": "x" }), "`next` of the answer before"),
    ] {
        let refused = program.call("list_vehicles", arguments).await;
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(refused["content"][0]["text"].as_str().unwrap().contains(part), "{refused}");
    }
}

#[tokio::test]
async fn a_model_scans_a_batch_and_reads_its_results() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let program = Program::with(&app, &ann, &["scan"]).await;
    let photo = |seed: u32| json!({ "imageBase64": STANDARD.encode(pictures::blocks(seed, 0)), "key": format!("shelf/{seed}.jpg") });
    let started =
        program.call("scan_batch", json!({ "name": "Returns", "photos": [photo(1), photo(2)] })).await;
    assert_eq!(started["isError"], false, "{started}");
    let batch = &started["structuredContent"];
    assert_eq!((&batch["state"], &batch["name"]), (&json!("running"), &json!("Returns")));
    while app.use_cases.batches.answer_next().await.unwrap() {}
    let results = program.call("batch_results", json!({ "batchId": batch["id"] })).await;
    let results = &results["structuredContent"];
    assert_eq!((&results["state"], &results["counts"]["answered"]), (&json!("done"), &json!(2)), "{results}");
    assert_eq!(results["items"].as_array().unwrap().len(), 2);
    assert_eq!(results["next"], Value::Null);
    // More of them go into the same batch; the same key is the same photograph.
    let more = json!({ "batchId": batch["id"], "photos": [photo(2), photo(3)] });
    let more = program.call("scan_batch", more).await;
    assert_eq!(more["structuredContent"]["counts"]["total"], 3, "{more}");
    // Of a batch that this call has not made nothing is said but why it took no photograph.
    for id in ["", "0190a0a0-0000-7000-8000-000000000000"] {
        let refused = program.call("scan_batch", json!({ "batchId": id, "photos": [photo(4)] })).await;
        assert_eq!(refused["isError"], true, "{refused}");
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(!text.is_empty() && !text.contains("not started"), "{text}");
    }
    let asks_late = json!({ "batchId": batch["id"], "readText": true, "photos": [photo(4)] });
    let refused = program.call("scan_batch", asks_late).await;
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("`readText`"), "{refused}");
    // One that cannot be read makes no batch.
    let wrong = json!({ "photos": [photo(4), { "imageBase64": "?" }] });
    let refused = program.call("scan_batch", wrong).await;
    assert_eq!(refused["isError"], true, "{refused}");
    for (tool, arguments) in [
        ("scan_batch", json!({ "photos": [] })),
        ("scan_batch", json!({ "photos": [{ "path": "/etc/passwd" }] })),
        ("batch_results", json!({ "batchId": "../webhooks" })),
    ] {
        assert_eq!(program.call(tool, arguments).await["isError"], true, "{tool}");
    }
    assert_eq!(ann.get("/api/batches").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_model_asks_that_the_text_of_a_batch_is_read() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let program = Program::with(&app, &ann, &["scan"]).await;
    let photos = json!([{ "imageBase64": STANDARD.encode(pictures::plain()) }]);
    for (asked, expected) in [(json!(true), true), (json!(false), false), (Value::Null, false)] {
        let started = program.call("scan_batch", json!({ "readText": asked, "photos": photos })).await;
        assert_eq!(started["structuredContent"]["readText"], expected, "{started}");
    }
}

#[tokio::test]
async fn a_model_teaches_a_part() {
    // The model that is shipped: the stand-in cannot be taught.
    let (app, ann) = TestApp::with_ann_on(Plan::Business).await;
    let program = Program::with(&app, &ann, &["catalog"]).await;
    let photo = json!({ "imageBase64": STANDARD.encode(pictures::golden("brake-rotor")) });
    let part =
        json!({ "name": "Our rotor", "category": "brake", "photos": [photo], "acceptCollision": true });
    let taught = program.call("teach_part", part).await;
    assert_eq!(taught["structuredContent"]["name"], "Our rotor", "{taught}");
    let refused =
        program.call("teach_part", json!({ "name": "Our rim", "category": "brake", "photos": [] })).await;
    assert_eq!(refused["isError"], true);
}

#[tokio::test]
async fn a_tool_opens_what_the_key_opens() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let vehicle = ann.add_vehicle("Civic").await;
    let program = Program::with(&app, &ann, &["garage-read"]).await;
    let tools = program.ask("tools/list", json!({})).await;
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["look_up_vin", "list_vehicles"]);
    let refused = program
        .call("log_repair", json!({ "vehicleId": vehicle, "mileage": 1, "partReplaced": "Rim" }))
        .await;
    assert_eq!(refused["isError"], true);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("garage-write"), "{refused}");
    assert_eq!(ann.get("/api/repair-history").await.json(), json!([]));
    // A browser has no way in, with or without its cookie.
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    ann.post("/mcp", &message).await.problem(401, "not-signed-in");
    let stranger = Program { client: app.client(), key: "ps_live_nothing".to_owned() };
    stranger.send(&message).await.problem(401, "api-key-refused");
    ann.get("/mcp").await.problem(405, "method-not-allowed");
    // What clients do first: they ask for a stream and, at the end, for the end of their session.
    for method in [Method::GET, Method::DELETE] {
        let asked = program.client.request(method, "/mcp").bearer_auth(&program.key);
        let reply = send(asked).await;
        reply.problem(405, "method-not-allowed");
        assert_eq!(reply.header("allow"), "POST");
    }
}

#[tokio::test]
async fn what_is_wrong_is_said_so_that_the_model_can_do_better() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let program = Program::with(&app, &ann, &["scan", "catalog", "garage-write"]).await;
    let code = |answer: &Value| answer["error"]["code"].clone();
    assert_eq!(code(&program.ask("resources/list", json!({})).await), -32601);
    assert_eq!(code(&program.ask("tools/call", json!({ "name": "format_disk" })).await), -32602);
    let batch = program.send(&json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }])).await;
    assert_eq!(code(&batch.expect_status(200).json()), -32600);
    for (tool, arguments, part) in [
        ("identify_part", json!({}), "missing"),
        ("identify_part", json!({ "imageBase64": "GIF" }), "base64"),
        // No file of the server can be read over the network.
        ("identify_part", json!({ "path": "/etc/passwd" }), "imageBase64"),
        ("identify_part", json!({ "imageBase64": STANDARD.encode(b"GIF89a") }), "gif"),
        ("search_parts", json!({}), "`query`"),
        ("look_up_vin", json!({ "vin": 5 }), "`vin` must be text"),
        ("search_parts", json!({ "query": "rim", "limit": "5" }), "`limit` must be a whole number"),
        ("search_parts", json!({ "query": "rim", "limit": u64::MAX }), "limit"),
        ("search_parts", json!({ "query": "rim", "most": 5 }), "`most` is no argument"),
        ("look_up_vin", json!({ "vin": "../../../api/settings" }), ""),
        ("look_up_vin", json!({ "vin": "" }), "`vin` is empty"),
        ("read_text", json!({ "scanId": " " }), "`scanId` is empty"),
        ("batch_results", json!({ "batchId": "" }), "`batchId` is empty"),
        ("log_repair", json!({ "mileage": 5 }), "(field: `vehicleId`)"),
    ] {
        let answer = program.call(tool, arguments.clone()).await;
        assert_eq!(answer["isError"], true, "{tool} {arguments}: {answer}");
        let text = answer["content"][0]["text"].as_str().unwrap().to_lowercase();
        assert!(text.contains(&part.to_lowercase()), "{tool} {arguments}: {text}");
    }
}

/// The beginning of a message with a photograph, kept open.
async fn half_a_message(app: &TestApp, key: &str) -> TcpStream {
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {key}\r\ncontent-length: 100000\r\n\
         content-type: application/json\r\n\r\n{{",
        app.address
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection
}

#[tokio::test]
async fn messages_that_arrive_slowly_leave_room_for_others() {
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(Plan::Business);
        settings.model.queue_capacity = 8;
    })
    .await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let (hers, his) =
        (Program::with(&app, &ann, &["scan"]).await, Program::with(&app, &bob, &["scan"]).await);
    // 16 places, of which an account may have 5 here.
    let mut refusals = JoinSet::new();
    for _ in 0..16 {
        let mut connection = half_a_message(&app, &hers.key).await;
        refusals.spawn(async move {
            let mut status = [0; 12];
            connection.read_exact(&mut status).await.unwrap();
            assert_eq!(&status, b"HTTP/1.1 503");
        });
    }
    for _ in 0..11 {
        refusals.join_next().await.unwrap().unwrap();
    }
    // One without a photograph needs none of them.
    assert!(hers.ask("tools/list", json!({})).await["result"]["tools"].is_array());
    let image = STANDARD.encode(pictures::golden("brake-rotor"));
    let scan = his.call("identify_part", json!({ "imageBase64": image })).await;
    assert_eq!(scan["isError"], false, "{scan}");
}
