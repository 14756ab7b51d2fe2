//! Identifying the part on uploaded photographs.

use axum::Json;
use axum::body::HttpBody as _;
use axum::extract::multipart::{Field, Multipart};
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use partsight_app::{App, Caller, IDEMPOTENCY_KEY, KeyCaller, ReadText, ScanRequest};
use partsight_domain::{InvalidInput, MAX_SCAN_PHOTOS, ScanSource, User, VehicleId, messages};
use utoipa::ToSchema;

use crate::body_limit::BodyLimit;
use crate::caller::FromCaller;
use crate::extract::QueryString;
use crate::forms::{
    TEXT_FIELD_LIMIT, UPLOAD_LIMIT, check_media_type, drain, next_field, not_a_form, read_field, skip_field,
    unknown_field, within,
};
use crate::ids::vehicle_id;
use crate::middleware::idempotency::{REPLAYED, key};
use crate::scanning::readings::{IdentifyQuery, ScanReading};
use crate::scanning::regions::RegionsOfScan;
use crate::scanning::scans::ScanResult;
use crate::sender::Sender;
use crate::uploads::{UploadMemory, UploadPlace, UploadPlaces};
use crate::{ApiError, ApiState, problems};

/// Form for a scan.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct ScanForm {
    /// One to five photographs of the same part, each in a field of this name: JPEG, PNG, WebP or another common
    /// format.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1, max_items = 5)]
    image: Vec<Vec<u8>>,
    /// The id of the vehicle. By default the default vehicle; with an API key, none.
    #[schema(rename = "vehicleId", example = "0190a0a0-0000-7000-8000-000000000000")]
    vehicle_id: Option<String>,
    /// JSON with make, model and year. It is only validated: the saved vehicle of `vehicleId` is used.
    #[schema(rename = "vehicleInfo", example = r#"{"make":"Honda","model":"Civic","year":2015}"#)]
    vehicle_info: Option<String>,
}

