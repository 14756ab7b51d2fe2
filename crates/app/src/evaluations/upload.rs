//! Uploads of labelled photographs.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Component, Path, PathBuf};

use jiff::SignedDuration;
use partsight_domain::{
    Evaluation, EvaluationId, InvalidInput, LabelledLayout, MAX_EVALUATION_PHOTOS, MAX_EVALUATIONS, TenantId,
    User, evaluation_name, labelled_layout, messages,
};
use partsight_store::NewEvaluation;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::Evaluations;
use crate::accounts::owner::may_decide;
use crate::accounts::quotas::PictureRoom;
use crate::batches::folder::labelled_files;
use crate::batches::zip_file::{ZipEntry, ZipUse, is_list, read_entries};
use crate::{Error, Result};

/// Time after which an unfinished upload is abandoned: longer than any upload may take.
const ARRIVAL: SignedDuration = SignedDuration::from_mins(30);

/// Bytes of a name of a file on the file systems that Linux, macOS and Windows use.
const MAX_NAME_BYTES: usize = 255;

/// Bytes of a path: an index of PostgreSQL takes 2,704 in an entry.
const MAX_PATH_BYTES: usize = 1_024;

/// Bytes of a list of labels: 5,000 rows with paths of 1,000 characters.
const MAX_LIST_BYTES: usize = 5 * 1024 * 1024;

/// An upload of photographs into one evaluation.
struct Arrival<'e> {
    evaluations: &'e Evaluations,
    user: &'e User,
    id: EvaluationId,
    tenant_id: TenantId,
    paths: HashSet<String>,
    /// The folders in the paths.
    folders: HashSet<String>,
    n_photos: u64,
    room: PictureRoom,
    list: Option<Vec<u8>>,
    /// Field name of the zip or the folder in error messages.
    field: &'static str,
}

impl Evaluations {
    /// Refuses an evaluation early, before its photographs are uploaded.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for a member of a company who does not manage it, and on a plan with a scan limit;
    /// [`Error::Conflict`] if one is running or the account has reached its limit, [`Error::Invalid`] on a server
    /// without evaluations.
    pub async fn check_room(&self, user: &User) -> Result<()> {
        may_decide(user)?;
        // A report states what is on each photograph. Without this rule, any number of photographs could be identified
        // without counting as scans.
        if !self.accounts.has_unlimited_scans(user) {
            return Err(Error::Forbidden { message: messages::EVALUATION_PLAN_NEEDED });
        }
        if self.assessor.is_none() {
            return Err(InvalidInput::new("zip", messages::EVALUATION_OFF).into());
        }
        let now = self.clock.now();
        self.store.delete_stale_evaluations(now - ARRIVAL, now).await?;
        let kept = self.store.list_evaluations(user.shop_tenant()).await?;
        if kept.iter().any(|evaluation| !evaluation.state.has_ended()) {
            return Err(Error::Conflict { field: "evaluation", message: messages::EVALUATION_RUNNING });
        }
        if kept.len() as u64 >= MAX_EVALUATIONS {
            return Err(Error::Conflict { field: "evaluations", message: messages::TOO_MANY_EVALUATIONS });
        }
        Ok(())
    }

    /// Submits an evaluation of the photographs in a zip. It continues if its sender disconnects.
    ///
    /// # Errors
    /// Those of [`check_room`](Self::check_room); [`Error::Invalid`] for the name and for a zip that is refused, with a
    /// sentence that names the entry; [`Error::QuotaReached`].
    pub async fn evaluate_zip(&self, user: &User, name: &str, file: File) -> Result<Evaluation> {
        let (all, user, name) = (self.clone(), user.clone(), name.to_owned());
        self.tasks
            .run(async move {
                let mut arrival = all.begin(&user, &name, "zip").await?;
                let received = arrival.receive_zip(file).await;
                arrival.end(received).await
            })
            .await
    }

    /// Requests an evaluation on a folder of the server, inside the folder of the setting `batch_dir`.
    ///
    /// # Errors
    /// As [`evaluate_zip`](Self::evaluate_zip), for the field `path`.
    pub async fn evaluate_folder(&self, user: &User, name: &str, path: &str) -> Result<Evaluation> {
        let (all, user, name, path) = (self.clone(), user.clone(), name.to_owned(), path.to_owned());
        self.tasks
            .run(async move {
                let mut arrival = all.begin(&user, &name, "path").await?;
                let received = arrival.receive_folder(&path).await;
                arrival.end(received).await
            })
            .await
    }

