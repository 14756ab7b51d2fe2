//! The photographs that come in and the part that goes out.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use partsight_app::{App, Error, IDEMPOTENCY_KEY, KeyCaller, ScanRequest};
use partsight_domain::{InvalidInput, MAX_SCAN_PHOTOS, ScanSource, VehicleId, messages};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::extract::SignedIn;
use crate::idempotency::{REPLAYED, key};
use crate::scans::ScanResult;
use crate::vehicles::vehicle_id;
use crate::{ApiError, ApiState, Problem};

/// A client that sends nothing for this long has gone.
const IDLE_LIMIT: Duration = Duration::from_secs(30);
/// An upload that takes longer than this keeps its place from others: 25 MB at 0.7 Mbit/s.
pub(crate) const UPLOAD_LIMIT: Duration = Duration::from_mins(5);
/// Bytes of the fields beside the photograph.
pub(crate) const TEXT_FIELD_LIMIT: usize = 16 * 1024;
/// How much of an oversize upload is read and thrown away, in multiples of the limit, so that its sender
/// gets to see the reason.
const DRAIN_FACTOR: usize = 4;

/// The most that a form with photographs may take, all fields and what stands around them, in bytes: photographs of
/// the largest size, and in the place of the last one that is too large.
pub(crate) fn max_form_bytes(max_photo_bytes: usize) -> usize {
    max_photo_bytes
        .saturating_mul(MAX_SCAN_PHOTOS - 1 + DRAIN_FACTOR)
        .saturating_add((MAX_SCAN_PHOTOS + 8) * TEXT_FIELD_LIMIT)
}

/// The form of a scan.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct ScanForm {
    /// One to five photographs of the same part, each in a field of this name: JPEG, PNG, WebP or another common
    /// format.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1, max_items = 5)]
    image: Vec<Vec<u8>>,
    /// The vehicle; unless given the default one, and with an API key none.
    #[schema(rename = "vehicleId", example = "0190a0a0-0000-7000-8000-000000000000")]
    vehicle_id: Option<String>,
    /// JSON with make, model and year. The saved vehicle of `vehicleId` is what counts.
    #[schema(rename = "vehicleInfo", example = r#"{"make":"Honda","model":"Civic","year":2015}"#)]
    vehicle_info: Option<String>,
}

/// Identifies the part in one to five photographs of it, saves the answer and counts it against the allowance.
///
/// Several photographs, such as different views, make one answer and one scan. One that hardly shows a known part
/// hardly counts; `photos` of the answer says how much each did. The one that shows the answer best stands for the
/// scan: its picture is kept, the judge sees it, and feedback teaches it.
///
/// Photographs without a known part, an error, or a cancelled request use no allowance. The answer's
/// `Server-Timing` header has the milliseconds of each stage, of all photographs together.
#[utoipa::path(post, path = "/api/identify", tag = "scans",
    request_body(content = ScanForm, content_type = "multipart/form-data"),
    responses(
        (status = OK, body = ScanResult),
        (status = UNAUTHORIZED, body = Problem, content_type = "application/problem+json"),
        (status = FORBIDDEN, body = Problem, content_type = "application/problem+json"),
        (status = NOT_FOUND, body = Problem, content_type = "application/problem+json", description = "No such vehicle."),
        (status = REQUEST_TIMEOUT, body = Problem, content_type = "application/problem+json"),
        (status = PAYLOAD_TOO_LARGE, body = Problem, content_type = "application/problem+json"),
        (status = UNSUPPORTED_MEDIA_TYPE, body = Problem, content_type = "application/problem+json", description = "Not a photograph."),
        (status = UNPROCESSABLE_ENTITY, body = Problem, content_type = "application/problem+json", description = "`not-identified`: no known part is in the photographs. `invalid`: a photograph is damaged, there are more than five, or a field is wrong."),
        (status = TOO_MANY_REQUESTS, body = Problem, content_type = "application/problem+json", description = "The allowance is used up."),
        (status = SERVICE_UNAVAILABLE, body = Problem, content_type = "application/problem+json", description = "Too much is waiting; see Retry-After."),
    ))]
