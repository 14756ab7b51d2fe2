//! Regions: several parts in one photograph, found or marked, each with an answer, all in one scan.

use partsight_domain::{
    Candidate, Conditions, Decision, FusedScores, InvalidInput, MarkedRegion, NearReferences, OpinionPool,
    PartLabel, PhotoSize, RegionBox, Scan, ScanId, ScanRegion, ScanRegions, User, Verdict, messages,
};
use partsight_inference::Fingerprint;
use partsight_store::ScanFeatures;
use tokio::time::{Duration, Instant};

use crate::judging::asking::SharedPhoto;
use crate::judging::cascade::ALTERNATIVES;
use crate::metrics::Stage;
use crate::recognition::identify::{Predicted, RegionsSeen};
use crate::recognition::photo_budget::Asker;
use crate::scanning::Scanning;
use crate::teaching::reference_index::SEARCH_DEADLINE;
use crate::{Entity, Error, Identification, Identifier, Result};

/// Bits in which a photograph's fingerprint may differ from that of its scan: decoding at another size changes up to
/// 4 of 240 (benches/README.md), other photographs differ in dozens.
const SAME_PHOTO_DISTANCE: u32 = 8;

/// A part of a photograph with its answer.
#[derive(Debug)]
pub(crate) struct AnsweredRegion {
    area: RegionBox,
    predicted: Predicted,
    scores: FusedScores,
    decision: Decision,
}

/// The answers to all parts of a photograph.
#[derive(Debug)]
pub(crate) struct AnsweredRegions {
    all: Vec<AnsweredRegion>,
    /// Whether taught parts could not be looked at for one of them.
    pub(crate) lack_taught_parts: bool,
}

impl AnsweredRegion {
    fn region(&self, label: Option<PartLabel>) -> ScanRegion {
        let Decision { verdict, best, known_score, alternatives, .. } = self.decision.clone();
        ScanRegion { area: self.area, verdict, best, known_score, alternatives, label }
    }

    fn strength(&self) -> f32 {
        self.decision.best.confidence * self.decision.known_score
    }
}

/// The region that represents a scan of several parts: the most confident one. `None` for one part, which the whole
/// photograph represents unless it shows no part.
fn surest_region(regions: &[AnsweredRegion], whole: Verdict) -> Option<&AnsweredRegion> {
    if regions.len() < 2 && whole != Verdict::NotAPart {
        return None;
    }
    let shown = regions.iter().filter(|region| region.decision.verdict != Verdict::NotAPart);
    shown.max_by(|one, other| one.strength().total_cmp(&other.strength()))
}

/// The answer of a region or photograph.
pub(crate) struct Spoken {
    pub(crate) identification: Identification,
    /// The model's outputs, which are stored.
    pub(crate) features: ScanFeatures,
    /// Parts that are not on the vehicle, with their probability by the picture alone.
    pub(crate) unfit: Vec<Candidate>,
}

impl Scanning {
    /// The answer of a scan before it is saved: that of the `whole` photograph, or if `photo` shows several parts, that
    /// of the most confident one. Also returns all regions.
    pub(crate) async fn spoken_for(
        &self,
        user: &User,
        asker: &Asker,
        photo: Option<SharedPhoto>,
        conditions: &Conditions<'_>,
        whole: Spoken,
    ) -> Result<(Spoken, Option<AnsweredRegions>)> {
        let Some(photo) = photo else { return Ok((whole, None)) };
        let seen = self.identifier.predict_regions(asker, photo, None, |_| Ok(())).await?;
        let regions = self.answer_regions(user, seen, conditions).await?;
        let spoken = match surest_region(&regions.all, whole.identification.verdict) {
            None => whole,
            Some(region) => Spoken {
                identification: Identifier::identification(&region.predicted, region.decision.clone()),
                features: self.features(&region.predicted, &region.scores),
                unfit: region.decision.unfit.clone(),
            },
        };
        Ok((spoken, Some(regions)))
    }

    /// Saves the regions of a saved scan. A failure leaves the scan valid.
    pub(crate) async fn keep_regions(&self, user: &User, scan: &Scan, found: Option<AnsweredRegions>) {
        let Some(answered) = found else { return };
        let regions = answered.all.iter().map(|region| region.region(None)).collect();
        let regions = ScanRegions { regions, changed_at: scan.scanned_at };
        if let Err(error) = self.store.save_regions(user.tenant_id, scan.id, &regions).await {
            let error = &error as &dyn std::error::Error;
            tracing::error!(scan.id = %scan.id, error, "the parts on a photograph could not be kept");
        }
    }

    /// Scores each region as a scan: with taught parts, the shop's feedback, the vehicle and the thresholds.
    async fn answer_regions(
        &self,
        user: &User,
        seen: RegionsSeen,
        conditions: &Conditions<'_>,
    ) -> Result<AnsweredRegions> {
        self.metrics
            .count_second_looks(seen.regions.iter().filter(|(_, look)| look.has_second_look()).count());
        // One deadline for all, so that many parts do not multiply the delay.
        let deadline = Instant::now() + SEARCH_DEADLINE;
        let mut searched = Duration::ZERO;
        let mut answered =
            AnsweredRegions { all: Vec::with_capacity(seen.regions.len()), lack_taught_parts: false };
        for (area, predicted) in seen.regions {
            let start = Instant::now();
            let found = self.teaching.near_references(user, predicted.embedding(), None, deadline).await;
            searched += start.elapsed();
            answered.lack_taught_parts |= found.are_incomplete;
            let near: &NearReferences = &found.near;
            let pool = OpinionPool::of_one(self.identifier.scorer().photograph(predicted.raw(), near));
            let decision = Identifier::decide(&pool, conditions)?;
            answered.all.push(AnsweredRegion { area, predicted, scores: pool.scores, decision });
        }
        self.metrics.observe_stage(Stage::Search, searched);
        Ok(answered)
    }

