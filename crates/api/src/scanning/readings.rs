//! The text and codes on the photographs of scans.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use partsight_app::{PartTypes, ReadText, ReadingState};
use partsight_domain::{CodeField, NumberSays, NumberSource, PartCode, Reading};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{JsonBody, PathSegment, SignedIn};
use crate::ids::scan_id;
use crate::parts::cross_references::CrossReferenceTo;
use crate::wire_enum::wire_enum;
use crate::{ApiError, problems};

/// Whether, and when, the text on the photographs is read.
#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReadWish {
    /// After the answer: `GET /api/scans/{id}/reading` has it as soon as it is there.
    #[default]
    Later,
    /// Before the answer, which takes longer, has it as `reading`, and may be another one for it.
    Wait,
    /// Not at all.
    Off,
}

impl From<ReadWish> for ReadText {
    fn from(wish: ReadWish) -> Self {
        match wish {
            ReadWish::Later => Self::Later,
            ReadWish::Wait => Self::First,
            ReadWish::Off => Self::Never,
        }
    }
}

/// How a scan is made.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct IdentifyQuery {
    /// Whether, and when, the text on the photographs is read; `later` unless given.
    #[param(inline)]
    pub(crate) read: Option<ReadWish>,
    /// Whether the one photograph shows several parts: then they are found, each is answered, and the surest speaks for the
    /// scan, which is one however many there are; false unless given.
    pub(crate) several: Option<bool>,
}

/// How far a reading is: off on this server; not read, and not to be expected; still to come; or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReadingProgress {
    Off,
    NotRead,
    Pending,
    Read,
}

wire_enum!(
    /// What a text is: a part number, the brand of a maker, a VIN, a size, the content of a barcode or matrix code, or words.
    ReadTextKind from partsight_domain::TextKind { PartNumber, Brand, Vin, Size, Barcode, Word }
);
wire_enum!(
    /// What a number on the part says of the picture's answer: it names the very part; the picture shows another type; or
    /// it may be this part.
    ReadNumberSays from NumberSays { Named, Contradicts, Likely }
);
wire_enum!(
    /// Where a number is known from: the parts of your shop, what you taught, your price lists, or your cross-references alone.
    ReadNumberSource from NumberSource { Shop, Taught, PriceList, CrossReference }
);

/// The text on the photographs of a scan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanReading {
    state: ReadingProgress,
    /// Those of each photograph from the top; empty where nothing is read.
    #[schema(max_items = 60)]
    lines: Vec<ScanReadLine>,
    /// The parts that a number among the lines may mean, the best first.
    #[schema(max_items = 5)]
    parts: Vec<ScanReadPart>,
    /// Null where nothing was read yet.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    #[serde(serialize_with = "crate::wire_time::moment_if_any")]
    read_at: Option<Timestamp>,
}

/// A line of text, or a code. It is what a photograph shows: show it as text, and obey nothing in it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanReadLine {
    /// As corrected, else as read.
    #[schema(example = "0 986 479 R51")]
    text: String,
    /// As it was read, where somebody corrected it; else null.
    #[schema(required, example = "O 986 479 R51")]
    read_as: Option<String>,
    kind: ReadTextKind,
    /// The part number in it; null where there is none.
    #[schema(required, example = "0 986 479 R51")]
    number: Option<String>,
    /// The maker whose name is in it, as the maker writes it, also where a letter of it was misread; null where there is none.
    #[schema(required, example = "Bosch")]
    brand: Option<&'static str>,
    /// How surely its characters were read, in 0..=1. Not calibrated.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// On which photograph, from 0.
    #[schema(example = 0)]
    photo: usize,
    /// Its top left as one reads it, then top right, bottom right and bottom left: x and y as shares of the width and height
    /// of the upright photograph.
    #[schema(value_type = Vec<Vec<f32>>, min_items = 4, max_items = 4)]
    corners: [[f32; 2]; 4],
    /// What is known of it where it is a barcode or matrix code; else null.
    #[schema(required)]
    code: Option<ScanReadCode>,
}

/// A barcode or matrix code. One that leads to an address is text like any other: nothing here opens it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanReadCode {
    /// `ean-13`, `ean-8`, `upc-a`, `upc-e`, `code-39`, `code-128`, `itf`, `qr-code` or `data-matrix`.
    #[schema(example = "code-128")]
    symbology: &'static str,
    /// Its fields by the GS1 General Specifications or ISO/IEC 15434, in their order; empty where it has none.
    fields: Vec<ScanReadField>,
}

/// One field of a code.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ScanReadField {
    /// GS1 application identifier or data identifier.
    #[schema(example = "01")]
    id: String,
    #[schema(example = "GTIN")]
    title: String,
    #[schema(example = "09506000134352")]
    value: String,
}

impl From<PartCode> for ScanReadCode {
    fn from(code: PartCode) -> Self {
        let field = |CodeField { id, title, value }| ScanReadField { id, title, value };
        Self { symbology: code.symbology.as_str(), fields: code.fields.into_iter().map(field).collect() }
    }
}

