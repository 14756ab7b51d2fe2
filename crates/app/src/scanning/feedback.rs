//! Feedback on the answers to scans, and the references that are made from it.

use std::collections::BTreeSet;

use partsight_domain::{
    Embedding, FeedbackKind, FusedScores, InvalidInput, PartLabel, ReferenceId, ReferenceKind, Scan,
    ScanFeedback, ScanId, User, VerdictPath, messages,
};
use partsight_store::ScanFeatures;

use crate::accounts::owner::Owner;
use crate::recognition::identify::Predicted;
use crate::scanning::Scanning;
use crate::teaching::lessons::Lesson;
use crate::with_causes;
use crate::{Entity, Error, Result};

/// The result of feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenFeedback {
    /// The feedback as it was saved.
    pub feedback: ScanFeedback,
    /// Why the scan did not become a reference, if the shop allows that.
    pub not_taught: Option<String>,
}

impl Scanning {
    /// Saves a user's feedback on the answer to one of their scans, in place of earlier feedback, and makes a reference
    /// of the scan if the shop allows that and the checks of teaching pass.
    ///
    /// `label` is the right part, for [`FeedbackKind::OtherPart`] alone.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that is not theirs, [`Error::Invalid`] for a label that is missing, not allowed
    /// or unknown; [`Error::Forbidden`] if it would replace feedback that they gave for a company that they have left.
    pub async fn give_feedback(
        &self,
        user: &User,
        id: ScanId,
        kind: FeedbackKind,
        label: Option<PartLabel>,
    ) -> Result<GivenFeedback> {
        let (scanning, user) = (self.clone(), user.clone());
        // Detached from the request: a reference that no feedback names could never be taken back.
        // Boxed, because it is larger than what a thread should hold on its stack.
        self.tasks.run(async move { Box::pin(scanning.note_feedback(&user, id, kind, label)).await }).await
    }

    /// The verdict that led to a wrong answer must not be reused, whoever's photograph it was given for.
    async fn withdraw_verdicts(&self, user: &User, scan: &Scan) -> Result<()> {
        self.store.delete_judged_verdict(user.tenant_id, scan.id).await?;
        if scan.receipt.judging.verdict_path != VerdictPath::Reused {
            return Ok(());
        }
        let Some(least) = self.judging.least_similarity() else { return Ok(()) };
        let features = self.store.find_scan_features(user.tenant_id, scan.id).await?;
        if let Some(features) = features
            && let Some(embedding) = Embedding::new(features.embedding)
        {
            let shop = user.shop_tenant();
            self.store.delete_similar_verdicts(shop, &features.model_sha256, &embedding, least).await?;
        }
        Ok(())
    }

    async fn note_feedback(
        &self,
        user: &User,
        id: ScanId,
        kind: FeedbackKind,
        label: Option<PartLabel>,
    ) -> Result<GivenFeedback> {
        let scan = self.scan_of(user, id).await?;
        self.check_feedback_shop(user, id).await?;
        let (kind, label) = self.meant(user, &scan, kind, label).await?;
        let mut feedback = ScanFeedback { kind, label, reference_id: None, changed_at: self.clock.now() };
        let replaced =
            self.store.set_feedback(user.tenant_id, id, user.id, user.shop_tenant(), &feedback).await?;
        let replaced = replaced.ok_or(Error::NotFound { entity: Entity::Scan })?;
        // Repeated feedback on the same part keeps the reference of the scan.
        feedback.reference_id = replaced.kept;
        self.take_back_reference(user, replaced.replaced).await?;
        if kind != FeedbackKind::Right {
            self.withdraw_verdicts(user, &scan).await?;
        }
        tracing::info!(scan.id = %id, feedback.kind = kind.as_str(), "a scan got feedback");
        let choice = self.store.learning_choice(user.shop_tenant()).await?.unwrap_or_default();
        let label =
            feedback.label.clone().filter(|_| replaced.kept.is_none() && choice.confirmed_scans_teach);
        let not_taught = match label {
            None => None,
            // The part was deleted meanwhile; the feedback is still true.
            Some(label) if !self.parts.part_types(user).await?.has(&label) => {
                Some(messages::FEEDBACK_NOT_TAUGHT.to_owned())
            }
            Some(label) => match self.teach_from_scan(user, &scan, label.clone()).await {
                Ok(Ok(reference)) => {
                    // Only if the feedback has not changed meanwhile, nor was repeated in a second tab: a reference
                    // that no feedback names could never be taken back.
                    if self.store.attach_reference(user.tenant_id, id, &label, reference).await? {
                        feedback.reference_id = Some(reference);
                    } else {
                        self.take_back_reference(user, Some(reference)).await?;
                    }
                    None
                }
                Ok(Err(reason)) => Some(reason),
                // The feedback is saved; only its use failed.
                Err(error) => {
                    tracing::error!(
                        reason = with_causes(&error),
                        "a confirmed scan could not become a reference"
                    );
                    Some(messages::FEEDBACK_NOT_TAUGHT.to_owned())
                }
            },
        };
        Ok(GivenFeedback { feedback, not_taught })
    }

