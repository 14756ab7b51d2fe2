//! The tools: their arguments, the scope each needs, and the call it makes.

use axum::http::Method;
use partsight_domain::ApiScope;
use serde_json::{Map, Value, json};

use super::arguments::{self, ToolError, encoded, number, required, segment};
use super::photos::{PhotoForm, photo};
use super::schema::{Description, text, with_photo};
use super::{Answer, McpCaller, McpServer, shop_work};

/// Default number of vehicles per page: an account may have thousands.
const VEHICLES_PAGE: u32 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    IdentifyPart,
    ReadText,
    SearchParts,
    LookUpVin,
    ListVehicles,
    LogRepair,
    TeachPart,
    ScanBatch,
    BatchResults,
}

impl Tool {
    const ALL: [Self; 9] = [
        Self::IdentifyPart,
        Self::ReadText,
        Self::SearchParts,
        Self::LookUpVin,
        Self::ListVehicles,
        Self::LogRepair,
        Self::TeachPart,
        Self::ScanBatch,
        Self::BatchResults,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::IdentifyPart => "identify_part",
            Self::ReadText => "read_text",
            Self::SearchParts => "search_parts",
            Self::LookUpVin => "look_up_vin",
            Self::ListVehicles => "list_vehicles",
            Self::LogRepair => "log_repair",
            Self::TeachPart => "teach_part",
            Self::ScanBatch => "scan_batch",
            Self::BatchResults => "batch_results",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The scope that a key needs; `None` if any key will do.
    fn scope(self) -> Option<ApiScope> {
        match self {
            Self::IdentifyPart | Self::ReadText | Self::ScanBatch | Self::BatchResults => {
                Some(ApiScope::Scan)
            }
            Self::SearchParts | Self::TeachPart => Some(ApiScope::Catalog),
            Self::LookUpVin => None,
            Self::ListVehicles => Some(ApiScope::GarageRead),
            Self::LogRepair => Some(ApiScope::GarageWrite),
        }
    }

    /// Whether the tool has an argument of this name.
    pub(super) fn takes(self, name: &str) -> bool {
        self.describe(true)["inputSchema"]["properties"].get(name).is_some()
    }

    fn describe(self, reads_files: bool) -> Value {
        let (title, description, properties, required): Description = match self {
            Self::IdentifyPart => (
                "Identify a car part",
                "Identifies the car part on a photograph, saves the answer in the scan history and counts it against the \
                 allowance. The answer says how sure it is and what else it may be.",
                with_photo(
                    json!({ "vehicleId": text("The saved vehicle that the part is for, by its id; none for any.") }),
                    reads_files,
                ),
                &[],
            ),
            Self::ReadText => (
                "Read the text on a part",
                "Reads part numbers, brands and other text: on the photographs of an earlier scan by its `scanId`, or on a \
                 new photograph, which is then identified and saved as well.",
                with_photo(json!({ "scanId": text("An earlier scan, by its id.") }), reads_files),
                &[],
            ),
            Self::SearchParts => (
                "Search parts",
                "Finds part types of the catalogue and parts of the shop by name, number or brand; forgives typing errors.",
                json!({
                    "query": text("A name, a number or a brand, at most 100 characters."),
                    "limit": { "type": "integer", "minimum": 1, "maximum": 50, "description": "Most parts in the answer." },
                }),
                &["query"],
            ),
            Self::LookUpVin => (
                "Look up a VIN",
                "Says what a vehicle identification number states, decoded on the server itself, and whether its check \
                 digit is right.",
                json!({ "vin": text("17 letters and digits.") }),
                &["vin"],
            ),
            Self::ListVehicles => (
                "List saved vehicles",
                "Lists the saved vehicles with the ids that other tools take, the default first, 100 at a time unless another \
                 limit is given.",
                json!({
                    "limit": { "type": "integer", "minimum": 1, "maximum": 200, "description": "Most vehicles in the answer." },
                    "cursor": text("The next of the answer before, for the vehicles after it."),
                }),
                &[],
            ),
            Self::LogRepair => (
                "Log a repair",
                "Writes a repair into the records of a saved vehicle. Name the vehicle, mileage, part and day, or the scan \
                 that knows the vehicle and part.",
                json!({
                    "vehicleId": text("The saved vehicle, by its id."),
                    "scanId": text("A scan that fills in vehicle, part and day (in UTC)."),
                    "mileage": { "type": "integer", "minimum": 1, "maximum": 999_999, "description": "Miles on the odometer." },
                    "partReplaced": text("The part, such as Alternator."),
                    "partNumber": text("The number of the part that was fitted."),
                    "partBrand": text("Who made it."),
                    "repairDate": text("The day, such as 2027-01-15."),
                    "cost": { "type": "number", "minimum": 0, "description": "US dollars." },
                    "notes": text("Free text."),
                }),
                &["mileage"],
            ),
            Self::TeachPart => shop_work::teach_part_description(reads_files),
            Self::ScanBatch => shop_work::scan_batch_description(reads_files),
            Self::BatchResults => shop_work::batch_results_description(),
        };
        let is_reading =
            matches!(self, Self::SearchParts | Self::LookUpVin | Self::ListVehicles | Self::BatchResults);
        json!({
            "name": self.name(),
            "title": title,
            "description": description,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": is_reading, "destructiveHint": false, "openWorldHint": false },
        })
    }
}

/// The tools that the key's scopes allow.
pub(super) fn list(caller: &McpCaller) -> Vec<Value> {
    // The others are left out so that a model does not try them; the call would refuse them anyway.
    let opens = |tool: &Tool| tool.scope().is_none_or(|scope| caller.key.key.scopes.contains(&scope));
    Tool::ALL.into_iter().filter(opens).map(|tool| tool.describe(caller.reads_files)).collect()
}

pub(super) async fn call(
    server: &McpServer,
    tool: Tool,
    arguments: &Value,
    caller: &McpCaller,
) -> Result<Answer, ToolError> {
    arguments::check(&tool.describe(caller.reads_files)["inputSchema"], arguments)?;
    match tool {
        Tool::IdentifyPart => identify(server, arguments, caller, "later").await,
        Tool::ReadText => read_text(server, arguments, caller).await,
        Tool::SearchParts => {
            let mut query = format!("q={}", encoded(required(arguments, "query")?));
            // Passed on even if it is too large: the call's refusal names the limit.
            if let Some(limit) = number(arguments, "limit") {
                query = format!("{query}&limit={limit}");
            }
            server.call(caller, Method::GET, &format!("/api/parts/search?{query}"), None).await
        }
        Tool::LookUpVin => {
            let vin = segment("vin", required(arguments, "vin")?)?;
            server.call(caller, Method::GET, &format!("/api/vehicles/vin/{vin}"), None).await
        }
        Tool::ListVehicles => list_vehicles(server, arguments, caller).await,
        Tool::TeachPart => shop_work::teach_part(server, arguments, caller).await,
        Tool::ScanBatch => shop_work::scan_batch(server, arguments, caller).await,
        Tool::BatchResults => shop_work::batch_results(server, arguments, caller).await,
        Tool::LogRepair => {
            // Missing arguments are left out of the body: the call treats null differently from a missing field.
            let known = [
                "vehicleId",
                "scanId",
                "mileage",
                "partReplaced",
                "partNumber",
                "partBrand",
                "repairDate",
                "cost",
                "notes",
            ];
            let body: Map<String, Value> = known
                .into_iter()
                .filter_map(|name| {
                    Some((name.to_owned(), arguments.get(name).filter(|value| !value.is_null())?.clone()))
                })
                .collect();
            let body = Value::Object(body).to_string().into_bytes();
            server.call(caller, Method::POST, "/api/repair-history", Some(("application/json", body))).await
        }
    }
}

async fn list_vehicles(
    server: &McpServer,
    arguments: &Value,
    caller: &McpCaller,
) -> Result<Answer, ToolError> {
    let limit = number(arguments, "limit").unwrap_or_else(|| VEHICLES_PAGE.to_string());
    let after = arguments["cursor"].as_str().map(|cursor| format!("&after={}", encoded(cursor)));
    let path = format!("/api/vehicles?limit={limit}{}", after.unwrap_or_default());
    let mut answer = server.call(caller, Method::GET, &path, None).await?;
    // The call names the cursor `after`, and sends the next one in a header.
    if !answer.is_success && answer.body["field"] == "after" {
        return Err(ToolError(
            "This is no place in the list. Please give `next` of the answer before as `cursor`, or leave it out."
                .to_owned(),
        ));
    }
    if answer.is_success {
        answer.body = json!({ "items": answer.body, "next": answer.next });
    }
    Ok(answer)
}

async fn read_text(server: &McpServer, arguments: &Value, caller: &McpCaller) -> Result<Answer, ToolError> {
    if let Some(id) = arguments["scanId"].as_str() {
        let path = format!("/api/scans/{}/reading", segment("scanId", id)?);
        return server.call(caller, Method::GET, &path, None).await;
    }
    let mut answer = identify(server, arguments, caller, "wait").await?;
    if answer.is_success {
        answer.body = json!({
            "scanId": answer.body["id"],
            "reading": answer.body["reading"],
            "verdict": answer.body["verdict"],
            "label": answer.body["label"],
        });
    }
    Ok(answer)
}

async fn identify(
    server: &McpServer,
    arguments: &Value,
    caller: &McpCaller,
    read: &str,
) -> Result<Answer, ToolError> {
    let mut form = PhotoForm::new();
    if let Some(id) = arguments["vehicleId"].as_str() {
        form.text("vehicleId", id);
    }
    form.photo("image", "photo", &photo(arguments, caller.reads_files, server.max_photo_bytes)?);
    server.send_form(caller, &format!("/api/identify?read={read}"), form).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_name_of_its_own_and_says_what_it_takes() {
        for tool in Tool::ALL {
            assert_eq!(Tool::from_name(tool.name()), Some(tool));
            let described = tool.describe(false);
            for name in described["inputSchema"]["required"].as_array().unwrap() {
                assert!(described["inputSchema"]["properties"][name.as_str().unwrap()].is_object());
            }
        }
        assert!(Tool::LogRepair.describe(true)["inputSchema"]["properties"].get("path").is_none());
    }
}
