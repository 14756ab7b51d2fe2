//! Parts that people teach.

use std::str::FromStr;

use axum::Json;
use axum::body::HttpBody as _;
use axum::extract::multipart::Multipart;
use axum::extract::{FromRequest, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use partsight_app::{Caller, Lesson, MAX_TEACHING_PHOTOS, MarkedPart, Owner, PartReference};
use partsight_domain::{Category, InvalidInput, ShopPartId, messages};
use serde::Serialize;
use utoipa::ToSchema;

use crate::body_limit::{BodyLimit, size_text};
use crate::caller::FromCaller;
use crate::extract::{PathSegment, PathSegments, SignedIn};
use crate::forms::{
    TEXT_FIELD_LIMIT, UPLOAD_LIMIT, check_media_type, next_field, not_a_form, or_drained, read_field,
    skip_field, unknown_field, within,
};
use crate::ids::{part_label, reference_id};
use crate::parts::part_types::{PartCategory, PartPosition};
use crate::sender::Sender;
use crate::shop_part_text::ShopPartText;
use crate::{ApiError, ApiState, problems};

/// Form to teach a new part type.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct NewPartTypeForm {
    /// The name of the part type, at most 60 characters.
    #[schema(example = "EGR valve, 2.0 TDI")]
    name: String,
    /// The category of the part type.
    category: PartCategory,
    /// One to five photographs of the part from different sides; their total size has the same limit as in a scan.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1, max_items = 5)]
    image: Vec<Vec<u8>>,
    /// `true` to save photographs that look more like another part type. The two types are then marked as look-alikes,
    /// and a scan of either names both.
    #[schema(rename = "acceptCollision", default = false)]
    accept_collision: Option<bool>,
}

/// Form to add reference photographs to a part type.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct NewReferencesForm {
    /// The id of a shop part of this type that the photographs show: they are also saved with it, and a scan that looks
    /// like them leads to it. A shop part has at most 10 photographs.
    #[schema(rename = "partId", example = "0190a0a0-0000-7000-8000-000000000000")]
    part_id: Option<String>,
    /// One to five photographs of the part from different sides; their total size has the same limit as in a scan.
    #[schema(value_type = Vec<String>, format = Binary, min_items = 1, max_items = 5)]
    image: Vec<Vec<u8>>,
    /// `true` to save photographs that look more like another part type. The two types are then marked as look-alikes,
    /// and a scan of either names both.
    #[schema(rename = "acceptCollision", default = false)]
    accept_collision: Option<bool>,
}

/// A part type with its reference photographs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaughtPartType {
    /// The label of the part type.
    #[schema(example = "egr-valve-2-0-tdi")]
    id: String,
    #[schema(example = "EGR valve, 2.0 TDI")]
    name: String,
    category: PartCategory,
    position: PartPosition,
    /// Whether it is shared with everybody on this server.
    is_shared: bool,
    /// Whether you may change and delete it.
    is_own: bool,
    /// Whether the model knows it, so that a scan can identify it without reference photographs.
    model_knows: bool,
    /// The oldest first.
    references: Vec<TaughtReference>,
    /// The part types that are marked as its look-alikes: a scan that is certain to show one of them names all instead
    /// of choosing.
    look_alikes: Vec<LookAlike>,
}

/// A part type that is marked as a look-alike of another.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LookAlike {
    /// The label of the part type.
    #[schema(example = "egr-valve-2-0-tdi")]
    id: String,
    #[schema(example = "EGR valve, 2.0 TDI")]
    name: String,
    category: PartCategory,
    /// Whether you may remove the mark.
    is_own: bool,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    marked_at: Timestamp,
    /// The newest shop parts of this type, at most three.
    shop_parts: Vec<ShopPartText>,
}

impl From<MarkedPart> for LookAlike {
    fn from(part: MarkedPart) -> Self {
        Self {
            id: part.label.to_string(),
            name: part.name,
            category: part.category.into(),
            is_own: part.is_own,
            marked_at: part.marked_at,
            shop_parts: part.shop_parts.into_iter().map(ShopPartText::from).collect(),
        }
    }
}