    /// Deletes the feedback on a user's scan, and the reference that was made of the scan.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that is not theirs, [`Error::Forbidden`] for feedback that they gave for a company
    /// that they have left.
    pub async fn delete_feedback(&self, user: &User, id: ScanId) -> Result<()> {
        self.scan_of(user, id).await?;
        self.check_feedback_shop(user, id).await?;
        let (scanning, user) = (self.clone(), user.clone());
        // Runs to its end, as in `give_feedback`.
        let work = async move {
            let reference = scanning.store.delete_feedback(user.tenant_id, id).await?;
            scanning.take_back_reference(&user, reference).await
        };
        self.tasks.run(work).await
    }

    /// Checks that earlier feedback on a user's scan was not given for a company that they have left.
    pub(super) async fn check_feedback_shop(&self, user: &User, id: ScanId) -> Result<()> {
        match self.store.find_feedback_shop(user.tenant_id, id).await? {
            Some(shop) => user.check_still_of(shop).map_err(|message| Error::Forbidden { message }),
            None => Ok(()),
        }
    }

    /// The model outputs of a photograph, to be saved with its scan, so that a confirmed scan can teach without its
    /// photograph, which may not be kept. See docs/decisions/0047-keep-embeddings.md.
    pub(crate) fn features(&self, predicted: &Predicted, fused: &FusedScores) -> ScanFeatures {
        ScanFeatures {
            model_sha256: self.identifier.model_sha256().to_owned(),
            embedding: predicted.embedding().to_vec(),
            fingerprint: predicted.fingerprint().to_bytes().to_vec(),
            logits: predicted.logits().to_vec(),
            known: predicted.known(),
            log_probabilities: fused.log_probabilities().into_iter().map(|value| value as f32).collect(),
            taught_labels: fused.labels.get(self.identifier.labels().len()..).unwrap_or_default().to_vec(),
        }
    }

    /// The kind and the right label of the feedback.
    async fn meant(
        &self,
        user: &User,
        scan: &Scan,
        kind: FeedbackKind,
        label: Option<PartLabel>,
    ) -> Result<(FeedbackKind, Option<PartLabel>)> {
        let invalid = |message: &'static str| Err(InvalidInput::new("label", message).into());
        match (kind, label) {
            (FeedbackKind::Right, None) => Ok((kind, Some(scan.best.label.clone()))),
            (FeedbackKind::NotAPart, None) => Ok((kind, None)),
            (FeedbackKind::Right | FeedbackKind::NotAPart, Some(_)) => {
                invalid(messages::FEEDBACK_LABEL_UNWANTED)
            }
            (FeedbackKind::OtherPart, None) => invalid(messages::FEEDBACK_LABEL_MISSING),
            // "Another part" with the label of the answer means that the answer is right.
            (FeedbackKind::OtherPart, Some(label)) if label == scan.best.label => {
                Ok((FeedbackKind::Right, Some(label)))
            }
            (FeedbackKind::OtherPart, Some(label)) => {
                let types = self.parts.part_types(user).await?;
                if !types.has(&label) {
                    return invalid(messages::FEEDBACK_LABEL_UNKNOWN);
                }
                Ok((kind, Some(label)))
            }
        }
    }

    /// Deletes the reference that feedback made of a scan; a missing one is no error.
    pub(super) async fn take_back_reference(&self, user: &User, id: Option<ReferenceId>) -> Result<()> {
        let Some(id) = id else { return Ok(()) };
        // It may belong to a company that the user has joined or left since.
        for tenant_id in user.visible_tenants() {
            if self.store.set_reference_deleted(Some(tenant_id), id, Some(self.clock.now())).await? {
                self.teaching.update_index().await;
            }
        }
        Ok(())
    }

    /// Makes a reference of a scan, or returns the reason why not. By the company's choice it belongs to the company,
    /// whichever member confirmed the scan; only for a part type that a member alone knows it stays theirs, since
    /// they may not add types to the company.
    async fn teach_from_scan(
        &self,
        user: &User,
        scan: &Scan,
        label: PartLabel,
    ) -> Result<Result<ReferenceId, String>> {
        let is_only_theirs =
            self.parts.part_types(user).await?.only_of_others(&label, user.shop_tenant()).is_some();
        let owner = if is_only_theirs { Owner::of(user) } else { Owner::shop_of(user) };
        let draft = match self.draft_of_scan(user, scan.id).await? {
            Ok(draft) => draft,
            Err(reason) => return Ok(Err(reason)),
        };
        let plan = self.teaching.plan(&owner, Lesson::Known(label)).await?;
        let drafts = [draft];
        if let Err(error) = plan.check_room(1) {
            return Ok(Err(error.message));
        }
        if let Some(problem) = plan.problem(&self.identifier, 0, &drafts) {
            return Ok(Err(problem.sentence("The photo")));
        }
        // There is nobody to ask here: look-alikes are marked when somebody teaches.
        if let Some(resembled) = plan.resembled(&self.identifier, 0, &drafts) {
            return Ok(Err(resembled.sentence("The photo")));
        }
        let (kind, user_plan) = (ReferenceKind::ConfirmedScan, Some(self.accounts.effective_plan(user)));
        let saved =
            self.teaching.save_drafts(&owner, &plan, drafts.into(), BTreeSet::new(), kind, user_plan).await;
        match saved {
            Err(Error::QuotaReached { quota, plan }) => Ok(Err(quota.sentence(plan))),
            saved => Ok(saved?.first().copied().ok_or_else(|| messages::FEEDBACK_NOT_TAUGHT.to_owned())),
        }
    }
}
