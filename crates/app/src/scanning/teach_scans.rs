//! Teaches a part with scans of it. The stored model outputs are used, so that no photograph has to be kept or sent
//! again.

use std::collections::BTreeSet;

use partsight_domain::{
    FeedbackKind, InvalidInput, PartLabel, PhotoSize, Quota, ReferenceKind, ScanFeedback, ScanId, ScanPhoto,
    TenantId, User, messages,
};
use partsight_inference::{Detail, Fingerprint};

use crate::accounts::owner::{Owner, shop_to_change};
use crate::scanning::Scanning;
use crate::teaching::check::{Problem, is_blank};
use crate::teaching::draft::Draft;
use crate::teaching::lessons::Lesson;
use crate::{Error, Result};

/// Most scans in one call: as many references as a part may have.
const MAX_SCANS: usize = 100;

/// The result of teaching with scans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaughtScans {
    /// The part.
    pub label: PartLabel,
    /// Scans that became references. Their feedback now states this part.
    pub taught: Vec<ScanId>,
    /// Scans that did not, each with the reason for people.
    pub refused: Vec<(ScanId, String)>,
}

impl Scanning {
    /// Teaches a part with scans of a user, and saves as their feedback that they show it. A scan that fails a check of
    /// teaching, or looks more like another part, is left out with the reason; the others are saved, all or none.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for a scan that is not theirs or an unknown part,
    /// [`Error::Invalid`](crate::Error::Invalid) for no scans, too many scans, more references than a part may have, or
    /// if none of the scans is suitable; [`Error::Conflict`](crate::Error::Conflict) for a name that is taken,
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who is no manager,
    /// [`Error::QuotaReached`](crate::Error::QuotaReached).
    pub async fn teach_scans(&self, user: &User, lesson: Lesson, ids: &[ScanId]) -> Result<TaughtScans> {
        let (scanning, user, ids) = (self.clone(), user.clone(), ids.to_vec());
        // Runs to its end even if the client disconnects: a reference that no feedback names would never be deleted.
        self.tasks.run(async move { scanning.teach_to_the_end(&user, lesson, &ids).await }).await
    }

    async fn teach_to_the_end(&self, user: &User, lesson: Lesson, ids: &[ScanId]) -> Result<TaughtScans> {
        if ids.is_empty() || ids.len() > MAX_SCANS {
            let message = format!("Please name 1 to {MAX_SCANS} scans; these are {}.", ids.len());
            return Err(InvalidInput::new("scans", message).into());
        }
        // A scan that is named twice would be refused as a copy of itself.
        let ids: BTreeSet<ScanId> = ids.iter().copied().collect();
        shop_to_change(user)?;
        let owner = Owner::of(user);
        let user_plan = self.accounts.effective_plan(user);
        if let Some(tenant_id) = owner.tenant_id {
            let n_scans = ids.len() as u64;
            self.accounts.check_quota(tenant_id, user_plan, Quota::TaughtPhotos, n_scans).await?;
        }
        let plan = self.teaching.plan(&owner, lesson).await?;
        let (mut drafts, mut taught, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for id in ids {
            let scan = self.scan_of(user, id).await?;
            match self.check_feedback_shop(user, id).await {
                Err(Error::Forbidden { message }) => {
                    refused.push((id, message.to_owned()));
                    continue;
                }
                checked => checked?,
            }
            match self.draft_of_scan(user, scan.id).await? {
                Ok(draft) => {
                    drafts.push(draft);
                    taught.push(scan);
                }
                Err(reason) => refused.push((id, reason)),
            }
        }
        // Each is compared with all that remain, so that a scan that is left out does not support another.
        let mut index = 0;
        while index < drafts.len() {
            let problem = plan.problem(&self.identifier, index, &drafts);
            let reason = problem.map(|problem| problem.sentence("The photo")).or_else(|| {
                let resembled = plan.resembled(&self.identifier, index, &drafts);
                resembled.map(|resembled| resembled.sentence("The photo"))
            });
            match reason {
                Some(reason) => {
                    drafts.remove(index);
                    refused.push((taught.remove(index).id, reason));
                }
                None => index += 1,
            }
        }
        if drafts.is_empty() {
            let reason = refused.pop().map(|(_, reason)| reason).unwrap_or_default();
            return Err(InvalidInput::new("scans", reason).into());
        }
        plan.check_room(drafts.len())?;
        let kind = ReferenceKind::ConfirmedScan;
        let references =
            self.teaching.save_drafts(&owner, &plan, drafts, BTreeSet::new(), kind, Some(user_plan)).await?;
        for (scan, reference) in taught.iter().zip(references) {
            let is_right = scan.best.label == plan.label;
            let feedback = ScanFeedback {
                kind: if is_right { FeedbackKind::Right } else { FeedbackKind::OtherPart },
                label: Some(plan.label.clone()),
                reference_id: Some(reference),
                changed_at: self.clock.now(),
            };
            let (tenant, shop) = (user.tenant_id, user.shop_tenant());
            let replaced = self.store.set_feedback(tenant, scan.id, user.id, shop, &feedback).await?;
            // The new reference replaces the one that earlier feedback made of the scan.
            self.take_back_reference(user, replaced.and_then(|replaced| replaced.replaced)).await?;
        }
        let taught = taught.into_iter().map(|scan| scan.id).collect();
        Ok(TaughtScans { label: plan.label, taught, refused })
    }

    /// The reference that a scan can become, or why it cannot.
    pub(super) async fn draft_of_scan(&self, user: &User, id: ScanId) -> Result<Result<Draft, String>> {
        let features = self.store.find_scan_features(user.tenant_id, id).await?;
        let usable = features.filter(|features| features.model_sha256 == self.identifier.model_sha256());
        let Some(features) = usable else { return Ok(Err(messages::FEEDBACK_OTHER_MODEL.to_owned())) };
        let fingerprint = <&[u8; Fingerprint::BYTES]>::try_from(features.fingerprint.as_slice());
        let (Some(embedding), Ok(fingerprint)) =
            (self.identifier.reference_embedding(&features.embedding), fingerprint)
        else {
            return Ok(Err(Problem::CannotBeTaught.sentence("The photo")));
        };
        // The features are those of one part, and a new model would see all of them in the picture.
        let regions = self.store.find_regions(user.tenant_id, id).await?;
        if regions.is_some_and(|found| found.regions.len() > 1) {
            return Ok(Err(messages::FEEDBACK_SEVERAL_PARTS.to_owned()));
        }
        let photos = self.photos_of(user.tenant_id, id).await?;
        // A blank photograph is recognised only from its picture; if none is stored, this check is skipped.
        if let Some(small) = photos.iter().find(|photo| photo.size == PhotoSize::Thumbnail) {
            let is_blank = self
                .identifier
                .with_pixels(user.into(), small.bytes.clone(), Detail::FULL, |photo| Some(is_blank(photo)))
                .await;
            if is_blank == Some(true) {
                return Ok(Err(Problem::Blank.sentence("The photo")));
            }
        }
        Ok(Ok(Draft {
            raw: features.embedding,
            scores: Some((features.logits, features.known)),
            fingerprint: Fingerprint::from_bytes(fingerprint),
            embedding,
            photos,
        }))
    }

    async fn photos_of(&self, tenant_id: TenantId, id: ScanId) -> Result<Vec<ScanPhoto>> {
        let mut photos = Vec::new();
        for size in [PhotoSize::Thumbnail, PhotoSize::Full] {
            photos.extend(self.kept_photo(tenant_id, id, size).await?);
        }
        Ok(photos)
    }
}
