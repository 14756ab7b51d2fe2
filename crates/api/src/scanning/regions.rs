//! Several parts on the photograph of one scan.

use axum::Json;
use axum::body::HttpBody as _;
use axum::extract::multipart::Multipart;
use axum::extract::{FromRequest, Request, State};
use jiff::Timestamp;
use partsight_app::PartTypes;
use partsight_domain::{InvalidInput, MarkedRegion, PartLabel, RegionBox, ScanRegions, messages};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body_limit::BodyLimit;
use crate::caller::FromCaller;
use crate::extract::{PathSegment, SignedIn};
use crate::forms::{
    TEXT_FIELD_LIMIT, UPLOAD_LIMIT, check_media_type, next_field, not_a_form, or_drained, read_field,
    unknown_field, within,
};
use crate::ids::scan_id;
use crate::parts::part_types::PartCategory;
use crate::scanning::candidates::{Alternative, alternatives};
use crate::sender::Sender;
use crate::unreadable_input::UnreadableInput;
use crate::wire_enum::wire_enum;
use crate::{ApiError, ApiState, objects_only, problems};

wire_enum!(
    /// The verdict for a region: identified; a part, but not sure which; or no known part.
    RegionVerdict from partsight_domain::Verdict { Identified, NotSure, NotAPart }
);

/// A rectangle on the upright photograph, in shares of its width and height, in 0..=1.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegionArea {
    #[schema(minimum = 0, maximum = 1, example = 0.05)]
    left: f32,
    #[schema(minimum = 0, maximum = 1, example = 0.1)]
    top: f32,
    /// `left` and `width` together are at most 1.
    #[schema(minimum = 0.02, maximum = 1, example = 0.4)]
    width: f32,
    /// `top` and `height` together are at most 1.
    #[schema(minimum = 0.02, maximum = 1, example = 0.35)]
    height: f32,
}

impl From<RegionBox> for RegionArea {
    fn from(RegionBox { left, top, width, height }: RegionBox) -> Self {
        Self { left, top, width, height }
    }
}

/// One part on the photograph, with its answer.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanRegion {
    /// Number of the region, from 1. Located regions are in reading order, drawn ones in the order that was sent.
    #[schema(minimum = 1, maximum = 20, example = 1)]
    number: usize,
    area: RegionArea,
    verdict: RegionVerdict,
    /// The label of the best guess.
    #[schema(example = "brake-rotor")]
    label: String,
    #[schema(example = "Brake Rotor")]
    part_name: String,
    /// Calibrated probability that the label is correct, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// How likely it is that the region shows any known part type, in 0..=1.
    #[schema(minimum = 0, maximum = 1)]
    known_score: f32,
    /// Other part types that it may be, the most probable first.
    alternatives: Vec<Alternative>,
    /// The label that a person corrected it to; null if there is no correction.
    #[schema(required, example = "brake-rotor")]
    corrected_label: Option<String>,
    /// The name of `correctedLabel`; null if there is no correction.
    #[schema(required, example = "Brake Rotor")]
    corrected_name: Option<String>,
    /// Category of the corrected part type, or else of the best guess; null if it is no longer in the catalogue.
    #[schema(required)]
    category: Option<PartCategory>,
}

/// The number of parts of one type on the photograph.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegionTotal {
    #[schema(example = "brake-rotor")]
    label: String,
    #[schema(example = "Brake Rotor")]
    name: String,
    #[schema(example = 3)]
    count: usize,
    /// How many of them are `not-sure`.
    #[schema(example = 1)]
    unsure_count: usize,
}

/// The parts on the photograph of a scan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegionsOfScan {
    /// Whether the parts were located; if not, `regions` is empty.
    is_looked_for: bool,
    #[schema(max_items = 20)]
    regions: Vec<ScanRegion>,
    /// Number of parts by type, the most frequent first; regions without a known part are not counted.
    totals: Vec<RegionTotal>,
    /// When they were last located or changed; null if they never were.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    changed_at: Option<Timestamp>,
}