    /// The parts on the photograph of a scan of the user; `None` if they were never located.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that does not exist or belongs to somebody else.
    pub async fn regions_of(&self, user: &User, id: ScanId) -> Result<Option<ScanRegions>> {
        self.scan_of(user, id).await?;
        Ok(self.store.find_regions(user.tenant_id, id).await?)
    }

    /// Saves these regions of the photograph of a scan, or those that are detected, each with its answer. Regions
    /// with an answer are not run again, and no allowance is used.
    ///
    /// `photo` is the photograph of the scan, for a scan whose photograph is not stored.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that does not exist or belongs to somebody else; [`Error::Invalid`] for a scan of several
    /// photographs, a list that is too long, an unknown part, or a photograph that is missing or another one;
    /// [`Error::TaughtPartsAway`], [`Error::Photo`], [`Error::Busy`], [`Error::PhotoWorkUsedUp`].
    pub async fn mark_regions(
        &self,
        user: &User,
        id: ScanId,
        photo: Option<Vec<u8>>,
        marked: Option<Vec<MarkedRegion>>,
    ) -> Result<ScanRegions> {
        let scan = self.scan_of(user, id).await?;
        if scan.n_photos() > 1 {
            return Err(InvalidInput::new("id", messages::REGIONS_OF_ONE_PHOTO).into());
        }
        self.check_marked(user, marked.as_deref().unwrap_or_default()).await?;
        let before = self.store.find_regions(user.tenant_id, id).await?;
        let before = before.map(|before| before.regions).unwrap_or_default();
        let known = |area: RegionBox| before.iter().find(|region| region.area.is_same(area));
        let regions = match marked {
            None => {
                let answered = self.look_at_scan(user, &scan, photo, None).await?;
                answered.iter().map(|region| region.region(None)).collect()
            }
            Some(marked) => {
                let new: Vec<RegionBox> =
                    marked.iter().map(|region| region.area).filter(|area| known(*area).is_none()).collect();
                let answered = if new.is_empty() {
                    Vec::new()
                } else {
                    self.look_at_scan(user, &scan, photo, Some(new)).await?
                };
                let region = |MarkedRegion { area, label }: MarkedRegion| match known(area) {
                    Some(region) => Some(ScanRegion { label, ..region.clone() }),
                    None => answered.iter().find(|one| one.area.is_same(area)).map(|one| one.region(label)),
                };
                marked.into_iter().filter_map(region).collect()
            }
        };
        let regions = ScanRegions { regions, changed_at: self.clock.now() };
        if self.store.save_regions(user.tenant_id, id, &regions).await? {
            Ok(regions)
        } else {
            // It was deleted while the model ran.
            Err(Error::NotFound { entity: Entity::Scan })
        }
    }

    async fn check_marked(&self, user: &User, marked: &[MarkedRegion]) -> Result<()> {
        MarkedRegion::check_list(marked)?;
        let types = self.parts.part_types(user).await?;
        for (index, region) in marked.iter().enumerate() {
            if let Some(label) = region.label.as_ref().filter(|label| !types.has(label)) {
                let message = format!("The part `{label}` of box {} is not known here.", index + 1);
                return Err(InvalidInput::new("regions", message).into());
            }
        }
        Ok(())
    }

    /// Runs the model on regions of a saved scan's photograph: under the same conditions, as far as they still apply.
    async fn look_at_scan(
        &self,
        user: &User,
        scan: &Scan,
        photo: Option<Vec<u8>>,
        wanted: Option<Vec<RegionBox>>,
    ) -> Result<Vec<AnsweredRegion>> {
        let kept = match photo {
            Some(photo) => Some(photo),
            None => self.kept_photo(user.tenant_id, scan.id, PhotoSize::Full).await?.map(|photo| photo.bytes),
        };
        let photo = kept.ok_or_else(|| InvalidInput::new("image", messages::REGION_PHOTO_MISSING))?;
        let features = self.store.find_scan_features(user.tenant_id, scan.id).await?;
        let fingerprint = features
            .filter(|features| features.model_sha256 == self.identifier.model_sha256())
            .and_then(|features| <[u8; Fingerprint::BYTES]>::try_from(features.fingerprint).ok())
            .map(|bytes| Fingerprint::from_bytes(&bytes))
            .ok_or_else(|| InvalidInput::new("id", messages::REGIONS_OF_OLD_SCAN))?;
        let is_the_one = |seen: &Fingerprint| {
            let is_same = seen.distance_within(&fingerprint, SAME_PHOTO_DISTANCE).is_some();
            let other = || Error::from(InvalidInput::new("image", messages::REGIONS_OF_OTHER_PHOTO));
            is_same.then_some(()).ok_or_else(other)
        };
        let asker = self.asker(user);
        let seen =
            self.identifier.predict_regions(&asker, SharedPhoto::new(photo), wanted, is_the_one).await?;
        let vehicle = self.vehicle_if_kept(user, scan.vehicle_id).await?;
        let in_force = self.in_force(user, vehicle.as_ref()).await?;
        let scorer = self.identifier.scorer();
        let conditions = in_force.conditions(scorer.sets(), 1 + ALTERNATIVES).with_taught(scorer.taught());
        let answered = self.answer_regions(user, seen, &conditions).await?;
        // An answer stays with its region, also one that only lacked the right part.
        if answered.lack_taught_parts { Err(Error::TaughtPartsAway) } else { Ok(answered.all) }
    }
}
