//! The parts of a shop.

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use partsight_app::{App, PartTypes, ShopPartPage};
use partsight_domain::{
    FitmentSource, InvalidInput, PartFitment, PartFitmentForm, PartPrice, ReferenceId, ShopPartForm, User,
    messages,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{JsonBody, PathSegment, QueryString, SignedIn, null_as_absent};
use crate::garage::records::NumberText;
use crate::ids::{part_label, shop_part_id};
use crate::{ApiError, next_page, problems};

pub(crate) const PATH: &str = "/api/catalog/parts";

/// A shop part: a part number of a brand.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShopPart {
    id: String,
    /// The label of the part type.
    #[schema(example = "spark-plug")]
    label: String,
    /// The name of the part type; its label if it is no longer in the catalogue.
    #[schema(example = "Spark Plug")]
    type_name: String,
    /// The name that the shop uses.
    #[schema(required, example = "Iridium plug, long reach")]
    name: Option<String>,
    #[schema(example = "ILZKR7B-11S")]
    number: String,
    #[schema(required, example = "NGK")]
    brand: Option<String>,
    /// Null if it has no price.
    #[schema(required)]
    price: Option<ShopPartPrice>,
    #[schema(required)]
    notes: Option<String>,
    fitments: Vec<ShopPartFitment>,
    photos: Vec<ShopPartPhoto>,
    owned_by: ShopPartOwner,
    /// Whether you may change and delete it: always for your own; for parts of the company only as owner or manager.
    may_change: bool,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment")]
    updated_at: Timestamp,
}

/// The owner of a shop part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ShopPartOwner {
    /// Yours, in a company as well; it goes along when you leave.
    You,
    /// Your company's.
    Company,
}

/// The price of a part in the shop.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ShopPartPrice {
    /// Price in hundredths of the currency.
    #[schema(example = 1250)]
    cents: i64,
    /// ISO 4217 code of three letters.
    #[schema(example = "USD")]
    currency: String,
}

impl From<PartPrice> for ShopPartPrice {
    fn from(price: PartPrice) -> Self {
        Self { cents: price.cents(), currency: price.currency().to_owned() }
    }
}

/// A photograph of a shop part, from the references of its part type.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShopPartPhoto {
    id: String,
    /// Address of the thumbnail, if the server keeps any.
    #[schema(example = "/api/catalog/references/0190a0a0-0000-7000-8000-000000000000/thumbnail")]
    thumbnail_url: String,
}

/// Vehicles that a part fits or does not fit.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShopPartFitment {
    #[schema(example = "Honda")]
    make: String,
    /// Null for all models of the make.
    #[schema(required, example = "Civic")]
    model: Option<String>,
    /// First model year; null for no limit.
    #[schema(required, example = 2012)]
    year_from: Option<u16>,
    /// Last model year; null for no limit.
    #[schema(required, example = 2015)]
    year_to: Option<u16>,
    #[schema(required, example = "1.8 engine only")]
    note: Option<String>,
    /// `false` for vehicles that the part is known not to fit.
    fits: bool,
    /// `shop` if somebody entered it, `aces` if it is from an imported file.
    #[schema(example = "shop")]
    source: &'static str,
}

impl From<PartFitment> for ShopPartFitment {
    fn from(fitment: PartFitment) -> Self {
        Self {
            make: fitment.make,
            model: fitment.model,
            year_from: fitment.first_year,
            year_to: fitment.last_year,
            note: fitment.note,
            fits: fitment.fits,
            source: match fitment.source {
                FitmentSource::Shop => "shop",
                FitmentSource::Aces | FitmentSource::AcesPartial => "aces",
            },
        }
    }
}

impl ShopPart {
    /// The part as `user` sees it.
    pub(crate) fn new(types: &PartTypes, part: partsight_domain::ShopPart, user: &User) -> Self {
        let is_own = part.tenant_id == user.tenant_id;
        let details = part.details;
        Self {
            id: part.id.to_string(),
            type_name: types.name(&details.label),
            label: details.label.to_string(),
            name: details.name,
            number: details.number,
            brand: details.brand,
            price: details.price.map(ShopPartPrice::from),
            notes: details.notes,
            fitments: details.fitments.into_iter().map(ShopPartFitment::from).collect(),
            photos: details
                .photos
                .into_iter()
                .map(|id| ShopPartPhoto {
                    id: id.to_string(),
                    thumbnail_url: format!("/api/catalog/references/{id}/thumbnail"),
                })
                .collect(),
            owned_by: if is_own { ShopPartOwner::You } else { ShopPartOwner::Company },
            may_change: user.may_change(part.tenant_id),
            created_at: part.created_at,
            updated_at: part.updated_at,
        }
    }

