//! The tools for a shop's work with many photographs: teaching a part, scanning a batch and reading its results.

use axum::http::Method;
use serde_json::{Value, json};

use super::arguments::{ToolError, encoded, required, segment};
use super::photos::{PhotoForm, photo};
use super::schema::{Description, photo_bytes, text};
use super::{Answer, McpCaller, McpServer};

/// Most photographs in one call of a tool. They come in one message, or are read one by one from their paths.
const MOST_PHOTOS: usize = 100;
/// Most photographs that teach a part.
const MOST_TAUGHT: usize = 5;
/// Items per page of results.
const RESULTS_PAGE: u32 = 100;

pub(super) fn teach_part_description(reads_files: bool) -> Description {
    (
        "Teach a part",
        "Teaches a part that the catalogue does not know, by one to five photographs of it; from then on scans know it. \
         Where it looks like another part, the answer says so and nothing is taught: ask a person, then call again with \
         acceptCollision.",
        json!({
            "name": text("What people call the part."),
            "category": text("Its category, such as engine, brake, suspension or electrical."),
            "photos": photos(MOST_TAUGHT, reads_files),
            "acceptCollision": { "type": "boolean", "description": "Teach it although it looks like another part." },
        }),
        &["name", "category", "photos"],
    )
}

pub(super) fn scan_batch_description(reads_files: bool) -> Description {
    (
        "Scan many photographs",
        "Starts a batch: each photograph is identified, saved in the scan history and counted against the allowance. \
         Returns at once; batch_results says how far it is. With batchId, more photographs are added to a batch.",
        json!({
            "name": text("What people call the batch, such as Returns of Monday."),
            "batchId": text("A batch to add to, by its id, instead of a new one."),
            "readText": {
                "type": "boolean",
                "description": "Of a new batch: read the text and codes on each photograph before it is identified. A part number \
                                can settle the answer, but the batch takes many times as long.",
            },
            "photos": photos(MOST_PHOTOS, reads_files),
        }),
        &["photos"],
    )
}

pub(super) fn batch_results_description() -> Description {
    (
        "Read the results of a batch",
        "Says how far a batch is, and what its photographs show, the most doubtful first, 100 at a time. \
         While it runs, pages can miss or repeat photographs that are answered meanwhile; read it again from the start when it is done.",
        json!({
            "batchId": text("The batch, by its id."),
            "cursor": text("The next of the answer before, for the photographs after it."),
        }),
        &["batchId"],
    )
}

/// The schema of a list of photographs.
fn photos(most: usize, reads_files: bool) -> Value {
    let mut properties = json!({
        "imageBase64": photo_bytes(),
        "key": text("What you call it, such as the name of its file."),
    });
    if reads_files {
        properties["path"] =
            text("The photograph, as the path of a file on this machine, instead of imageBase64.");
    }
    json!({
        "type": "array",
        "minItems": 1,
        "maxItems": most,
        "items": { "type": "object", "properties": properties, "additionalProperties": false },
    })
}

/// The items of the argument `photos`, not yet decoded.
fn given(arguments: &Value, most: usize) -> Result<&[Value], ToolError> {
    let photos = arguments["photos"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !(1..=most).contains(&photos.len()) {
        return Err(ToolError(format!("Please give 1 to {most} photographs in `photos`.")));
    }
    Ok(photos)
}

pub(super) async fn teach_part(
    server: &McpServer,
    arguments: &Value,
    caller: &McpCaller,
) -> Result<Answer, ToolError> {
    let mut form = PhotoForm::new();
    form.text("name", required(arguments, "name")?);
    form.text("category", required(arguments, "category")?);
    if arguments["acceptCollision"].as_bool() == Some(true) {
        form.text("acceptCollision", "true");
    }
    for one in given(arguments, MOST_TAUGHT)? {
        form.photo("image", "photo", &photo(one, caller.reads_files, server.max_photo_bytes)?);
    }
    server.send_form(caller, "/api/catalog/types", form).await
}

pub(super) async fn scan_batch(
    server: &McpServer,
    arguments: &Value,
    caller: &McpCaller,
) -> Result<Answer, ToolError> {
    let photos = given(arguments, MOST_PHOTOS)?;
    let given_id = arguments["batchId"].as_str();
    // Checked before any photograph is read.
    if let Some(id) = given_id {
        segment("batchId", id)?;
        if arguments["readText"].is_boolean() {
            return Err(ToolError(
                "`readText` is chosen when a batch is made. Please leave it out with `batchId`.".to_owned(),
            ));
        }
    }
    let read = |one: &Value| photo(one, caller.reads_files, server.max_photo_bytes);
    // Each photograph is read once before the batch is created, so that a wrong path leaves no half-filled batch.
    // They are read again for sending, since they are too large to keep in memory.
    for one in photos {
        read(one)?;
    }
    let batch_id = if let Some(id) = given_id {
        id.to_owned()
    } else {
        let name = arguments["name"].as_str().unwrap_or("Batch of a program");
        // Null counts as left out.
        let body = json!({ "name": name, "readText": arguments["readText"] }).to_string().into_bytes();
        let json = Some(("application/json", body));
        let made = server.call(caller, Method::POST, "/api/batches", json).await?;
        if !made.is_success {
            return Ok(made);
        }
        made.body["id"].as_str().unwrap_or_default().to_owned()
    };
    let path = format!("/api/batches/{}", encoded(&batch_id));
    for (number, one) in (1..).zip(photos) {
        let key = one["key"].as_str().or(one["path"].as_str()).map(str::to_owned);
        let key = key.unwrap_or_else(|| format!("photo {number}"));
        let mut form = PhotoForm::new();
        form.text("key", &key);
        form.photo("photo", key.rsplit('/').next().unwrap_or(&key), &read(one)?);
        let sent = server.send_form(caller, &format!("{path}/photos"), form).await?;
        if !sent.is_success {
            let why = sent.body["detail"].as_str().unwrap_or("A photograph was refused.");
            // An existing batch may be running already, so nothing is said about its state.
            if given_id.is_some() {
                return Err(ToolError(why.to_owned()));
            }
            if number > 1 {
                let begun =
                    format!("{why} The batch {batch_id} has those before `{key}` and was not started.");
                return Err(ToolError(begun));
            }
            // An empty batch is of no use. A failed deletion does not change the refusal.
            let _ = server.call(caller, Method::DELETE, &path, None).await;
            return Err(ToolError(why.to_owned()));
        }
    }
    // Started last, so that nothing counts against the allowance before all photographs are uploaded.
    server.call(caller, Method::POST, &format!("{path}/start"), None).await
}

pub(super) async fn batch_results(
    server: &McpServer,
    arguments: &Value,
    caller: &McpCaller,
) -> Result<Answer, ToolError> {
    let path = format!("/api/batches/{}", segment("batchId", required(arguments, "batchId")?)?);
    let mut batch = server.call(caller, Method::GET, &path, None).await?;
    if !batch.is_success {
        return Ok(batch);
    }
    let after = arguments["cursor"].as_str().map(|cursor| format!("&cursor={}", encoded(cursor)));
    let query = format!("grouped=true&sort=doubt&limit={RESULTS_PAGE}{}", after.unwrap_or_default());
    let items = server.call(caller, Method::GET, &format!("{path}/items?{query}"), None).await?;
    if !items.is_success {
        return Ok(items);
    }
    batch.body["items"] = items.body["items"].clone();
    batch.body["next"] = items.body["next"].clone();
    Ok(batch)
}
