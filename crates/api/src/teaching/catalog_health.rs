//! The state of taught parts: whether the model in use knows them, and which of them are doubtful.

use std::time::Duration;

use axum::Json;
use partsight_app::{CatalogStatus, Diagnosis, Owner, PartTypes};
use partsight_domain::{PartLabel, ReferenceId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::SignedIn;
use crate::{ApiError, problems};

/// Time limit for checking all photos; after it, what was found so far is returned.
const LIMIT: Duration = Duration::from_secs(10);

/// The reference photographs of parts, and the model in use.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Catalog {
    model_sha256: String,
    /// Reference photographs that are visible to you.
    #[schema(example = 40)]
    references: usize,
    /// Number of these that the model in use can compare with.
    #[schema(example = 38)]
    usable: usize,
    /// Reference photographs whose embedding is of another model and whose picture was not kept: teach them again.
    without_picture: Vec<PartPhoto>,
    reembedding: Reembedding,
}

/// Progress of computing the embeddings of all reference photographs with a new model.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reembedding {
    /// Whether it is running. Until it ends, scans are answered without taught parts.
    running: bool,
    /// Photographs with an embedding of another model when the server started.
    total: u64,
    done: u64,
    /// Photographs whose picture could not be used.
    failed: u64,
}

/// A reference photograph of a part type.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartPhoto {
    id: String,
    #[schema(example = "egr-valve")]
    label: String,
    /// The name of the part type; its label if it is no longer in the catalogue.
    #[schema(example = "EGR valve")]
    type_name: String,
    /// Address of the thumbnail, if there is one.
    #[schema(example = "/api/catalog/references/0190a0a0-0000-7000-8000-000000000000/thumbnail")]
    thumbnail_url: String,
}

impl PartPhoto {
    fn new(id: ReferenceId, label: &PartLabel, type_name: String) -> Self {
        Self {
            thumbnail_url: format!("/api/catalog/references/{id}/thumbnail"),
            id: id.to_string(),
            label: label.to_string(),
            type_name,
        }
    }
}

impl Catalog {
    fn new(types: &PartTypes, status: CatalogStatus) -> Self {
        Self {
            model_sha256: status.model_sha256,
            references: status.n_references,
            usable: status.n_usable,
            without_picture: status
                .without_picture
                .iter()
                .map(|(id, label)| PartPhoto::new(*id, label, types.name(label)))
                .collect(),
            reembedding: Reembedding {
                running: status.progress.is_running,
                total: status.progress.total,
                done: status.progress.done,
                failed: status.progress.failed,
            },
        }
    }
}

/// The result of checking the reference photographs of all parts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogDiagnosis {
    /// Photographs that the model in use can compare with.
    references: usize,
    /// Photographs whose embedding is of another model; they are not checked.
    of_other_model: usize,
    /// Photographs that were checked; fewer than all if ten seconds were not enough.
    examined: usize,
    /// Number of these whose part type has other photographs to compare with.
    judged: usize,
    /// Number of the `judged` photographs that the others identify correctly.
    right: usize,
    /// Pairs of part types that are hard to tell apart, the worst first; at most 200.
    confusions: Vec<PartConfusion>,
    /// Pairs of photographs that are the same picture, those of two part types first; at most 200.
    copies: Vec<PhotoCopy>,
    /// Total number, including those not listed.
    n_copies: usize,
    /// Outliers: photographs that differ from the others of their part type, the worst first; at most 200.
    outliers: Vec<PhotoOutlier>,
    /// Total number, including those not listed.
    n_outliers: usize,
    /// Part types with at most one photograph, which cannot be checked.
    lonely: Vec<LonelyPart>,
    /// The pairs of part types that are marked as look-alikes.
    look_alikes: Vec<Vec<NamedPart>>,
}

/// A part type by label and name.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NamedPart {
    #[schema(example = "egr-valve")]
    label: String,
    #[schema(example = "EGR valve")]
    name: String,
}

/// Two part types that are hard to tell apart.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartConfusion {
    parts: Vec<NamedPart>,
    /// Photographs of either type that are about as similar to the other type as to their own, or more.
    photos: usize,
    /// Number of these that would be identified as the other type.
    taken: usize,
    /// Such photographs, each with the most similar photograph of the other type.
    examples: Vec<Vec<PartPhoto>>,
}