    async fn begin<'e>(&'e self, user: &'e User, name: &str, field: &'static str) -> Result<Arrival<'e>> {
        self.check_room(user).await?;
        let (tenant_id, id) = (user.shop_tenant(), EvaluationId(Uuid::now_v7()));
        let name = evaluation_name(name)?;
        let new = NewEvaluation { id, name: &name };
        let room = self.accounts.picture_room(tenant_id, self.accounts.effective_plan(user)).await?;
        if !self.store.create_evaluation(tenant_id, &new, self.clock.now()).await? {
            return Err(Error::Conflict { field: "evaluation", message: messages::EVALUATION_RUNNING });
        }
        Ok(Arrival {
            evaluations: self,
            user,
            id,
            tenant_id,
            paths: HashSet::new(),
            folders: HashSet::new(),
            n_photos: 0,
            room,
            list: None,
            field,
        })
    }
}

impl Arrival<'_> {
    async fn receive_zip(&mut self, file: File) -> Result<()> {
        // One entry is unpacked while the one before it is stored.
        let (sender, mut entries) = mpsc::channel(1);
        let max_photo_bytes = self.evaluations.max_photo_bytes;
        let reading = tokio::task::spawn_blocking(move || {
            let take = |entry| sender.blocking_send(entry).is_ok();
            read_entries(file, max_photo_bytes, ZipUse::Evaluation, take)
        });
        while let Some(ZipEntry { path, bytes }) = entries.recv().await {
            self.add(path, bytes).await?;
        }
        reading.await.map_err(Error::internal)??;
        Ok(())
    }

    async fn receive_folder(&mut self, path: &str) -> Result<()> {
        let refused = |message| Error::from(InvalidInput::new("path", message));
        let root = self.evaluations.batch_dir.clone();
        let root = root.ok_or_else(|| refused(messages::EVALUATION_NO_FOLDERS))?;
        let (wanted, limit) = (path.to_owned(), self.evaluations.max_photo_bytes as u64 + 1);
        let found = tokio::task::spawn_blocking(move || labelled_files(&root, &wanted)).await;
        let found =
            found.map_err(Error::internal)?.map_err(|_| refused(messages::EVALUATION_FOLDER_MISSING))?;
        for (path, file) in found {
            let read =
                tokio::task::spawn_blocking(move || crate::batches::folder::read_at_most(&file, limit));
            // An unreadable file counts as missing.
            if let Ok(bytes) = read.await.map_err(Error::internal)? {
                self.add(path, bytes).await?;
            }
        }
        Ok(())
    }

    async fn add(&mut self, path: String, bytes: Vec<u8>) -> Result<()> {
        if let Err(sentence) = check_path(&path, &mut self.folders, &self.paths) {
            return Err(self.refused(sentence));
        }
        let size = bytes.len() as u64;
        if is_list(&path) {
            if bytes.len() > MAX_LIST_BYTES {
                return Err(
                    self.refused("The list of labels has more than 5 MB. Please split it.".to_owned())
                );
            }
            self.list = Some(bytes.clone());
        } else {
            if self.n_photos == MAX_EVALUATION_PHOTOS {
                return Err(self.refused(messages::EVALUATION_FULL.to_owned()));
            }
            self.n_photos += 1;
        }
        self.room.check(size)?;
        let Evaluations { accounts, store, .. } = self.evaluations;
        if !store.add_evaluation_photo(self.tenant_id, self.id, &path, &bytes).await? {
            return Err(super::reports::NOT_FOUND);
        }
        accounts.use_picture_room(&mut self.room, size).await?;
        self.paths.insert(path);
        Ok(())
    }

    /// Submits the evaluation, or deletes it if its photographs were refused.
    async fn end(mut self, received: Result<()>) -> Result<Evaluation> {
        let checked = match received {
            Ok(()) => self.check().await,
            Err(error) => Err(error),
        };
        let store = &self.evaluations.store;
        if let Err(error) = checked {
            store.delete_evaluation(self.tenant_id, self.id, self.evaluations.clock.now()).await?;
            return Err(error);
        }
        store.submit_evaluation(self.tenant_id, self.id, self.n_photos).await?;
        self.evaluations.work_came.notify_one();
        self.evaluations.get(self.user, self.id).await
    }

    /// Checks that the photographs have labels.
    async fn check(&mut self) -> Result<()> {
        if self.n_photos == 0 {
            let message = match self.field {
                "path" => messages::EVALUATION_FOLDER_EMPTY,
                _ => messages::ZIP_EMPTY,
            };
            return Err(InvalidInput::new(self.field, message).into());
        }
        let layout =
            labelled_layout(self.paths.iter().map(String::as_str), self.evaluations.identifier.labels());
        let layout = layout.map_err(|error| self.refused(error.message))?;
        let (LabelledLayout::List(path), Some(list)) = (layout, self.list.take()) else { return Ok(()) };
        let Some(assessor) = self.evaluations.assessor.clone() else { return Ok(()) };
        // With its own name, which error messages mention.
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let listed = tokio::task::spawn_blocking(move || {
            // As a file, so that server and command line read lists by the same code.
            let folder = tempfile::tempdir().map_err(Error::internal)?;
            let file = folder.path().join(&name);
            fs::write(&file, list).map_err(Error::internal)?;
            Ok::<_, Error>(assessor.list_paths(&file).map_err(|sentence| within(&sentence, folder.path())))
        });
        let listed = listed.await.map_err(Error::internal)??.map_err(|sentence| self.refused(sentence))?;
        if listed.len() as u64 > MAX_EVALUATION_PHOTOS {
            return Err(self.refused(messages::EVALUATION_FULL.to_owned()));
        }
        let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
        if let Some(outside) = listed.iter().find(|path| !is_below(path)) {
            return Err(self.refused(format!(
                "The list names `{}`, which does not lie in its folder. Please write paths relative to the list.",
                outside.display()
            )));
        }
        let is_there =
            |path: &PathBuf| folder.join(path).to_str().is_some_and(|path| self.paths.contains(path));
        if !listed.iter().any(is_there) {
            return Err(self.refused(
                "None of the photos that the list names is there. Please write paths relative to the list."
                    .to_owned(),
            ));
        }
        Ok(())
    }

    fn refused(&self, message: String) -> Error {
        InvalidInput::new(self.field, message).into()
    }
}

