//! Teaching from files, and the list of all parts, for the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use partsight_domain::{
    Category, InvalidInput, MAX_SHOP_PARTS, PartLabel, ReferenceId, ReferenceKind, ShopPartId, compact_number,
};

use super::draft::Draft;
use super::lessons::{Lesson, TaughtType};
use crate::accounts::owner::Owner;
use crate::recognition::bulk::read_photo;
use crate::recognition::photo_budget::Asker;
use crate::teaching::Teaching;
use crate::with_causes;
use crate::{Error, FileError, Result};

/// A part type and how many photographs show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartSummary {
    /// The id.
    pub label: PartLabel,
    /// Display name.
    pub name: String,
    /// Where it belongs.
    pub category: Category,
    /// Whether the model in use has learnt it.
    pub is_learnt: bool,
    /// Whether all tenants share it, as they do the shipped ones.
    pub is_shared: bool,
    /// References that were not deleted.
    pub n_references: usize,
    /// Those among them that another model embedded, which are not searched.
    pub n_of_other_model: usize,
}

/// The result of enrolling files.
#[derive(Debug, Clone, PartialEq)]
pub struct Enrolment {
    /// The part with all its references.
    pub part: TaughtType,
    /// Files that became references.
    pub n_taught: usize,
    /// Files that did not, each with the reason.
    pub refused: Vec<(PathBuf, String)>,
    /// The parts that those which were kept look more like; they are marked as look-alikes now.
    pub resembled: Vec<PartLabel>,
}

impl Teaching {
    /// The part of an owner's shop with this type and number; separators in the number are ignored.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a number that no part of the type has, or that several brands have.
    pub async fn shop_part_of_number(
        &self,
        owner: &Owner,
        label: &PartLabel,
        number: &str,
    ) -> Result<ShopPartId> {
        let parts = match owner.tenant_id {
            Some(tenant_id) => {
                self.store.list_shop_parts(tenant_id, Some(label), None, MAX_SHOP_PARTS).await?
            }
            None => Vec::new(),
        };
        let wanted = compact_number(number);
        let mut found = parts.iter().filter(|part| compact_number(&part.details.number) == wanted);
        match (found.next(), found.next()) {
            (Some(part), None) => Ok(part.id),
            (None, _) => {
                let text = format!("The shop has no part of the type `{label}` with the number `{number}`.");
                Err(InvalidInput::new("number", text).into())
            }
            (Some(_), Some(_)) => {
                let text = format!(
                    "The shop has parts of several brands with the number `{number}`; it does not say which."
                );
                Err(InvalidInput::new("number", text).into())
            }
        }
    }

    /// All part types that an owner knows, by label.
    pub async fn list_parts(&self, owner: &Owner) -> Result<Vec<PartSummary>> {
        let types = self.parts.part_types_of(owner.visible_tenants()).await?;
        let mut references: BTreeMap<PartLabel, (usize, usize)> = BTreeMap::new();
        let shipped = self.catalog.iter().map(|part_type| &part_type.label);
        for label in shipped.chain(types.taught().iter().map(|part_type| &part_type.label)) {
            references.entry(label.clone()).or_default();
        }
        for stored in self.visible_references(owner.visible_tenants(), None).await? {
            if stored.deleted_at.is_none() {
                let counts = references.entry(stored.label).or_default();
                counts.0 += 1;
                counts.1 += usize::from(stored.model_sha256 != self.identifier.model_sha256());
            }
        }
        let known = references.into_iter().filter(|(label, _)| types.has(label));
        let parts = known.filter_map(|(label, (n_references, n_of_other_model))| {
            Some(PartSummary {
                name: types.name(&label),
                category: types.category(&label)?,
                is_learnt: self.identifier.labels().contains(&label),
                is_shared: types.is_shared(&label),
                n_references,
                n_of_other_model,
                label,
            })
        });
        Ok(parts.collect())
    }