    async fn of_user(
        app: &App,
        user: &User,
        part: partsight_domain::ShopPart,
    ) -> Result<Json<Self>, ApiError> {
        Ok(Json(Self::new(&app.parts.part_types(user).await?, part, user)))
    }
}

/// A shop part to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "label": "spark-plug", "name": "Iridium plug, long reach", "number": "ILZKR7B-11S", "brand": "NGK",
    "price": 12.5, "currency": "USD", "notes": "Shelf 4.",
    "fitments": [{ "make": "Honda", "model": "Civic", "yearFrom": 2012, "yearTo": 2015, "note": "1.8 engine only" }],
}))]
pub(crate) struct NewShopPart {
    /// The label of a part type, from the catalogue or taught.
    #[schema(required, value_type = String, example = "spark-plug")]
    label: Option<String>,
    /// At most 120 characters.
    #[schema(example = "Iridium plug, long reach")]
    name: Option<String>,
    /// At most 60 characters; number and brand together are unique in the shop.
    #[schema(required, value_type = String, example = "ILZKR7B-11S")]
    number: Option<String>,
    /// At most 60 characters.
    #[schema(example = "NGK")]
    brand: Option<String>,
    /// At most two decimals.
    #[schema(value_type = Option<NumberText>, example = 12.5)]
    price: Option<NumberText>,
    /// ISO 4217 code of three letters; `USD` by default.
    #[schema(example = "USD")]
    currency: Option<String>,
    /// At most 2,000 characters.
    notes: Option<String>,
    /// Vehicles that the part fits or does not fit, at most 500.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required = false)]
    fitments: Vec<NewShopPartFitment>,
    /// Ids of reference photographs of this part type, at most 10.
    #[serde(default, deserialize_with = "null_as_absent")]
    #[schema(required = false)]
    photos: Vec<String>,
}

/// Vehicles that a part fits or does not fit.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewShopPartFitment {
    /// At most 80 characters.
    #[schema(required, value_type = String, example = "Honda")]
    make: Option<String>,
    /// At most 80 characters; all models of the make if absent.
    #[schema(example = "Civic")]
    model: Option<String>,
    #[schema(value_type = Option<NumberText>, example = 2012)]
    year_from: Option<NumberText>,
    #[schema(value_type = Option<NumberText>, example = 2015)]
    year_to: Option<NumberText>,
    /// At most 200 characters.
    #[schema(example = "1.8 engine only")]
    note: Option<String>,
    /// `false` for vehicles that the part does not fit; `true` by default.
    fits: Option<bool>,
}

impl NewShopPart {
    fn form(self) -> Result<ShopPartForm, ApiError> {
        let fitments = self.fitments.into_iter().map(|fitment| PartFitmentForm {
            make: fitment.make,
            model: fitment.model,
            first_year: fitment.year_from.map(|year| year.0),
            last_year: fitment.year_to.map(|year| year.0),
            note: fitment.note,
            fits: fitment.fits,
        });
        let photos: Result<Vec<ReferenceId>, _> = self.photos.iter().map(|id| id.parse()).collect();
        Ok(ShopPartForm {
            label: self.label,
            name: self.name,
            number: self.number,
            brand: self.brand,
            price: self.price.map(|price| price.0),
            currency: self.currency,
            notes: self.notes,
            fitments: fitments.collect(),
            photos: photos.map_err(|_| InvalidInput::new("photos", messages::REFERENCE_NOT_FOUND))?,
        })
    }
}

/// Which parts to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ShopPartsQuery {
    /// Only shop parts of this part type, by its label.
    label: Option<String>,
    /// Page size, 1 to 200; 50 by default.
    limit: Option<i64>,
    /// The value of the header `X-Next-Cursor` in the previous answer.
    before: Option<String>,
}

