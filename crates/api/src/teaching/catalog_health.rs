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

/// Photos of parts, and the model in use.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Catalog {
    model_sha256: String,
    /// Photos of parts that you may see.
    #[schema(example = 40)]
    references: usize,
    /// Those among them that the model in use can compare.
    #[schema(example = 38)]
    usable: usize,
    /// Photos that another model saw and of which no picture is kept: they have to be taught again.
    without_picture: Vec<PartPhoto>,
    reembedding: Reembedding,
}

/// How far this server is with showing the photos of all to a new model.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reembedding {
    /// Whether it is at it. Scans are answered without taught parts until then.
    running: bool,
    /// Photos that another model saw, when the server started.
    total: u64,
    done: u64,
    /// Photos whose picture could not be used.
    failed: u64,
}

/// A photo of a part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartPhoto {
    id: String,
    #[schema(example = "egr-valve")]
    label: String,
    /// Its name; the label where the catalogue knows it no more.
    #[schema(example = "EGR valve")]
    type_name: String,
    /// Where its small picture is, if one is kept.
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

/// What was found in the photos of all parts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogDiagnosis {
    /// Photos that the model in use can compare.
    references: usize,
    /// Photos that another model saw, which are left out.
    of_other_model: usize,
    /// Photos that were looked at; fewer than all where ten seconds were too short.
    examined: usize,
    /// Those among them whose part has others to compare with.
    judged: usize,
    /// Those among these that the others would be right about.
    right: usize,
    /// Parts that are hard to tell apart, the worst first; at most 200.
    confusions: Vec<PartConfusion>,
    /// Photos that are one picture, those of two parts first; at most 200.
    copies: Vec<PhotoCopy>,
    /// How many there are in all.
    n_copies: usize,
    /// Photos that are unlike the others of their part, the worst first; at most 200.
    outliers: Vec<PhotoOutlier>,
    /// How many there are in all.
    n_outliers: usize,
    /// Parts with one photo or none, which nothing can be said about.
    lonely: Vec<LonelyPart>,
    /// The two parts of each pair that is marked as look-alikes, by labels.
    look_alikes: Vec<Vec<NamedPart>>,
}

/// A part by label and name.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NamedPart {
    #[schema(example = "egr-valve")]
    label: String,
    #[schema(example = "EGR valve")]
    name: String,
}

/// Two parts that are hard to tell apart.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartConfusion {
    parts: Vec<NamedPart>,
    /// Photos of either that are about as near to the other, or nearer.
    photos: usize,
    /// Those among them that would be taken for the other.
    taken: usize,
    /// Such photos, each with the nearest of the other part.
    examples: Vec<Vec<PartPhoto>>,
}

/// Two photos that are one picture.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhotoCopy {
    photos: Vec<PartPhoto>,
    /// Whether they are of one part; if not, one of them is wrong.
    same_part: bool,
    /// Cosine similarity.
    #[schema(minimum = -1, maximum = 1)]
    similarity: f32,
}

/// A photo that is unlike the others of its part.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhotoOutlier {
    photo: PartPhoto,
    /// Mean cosine similarity with the nearest others of its part.
    #[schema(minimum = -1, maximum = 1)]
    similarity: f32,
    /// The nearest photo of another part; null where there is none.
    #[schema(required)]
    nearest: Option<PartPhoto>,
}

/// A part with one photo or none.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LonelyPart {
    part: NamedPart,
    /// Its only photo; null where it has none.
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

/// Whether the model in use can compare the photos of parts that you may see.
#[utoipa::path(get, path = "/api/catalog", tag = "parts",
    responses((status = OK, body = Catalog), problems::SignedIn, problems::Unavailable))]
pub(crate) async fn get_catalog_status(SignedIn { app, user }: SignedIn) -> Result<Json<Catalog>, ApiError> {
    let status = app.teaching.catalog_status(&user).await?;
    Ok(Json(Catalog::new(&app.parts.part_types(&user).await?, status)))
}

/// Looks over the photos of all parts that you may see, each as if it were to be identified by the others.
///
/// Takes ten seconds at most; `examined` says how far it came. One call at a time.
#[utoipa::path(get, path = "/api/catalog/doctor", tag = "parts", responses(
    (status = OK, body = CatalogDiagnosis),
    problems::SignedIn,
    (status = SERVICE_UNAVAILABLE, description = "Another look is under way; see Retry-After."),
))]
pub(crate) async fn diagnose_catalog(
    SignedIn { app, user }: SignedIn,
) -> Result<Json<CatalogDiagnosis>, ApiError> {
    Ok(Json(app.teaching.diagnose(&Owner::of(&user), Some(LIMIT), |_| {}).await?.into()))
}