pub(crate) async fn identify_part(
    State(state): State<ApiState>,
    SignedIn(user): SignedIn,
    request: Request,
) -> Result<(HeaderMap, Json<ScanResult>), ApiError> {
    let caller = request.extensions().get::<KeyCaller>();
    let source = caller.map_or(ScanSource::Web, |caller| ScanSource::Key(caller.key.id));
    let names_call = request.headers().get(IDEMPOTENCY_KEY).cloned();
    let mut upload = Upload::begin(&state)?;
    let mut form =
        Multipart::from_request(request, &()).await.map_err(|rejection| form_rejection(&rejection))?;
    timeout(UPLOAD_LIMIT, upload.read_or_explain(&mut form))
        .await
        .unwrap_or_else(|_| Err(ApiError::upload_stalled()))?;
    let app: &App = &state.app;
    let scan_request = ScanRequest { photos: upload.photos, vehicle_id: upload.vehicle_id, source };
    let call_key = names_call.map(|header| key(Some(&header))).transpose()?;
    let (scan, is_replayed) = app.scan_once(&user, scan_request, call_key).await?;
    let types = app.part_types_with_guides(&user, [&scan.best.label].into_iter()).await?;
    let result = ScanResult::new(app, &types, scan)?;
    let timing = HeaderValue::from_str(&result.timings().header()).map_err(ApiError::internal)?;
    let mut headers = HeaderMap::from_iter([(HeaderName::from_static("server-timing"), timing)]);
    if is_replayed {
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok((headers, Json(result)))
}

/// The fields of the form, as they arrive.
struct Upload {
    photos: Vec<Vec<u8>>,
    vehicle_id: Option<VehicleId>,
    /// Image fields that have begun, the refused one included.
    n_image_fields: usize,
    max_photo_bytes: usize,
    uploads: Arc<Semaphore>,
    /// One for each photograph in memory.
    places: Vec<OwnedSemaphorePermit>,
}

impl Upload {
    /// Takes the place of the first photograph, before anything is read.
    fn begin(state: &ApiState) -> Result<Self, ApiError> {
        let mut upload = Self {
            photos: Vec::new(),
            vehicle_id: None,
            n_image_fields: 0,
            max_photo_bytes: state.max_photo_bytes,
            uploads: Arc::clone(&state.uploads),
            places: Vec::new(),
        };
        upload.take_place()?;
        Ok(upload)
    }

    fn take_place(&mut self) -> Result<(), ApiError> {
        let place = Arc::clone(&self.uploads).try_acquire_owned().map_err(|_| Error::Busy)?;
        self.places.push(place);
        Ok(())
    }

    /// Reads the form. Of one that is refused the rest is read as well, and the error says which photograph of how
    /// many it is about.
    async fn read_or_explain(&mut self, form: &mut Multipart) -> Result<(), ApiError> {
        let Err(refusal) = self.read(form).await else { return Ok(()) };
        let number = self.n_image_fields;
        let n_photos = number + drain(form).await;
        Err(match refusal {
            Refusal::Photo(error) => error.of_photo(number, n_photos),
            Refusal::Form(error) => error,
        })
    }

    async fn read(&mut self, form: &mut Multipart) -> Result<(), Refusal> {
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
                    check_vehicle_info(&bytes).map_err(ApiError::from)?;
                }
                // A field of a later version: read it, so that the next one can be.
                _ => drop(read_field(&mut field, TEXT_FIELD_LIMIT, "A field of the form").await?),
            }
        }
        Ok(())
    }

    async fn read_photo(&mut self, field: &mut Field<'_>) -> Result<(), Refusal> {
        if self.photos.len() == MAX_SCAN_PHOTOS {
            let error = InvalidInput::new("image", messages::TOO_MANY_SCAN_PHOTOS);
            return Err(Refusal::Form(error.into()));
        }
        self.n_image_fields += 1;
        if self.n_image_fields > 1 {
            self.take_place()?;
        }
        check_media_type(field).map_err(Refusal::Photo)?;
        let photo = read_field(field, self.max_photo_bytes, "The photo").await.map_err(Refusal::Photo)?;
        self.photos.push(photo);
        Ok(())
    }
}

