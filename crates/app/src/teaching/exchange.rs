//! Export and import of taught parts as one file, to move or back them up.
//!
//! A file of JSON lines. First the header, with the SHA-256 of the model that made the embeddings; then each part with
//! its look-alikes, followed by its references, each with its embedding and thumbnail; last the number of both and the
//! SHA-256 of everything before that line. Embeddings are little-endian f32, and are base64 like fingerprints and
//! thumbnails. Original photographs are not included.
//!
//! A file is read twice: once to check that it is complete and within its limits, and then part by part.

mod lines;

use std::collections::HashMap;
use std::io::{BufRead, Seek, Write};

use partsight_domain::{LookAlikes, PartLabel, PhotoSize, ReferenceKind, ScanPhoto, TaughtPartType};
use partsight_inference::Fingerprint;
use partsight_store::StoredReference;
use sha2::{Digest, Sha256};

use self::lines::{
    End, FORMAT, Header, Line, Lines, PartLine, ReferenceLine, VERSION, decode, embedding, put,
    reference_line,
};
use super::draft::Draft;
use super::lessons::{Lesson, MAX_REFERENCES_OF_TYPE};
use super::plan::Plan;
use crate::accounts::owner::Owner;
use crate::parts::part_types::PartTypes;
use crate::recognition::photo_budget::Asker;
use crate::recognition::thumbnails::{self, thumbnail};
use crate::teaching::Teaching;
use crate::with_causes;
use crate::{Error, Result};

/// Look-alikes of a part in a file: more than a shop has by hand and by consent, and few enough for a line.
const MAX_MARKS: usize = 1000;

/// The result of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// Part types.
    pub n_parts: usize,
    /// References.
    pub n_references: usize,
    /// References that were left out, because another model embedded them.
    pub n_of_other_model: usize,
}

/// The result of importing one part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedPart {
    /// The id.
    pub label: PartLabel,
    /// References that were taken in.
    pub n_taught: usize,
    /// References that were there already.
    pub n_known: usize,
    /// Why others were not taken in, each a sentence.
    pub refused: Vec<String>,
}

/// Why a catalogue file cannot be used. Nothing of it is imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogFileError {
    /// It cannot be read or written.
    #[error("the catalogue file cannot be read or written")]
    Io(#[from] std::io::Error),
    /// It is no such file, or not of a version that this program knows.
    #[error("this is no catalogue file of version {VERSION}: write one with `partsight catalog export`")]
    Format,
    /// A line is not as it should be.
    #[error("line {line} of the catalogue file {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// It is truncated, or was changed.
    #[error("the catalogue file is not whole, or was changed after it was written: export it again")]
    NotWhole,
    /// Its embeddings are of another model.
    #[error(
        "the catalogue file was written with the model {found}, but the model in use is {expected}: use that model, \
         or teach the parts again from their photographs"
    )]
    OtherModel {
        /// SHA-256 of the model in use.
        expected: String,
        /// Of the file.
        found: String,
    },
    /// The use case failed.
    #[error(transparent)]
    App(#[from] Error),
}