/// Whether a relative path is normalised and stays inside its folder.
pub(super) fn is_below(path: &Path) -> bool {
    path.components().all(|component| matches!(component, Component::Normal(_) | Component::CurDir))
}

/// Checks that a file with this path can be written next to the earlier ones, and adds its folders.
///
/// # Errors
/// A sentence that names the path.
fn check_path(path: &str, folders: &mut HashSet<String>, paths: &HashSet<String>) -> Result<(), String> {
    let is_writable = is_below(Path::new(path))
        && !path.contains('\0')
        && path.split('/').all(|part| part.len() <= MAX_NAME_BYTES);
    let shown: String = path.chars().take(60).collect();
    if path.len() > MAX_PATH_BYTES {
        return Err(format!(
            "The path that begins with `{shown}` is too long. A path may have {MAX_PATH_BYTES} bytes. Please shorten the \
             names of its folders."
        ));
    }
    if !is_writable {
        return Err(format!(
            "`{shown}` cannot be the name of a file here. A name may have {MAX_NAME_BYTES} bytes. Please rename it."
        ));
    }
    let within: Vec<&str> = path.match_indices('/').map(|(end, _)| &path[..end]).collect();
    let file_as_folder = within.iter().copied().find(|folder| paths.contains(*folder));
    let as_both = file_as_folder.or_else(|| folders.contains(path).then_some(path));
    if let Some(name) = as_both {
        return Err(format!("`{name}` is both a file and a folder. Please rename one of them."));
    }
    folders.extend(within.into_iter().map(str::to_owned));
    Ok(())
}

/// A sentence without the path of the server's temporary folder.
pub(super) fn within(sentence: &str, folder: &Path) -> String {
    let folder = folder.display().to_string();
    let text = sentence.replace(&format!("{folder}/"), "").replace(&folder, "the photos");
    crate::error::sentence(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_refused_by_its_name() {
        let (mut folders, paths) = (HashSet::new(), HashSet::from(["rotor/1.jpg".to_owned()]));
        let mut check = |path: &str| check_path(path, &mut folders, &paths);

        assert_eq!(check("pad/front/1.jpg"), Ok(()));
        assert_eq!(check(&format!("pad/{}.jpg", "a".repeat(251))), Ok(()));
        let deep = |n: usize| format!("{}{}.jpg", "front/".repeat(n), "a".repeat(10));
        assert_eq!(check(&deep(168)), Ok(()));
        let long = check(&deep(169)).unwrap_err();
        assert!(long.contains("`front/front/") && long.contains("1024 bytes"), "{long}");
        let long = check(&format!("pad/{}.jpg", "a".repeat(252))).unwrap_err();
        assert!(long.starts_with("`pad/aaa") && long.contains("255 bytes"), "{long}");
        assert!(check("../1.jpg").is_err());
        assert!(check("a\0.jpg").is_err());
        let both = "`rotor/1.jpg` is both a file and a folder. Please rename one of them.";
        assert_eq!(check("rotor/1.jpg/2.jpg").unwrap_err(), both);
        assert!(check("pad/front").unwrap_err().starts_with("`pad/front` is both"));
    }
}