impl RegionsOfScan {
    pub(crate) fn new(types: &PartTypes, found: Option<ScanRegions>) -> Self {
        let Some(found) = found else {
            return Self { is_looked_for: false, regions: Vec::new(), totals: Vec::new(), changed_at: None };
        };
        let totals = found.totals().into_iter().map(|total| RegionTotal {
            name: types.name(&total.label),
            label: total.label.to_string(),
            count: total.count,
            unsure_count: total.n_unsure,
        });
        let totals = totals.collect();
        let regions = found.regions.into_iter().enumerate().map(|(index, region)| ScanRegion {
            number: index + 1,
            category: types
                .category(region.label.as_ref().unwrap_or(&region.best.label))
                .map(PartCategory::from),
            area: region.area.into(),
            verdict: region.verdict.into(),
            part_name: types.name(&region.best.label),
            label: region.best.label.to_string(),
            confidence: region.best.confidence,
            known_score: region.known_score,
            alternatives: alternatives(types, &region.alternatives),
            corrected_name: region.label.as_ref().map(|label| types.name(label)),
            corrected_label: region.label.map(|label| label.to_string()),
        });
        Self { is_looked_for: true, regions: regions.collect(), totals, changed_at: Some(found.changed_at) }
    }
}

/// Form to locate or correct regions.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes the form in the OpenAPI document; the handler reads a stream")]
pub(crate) struct RegionsForm {
    /// The photograph of the scan, as it was sent: required for regions without an answer, unless the server keeps
    /// photographs.
    #[schema(value_type = Option<String>, format = Binary)]
    image: Option<Vec<u8>>,
    /// A JSON array of at most 20 regions: `area` with `left`, `top`, `width` and `height`, and optionally the correct
    /// `label`. If this field is absent, the server locates the parts itself, at most 12.
    #[schema(example = r#"[{"area":{"left":0.05,"top":0.1,"width":0.4,"height":0.35},"label":null}]"#)]
    regions: Option<String>,
}

/// A region that a person marked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marked {
    area: RegionArea,
    #[serde(default)]
    label: Option<String>,
}

/// Returns the parts on the photograph of a scan, if it shows several.
#[utoipa::path(get, path = "/api/scans/{id}/regions", tag = "scans",
    params(("id" = String, Path, description = "The id of the scan.")),
    responses((status = OK, body = RegionsOfScan), problems::SignedIn, problems::NotFound))]
pub(crate) async fn get_scan_regions(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Json<RegionsOfScan>, ApiError> {
    let regions = app.scanning.regions_of(&user, scan_id(&id)?).await?;
    let types = app.parts.part_types(&user).await?;
    Ok(Json(RegionsOfScan::new(&types, regions)))
}

/// Locates the parts on the photograph of a scan, or accepts boxes that a person drew, and identifies each part.
///
/// The number of parts does not matter: no further scan is counted. The list replaces the previous one. Boxes at the
/// same place keep their answer without a new inference, so the call is idempotent.
#[utoipa::path(put, path = "/api/scans/{id}/regions", tag = "scans",
    params(("id" = String, Path, description = "The id of the scan, which must have exactly one photograph.")),
    request_body(content = RegionsForm, content_type = "multipart/form-data"),
    responses(
        (status = OK, body = RegionsOfScan),
        problems::Write, problems::NotFound, problems::PhotoUpload,
        problems::Invalid,
        (status = TOO_MANY_REQUESTS, description = "Too much processing of photographs without a new answer; `Retry-After` has the seconds to wait."),
    ))]
pub(crate) async fn set_scan_regions(
    State(state): State<ApiState>,
    sender: Sender,
    FromCaller(caller): FromCaller,
    PathSegment(id): PathSegment,
    request: Request,
) -> Result<Json<RegionsOfScan>, ApiError> {
    let id = scan_id(&id)?;
    // Held until the response: it bounds how many photographs are in memory.
    let _upload =
        state.uploads.take_with_memory(&sender.user, &caller, request.body().size_hint().exact())?;
    let limit = BodyLimit::of(&request);
    let mut form = Multipart::from_request(request, &()).await.map_err(not_a_form)?;
    let reading = async {
        let read = read(&mut form, state.max_photo_bytes).await;
        or_drained(read, &mut form, limit).await
    };
    let (photo, marked) = within(UPLOAD_LIMIT, reading).await?;
    let (app, user) = (&state.app, sender.again().await?);
    let regions = app.scanning.mark_regions(&user, id, photo, marked).await?;
    let types = app.parts.part_types(&user).await?;
    Ok(Json(RegionsOfScan::new(&types, Some(regions))))
}

