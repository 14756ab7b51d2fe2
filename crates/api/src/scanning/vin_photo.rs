//! The vehicle identification number on a photograph.

use axum::Json;
use axum::body::HttpBody as _;
use axum::extract::multipart::Multipart;
use axum::extract::{FromRequest, Request, State};
use partsight_app::FoundVin;
use partsight_domain::{InvalidInput, messages};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body_limit::BodyLimit;
use crate::caller::FromCaller;
use crate::forms::{
    UPLOAD_LIMIT, check_media_type, next_field, not_a_form, or_drained, read_field, skip_field,
    unknown_field, within,
};
use crate::sender::Sender;
use crate::{ApiError, ApiState, problems};

/// Form for a photograph with a VIN.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct VinPhotoForm {
    /// One photograph of the label in the door jamb, the plate behind the windshield, or a document.
    #[schema(value_type = String, format = Binary)]
    image: Vec<u8>,
}

/// Where the VIN was read.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum VinPhotoSource {
    Barcode,
    Text,
}

/// A VIN on a photograph.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VinOnPhoto {
    #[schema(example = "1HGCM82633A004352")]
    vin: String,
    /// The text as it was read. It differs from `vin` if similar characters were replaced to match the check digit.
    #[schema(example = "1HGCMB2633AOO4352")]
    read_as: String,
    source: VinPhotoSource,
    /// Whether the ninth character is the correct check digit. Vehicles for markets other than North America and China
    /// need none.
    check_digit_fits: bool,
}

/// The VINs on a photograph.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VinsOnPhoto {
    /// The most certain first; empty if none was found.
    #[schema(max_items = 5)]
    vins: Vec<VinOnPhoto>,
}

impl From<FoundVin> for VinOnPhoto {
    fn from(found: FoundVin) -> Self {
        Self {
            vin: found.vin,
            read_as: found.read_as,
            source: if found.is_from_code { VinPhotoSource::Barcode } else { VinPhotoSource::Text },
            check_digit_fits: found.check_digit_fits,
        }
    }
}

/// Reads the vehicle identification number (VIN) on a photograph: from a barcode or matrix code, otherwise from the
/// text.
///
/// Nothing is saved and no scan is counted. I is read as 1, and O and Q as 0. If the check digit is wrong, up to two
/// characters are replaced by similar ones. Text is read only if this server has text reading.
#[utoipa::path(post, path = "/api/vehicles/read-vin", tag = "reference",
    request_body(content = VinPhotoForm, content_type = "multipart/form-data"),
    responses(
        (status = OK, body = VinsOnPhoto),
        problems::Write, problems::PhotoUpload,
        problems::Invalid,
        (status = TOO_MANY_REQUESTS, description = "More than 30 photographs in a short time, or too much processing of photographs without an answer; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn read_vin(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    request: Request,
) -> Result<Json<VinsOnPhoto>, ApiError> {
    // Held until the response: it bounds how many photographs are in memory.
    let _upload =
        state.uploads.take_with_memory(&sender.user, &caller, request.body().size_hint().exact())?;
    let limit = BodyLimit::of(&request);
    let mut form = Multipart::from_request(request, &()).await.map_err(not_a_form)?;
    let reading = async {
        let read = read(&mut form, state.max_photo_bytes).await;
        or_drained(read, &mut form, limit).await
    };
    let photo = within(UPLOAD_LIMIT, reading).await?;
    let user = sender.again().await?;
    let vins = state.app.scanning.vins_on_photo(&user, photo).await?;
    Ok(Json(VinsOnPhoto { vins: vins.into_iter().map(VinOnPhoto::from).collect() }))
}

async fn read(form: &mut Multipart, max_photo_bytes: usize) -> Result<Vec<u8>, ApiError> {
    let (mut photo, mut unknown) = (None, None);
    while let Some(mut field) = next_field(form).await? {
        let name = field.name().unwrap_or_default().to_owned();
        if name != "image" {
            skip_field(&mut field).await?;
            unknown.get_or_insert(name);
        } else if photo.is_some() {
            return Err(InvalidInput::new("image", messages::ONE_VIN_PHOTO).into());
        } else {
            check_media_type(&field)?;
            photo = Some(read_field(&mut field, max_photo_bytes, "The photo").await?);
        }
    }
    // The error about the missing photograph says more: it may have come under the unknown name.
    let photo = photo.ok_or_else(|| InvalidInput::new("image", messages::VIN_PHOTO_MISSING))?;
    match unknown {
        Some(name) => Err(unknown_field(&name).into()),
        None => Ok(photo),
    }
}
