//! The folders of the server that people may add to a batch.

use axum::Json;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::{QueryString, SignedIn};
use crate::{ApiError, problems};

/// Which folder to look into.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FoldersQuery {
    /// Its path below the folder that the setting `batch_dir` names; that folder itself unless given.
    #[param(example = "monday")]
    #[serde(default)]
    path: String,
}

/// A folder of the server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerFolder {
    /// Its path below the folder that the setting `batch_dir` names; empty for that folder itself.
    #[schema(example = "monday")]
    path: String,
    /// The names of the folders in it, sorted.
    #[schema(example = json!(["shelf-7", "shelf-8"]))]
    folders: Vec<String>,
    /// Photographs in it and in all folders below, as far as they were counted.
    photos: u64,
    /// Whether there may be more: counting ends at 50,000, which is what a batch takes, and after two seconds.
    more_photos: bool,
}

/// What is in a folder of the server, where the setting `batch_dir` opens one.
#[utoipa::path(get, path = "/api/batches/folders", tag = "batches", params(FoldersQuery),
    responses(
        (status = OK, body = ServerFolder),
        problems::SignedIn,
        (status = UNPROCESSABLE_ENTITY, description = "The server opens no folder, or there is no such one in it."),
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