impl Teaching {
    /// Writes what an owner taught into a file, of these labels or of all, each part with its references.
    ///
    /// # Errors
    /// [`CatalogFileError::Io`], and [`Error::NotFound`] for a label that the owner does not know.
    pub async fn export_catalog(
        &self,
        owner: &Owner,
        labels: &[PartLabel],
        out: &mut impl Write,
    ) -> Result<Exported, CatalogFileError> {
        let types = self.parts.part_types_of(owner.visible_tenants()).await?;
        if labels.iter().any(|label| !types.has(label)) {
            return Err(Error::NotFound { entity: crate::Entity::Part }.into());
        }
        let stored = self.visible_references(owner.visible_tenants(), None).await?;
        let own: Vec<StoredReference> = stored
            .into_iter()
            .filter(|reference| reference.tenant_id == owner.tenant_id && reference.deleted_at.is_none())
            .filter(|reference| labels.is_empty() || labels.contains(&reference.label))
            .collect();
        let own_types = types.taught().iter().filter(|part_type| part_type.tenant_id == owner.tenant_id);
        let mut names: Vec<PartLabel> = own_types
            .map(|part_type| part_type.label.clone())
            .filter(|label| labels.is_empty() || labels.contains(label))
            .chain(own.iter().map(|reference| reference.label.clone()))
            .collect();
        names.sort_unstable();
        names.dedup();
        let marked = self.visible_look_alikes(owner.visible_tenants()).await?;
        let own_marks = marked.into_iter().filter(|marked| marked.tenant_id == owner.tenant_id);
        let look_alikes: LookAlikes = own_marks.map(|marked| marked.pair).collect();

        let mut exported = Exported { n_parts: 0, n_references: 0, n_of_other_model: 0 };
        let mut hasher = Sha256::new();
        let header = Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            model_sha256: self.identifier.model_sha256().to_owned(),
            dimension: self.identifier.manifest().embedding.dimension,
            exported_at: self.clock.now(),
        };
        put(out, &mut hasher, &header)?;
        for label in names {
            let Some(category) = types.category(&label) else { continue };
            let line = PartLine {
                name: types.name(&label),
                label: label.clone(),
                category,
                look_alikes: look_alikes.partners_of(&label).cloned().collect(),
            };
            put(out, &mut hasher, &Line::Part(line))?;
            exported.n_parts += 1;
            for reference in own.iter().filter(|reference| reference.label == label) {
                // The header names one model, and only its embeddings can be compared with each other.
                if reference.model_sha256 != self.identifier.model_sha256() {
                    exported.n_of_other_model += 1;
                    continue;
                }
                let picture = self.reference_picture(owner, reference.id).await?;
                put(out, &mut hasher, &Line::Reference(reference_line(reference, picture)))?;
                exported.n_references += 1;
            }
        }
        let end = End {
            parts: exported.n_parts,
            references: exported.n_references,
            sha256: hex::encode(hasher.clone().finalize()),
        };
        put(out, &mut hasher, &Line::End(end))?;
        out.flush()?;
        Ok(exported)
    }

    /// Imports a file of [`Teaching::export_catalog`] for an owner, part by part; `each` gets the result for each.
    ///
    /// References of a part that the owner knows are added to it; any other part is created. Existing references are
    /// skipped; the others have to pass the checks of [`Teaching::teach`], except those that need the photograph
    /// itself. Look-alikes are marked if both parts are in the file, or the other one is shipped.
    ///
    /// # Errors
    /// [`CatalogFileError`]; except for failures of the database, nothing is imported then.
    pub async fn import_catalog(
        &self,
        owner: &Owner,
        file: &mut (impl BufRead + Seek),
        accept_collision: bool,
        mut each: impl FnMut(ImportedPart),
    ) -> Result<(), CatalogFileError> {
        self.check_catalog_file(file)?;
        // Read a second time instead of held in memory; if it has changed meanwhile, invalid lines are refused.
        file.rewind()?;
        let mut lines = Lines::new(file);
        lines.header()?;
        let mut part: Option<(PartLine, Vec<Draft>)> = None;
        // The owner's labels of the parts that were imported, by those of the file.
        let mut labels = HashMap::new();
        loop {
            let (line, _) = lines.line()?;
            match line {
                Line::Reference(reference) => {
                    if let Some((_, drafts)) = &mut part {
                        drafts.push(self.draft_of_line(&reference, &lines).await?);
                    }
                }
                next => {
                    if let Some((part, drafts)) = part.take() {
                        let label = part.label.clone();
                        let imported =
                            self.import_part(owner, part, drafts, &labels, accept_collision).await?;
                        labels.insert(label, imported.label.clone());
                        each(imported);
                    }
                    match next {
                        Line::Part(next) => part = Some((next, Vec::new())),
                        _ => return Ok(()),
                    }
                }
            }
        }
    }

    /// Checks a whole file without importing anything.
    fn check_catalog_file(&self, file: &mut (impl BufRead + Seek)) -> Result<(), CatalogFileError> {
        let mut lines = Lines::new(file);
        let header = lines.header()?;
        let expected = self.identifier.model_sha256();
        if header.model_sha256 != expected {
            // A message repeats no more of a foreign file than a hash can have.
            let found = header.model_sha256.chars().filter(char::is_ascii_hexdigit).take(64).collect();
            return Err(CatalogFileError::OtherModel { expected: expected.to_owned(), found });
        }
        let (mut parts, mut references, mut n_of_part) = (0, 0, 0);
        loop {
            let (line, sha256) = lines.line()?;
            match line {
                Line::Part(part) => {
                    TaughtPartType::name_and_label(&part.name).map_err(|error| lines.wrong(error.message))?;
                    if part.look_alikes.len() > MAX_MARKS {
                        return Err(lines.wrong(format!("has more than {MAX_MARKS} look-alikes")));
                    }
                    (parts, n_of_part) = (parts + 1, 0);
                }
                Line::Reference(_) if parts == 0 => return Err(lines.wrong("belongs to no part")),
                Line::Reference(reference) => {
                    self.check_reference_line(&reference).map_err(|what| lines.wrong(what))?;
                    (references, n_of_part) = (references + 1, n_of_part + 1);
                    if n_of_part > MAX_REFERENCES_OF_TYPE {
                        let what =
                            format!("is one too many: a part has at most {MAX_REFERENCES_OF_TYPE} photos");
                        return Err(lines.wrong(what));
                    }
                }
                Line::End(end) => {
                    // Nothing may follow, or the hash would not cover the whole file.
                    let is_whole = end == End { parts, references, sha256 } && lines.next()?.is_empty();
                    return if is_whole { Ok(()) } else { Err(CatalogFileError::NotWhole) };
                }
            }
        }
    }

    fn check_reference_line(&self, line: &ReferenceLine) -> Result<(), String> {
        ReferenceKind::from_name(&line.kind).ok_or("is of an unknown kind")?;
        decode(&line.fingerprint)
            .filter(|bytes| bytes.len() == Fingerprint::BYTES)
            .ok_or("has no usable fingerprint")?;
        let embedding = embedding(&line.embedding).ok_or("has no usable embedding")?;
        let length = embedding.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        let dimension = self.identifier.manifest().embedding.dimension;
        if embedding.len() != dimension || (length - 1.0).abs() > 1e-3 || !length.is_finite() {
            return Err(format!("has an embedding that is none of {dimension} numbers and of length 1"));
        }
        if let Some(picture) = &line.thumbnail {
            decode(picture)
                .filter(|bytes| bytes.len() <= thumbnails::MAX_BYTES)
                .ok_or_else(|| format!("has a picture of more than {} bytes", thumbnails::MAX_BYTES))?;
        }
        Ok(())
    }

    /// A draft from a checked line. Its picture is redrawn, so that no foreign file is stored, and run through the
    /// model for the scores that the checks need.
    async fn draft_of_line<R: BufRead>(
        &self,
        line: &ReferenceLine,
        lines: &Lines<R>,
    ) -> Result<Draft, CatalogFileError> {
        let unusable = || lines.wrong("changed while it was read");
        let raw = embedding(&line.embedding).ok_or_else(unusable)?;
        let fingerprint =
            decode(&line.fingerprint).and_then(|bytes| <[u8; Fingerprint::BYTES]>::try_from(bytes).ok());
        let compared = self.identifier.reference_embedding(&raw).ok_or_else(unusable)?;
        let mut draft = Draft {
            raw,
            scores: None,
            fingerprint: Fingerprint::from_bytes(&fingerprint.ok_or_else(unusable)?),
            embedding: compared,
            photos: Vec::new(),
        };
        if let Some(picture) = line.thumbnail.as_deref().and_then(decode) {
            let (predicted, small) =
                self.identifier.predict_with(&Asker::SERVER, picture, thumbnail).await.map_err(|error| {
                    lines.wrong(format!("has a picture that cannot be used: {}", with_causes(&error)))
                })?;
            draft.scores = Some((predicted.logits().to_vec(), predicted.known()));
            draft.photos.extend(small.map(|bytes| ScanPhoto {
                size: PhotoSize::Thumbnail,
                media_type: "image/jpeg".to_owned(),
                bytes,
            }));
        }
        Ok(draft)
    }

    /// Matches a part of a file with a part of the owner: by its name, or by its label if the owner renamed the part
    /// since an earlier import, which its photographs show. The label alone is not enough: it stays when a part is
    /// renamed.
    async fn plan_of_part(
        &self,
        owner: &Owner,
        types: &PartTypes,
        part: &PartLine,
        drafts: &[Draft],
    ) -> Result<Plan> {
        if let Some(label) = types.named(&part.name) {
            return self.plan(owner, Lesson::Known(label)).await;
        }
        if types.has(&part.label) {
            let plan = self.plan(owner, Lesson::Known(part.label.clone())).await?;
            let is_copy = |index| {
                let problem = plan.problem(&self.identifier, index, drafts);
                matches!(problem, Some(super::check::Problem::CopyOfReference(_)))
            };
            // A shipped part has only its own name.
            if types.is_shipped(&part.label) || (0..drafts.len()).any(is_copy) {
                return Ok(plan);
            }
        }
        let PartLine { label, name, category, .. } = part.clone();
        self.plan(owner, Lesson::Imported { label, name, category }).await
    }

    async fn import_part(
        &self,
        owner: &Owner,
        part: PartLine,
        mut drafts: Vec<Draft>,
        labels: &HashMap<PartLabel, PartLabel>,
        accept_collision: bool,
    ) -> Result<ImportedPart> {
        let types = self.parts.part_types_of(owner.visible_tenants()).await?;
        let mut imported =
            ImportedPart { label: part.label.clone(), n_taught: 0, n_known: 0, refused: Vec::new() };
        let mut plan = match self.plan_of_part(owner, &types, &part, &drafts).await {
            // It was taught by somebody else meanwhile; the other parts of the file can still be imported.
            Err(Error::Conflict { message, .. }) => {
                imported.refused.push(message.to_owned());
                return Ok(imported);
            }
            plan => plan?,
        };
        imported.label = plan.label.clone();
        // A part that comes later in the file has this one among its own.
        let named = part.look_alikes.iter();
        let mut marks = plan.mark(named.filter_map(|label| {
            labels.get(label).cloned().or_else(|| types.is_shipped(label).then(|| label.clone()))
        }));
        let mut index = 0;
        while index < drafts.len() {
            match plan.problem(&self.identifier, index, &drafts) {
                // Counted and not refused, so that an import can be repeated.
                Some(super::check::Problem::CopyOfReference(_)) => imported.n_known += 1,
                Some(problem) => imported.refused.push(problem.sentence("A photo")),
                None => match plan.resembled(&self.identifier, index, &drafts) {
                    Some(resembled) if !accept_collision => {
                        imported.refused.push(resembled.command_sentence("A photo"));
                    }
                    _ => {
                        index += 1;
                        continue;
                    }
                },
            }
            drafts.remove(index);
        }
        if accept_collision {
            marks.extend(plan.all_resembled(&self.identifier, &drafts));
        }
        if let Err(error) = plan.check_room(drafts.len()) {
            imported.refused.push(error.message);
            return Ok(imported);
        }
        imported.n_taught = drafts.len();
        // A new part may have no references.
        if !drafts.is_empty() || plan.is_new() || !marks.is_empty() {
            self.save_drafts(owner, &plan, drafts, marks, ReferenceKind::Enrolled, None).await?;
        }
        Ok(imported)
    }
}