/// Two photographs that are the same picture.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhotoCopy {
    photos: Vec<PartPhoto>,
    /// Whether both are of the same part type; if not, one of them is wrong.
    same_part: bool,
    /// Cosine similarity of their embeddings.
    #[schema(minimum = -1, maximum = 1)]
    similarity: f32,
}

/// A photograph that differs from the others of its part type.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhotoOutlier {
    photo: PartPhoto,
    /// Mean cosine similarity with the most similar photographs of its part type.
    #[schema(minimum = -1, maximum = 1)]
    similarity: f32,
    /// The most similar photograph of another part type; null if there is none.
    #[schema(required)]
    nearest: Option<PartPhoto>,
}

/// A part type with at most one reference photograph.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LonelyPart {
    part: NamedPart,
    /// Its only photograph; null if it has none.
    #[schema(required)]
    photo: Option<PartPhoto>,
}

impl From<Diagnosis> for CatalogDiagnosis {
    fn from(found: Diagnosis) -> Self {
        let named =
            |label: &PartLabel| NamedPart { label: label.to_string(), name: found.name(label).to_owned() };
        let photo_of =
            |id: ReferenceId, label: &PartLabel| PartPhoto::new(id, label, found.name(label).to_owned());
        let photo = |id: &ReferenceId| Some(photo_of(*id, found.labels.get(id)?));
        let photos = |ids: &[ReferenceId]| ids.iter().filter_map(photo).collect::<Vec<_>>();
        let confusions = found.confusions.iter().map(|confusion| PartConfusion {
            parts: confusion.parts.iter().map(named).collect(),
            photos: confusion.n,
            taken: confusion.n_taken,
            examples: confusion.examples.iter().map(|pair| photos(pair)).collect(),
        });
        let copies = found.copies.iter().map(|copy| PhotoCopy {
            photos: photos(&copy.references),
            same_part: copy.is_same_part,
            similarity: copy.similarity,
        });
        let outliers = found.outliers.iter().map(|outlier| PhotoOutlier {
            photo: photo_of(outlier.reference, &outlier.label),
            similarity: outlier.similarity,
            nearest: outlier.nearest.as_ref().map(|(label, id, _)| photo_of(*id, label)),
        });
        let lonely = found.lonely.iter().map(|lonely| LonelyPart {
            part: named(&lonely.label),
            photo: lonely.reference.map(|id| photo_of(id, &lonely.label)),
        });
        let look_alikes = found.look_alikes.iter().map(|pair| pair.iter().map(named).collect());
        Self {
            references: found.n_references,
            of_other_model: found.n_of_other_model,
            examined: found.n_examined,
            judged: found.n_judged,
            right: found.n_right,
            confusions: confusions.collect(),
            copies: copies.collect(),
            n_copies: found.n_copies,
            outliers: outliers.collect(),
            n_outliers: found.n_outliers,
            lonely: lonely.collect(),
            look_alikes: look_alikes.collect(),
        }
    }
}

/// Returns how many reference photographs of parts the model in use can compare with, out of those visible to you.
#[utoipa::path(get, path = "/api/catalog", tag = "parts",
    responses((status = OK, body = Catalog), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn get_catalog_status(SignedIn { app, user }: SignedIn) -> Result<Json<Catalog>, ApiError> {
    let status = app.teaching.catalog_status(&user).await?;
    Ok(Json(Catalog::new(&app.parts.part_types(&user).await?, status)))
}

/// Checks the reference photographs of all parts that are visible to you: each is identified with the help of the
/// others (leave-one-out).
///
/// Takes at most ten seconds; `examined` counts the photographs that were checked in that time. Only one such call runs
/// at a time.
#[utoipa::path(get, path = "/api/catalog/doctor", tag = "parts", responses(
    (status = OK, body = CatalogDiagnosis),
    problems::SignedIn,
    (status = SERVICE_UNAVAILABLE, description = "Another check is running; `Retry-After` has the seconds to wait."),
))]
pub(crate) async fn diagnose_catalog(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<CatalogDiagnosis>, ApiError> {
    Ok(Json(app.teaching.diagnose(&Owner::of(&user), Some(LIMIT), |_| {}).await?.into()))
}
