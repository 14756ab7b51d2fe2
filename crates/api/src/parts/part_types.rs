//! The facts and the guide of a part type.

use axum::Json;
use partsight_app::{App, Entity, FillState, PartFacts, PartTypes};
use partsight_domain::{
    Category, Difficulty, PartLabel, PartType, TaughtPartType, VehicleName, VideoLevel, messages,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ai_fill::AiFill;
use crate::extract::{PathSegment, SeesGarage, SignedIn};
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// The description of a taught part.
const TAUGHT_DESCRIPTION: &str = "A part that was taught on this server with photos.";
/// The description of a deleted part, of which only the label is left.
const GONE_DESCRIPTION: &str = "This part is no longer in the catalogue.";

wire_enum!(
    /// The category of a part type.
    PartCategory from Category {
        Engine, Brake, Electrical, Suspension, Transmission, Cooling, Exhaust, Fuel, Body,
    }
);
wire_enum!(
    /// Where on a vehicle a part is. The last nine values, one per category, are for parts with no more exact position.
    PartPosition from partsight_domain::PartPosition {
        AirIntake, Battery, BeltDrive, Bulkhead, EngineBaySide, Radiator, CylinderHead, EngineBlock,
        ExhaustManifold, IntakeManifold, OilPan, TimingDrive, BellHousing, DriveAxle, Driveshaft,
        Gearbox, RearAxle, TransferCase, FrontBrake, FrontSuspension, RearBrake, RearSuspension,
        SteeringLinkage, Wheel, WheelHub, ExhaustFront, ExhaustRear, FuelFiller, FuelTank,
        UnderbodyLines, CenterConsole, Dashboard, HeaterBox, Pedals, Seat, SteeringColumn,
        TractionBattery, Door, DoorMirror, FrontBumper, FrontFender, FrontLights, Hood, RearBumper,
        RearLights, Roof, Sill, Tailgate, Windshield, Engine, Brakes, Electrics, Suspension,
        Drivetrain, CoolingSystem, ExhaustSystem, FuelSystem, Body,
    }
);
wire_enum!(
    /// How difficult it is to install a part.
    PartDifficulty from Difficulty { Easy, Medium, Hard }
);
wire_enum!(
    /// The skill level of a video.
    VideoDifficulty from VideoLevel { Beginner, Intermediate, Advanced }
);

/// A part with its installation guide.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IdentifiedPart {
    /// The label of the part type.
    #[schema(example = "spark-plug")]
    id: String,
    #[schema(example = "Spark Plug")]
    name: String,
    /// Null if the part type is no longer in the catalogue.
    #[schema(required)]
    category: Option<PartCategory>,
    /// Null if the part type is no longer in the catalogue.
    #[schema(required)]
    position: Option<PartPosition>,
    description: String,
    /// Middle of the catalogue's estimate of US retail prices, in US dollars; never a price of a shop.
    #[schema(required, example = 14.5)]
    average_price: Option<f64>,
    /// One step per line.
    installation_instructions: String,
    /// The specific danger of this job.
    safety_reminder: String,
    /// A JSON array of texts, as a string.
    #[schema(example = "[\"Torque wrench\"]")]
    tools_required: String,
    difficulty: PartDifficulty,
    #[schema(example = "30-90 minutes")]
    estimated_time: String,
    /// The part of a language model in the guide; null if the guide is from the catalogue.
    #[schema(required)]
    ai: Option<AiFill>,
}

impl IdentifiedPart {
    /// The part of a label, with what is known about it.
    pub(crate) fn of(types: &PartTypes, label: &PartLabel) -> Result<Self, ApiError> {
        let facts = types.get(label).ok_or_else(|| ApiError::missing(Entity::Part))?;
        let position = types.position(facts).into();
        match facts {
            PartFacts::Shipped(part_type) => Self::new(part_type, position),
            PartFacts::Taught(part_type) => {
                Self::taught(part_type, position, types.hardest_of(part_type.category), types.guide(label))
            }
        }
    }