type Form = (Option<Vec<u8>>, Option<Vec<MarkedRegion>>);

async fn read(form: &mut Multipart, max_photo_bytes: usize) -> Result<Form, ApiError> {
    let (mut photo, mut marked) = (None, None);
    while let Some(mut field) = next_field(form).await? {
        match field.name() {
            Some("image") if photo.is_some() => {
                return Err(InvalidInput::new("image", messages::REGIONS_OF_ONE_PHOTO).into());
            }
            Some("image") => {
                check_media_type(&field)?;
                photo = Some(read_field(&mut field, max_photo_bytes, "The photo").await?);
            }
            Some("regions") => {
                let bytes = read_field(&mut field, TEXT_FIELD_LIMIT, "The field `regions`").await?;
                marked = Some(marked_regions(&bytes)?);
            }
            // If boxes under a misspelt name were ignored, detected regions would replace them.
            name => return Err(unknown_field(name.unwrap_or_default()).into()),
        }
    }
    Ok((photo, marked))
}

fn marked_regions(json: &[u8]) -> Result<Vec<MarkedRegion>, InvalidInput> {
    let marked: Vec<Marked> = objects_only::from_slice(json).map_err(|error| {
        InvalidInput::new(
            "regions",
            UnreadableInput::of_json("regions", messages::REGIONS_UNREADABLE, &error).sentence,
        )
    })?;
    let region = |(index, Marked { area, label }): (usize, Marked)| {
        let area = RegionBox::new([area.left, area.top, area.width, area.height], index + 1)?;
        let label = label.map(|label| PartLabel::new(&label)).transpose().map_err(|error| {
            InvalidInput::new("regions", format!("The label of box {} is none: {}", index + 1, error.message))
        })?;
        Ok(MarkedRegion { area, label })
    };
    marked.into_iter().enumerate().map(region).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_read_and_what_is_wrong_is_named() {
        let good = br#"[{"area":{"left":0,"top":0.5,"width":0.25,"height":0.5},"label":"rim"},
                        {"area":{"left":0.5,"top":0,"width":0.5,"height":1}}]"#;
        let marked = marked_regions(good).unwrap();
        assert_eq!(marked[0].area, RegionBox::new([0.0, 0.5, 0.25, 0.5], 1).unwrap());
        assert_eq!((marked[0].label.as_ref().map(PartLabel::as_str), &marked[1].label), (Some("rim"), &None));
        assert_eq!(marked_regions(b"[]").unwrap(), []);
        for (bad, expected) in [
            ("", "JSON array"),
            ("{}", "JSON array"),
            ("[] []", "JSON array"),
            (r#"[{"area":[0,0,1,1]}]"#, "`regions[0].area` must be a JSON object"),
            (r#"[{"area":{"left":0,"top":0,"width":1}}]"#, "`regions[0].area.height` is missing"),
            (r#"[{"area":{"left":0,"top":0,"width":1,"height":1},"x":1}]"#, "`regions[0].x`"),
            (r#"[{"area":{"left":0,"top":0,"width":1,"height":0.001}}]"#, "Box 1 is too small"),
            (r#"[{"area":{"left":0.5,"top":0,"width":0.6,"height":1}}]"#, "Box 1 reaches beyond"),
            (r#"[{"area":{"left":0,"top":0,"width":1,"height":1},"label":"!"}]"#, "label of box 1"),
        ] {
            let error = marked_regions(bad.as_bytes()).unwrap_err();
            assert_eq!(error.field, "regions");
            assert!(error.message.contains(expected), "{bad}: {}", error.message);
        }
    }
}
