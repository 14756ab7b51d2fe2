//! The calls of Stripe's API that are needed here. A parameter that they do not have is refused, as there.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use reqwest::Url;
use serde_json::{Value, json};

use super::world::{Customer, Fault, Replay, World};
use super::{SECRET_KEY, objects};

type Shared = Arc<Mutex<World>>;
type Answer = Result<Value, (u16, Value)>;
/// Names and values of a form or a query, in their order.
type Fields = Vec<(String, String)>;

pub(super) fn router(world: Shared) -> Router {
    Router::new().fallback(call).with_state(world)
}

async fn call(State(world): State<Shared>, request: Request) -> Response {
    let fault = {
        let mut world = world.lock().unwrap();
        world.n_calls += 1;
        world.fault
    };
    match fault {
        Fault::Down => {
            let body = objects::error("api_error", None, "An unknown error occurred");
            return answer(500, body);
        }
        Fault::Silent => {
            while world.lock().unwrap().fault == Fault::Silent {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        _ => {}
    }
    let (parts, body) = request.into_parts();
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    if header("authorization") != Some(format!("Bearer {SECRET_KEY}").as_str()) {
        let body = objects::error("invalid_request_error", None, "Invalid API Key provided");
        return answer(401, body);
    }
    assert!(header("stripe-version").is_some_and(|version| version.starts_with("20")), "no version");
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    if parts.method == Method::POST {
        assert_eq!(header("content-type"), Some("application/x-www-form-urlencoded"));
    }
    let is_read = parts.method == Method::GET;
    let fields = fields(if is_read { parts.uri.query().unwrap_or_default() } else { &body });
    let key = header("idempotency-key").map(str::to_owned);
    let path = parts.uri.path().to_owned();

    let mut world = world.lock().unwrap();
    if is_read {
        return respond(handle(&mut world, &parts.method, &path, &fields));
    }
    world.writes.push((format!("{} {path}", parts.method), key.clone()));
    let text = format!("{} {path} {body}", parts.method);
    if let Some(replay) = key.as_ref().and_then(|key| world.replays.get(key)) {
        if replay.request != text {
            let message = "Keys for idempotent requests can only be used with the same parameters";
            return answer(400, objects::error("idempotency_error", None, message));
        }
        return answer(replay.status, replay.body.clone());
    }
    let result = handle(&mut world, &parts.method, &path, &fields);
    let (status, body) = match result {
        Ok(body) => (200, body),
        Err((status, body)) => (status, body),
    };
    if let Some(key) = key {
        world.replays.insert(key, Replay { request: text, status, body: body.clone() });
    }
    if fault == Fault::LosesAnswer {
        world.fault = Fault::None;
        drop(world);
        // This ends the connection, and nothing else.
        panic!("the answer is lost on purpose");
    }
    answer(status, body)
}

fn respond(result: Answer) -> Response {
    match result {
        Ok(body) => answer(200, body),
        Err((status, body)) => answer(status, body),
    }
}

fn answer(status: u16, body: Value) -> Response {
    (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
}

/// The fields of a form or query, percent-decoded.
fn fields(text: &str) -> Fields {
    let url = Url::parse(&format!("http://localhost/?{text}")).unwrap();
    url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

fn handle(world: &mut World, method: &Method, path: &str, fields: &Fields) -> Answer {
    let segments: Vec<&str> = path.trim_start_matches("/v1/").split('/').collect();
    match (method.as_str(), segments.as_slice()) {
        ("POST", ["customers"]) => create_customer(world, fields),
        ("DELETE", ["customers", id]) => delete_customer(world, id),
        ("GET", ["prices", id]) => retrieve_price(world, id),
        ("GET", ["subscriptions"]) => list_subscriptions(world, fields),
        ("POST", ["subscriptions"]) => create_subscription(world, fields),
        ("POST", ["subscriptions", id]) => update_subscription(world, id, fields),
        ("DELETE", ["subscriptions", id]) => cancel_subscription(world, id),
        _ => Err(refused(404, None, &format!("Unrecognized request URL ({method}: {path})"))),
    }
}

fn refused(status: u16, code: Option<&str>, message: &str) -> (u16, Value) {
    (status, objects::error("invalid_request_error", code, message))
}

fn missing(what: &str, id: &str) -> (u16, Value) {
    refused(404, Some("resource_missing"), &format!("No such {what}: '{id}'"))
}

/// The value of each of these fields; others are refused. A name that ends in `*` stands for all that begin so.
fn check_fields(fields: &Fields, known: &[&str]) -> Result<(), (u16, Value)> {
    let fits = |name: &str| {
        known.iter().any(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => *known == name,
        })
    };
    match fields.iter().find(|(name, _)| !fits(name)) {
        Some((name, _)) => {
            Err(refused(400, Some("parameter_unknown"), &format!("Received unknown parameter: {name}")))
        }
        None => Ok(()),
    }
}

fn field<'a>(fields: &'a Fields, name: &str) -> Result<&'a str, (u16, Value)> {
    let found = fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str());
    found.ok_or_else(|| refused(400, Some("parameter_missing"), &format!("Missing required param: {name}.")))
}