/// A reference photograph of a part type.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaughtReference {
    id: String,
    /// Origin: `enrolled` for a photograph that was sent to teach, `confirmed-scan` for a scan with feedback.
    #[schema(example = "enrolled")]
    kind: &'static str,
    /// Whether you may delete it.
    is_own: bool,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
    /// Address of the thumbnail, if the server keeps any.
    #[schema(example = "/api/catalog/references/0190a0a0-0000-7000-8000-000000000000/thumbnail")]
    thumbnail_url: String,
}

impl From<partsight_app::TaughtType> for TaughtPartType {
    fn from(part_type: partsight_app::TaughtType) -> Self {
        Self {
            id: part_type.label.to_string(),
            name: part_type.name,
            category: part_type.category.into(),
            position: part_type.position.into(),
            is_shared: part_type.is_shared,
            is_own: part_type.is_own,
            model_knows: part_type.model_knows,
            references: part_type.references.into_iter().map(TaughtReference::from).collect(),
            look_alikes: part_type.look_alikes.into_iter().map(LookAlike::from).collect(),
        }
    }
}

impl From<PartReference> for TaughtReference {
    fn from(PartReference { stored, is_own }: PartReference) -> Self {
        Self {
            kind: stored.kind.as_str(),
            is_own,
            created_at: stored.created_at,
            thumbnail_url: format!("/api/catalog/references/{}/thumbnail", stored.id),
            id: stored.id.to_string(),
        }
    }
}

/// Lists the taught part types, your own and those shared with everybody, with their reference photographs.
#[utoipa::path(get, path = "/api/catalog/types", tag = "parts",
    responses((status = OK, body = Vec<TaughtPartType>), problems::SignedIn))]
