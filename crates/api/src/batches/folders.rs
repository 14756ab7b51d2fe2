//! The folders of the server that people may add to a batch.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{QueryString, SignedIn};
use crate::{ApiError, problems};

/// The folder to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FoldersQuery {
    /// Path of the folder, relative to the folder of the setting `batch_dir`; by default that folder itself.
    #[param(example = "monday")]
    #[serde(default)]
    path: String,
}

/// A folder on the server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerFolder {
    /// Path relative to the folder of the setting `batch_dir`; empty for that folder itself.
    #[schema(example = "monday")]
    path: String,
    /// The names of its subfolders, sorted.
    #[schema(example = json!(["shelf-7", "shelf-8"]))]
    folders: Vec<String>,
    /// Photographs in it and in all its subfolders, as far as they were counted.
    photos: u64,
    /// Whether there may be more photographs than counted: counting stops at 50,000, the limit of a batch, and after
    /// two seconds.
    more_photos: bool,
}

/// Lists the content of a folder on the server, if the setting `batch_dir` allows access to one.
#[utoipa::path(get, path = "/api/batches/folders", tag = "batches", params(FoldersQuery),
    responses(
        (status = OK, body = ServerFolder),
        problems::SignedIn,
        (status = UNPROCESSABLE_ENTITY, description = "The server allows access to no folder, or this folder does not exist."),
    ))]
pub(crate) async fn list_batch_folders(
    SignedIn { app, user }: SignedIn,
    QueryString(FoldersQuery { path }): QueryString<FoldersQuery>,
) -> Result<Json<ServerFolder>, ApiError> {
    let found = app.batches.server_folder(&user, &path).await?;
    Ok(Json(ServerFolder {
        path: found.path,
        folders: found.folders,
        photos: found.n_photos,
        more_photos: found.has_more_photos,
    }))
}