/// Why a form is refused.
enum Refusal {
    /// For the photograph that was read last.
    Photo(ApiError),
    /// For something else.
    Form(ApiError),
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self::Form(error)
    }
}

/// Browsers say what they send; anything that is said not to be a picture is refused before it is read.
pub(crate) fn check_media_type(field: &Field<'_>) -> Result<(), ApiError> {
    match field.content_type() {
        None | Some("application/octet-stream") => Ok(()),
        Some(media_type) if media_type.starts_with("image/") => Ok(()),
        Some(media_type) => Err(ApiError::unsupported_media_type(format!(
            "The file is of the type `{media_type}`, not a photo. Please choose a JPEG, PNG or WebP file."
        ))),
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

pub(crate) async fn next_field(form: &mut Multipart) -> Result<Option<Field<'_>>, ApiError> {
    match timeout(IDLE_LIMIT, form.next_field()).await {
        Ok(field) => field.map_err(|error| form_error(&error)),
        Err(_) => Err(ApiError::upload_stalled()),
    }
}

/// Reads what is left of a form that has been refused, within the limits of the whole form, and returns how many
/// photographs that is: a client that is answered before it has sent everything sees a broken connection instead of
/// the reason.
pub(crate) async fn drain(form: &mut Multipart) -> usize {
    let mut n_photos = 0;
    while let Ok(Ok(Some(mut field))) = timeout(IDLE_LIMIT, form.next_field()).await {
        n_photos += usize::from(field.name() == Some("image"));
        while let Ok(Ok(Some(_))) = timeout(IDLE_LIMIT, field.chunk()).await {}
    }
    n_photos
}

/// A further piece of a field, as it arrives.
pub(crate) async fn next_chunk(field: &mut Field<'_>) -> Result<Option<Bytes>, ApiError> {
    match timeout(IDLE_LIMIT, field.chunk()).await {
        Ok(chunk) => chunk.map_err(|error| form_error(&error)),
        Err(_) => Err(ApiError::upload_stalled()),
    }
}

/// All bytes of a field, if they are at most `limit`.
pub(crate) async fn read_field(field: &mut Field<'_>, limit: usize, what: &str) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    let mut size = 0_usize;
    loop {
        let Some(chunk) = next_chunk(field).await? else { break };
        size += chunk.len();
        if size <= limit {
            bytes.extend_from_slice(&chunk);
        } else {
            // Give the memory back at once; the rest is only counted.
            bytes = Vec::new();
            if size > limit.saturating_mul(DRAIN_FACTOR) {
                break;
            }
        }
    }
    if size > limit {
        return Err(ApiError::too_large(format!(
            "{what} is larger than the limit of {}. Please send a smaller or more compressed one.",
            size_text(limit)
        )));
    }
    Ok(bytes)
}

/// `bytes` for people: `25 MB` where it is whole megabytes of 1,048,576 bytes.
pub(crate) fn size_text(bytes: usize) -> String {
    const MEGABYTE: usize = 1024 * 1024;
    if bytes >= MEGABYTE && bytes.is_multiple_of(MEGABYTE) {
        format!("{} MB", bytes / MEGABYTE)
    } else {
        format!("{bytes} bytes")
    }
}

pub(crate) fn form_rejection(rejection: &MultipartRejection) -> ApiError {
    ApiError::unsupported_media_type(format!(
        "Please send the photo as multipart/form-data, in the field `image` ({}).",
        rejection.body_text()
    ))
}

fn form_error(error: &MultipartError) -> ApiError {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return ApiError::too_large("The form is larger than this call takes.".to_owned());
    }
    InvalidInput::new(
        "image",
        "The upload is incomplete or not a valid form. Nothing was saved; please send it again.",
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_people_say_them() {
        assert_eq!(size_text(25 * 1024 * 1024), "25 MB");
        assert_eq!(size_text(1000), "1000 bytes");
    }

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