    /// Teaches photographs in files. A file that cannot be read, fails a check of [`Teaching::teach`] or looks more
    /// like another part is left out with the reason; the others are kept, all or none. With `accept_collision` those
    /// that look more like another part are kept, and the two parts are marked as look-alikes. `advance` is called
    /// after each file.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown part, [`Error::Conflict`] for a name that is taken, [`Error::Invalid`] for a
    /// name that is none or more photographs than a part may have.
    pub async fn enrol(
        &self,
        owner: &Owner,
        lesson: Lesson,
        paths: &[PathBuf],
        accept_collision: bool,
        mut advance: impl FnMut(),
    ) -> Result<Enrolment> {
        let plan = self.plan(owner, lesson).await?;
        plan.check_room(paths.len())?;
        let mut refused = Vec::new();
        let (mut drafts, mut files): (Vec<Draft>, Vec<&PathBuf>) = (Vec::new(), Vec::new());
        for path in paths {
            match self.draft_of_file(path).await? {
                Ok(draft) => {
                    drafts.push(draft);
                    files.push(path);
                }
                Err(reason) => refused.push((path.clone(), reason)),
            }
            advance();
        }
        // Each is compared with all remaining ones, so that one that is left out has no influence on the others.
        let mut index = 0;
        while index < drafts.len() {
            let problem = plan.problem(&self.identifier, index, &drafts);
            let reason = problem.map(|problem| problem.sentence("The photo")).or_else(|| {
                let resembled = plan.resembled(&self.identifier, index, &drafts);
                resembled
                    .filter(|_| !accept_collision)
                    .map(|resembled| resembled.command_sentence("The photo"))
            });
            match reason {
                Some(reason) => {
                    drafts.remove(index);
                    refused.push((files.remove(index).clone(), reason));
                }
                None => index += 1,
            }
        }
        let n_taught = drafts.len();
        let resembled =
            if accept_collision { plan.all_resembled(&self.identifier, &drafts) } else { BTreeSet::new() };
        if n_taught > 0 {
            self.save_drafts(owner, &plan, drafts, resembled.clone(), ReferenceKind::Enrolled, None).await?;
        }
        let part = match self.taught_type_of(owner, &plan.label).await {
            // No photograph was accepted, so there is no new part.
            Err(Error::NotFound { .. }) if n_taught == 0 => plan.without_references(),
            found => found?,
        };
        Ok(Enrolment { part, n_taught, refused, resembled: resembled.into_iter().collect() })
    }

    /// The thumbnail of a reference that an owner may see; `None` if none is stored.
    pub async fn reference_picture(&self, owner: &Owner, id: ReferenceId) -> Result<Option<Vec<u8>>> {
        for tenant_id in owner.visible_tenants() {
            let photo = self.store.find_reference_thumbnail(tenant_id, id).await?;
            if let Some(photo) = photo {
                return Ok(Some(photo.bytes));
            }
        }
        Ok(None)
    }

    /// Empties the vector index and rebuilds it from all references of all tenants; returns how many it holds then.
    /// `advance` is called with the number of references in each synced page.
    ///
    /// # Errors
    /// [`Error::VectorIndex`] for one that is away or holds something else.
    pub async fn reindex(&self, mut advance: impl FnMut(usize) + Send) -> Result<u64> {
        self.index.rebuild(&mut advance).await
    }

    /// The number of references of all tenants that the vector index should hold, and the address of the index.
    pub async fn index_facts(&self) -> Result<(u64, String)> {
        let wanted = self.store.count_references(self.identifier.model_sha256()).await?;
        Ok((wanted, self.index.describe()))
    }

    async fn draft_of_file(&self, path: &Path) -> Result<Result<Draft, String>> {
        let (file, limits) = (path.to_owned(), self.identifier.limits());
        let read = tokio::task::spawn_blocking(move || read_photo(&file, &limits));
        let bytes = match read.await.map_err(Error::internal)? {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(error.reason())),
        };
        match self.draft(&Asker::SERVER, bytes).await {
            Ok(draft) => Ok(draft.map_err(|problem| problem.sentence("The photo"))),
            Err(error @ Error::Photo { .. }) => Ok(Err(FileError::Identify(error).reason())),
            Err(error) => {
                tracing::debug!(reason = with_causes(&error), "a file could not be enrolled");
                Err(error)
            }
        }
    }
}