/// Identifies the part on one to five photographs, saves the answer as a scan and counts it against the allowance.
///
/// Several photographs, such as different views of one part, give one answer and count as one scan. A photograph that
/// hardly shows a known part has little weight; `photos` in the answer gives the weight of each. The photograph that
/// shows the answer best represents the scan: its picture is kept, the judge sees it, and it becomes the reference if
/// feedback teaches the part.
///
/// Photographs without a known part, errors and cancelled requests do not count against the allowance. The header
/// `Server-Timing` has the milliseconds of each stage, for all photographs together.
///
/// The text on the photographs is read after the answer, unless `read` says otherwise. With `read=wait` it is read
/// first: a part number that your shop knows can make the answer sure, or make it unsure if it contradicts the
/// photograph.
///
/// With `several=true`, a single photograph may show several parts, such as those on a shelf; `regions` in the answer
/// has each of them.
#[utoipa::path(post, path = "/api/identify", tag = "scans", params(IdentifyQuery),
    request_body(content = ScanForm, content_type = "multipart/form-data"),
    responses(
        (status = OK, body = ScanResult),
        problems::Write, problems::PhotoUpload,
        (status = NOT_FOUND, description = "No such vehicle."),
        (status = UNPROCESSABLE_ENTITY, description = "`not-identified`: the photographs show no known part. `invalid`: a photograph is damaged, there are more than five, or a field is invalid."),
        (status = TOO_MANY_REQUESTS, description = "`limit-reached`: the allowance is used up. `too-many-attempts`: too much processing of photographs without an answer; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn identify_part(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    QueryString(query): QueryString<IdentifyQuery>,
    request: Request,
) -> Result<(HeaderMap, Json<ScanResult>), ApiError> {
    // Read before the body: reading the form consumes the request.
    let program = request.extensions().get::<KeyCaller>();
    let source = program.map_or(ScanSource::Web, |program| ScanSource::Key(program.key.id));
    let names_call = request.headers().get(IDEMPOTENCY_KEY).cloned();
    // The form is read before the allowance is checked, so the number of places bounds the memory.
    let mut upload = Upload::begin(&state, &sender.user, &caller, request.body().size_hint().exact())?;
    let limit = BodyLimit::of(&request);
    let mut form = Multipart::from_request(request, &()).await.map_err(not_a_form)?;
    within(UPLOAD_LIMIT, upload.read_or_explain(&mut form, limit)).await?;
    let app: &App = &state.app;
    let read: ReadText = query.read.unwrap_or_default().into();
    let several = query.several.unwrap_or_default();
    let scan_request =
        ScanRequest { photos: upload.photos, vehicle_id: upload.vehicle_id, source, read, several };
    // Checked after the form was read: refused earlier, the client would see a broken connection instead of the
    // error.
    let call_key = names_call.map(|header| key(Some(&header))).transpose()?;
    let user = sender.again().await?;
    let (scan, is_replayed) = app.scanning.scan_once(&user, scan_request, call_key).await?;
    let types = app.scanning.part_types_of(&user, std::slice::from_ref(&scan)).await?;
    let reading = match read {
        ReadText::First => Some(ScanReading::new(&types, app.scanning.reading_of(&user, scan.id).await?)),
        ReadText::Later | ReadText::Never => None,
    };
    let regions = if several {
        Some(RegionsOfScan::new(&types, app.scanning.regions_of(&user, scan.id).await?))
    } else {
        None
    };
    let result = ScanResult::new(app, &types, scan)?.with_reading(reading).with_regions(regions);
    let timing = HeaderValue::from_str(&result.timings().header()).map_err(ApiError::internal)?;
    let mut headers = HeaderMap::from_iter([(HeaderName::from_static("server-timing"), timing)]);
    if is_replayed {
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok((headers, Json(result)))
}

/// The fields of the form, filled as they arrive.
struct Upload<'u> {
    photos: Vec<Vec<u8>>,
    vehicle_id: Option<VehicleId>,
    /// Image fields that have begun, including a refused one.
    n_image_fields: usize,
    max_photo_bytes: usize,
    uploads: &'u UploadPlaces,
    user: &'u User,
    caller: &'u Caller,
    /// One for each photograph in memory.
    places: Vec<UploadPlace>,
    /// One for the whole form, or one for each photograph if the length of the form is unknown.
    memory: Vec<UploadMemory>,
    is_length_known: bool,
}

impl<'u> Upload<'u> {
    /// Takes the place of the first photograph before anything is read. Takes the memory of the whole form if its
    /// length is known, otherwise that of one photograph.
    fn begin(
        state: &'u ApiState,
        user: &'u User,
        caller: &'u Caller,
        n_bytes: Option<u64>,
    ) -> Result<Self, ApiError> {
        let mut upload = Self {
            photos: Vec::new(),
            vehicle_id: None,
            n_image_fields: 0,
            max_photo_bytes: state.max_photo_bytes,
            uploads: &state.uploads,
            user,
            caller,
            places: Vec::new(),
            memory: Vec::new(),
            is_length_known: n_bytes.is_some(),
        };
        upload.take_place()?;
        upload.take_memory(n_bytes)?;
        Ok(upload)
    }

    fn take_place(&mut self) -> Result<(), ApiError> {
        self.places.push(self.uploads.take(self.user, self.caller)?);
        Ok(())
    }

    fn take_memory(&mut self, n_bytes: Option<u64>) -> Result<(), ApiError> {
        self.memory.push(self.uploads.take_memory(self.user.into(), n_bytes)?);
        Ok(())
    }

    /// Reads the form. If it is refused, reads the rest too, and the error says which of how many photographs it is
    /// about.
    async fn read_or_explain(&mut self, form: &mut Multipart, limit: BodyLimit) -> Result<(), ApiError> {
        let Err(refusal) = self.read(form).await else { return Ok(()) };
        let number = self.n_image_fields;
        let n_photos = number + drain(form).await;
        Err(match refusal {
            Refusal::Photo(error) => error.of_form(&limit.text()).of_photo(number, n_photos),
            Refusal::Form(error) => error.of_form(&limit.text()),
        })
    }

    async fn read(&mut self, form: &mut Multipart) -> Result<(), Refusal> {
        let mut unknown = None;
        while let Some(mut field) = next_field(form).await? {
            match field.name() {
                Some("image") => self.read_photo(&mut field).await?,
                Some("vehicleId") => {
                    let bytes = read_field(&mut field, TEXT_FIELD_LIMIT, "The field `vehicleId`").await?;
                    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
                    if !text.is_empty() {
                        self.vehicle_id = Some(vehicle_id(&text)?);
                    }
                }
                Some("vehicleInfo") => {
                    let bytes = read_field(&mut field, TEXT_FIELD_LIMIT, "The field `vehicleInfo`").await?;
                    // Only validated: the saved vehicle of `vehicleId` is what counts.
                    check_vehicle_info(&bytes).map_err(ApiError::from)?;
                }
                name => {
                    let name = name.unwrap_or_default().to_owned();
                    skip_field(&mut field).await?;
                    unknown.get_or_insert(name);
                }
            }
        }
        match unknown {
            // If a misspelt `vehicleId` were ignored, the scan would be for another vehicle.
            Some(name) if !self.photos.is_empty() => Err(ApiError::from(unknown_field(&name)).into()),
            // The error about the missing photograph says more: it may have come under the unknown name.
            _ => Ok(()),
        }
    }

    async fn read_photo(&mut self, field: &mut Field<'_>) -> Result<(), Refusal> {
        if self.photos.len() == MAX_SCAN_PHOTOS {
            let error = InvalidInput::new("image", messages::TOO_MANY_SCAN_PHOTOS);
            return Err(Refusal::Form(error.into()));
        }
        self.n_image_fields += 1;
        if self.n_image_fields > 1 {
            self.take_place()?;
            if !self.is_length_known {
                self.take_memory(None)?;
            }
        }
        check_media_type(field).map_err(Refusal::Photo)?;
        let photo = read_field(field, self.max_photo_bytes, "The photo").await.map_err(Refusal::Photo)?;
        self.photos.push(photo);
        Ok(())
    }
}

/// Why a form is refused.
enum Refusal {
    /// Because of the photograph that was read last.
    Photo(ApiError),
    /// For another reason.
    Form(ApiError),
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self::Form(error)
    }
}

fn check_vehicle_info(bytes: &[u8]) -> Result<(), InvalidInput> {
    let fits = bytes.is_empty()
        || serde_json::from_slice::<Option<serde_json::Map<String, serde_json::Value>>>(bytes).is_ok();
    fits.then_some(()).ok_or_else(|| {
        InvalidInput::new(
            "vehicleInfo",
            "The field `vehicleInfo` must be a JSON object with make, model and year.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vehicle_info_is_a_json_object_or_nothing() {
        for good in ["", "null", r#"{"make":"Honda","model":"Civic","year":2015}"#] {
            assert!(check_vehicle_info(good.as_bytes()).is_ok(), "{good}");
        }
        for bad in ["Honda", "[1]", "{"] {
            assert_eq!(check_vehicle_info(bad.as_bytes()).unwrap_err().field, "vehicleInfo", "{bad}");
        }
    }
}