pub(crate) async fn list_part_types(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<Vec<TaughtPartType>>, ApiError> {
    let types = app.teaching.list_taught_types(&user).await?;
    Ok(Json(types.into_iter().map(TaughtPartType::from).collect()))
}

/// Teaches a new part type with one to five photographs. From the next scan on it can be identified.
///
/// Either all photographs are saved or none. Each must show a part and must not be a copy of another. If a photograph
/// looks more like another part type, the answer is 409 `looks-alike`, with that type in `resembles`. The same call
/// with `acceptCollision` saves the photograph and marks the two types as look-alikes.
#[utoipa::path(post, path = "/api/catalog/types", tag = "parts",
    request_body(content = NewPartTypeForm, content_type = "multipart/form-data"),
    responses(
        (status = CREATED, body = TaughtPartType),
        problems::Write, problems::PhotoUpload,
        (status = CONFLICT, description = "A part type with this name exists, or a photograph looks more like another part type."),
        (status = UNPROCESSABLE_ENTITY, description = "A field is invalid, or a photograph is not suitable as a reference."),
        (status = TOO_MANY_REQUESTS, description = "Too many photographs that look more like another part type, or too much processing of photographs without an answer; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn create_part_type(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    request: Request,
) -> Result<(StatusCode, Json<TaughtPartType>), ApiError> {
    let teach = |form: TeachingForm| {
        let name = form.name.unwrap_or_default();
        let category = category_of(&form.category)?;
        Ok((Lesson::NewType { name, category }, form.photos, form.accept_collision))
    };
    run_lesson(&state, &sender, &caller, request, teach).await
}

/// Adds one to five reference photographs to a taught part type, or to one that the model knows.
///
/// The photographs pass the same checks as those of a new part type.
#[utoipa::path(post, path = "/api/catalog/types/{id}/references", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug")),
    request_body(content = NewReferencesForm, content_type = "multipart/form-data"),
    responses(
        (status = CREATED, body = TaughtPartType),
        problems::Write, problems::PhotoUpload,
        (status = NOT_FOUND, description = "No such part type."),
        (status = CONFLICT, description = "The shop part was changed during the call, or a photograph looks more like another part type."),
        (status = UNPROCESSABLE_ENTITY, description = "A photograph is not suitable as a reference."),
        (status = TOO_MANY_REQUESTS, description = "Too many photographs that look more like another part type, or too much processing of photographs without an answer; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn add_part_references(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    PathSegment(id): PathSegment,
    request: Request,
) -> Result<(StatusCode, Json<TaughtPartType>), ApiError> {
    let label = part_label(&id)?;
    let teach = |form: TeachingForm| {
        let lesson = match form.part_id {
            Some(id) => Lesson::Part { label, id },
            None => Lesson::Known(label),
        };
        Ok((lesson, form.photos, form.accept_collision))
    };
    run_lesson(&state, &sender, &caller, request, teach).await
}

/// Returns one part type with its reference photographs.
#[utoipa::path(get, path = "/api/catalog/types/{id}", tag = "parts",
    params(("id" = String, Path, description = "The label of the part type.", example = "spark-plug")),
    responses((status = OK, body = TaughtPartType), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_part_type(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<TaughtPartType>, ApiError> {
    Ok(Json(app.teaching.taught_type(&user, &part_label(&id)?).await?.into()))
}

/// Marks two part types as look-alikes: a scan that is certain to show one of the two then names both instead of
/// choosing.
///
/// Both taught types and types of the model are allowed. Marking the same two again changes nothing.
#[utoipa::path(put, path = "/api/catalog/types/{id}/look-alikes/{other}", tag = "parts",
    params(
        ("id" = String, Path, description = "The label of the part type.", example = "spark-plug"),
        ("other" = String, Path, description = "The label of the other part type.", example = "glow-plug"),
    ),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound, problems::Invalid))]
pub(crate) async fn mark_look_alike(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<2>,
) -> Result<StatusCode, ApiError> {
    let PathSegments([id, other]) = segments;
    app.teaching.mark_look_alike(&user, &part_label(&id)?, &part_label(&other)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the look-alike mark of two part types, so that a scan chooses between them again.
#[utoipa::path(delete, path = "/api/catalog/types/{id}/look-alikes/{other}", tag = "parts",
    params(
        ("id" = String, Path, description = "The label of the part type.", example = "spark-plug"),
        ("other" = String, Path, description = "The label of the other part type.", example = "glow-plug"),
    ),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn unmark_look_alike(
    SignedIn { app, user }: SignedIn,
    segments: PathSegments<2>,
) -> Result<StatusCode, ApiError> {
    let PathSegments([id, other]) = segments;
    let owner = Owner::of(&user);
    app.teaching.unmark_look_alike(&owner, &part_label(&id)?, &part_label(&other)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a reference photograph of a part. It can be restored for 30 days.
#[utoipa::path(delete, path = "/api/catalog/references/{id}", tag = "parts",
    params(("id" = String, Path, description = "The id of the photograph.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_part_reference(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.teaching.delete_reference(&user, reference_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Restores a deleted reference photograph.
#[utoipa::path(post, path = "/api/catalog/references/{id}/restore", tag = "parts",
    params(("id" = String, Path, description = "The id of the photograph.")),
    responses(
        (status = NO_CONTENT),
        problems::Write,
        (status = NOT_FOUND, description = "Not found, or not deleted."),
    ))]
pub(crate) async fn restore_part_reference(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.teaching.restore_reference(&user, reference_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the thumbnail of a reference photograph.
#[utoipa::path(get, path = "/api/catalog/references/{id}/thumbnail", tag = "parts",
    params(("id" = String, Path, description = "The id of the photograph.")),
    responses(
        (status = OK, body = Vec<u8>, content_type = "image/jpeg"),
        problems::SignedIn, problems::NotFound,
    ))]
pub(crate) async fn get_part_reference_thumbnail(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Response, ApiError> {
    let photo = app.teaching.reference_thumbnail(&user, reference_id(&id)?).await?;
    let media_type = HeaderValue::from_str(&photo.media_type).map_err(ApiError::internal)?;
    Ok(([(CONTENT_TYPE, media_type)], photo.bytes).into_response())
}

/// The fields of a teaching form.
#[derive(Default)]
struct TeachingForm {
    name: Option<String>,
    category: String,
    part_id: Option<ShopPartId>,
    photos: Vec<Vec<u8>>,
    accept_collision: bool,
}

/// Parses the name of a category. The error lists all categories.
pub(super) fn category_of(name: &str) -> Result<Category, InvalidInput> {
    Category::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Category::ALL.iter().map(|category| category.as_str()).collect();
        InvalidInput::new("category", format!("Please choose a category: {}.", names.join(", ")))
    })
}

async fn run_lesson(
    state: &ApiState,
    sender: &Sender,
    caller: &Caller,
    request: Request,
    lesson: impl FnOnce(TeachingForm) -> Result<(Lesson, Vec<Vec<u8>>, bool), ApiError>,
) -> Result<(StatusCode, Json<TaughtPartType>), ApiError> {
    // One place for all photographs of the form, which in total may be no larger than one.
    let _upload = state.uploads.take_with_memory(&sender.user, caller, request.body().size_hint().exact())?;
    let limit = BodyLimit::of(&request);
    let mut form = Multipart::from_request(request, &()).await.map_err(not_a_form)?;
    let reading = async {
        let read = TeachingForm::read(&mut form, state.max_photo_bytes).await;
        or_drained(read, &mut form, limit).await
    };
    let form = within(UPLOAD_LIMIT, reading).await?;
    let (lesson, photos, accept_collision) = lesson(form)?;
    let user = sender.again().await?;
    let taught = state.app.teaching.teach(&user, lesson, photos, accept_collision).await?;
    Ok((StatusCode::CREATED, Json(taught.into())))
}

/// The fields of a teaching form other than its photographs.
const TEACHING_FIELDS: [&str; 4] = ["name", "category", "partId", "acceptCollision"];

impl TeachingForm {
    async fn read(form: &mut Multipart, max_bytes: usize) -> Result<Self, ApiError> {
        let mut read = Self::default();
        let (mut n_bytes, mut unknown) = (0, None);
        while let Some(mut field) = next_field(form).await? {
            let name = field.name().unwrap_or_default().to_owned();
            if name == "image" {
                if read.photos.len() == MAX_TEACHING_PHOTOS {
                    let text = format!("Please send at most {MAX_TEACHING_PHOTOS} photos at a time.");
                    return Err(InvalidInput::new("image", text).into());
                }
                check_media_type(&field)?;
                let photo = read_field(&mut field, max_bytes, "The photo").await?;
                // The sum is limited, since the form has the memory of one photograph.
                n_bytes += photo.len();
                if n_bytes > max_bytes {
                    return Err(ApiError::too_large(format!(
                        "The photos together are larger than the limit of {}. Please send fewer or smaller ones.",
                        size_text(max_bytes)
                    )));
                }
                read.photos.push(photo);
                continue;
            }
            if !TEACHING_FIELDS.contains(&name.as_str()) {
                skip_field(&mut field).await?;
                unknown.get_or_insert(name);
                continue;
            }
            let bytes = read_field(&mut field, TEXT_FIELD_LIMIT, &format!("The field `{name}`")).await?;
            let text = String::from_utf8_lossy(&bytes).trim().to_owned();
            match name.as_str() {
                "name" => read.name = Some(text),
                "category" => read.category = text,
                "partId" if text.is_empty() => {}
                "partId" => {
                    let id = text.parse::<ShopPartId>();
                    let id = id.map_err(|_| InvalidInput::new("partId", messages::TAUGHT_PART_MISSING))?;
                    read.part_id = Some(id);
                }
                "acceptCollision" => {
                    read.accept_collision = bool::from_str(&text).map_err(|_| {
                        InvalidInput::new("acceptCollision", "`acceptCollision` must be `true` or `false`.")
                    })?;
                }
                _ => {}
            }
        }
        match unknown {
            Some(name) if !read.photos.is_empty() => Err(unknown_field(&name).into()),
            // The error about missing photographs says more: they may have come under the unknown name.
            _ => Ok(read),
        }
    }
}