fn create_customer(world: &mut World, fields: &Fields) -> Answer {
    check_fields(fields, &["email", "metadata*"])?;
    let metadata = fields.iter().filter_map(|(name, value)| {
        let name = name.strip_prefix("metadata[")?.strip_suffix(']')?;
        Some((name.to_owned(), json!(value)))
    });
    let customer = Customer {
        id: world.new_id("cus"),
        email: field(fields, "email")?.to_owned(),
        metadata: Value::Object(metadata.collect()),
        created: world.now,
        is_deleted: false,
    };
    let object = objects::customer(&customer);
    world.customers.push(customer);
    Ok(object)
}

fn customer_index(world: &World, id: &str) -> Result<usize, (u16, Value)> {
    let found = world.customers.iter().position(|customer| customer.id == id && !customer.is_deleted);
    found.ok_or_else(|| missing("customer", id))
}

fn delete_customer(world: &mut World, id: &str) -> Answer {
    let index = customer_index(world, id)?;
    world.delete_customer(index);
    Ok(json!({ "id": id, "object": "customer", "deleted": true }))
}

fn retrieve_price(world: &World, id: &str) -> Answer {
    let mut price = objects::price(id).ok_or_else(|| missing("price", id))?;
    match world.fault {
        Fault::OtherPrice => price["unit_amount"] = json!(999),
        Fault::ArchivedPrice => price["active"] = json!(false),
        Fault::NoPrice => return Err(missing("price", id)),
        _ => {}
    }
    Ok(price)
}

/// The subscription with its invoice as an object where the call asks for that.
fn subscription_object(world: &World, index: usize, expands: bool) -> Value {
    let subscription = &world.subscriptions[index];
    let invoice = if expands {
        objects::invoice(world.invoice(&subscription.invoice), true)
    } else {
        json!(subscription.invoice)
    };
    objects::subscription(subscription, &invoice)
}

fn expands(fields: &Fields) -> bool {
    fields.iter().any(|(name, value)| {
        name.starts_with("expand[") && value.ends_with("latest_invoice.confirmation_secret")
    })
}

fn list_subscriptions(world: &World, fields: &Fields) -> Answer {
    check_fields(fields, &["customer", "status", "limit", "expand*"])?;
    let customer = field(fields, "customer")?;
    customer_index(world, customer)?;
    let all = field(fields, "status")? == "all";
    let data: Vec<Value> = (0..world.subscriptions.len())
        .rev()
        .filter(|&index| world.subscriptions[index].customer == customer)
        .filter(|&index| all || world.subscriptions[index].is_open())
        .map(|index| subscription_object(world, index, expands(fields)))
        .collect();
    Ok(json!({ "object": "list", "data": data, "has_more": false, "url": "/v1/subscriptions" }))
}

fn create_subscription(world: &mut World, fields: &Fields) -> Answer {
    let known = [
        "customer",
        "items[0][price]",
        "payment_behavior",
        "payment_settings[save_default_payment_method]",
        "expand*",
    ];
    check_fields(fields, &known)?;
    let customer = field(fields, "customer")?.to_owned();
    customer_index(world, &customer)?;
    let price = field(fields, "items[0][price]")?;
    objects::price(price).ok_or_else(|| missing("price", price))?;
    assert_eq!(field(fields, "payment_behavior")?, "default_incomplete");
    assert_eq!(field(fields, "payment_settings[save_default_payment_method]")?, "on_subscription");
    let index = world.new_subscription(&customer, price);
    Ok(subscription_object(world, index, expands(fields)))
}

fn subscription_index(world: &World, id: &str) -> Result<usize, (u16, Value)> {
    let found = world.subscriptions.iter().position(|found| found.id == id && found.is_open());
    found.ok_or_else(|| missing("subscription", id))
}

fn update_subscription(world: &mut World, id: &str, fields: &Fields) -> Answer {
    let known = [
        "items[0][id]",
        "items[0][price]",
        "payment_behavior",
        "proration_behavior",
        "cancel_at_period_end",
        "expand*",
    ];
    check_fields(fields, &known)?;
    let index = subscription_index(world, id)?;
    if let Ok(price) = field(fields, "items[0][price]") {
        assert_eq!(field(fields, "items[0][id]")?, world.subscriptions[index].item);
        assert_eq!(field(fields, "payment_behavior")?, "pending_if_incomplete");
        assert_eq!(field(fields, "proration_behavior")?, "always_invoice");
        world.change(index, price);
    }
    if let Ok(ends) = field(fields, "cancel_at_period_end") {
        if fields.iter().any(|(name, _)| name == "payment_behavior") {
            let message = "cancel_at_period_end cannot be updated with pending_if_incomplete";
            return Err(refused(400, None, message));
        }
        world.subscriptions[index].cancel_at_period_end = ends == "true";
        world.emit("customer.subscription.updated", index);
    }
    Ok(subscription_object(world, index, expands(fields)))
}

fn cancel_subscription(world: &mut World, id: &str) -> Answer {
    let index = subscription_index(world, id)?;
    world.end(index);
    Ok(subscription_object(world, index, false))
}