    /// The part of a scan. The scan may outlive its part, of which then only the label is left.
    pub(crate) fn of_scan(types: &PartTypes, label: &PartLabel) -> Result<Self, ApiError> {
        if types.get(label).is_some() {
            return Self::of(types, label);
        }
        Ok(Self {
            id: label.to_string(),
            name: types.name(label),
            category: None,
            position: None,
            description: GONE_DESCRIPTION.to_owned(),
            average_price: None,
            installation_instructions: String::new(),
            safety_reminder: String::new(),
            tools_required: "[]".to_owned(),
            // The most cautious value, since nothing is known.
            difficulty: Difficulty::Hard.into(),
            estimated_time: String::new(),
            ai: None,
        })
    }

    fn new(part_type: &PartType, position: PartPosition) -> Result<Self, ApiError> {
        Ok(Self {
            id: part_type.label.to_string(),
            name: part_type.name.clone(),
            category: Some(part_type.category.into()),
            position: Some(position),
            description: part_type.description.clone(),
            average_price: Some(part_type.price.average_cents() as f64 / 100.0),
            installation_instructions: part_type.guide.steps.join("\n"),
            safety_reminder: part_type.guide.safety.clone(),
            tools_required: serde_json::to_string(&part_type.guide.tools).map_err(ApiError::internal)?,
            difficulty: part_type.guide.difficulty.into(),
            estimated_time: part_type.guide.time_text(),
            ai: None,
        })
    }

    /// A taught part: with the guide that a language model wrote, or without a guide and with `difficulty` as a
    /// cautious estimate.
    fn taught(
        part_type: &TaughtPartType,
        position: PartPosition,
        difficulty: Difficulty,
        fill: Option<&FillState>,
    ) -> Result<Self, ApiError> {
        let part = Self {
            id: part_type.label.to_string(),
            name: part_type.name.clone(),
            category: Some(part_type.category.into()),
            position: Some(position),
            description: TAUGHT_DESCRIPTION.to_owned(),
            average_price: None,
            installation_instructions: String::new(),
            safety_reminder: String::new(),
            tools_required: "[]".to_owned(),
            difficulty: difficulty.into(),
            estimated_time: String::new(),
            ai: fill.map(AiFill::from),
        };
        let Some(guide) = fill.and_then(FillState::guide) else { return Ok(part) };
        Ok(Self {
            installation_instructions: guide.steps.join("\n"),
            safety_reminder: guide.safety.clone(),
            tools_required: serde_json::to_string(&guide.tools).map_err(ApiError::internal)?,
            difficulty: guide.difficulty.into(),
            estimated_time: guide.time_text(),
            ..part
        })
    }

    pub(crate) fn category(&self) -> Option<PartCategory> {
        self.category
    }

    pub(crate) fn description(&self) -> &str {
        &self.description
    }
}

/// A part type of a category, for the parts browser.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CategoryPart {
    /// The label of the part type.
    #[schema(example = "spark-plug")]
    id: String,
    #[schema(example = "Spark Plug")]
    name: String,
    position: PartPosition,
    description: String,
    /// One step per line.
    installation_instructions: String,
    /// The specific danger of this job.
    safety_reminder: String,
    difficulty_level: PartDifficulty,
    #[schema(example = "30-90 minutes")]
    estimated_time: String,
    #[schema(example = json!(["Torque wrench"]))]
    required_tools: Vec<String>,
    /// Whether the model knows it, so that a scan can identify it. A part type that it does not know must be taught
    /// first.
    model_knows: bool,
    /// Why it cannot be on the default vehicle; null if it can be, or if that is unknown.
    #[schema(
        required,
        example = "A 2021 Tesla Model 3 has no engine that burns fuel, so Spark Plug cannot be on it."
    )]
    unfit_reason: Option<String>,
}