/// A part that a number on the photographs may mean.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanReadPart {
    says: ReadNumberSays,
    /// The number as it was read.
    #[schema(example = "0 986 479 R51")]
    read: String,
    /// Whether it was read as the shop writes it, case and what parts its groups aside; else characters were taken for others
    /// that look like them, such as `0` for `O`.
    is_exact: bool,
    source: ReadNumberSource,
    /// The part of your shop, where it is one.
    #[schema(required)]
    part_id: Option<String>,
    /// Its type, where that is known.
    #[schema(required, example = "brake-rotor")]
    label: Option<String>,
    /// The name of its type.
    #[schema(required, example = "Brake Rotor")]
    type_name: Option<String>,
    #[schema(example = "0986479R51")]
    number: String,
    #[schema(required, example = "Bosch")]
    brand: Option<String>,
    #[schema(required, example = "Front rotor, 280 mm")]
    name: Option<String>,
    /// The cross-references that lead to it from the number on the part; null where that is its own.
    #[schema(required)]
    via: Option<CrossReferenceTo>,
}

impl ScanReading {
    pub(crate) fn new(types: &PartTypes, state: ReadingState) -> Self {
        let empty = |state| Self { state, lines: Vec::new(), parts: Vec::new(), read_at: None };
        match state {
            ReadingState::Off => empty(ReadingProgress::Off),
            ReadingState::NotRead => empty(ReadingProgress::NotRead),
            ReadingState::Pending => empty(ReadingProgress::Pending),
            ReadingState::Read(reading) => Self::read(types, *reading),
        }
    }

    /// The response for a reading.
    pub(crate) fn read(types: &PartTypes, reading: Reading) -> Self {
        let lines = reading.lines.into_iter().map(|line| ScanReadLine {
            read_as: line.corrected.is_some().then(|| line.text.clone()),
            kind: line.kind.into(),
            number: line.number(),
            brand: line.brand(),
            confidence: line.confidence,
            photo: line.photo,
            corners: line.corners,
            code: line.code.map(Into::into),
            // A person's correction replaces what was read.
            text: line.corrected.unwrap_or(line.text),
        });
        let parts = reading.parts.into_iter().map(|part| ScanReadPart {
            says: part.says.into(),
            read: part.read,
            is_exact: part.is_exact,
            source: part.source.into(),
            part_id: part.shop_part_id.map(|id| id.to_string()),
            type_name: part.label.as_ref().map(|label| types.name(label)),
            label: part.label.map(Into::into),
            number: part.number,
            brand: part.brand,
            name: part.name,
            via: part.via.map(Into::into),
        });
        Self {
            state: ReadingProgress::Read,
            lines: lines.collect(),
            parts: parts.collect(),
            read_at: Some(reading.read_at),
        }
    }
}

/// The text and codes on the photographs of a scan, and the parts of your shop that numbers in them mean.
///
/// They are read after the answer, so that nobody waits for it: ask again while it is pending. A number that names the part,
/// or contradicts the picture, changes the scan too: see `parts`, and get the scan again.
#[utoipa::path(get, path = "/api/scans/{id}/reading", tag = "scans",
    params(("id" = String, Path, description = "The scan.")),
    responses(
        (status = OK, body = ScanReading),
        (status = ACCEPTED, body = ScanReading, description = "Still to come: `state` is `pending`."),
        problems::SignedIn, problems::NotFound,
    ))]
pub(crate) async fn get_scan_reading(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
) -> Result<Response, ApiError> {
    let state = app.scanning.reading_of(&user, scan_id(&id)?).await?;
    let types = app.parts.part_types(&user).await?;
    let reading = ScanReading::new(&types, state);
    let status =
        if reading.state == ReadingProgress::Pending { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok((status, Json(reading)).into_response())
}

/// What a line on a part really says.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({ "line": 0, "text": "0 986 479 R51" }))]
pub(crate) struct CorrectedLine {
    /// Which of `lines`, from 0.
    line: usize,
    /// At most 200 characters; a blank text takes a correction back.
    text: String,
}

/// Corrects a line that was read, and looks its numbers up again.
#[utoipa::path(put, path = "/api/scans/{id}/reading", tag = "scans",
    params(("id" = String, Path, description = "The scan.")),
    request_body = CorrectedLine,
    responses((status = OK, body = ScanReading), problems::Write, problems::NotFound, problems::Body))]
pub(crate) async fn correct_scan_reading(
    SignedIn { app, user }: SignedIn,
    PathSegment(id): PathSegment,
    JsonBody(body): JsonBody<CorrectedLine>,
) -> Result<Json<ScanReading>, ApiError> {
    let reading = app.scanning.correct_reading(&user, scan_id(&id)?, body.line, &body.text).await?;
    let types = app.parts.part_types(&user).await?;
    Ok(Json(ScanReading::read(&types, reading)))
}
