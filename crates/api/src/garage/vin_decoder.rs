//! VIN decoding by an external service, if the settings name one.

use axum::Json;
use partsight_app::VinAnswer;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{PathSegment, SignedIn};
use crate::{ApiError, problems};

/// Facts from an external VIN decoder; null where it states nothing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskedVinFacts {
    /// Written as by the decoder.
    #[schema(required, example = "HONDA")]
    make: Option<String>,
    #[schema(required, example = "Accord")]
    model: Option<String>,
    #[schema(required, example = 2003)]
    model_year: Option<u16>,
    #[schema(required, example = "EX-V6")]
    trim: Option<String>,
    #[schema(required, example = "Coupe")]
    body: Option<String>,
    /// In litres, written as by the decoder.
    #[schema(required, example = "3.0")]
    displacement: Option<String>,
    #[schema(required, example = 6)]
    cylinders: Option<u8>,
    #[schema(required, example = "Gasoline")]
    fuel_type: Option<String>,
    #[schema(required, example = "FWD/Front-Wheel Drive")]
    drivetrain: Option<String>,
    #[schema(required, example = "Automatic")]
    transmission: Option<String>,
    /// What the decoder finds wrong with the VIN.
    #[schema(required)]
    remark: Option<String>,
}

impl From<VinAnswer> for AskedVinFacts {
    fn from(answer: VinAnswer) -> Self {
        Self {
            make: answer.make,
            model: answer.model,
            model_year: answer.model_year,
            trim: answer.trim,
            body: answer.body,
            displacement: answer.displacement_l,
            cylinders: answer.cylinders,
            fuel_type: answer.fuel,
            drivetrain: answer.drive,
            transmission: answer.transmission,
            remark: answer.remark,
        }
    }
}

/// Decodes a VIN with an external decoder.
///
/// The VIN leaves this server. The call is available only if the setting `vin_decoder_url` names a decoder with the
/// interface of NHTSA's vPIC; `vinDecoder` of `GET /api/settings` says whether it is set.
#[utoipa::path(get, path = "/api/vehicles/vin/{vin}/decoder", tag = "reference",
    params(("vin" = String, Path, description = "The VIN, 17 characters.", example = "1HGCM82633A004352")),
    responses(
        (status = OK, body = AskedVinFacts),
        problems::SignedIn, problems::NotFound, problems::Invalid, problems::Unavailable, problems::Limited,
    ))]
pub(crate) async fn ask_vin_decoder(
    SignedIn { app, user }: SignedIn,
    PathSegment(vin): PathSegment,
) -> Result<Json<AskedVinFacts>, ApiError> {
    Ok(Json(app.garage.ask_vin_decoder(&user, &vin).await?.into()))
}