impl CategoryPart {
    fn new(app: &App, part_type: &PartType, unfit_reason: Option<String>) -> Self {
        Self {
            unfit_reason,
            id: part_type.label.to_string(),
            name: part_type.name.clone(),
            position: app.parts.position(part_type).into(),
            description: part_type.description.clone(),
            installation_instructions: part_type.guide.steps.join("\n"),
            safety_reminder: part_type.guide.safety.clone(),
            difficulty_level: part_type.guide.difficulty.into(),
            estimated_time: part_type.guide.time_text(),
            required_tools: part_type.guide.tools.clone(),
            model_knows: app.parts.model_knows(&part_type.label),
        }
    }
}

/// A search for installation videos, not a particular video.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstallationVideo {
    title: String,
    description: String,
    difficulty_level: VideoDifficulty,
    #[schema(example = "12 minutes")]
    estimated_duration: String,
    /// Text for the search of a video site.
    search_query: String,
}

impl InstallationVideo {
    fn new(video: &partsight_domain::InstallationVideo, vehicle: Option<&str>) -> Self {
        let video = video.for_vehicle(vehicle);
        Self {
            title: video.title,
            description: video.description,
            difficulty_level: video.difficulty.into(),
            estimated_duration: format!("{} minutes", video.duration_minutes),
            search_query: video.search_query,
        }
    }

    pub(crate) fn list(part_type: &PartType, vehicle: Option<&VehicleName>) -> Vec<Self> {
        let vehicle = vehicle.map(ToString::to_string);
        part_type.videos.iter().map(|video| Self::new(video, vehicle.as_deref())).collect()
    }
}

/// How to buy the right part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PurchaseRecommendations {
    search_tips: Vec<String>,
    /// Names of retailers.
    recommended_suppliers: Vec<String>,
    /// An estimate of the catalogue, with its date.
    #[schema(example = "$4 - $25 each (estimate, 2026-11)")]
    price_range: String,
    common_issues: Vec<String>,
}

impl PurchaseRecommendations {
    pub(crate) fn new(part_type: &PartType) -> Self {
        Self {
            search_tips: part_type.buying.search_tips.clone(),
            recommended_suppliers: part_type.buying.retailers.clone(),
            price_range: part_type.price.range_text(),
            common_issues: part_type.buying.common_issues.clone(),
        }
    }

    /// For a taught or deleted part.
    pub(crate) fn none() -> Self {
        Self {
            search_tips: Vec::new(),
            recommended_suppliers: Vec::new(),
            price_range: String::new(),
            common_issues: Vec::new(),
        }
    }
}

/// Lists the part types of a category with their guides, by name. The list may be empty.
///
/// For part types that cannot be on the default vehicle, the reason is given, but not to an API key without
/// `garage-read`.
#[utoipa::path(get, path = "/api/parts/category/{category}", tag = "parts",
    params(("category" = String, Path, description = "The category: one of the values of `PartCategory`.", example = "brake")),
    responses(
        (status = OK, body = Vec<CategoryPart>),
        problems::SignedIn, problems::Unavailable,
        (status = NOT_FOUND, description = "No such category."),
    ))]
pub(crate) async fn list_category_parts(
    SignedIn { app, user }: SignedIn,
    SeesGarage(sees_garage): SeesGarage,
    PathSegment(category): PathSegment,
) -> Result<Json<Vec<CategoryPart>>, ApiError> {
    let category = Category::from_name(&category)
        .ok_or_else(|| ApiError::not_found(messages::PART_CATEGORY_NOT_FOUND))?;
    let parts = app.parts.parts_of_category(category);
    let vehicle = if sees_garage { app.garage.default_vehicle(&user).await? } else { None };
    let reasons = match vehicle {
        Some(vehicle) => app.parts.unfit_reasons(&parts, &vehicle),
        None => vec![None; parts.len()],
    };
    let parts = parts.into_iter().zip(reasons);
    Ok(Json(parts.map(|(part_type, reason)| CategoryPart::new(&app, part_type, reason)).collect()))
}