/// Lists the shop parts, the newest first. Members of a company see the parts of the company and their own.
///
/// The list is paged: the headers `X-Next-Cursor` and `Link` lead to the next page.
#[utoipa::path(get, path = "/api/catalog/parts", tag = "parts", params(ShopPartsQuery), responses(
    (status = OK, body = Vec<ShopPart>, headers(
        ("X-Next-Cursor" = String, description = "Value of `before` for the next page; absent on the last page."),
        ("Link" = String, description = "Address of the next page, with `rel=\"next\"`; absent on the last page."),
    )),
    problems::SignedIn, problems::Invalid,
    (status = NOT_FOUND, description = "The part type is not a valid label."),
))]
pub(crate) async fn list_shop_parts(
    SignedIn { app, user }: SignedIn,
    QueryString(query): QueryString<ShopPartsQuery>,
) -> Result<(HeaderMap, Json<Vec<ShopPart>>), ApiError> {
    let page = ShopPartPage::new(query.limit, query.before.as_deref())?;
    let label = query.label.as_deref().map(part_label).transpose()?;
    // One more than requested shows whether another page follows.
    let asked = ShopPartPage { limit: page.limit + 1, ..page };
    let mut parts = app.parts.list_shop_parts(&user, label.as_ref(), asked).await?;
    let has_more = parts.len() > page.limit as usize;
    parts.truncate(page.limit as usize);
    let mut headers = HeaderMap::new();
    if let Some(last) = parts.last().filter(|_| has_more) {
        let of_label = label.map(|label| format!("&label={label}")).unwrap_or_default();
        let address = format!("{PATH}?before={}&limit={}{of_label}", last.id, page.limit);
        headers = next_page::headers(last.id, &address);
    }
    let types = app.parts.part_types(&user).await?;
    Ok((headers, Json(parts.into_iter().map(|part| ShopPart::new(&types, part, &user)).collect())))
}

/// Returns one shop part.
#[utoipa::path(get, path = "/api/catalog/parts/{id}", tag = "parts",
    params(("id" = String, Path, description = "The id of the shop part.")),
    responses((status = OK, body = ShopPart), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_shop_part(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<ShopPart>, ApiError> {
    let part = app.parts.shop_part(&user, shop_part_id(&id)?).await?;
    ShopPart::of_user(&app, &user, part).await
}

/// Adds a shop part. In a company, only the owner and managers may do this, and the part belongs to the company.
#[utoipa::path(post, path = "/api/catalog/parts", tag = "parts", request_body = NewShopPart, responses(
    (status = CREATED, body = ShopPart),
    problems::Write, problems::Body,
    (status = CONFLICT, description = "A part with this number and brand exists, or the shop has reached its limit of parts."),
))]
pub(crate) async fn create_shop_part(
    SignedIn { app, user }: SignedIn,
    JsonBody(body): JsonBody<NewShopPart>,
) -> Result<(StatusCode, Json<ShopPart>), ApiError> {
    let part = app.parts.create_shop_part(&user, &body.form()?).await?;
    Ok((StatusCode::CREATED, ShopPart::of_user(&app, &user, part).await?))
}

/// Replaces the details of a shop part: one of your own or, as owner or manager, one of the company.
#[utoipa::path(put, path = "/api/catalog/parts/{id}", tag = "parts", request_body = NewShopPart,
    params(("id" = String, Path, description = "The id of the shop part.")),
    responses(
        (status = OK, body = ShopPart),
        problems::Write, problems::NotFound, problems::Body,
        (status = CONFLICT),
    ))]
pub(crate) async fn update_shop_part(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(body): JsonBody<NewShopPart>,
) -> Result<Json<ShopPart>, ApiError> {
    let part = app.parts.update_shop_part(&user, shop_part_id(&id)?, &body.form()?).await?;
    ShopPart::of_user(&app, &user, part).await
}

/// Deletes a shop part: one of your own or, as owner or manager, one of the company. It can be restored for 30 days.
#[utoipa::path(delete, path = "/api/catalog/parts/{id}", tag = "parts",
    params(("id" = String, Path, description = "The id of the shop part.")),
    responses((status = NO_CONTENT), problems::Write, problems::NotFound))]
pub(crate) async fn delete_shop_part(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<StatusCode, ApiError> {
    app.parts.delete_shop_part(&user, shop_part_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Restores a deleted shop part.
#[utoipa::path(post, path = "/api/catalog/parts/{id}/restore", tag = "parts",
    params(("id" = String, Path, description = "The id of the shop part.")),
    responses(
        (status = OK, body = ShopPart),
        problems::Write,
        (status = NOT_FOUND, description = "Not found, or not deleted."),
        (status = CONFLICT, description = "Another part now has its number and brand, or its part type is deleted."),
    ))]
pub(crate) async fn restore_shop_part(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<ShopPart>, ApiError> {
    let part = app.parts.restore_shop_part(&user, shop_part_id(&id)?).await?;
    ShopPart::of_user(&app, &user, part).await
}
