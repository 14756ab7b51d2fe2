use std::collections::BTreeSet;
use std::sync::Arc;

use partsight_domain::{
    InvalidInput, MAX_SCAN_PHOTOS, NewVehicle, PartLabel, PhotoKeeping, PhotoSize, Receipt, Scan, ScanId,
    ScanPhoto, ScanSource, ScanUsage, UNLIMITED_SCANS, UsagePath, User, Vehicle, VehicleId, Verdict,
    VerdictPath, messages,
};
use partsight_store::{IdempotentCall, ScanFilter};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::erasing::erase_soon;
use crate::judging::asking::{Evident, Patience};
use crate::judging::cascade::{ALTERNATIVES, leave_look_alikes_open};
use crate::recognition::photo_budget::Asker;
use crate::recognition::pixels::Pixels;
use crate::recognition::thumbnails::{media_type, thumbnail};
use crate::recognition::vehicle_prior::VehiclePrior;
use crate::scanning::Scanning;
use crate::scanning::conditions::Ground;
use crate::scanning::made_scan::MadeScan;
use crate::scanning::readings::{FirstReading, ReadText};
use crate::scanning::regions::Spoken;
use crate::{Error, Identification, Identifier, PartTypes, Result};

/// Scans that a free account sees in its history (specification 2, section 9).
pub(crate) const BASIC_HISTORY: u32 = 5;
/// Most scans in one answer.
pub(crate) const MAX_RECENT: u32 = 100;

/// Photographs of one part to identify for a user.
#[derive(Debug)]
pub struct ScanRequest {
    /// The files as they were uploaded, 1 to [`MAX_SCAN_PHOTOS`].
    pub photos: Vec<Vec<u8>>,
    /// The vehicle; by default the default one in a browser, and none for a program.
    pub vehicle_id: Option<VehicleId>,
    /// Where the scan was requested.
    pub source: ScanSource,
    /// Whether, and when, the text on the photographs is read.
    pub read: ReadText,
    /// Whether to look for several parts; only with a single photograph.
    pub several: bool,
}

/// What a photograph waits for, instead of being answered without it.
pub(crate) struct Waits<'w> {
    /// Gets whether taught parts are missing, and returns whether the photograph waits for them.
    pub(crate) taught_parts: &'w (dyn Fn(bool) -> bool + Sync),
    /// For the judge.
    pub(crate) judge: Option<&'w dyn Patience>,
    /// Bytes of the stored photograph that is deleted when the answer is saved.
    pub(crate) frees: u64,
    /// The revision of the taught parts, if it was read for several photographs.
    pub(crate) reference_revision: Option<i64>,
}

impl Waits<'static> {
    /// A person waits for the answer, and gets what is available; the receipt says what is missing.
    const FOR_NOTHING: Self =
        Self { taught_parts: &|_| false, judge: None, frees: 0, reference_revision: None };
}

impl Scanning {
    /// The vehicle of the photographs.
    async fn scanned_vehicle(&self, user: &User, request: &ScanRequest) -> Result<Option<Vehicle>> {
        match (request.vehicle_id, request.source) {
            (Some(id), _) => Ok(Some(self.garage.vehicle(user, id).await?)),
            // The default vehicle is for people: a program may scan parts of any vehicle.
            (None, ScanSource::Key(_)) => Ok(None),
            (None, ScanSource::Web) => {
                let default = self.garage.default_vehicle(user).await?;
                Ok(Some(default.ok_or_else(|| InvalidInput::new("vehicleId", messages::SELECT_VEHICLE))?))
            }
        }
    }

    /// Identifies the part in one or several photographs of it, saves the answer and counts it once.
    ///
    /// Of several photographs, the one that shows the answer best represents the scan: its picture is stored, the judge
    /// sees it, and feedback makes a reference of it.
    ///
    /// `call` is the client's idempotent call, if there is one.
    ///
    /// The allowance is checked before a photograph is decoded, so that a refusal costs nothing, and again in the
    /// transaction that saves the scan. If the future is dropped before that transaction, no allowance is used.
    ///
    /// # Errors
    /// [`Error::LimitReached`], [`Error::QuotaReached`] for a full history, [`Error::Invalid`] without a vehicle,
    /// without a photograph or with too many, [`Error::NotFound`] for a vehicle of somebody else, [`Error::Photo`],
    /// [`Error::PhotoAmong`], [`Error::NotIdentified`], [`Error::Busy`], [`Error::PhotoWorkUsedUp`];
    /// [`Error::CallRunning`] if another run of `call` was first.
    pub async fn scan(
        &self,
        user: &User,
        request: ScanRequest,
        call: Option<&IdempotentCall>,
    ) -> Result<Scan> {
        check_photos(&request)?;
        let limit = self.room_for_scan(user).await?;
        let vehicle = self.scanned_vehicle(user, &request).await?;
        let ground = self.ground(user, vehicle).await?;
        let asker = self.asker(user);
        // A person gets an answer without taught parts rather than waiting; its receipt says so.
        let made = self.make_scan(user, &asker, request, limit, &ground, &Waits::FOR_NOTHING).await?;
        self.save_to_the_end(user, &asker, made, call).await
    }

    pub(super) fn asker(&self, user: &User) -> Asker {
        self.identifier.asker(user.into(), self.accounts.has_unlimited_scans(user))
    }

    /// The answer to the photographs of a part, before it is saved. `limit` is how many scans the plan allows.
    pub(super) async fn make_scan(
        &self,
        user: &User,
        asker: &Asker,
        request: ScanRequest,
        limit: u32,
        Ground { vehicle, in_force }: &Ground,
        waits: &Waits<'_>,
    ) -> Result<MadeScan> {
        let keep = self.keep_photos;
        // Computed while the pixels are in memory, so that no photograph is decoded again for its thumbnail.
        let picture = move |pixels: &Pixels<'_>| {
            let small = (keep != PhotoKeeping::None).then(|| thumbnail(pixels));
            (small, media_type(pixels.photo.format()))
        };
        // Held only if the lead is needed again, so that memory is free for others.
        let wish = request.read;
        let several = request.several;
        let holds = several || keep == PhotoKeeping::Full || self.judging.has_judge() || self.will_read(wish);
        let revision = waits.reference_revision;
        let mut evidence =
            self.gather_evidence(user, asker, request.photos, holds, revision, picture).await?;
        // Before any further work on an answer that would be dropped.
        if (waits.taught_parts)(evidence.lacks_taught_parts) {
            return Err(Error::TaughtPartsAway);
        }
        let held = evidence.held.take();
        let files = self.files_to_read(wish, &mut evidence);
        // A copy, because the judge may need the file as well.
        let original =
            held.as_ref().filter(|_| keep == PhotoKeeping::Full).map(|photo| photo.as_ref().to_vec());
        let for_regions = held.clone().filter(|_| several);
        // The judge sees the whole photograph, and would answer for another part.
        let for_judge = held.filter(|_| self.judging.has_judge() && !several);
        let features = self.features(evidence.lead(), &evidence.pool.scores);
        let scorer = self.identifier.scorer();
        let conditions = in_force.conditions(scorer.sets(), 1 + ALTERNATIVES).with_taught(scorer.taught());
        // All rules of the decision are in the domain, for scans, trials and evaluations alike. See
        // docs/decisions/0101-one-scoring-path.md.
        let decision = Identifier::decide(&evidence.pool, &conditions)?;
        let whole = Spoken {
            features,
            unfit: decision.unfit.clone(),
            identification: Identifier::identification(evidence.lead(), decision),
        };
        let (spoken, regions) = self.spoken_for(user, asker, for_regions, &conditions, whole).await?;
        evidence.lacks_taught_parts |= regions.as_ref().is_some_and(|regions| regions.lack_taught_parts);
        let Spoken { mut identification, features, unfit } = spoken;
        identification.timings_ms = evidence.timings();
        // Nothing is saved and no allowance is used; the pixels stay charged to the account.
        if identification.verdict == Verdict::NotAPart {
            self.metrics.count_not_a_part();
            return Err(not_identified(evidence.lacks_taught_parts));
        }
        let when = self.when_to_read(user, wish, &identification).await;
        let mut reading = self.read_first(user, asker, when, &files, several, &mut identification).await;
        let name = vehicle.as_ref().map(|vehicle| &vehicle.details.name);
        // Created before the judge is asked, because its verdict has the id.
        let id = ScanId(Uuid::now_v7());
        let read_text = reading.as_ref().map(FirstReading::for_judge).unwrap_or_default();
        let evident = Evident { vehicle: name, read_text, photo: for_judge, patience: waits.judge };
        let judge =
            self.judging.judge_identification(id, user, &mut identification, &in_force.thresholds, evident);
        let judging = judge.instrument(tracing::debug_span!("judge")).await;
        leave_look_alikes_open(&mut identification, &in_force.look_alikes);
        // The part number decides last: neither the judge nor the look-alike rule has seen it.
        if let Some(reading) = &mut reading {
            if judging.judgement.is_some() {
                reading.note_judged(&identification);
            }
            reading.settle(&mut identification);
        }
        if let Some(prior) = in_force.prior.as_ref().filter(|_| !unfit.is_empty()) {
            let types = self.parts.part_types(user).await?;
            identification.vehicle_doubts = prior.doubts(unfit, |label| types.name(label));
        }
        // A failed thumbnail must not lose the answer.
        let (small, media_type) = evidence.made.unwrap_or((None, "application/octet-stream"));
        let photos = self.within_quota(user, kept_photos(small, original, media_type), waits.frees).await?;
        let scan = Scan {
            id,
            vehicle_id: vehicle.as_ref().map(|vehicle| vehicle.id),
            vehicle: name.cloned(),
            verdict: identification.verdict,
            best: identification.best,
            known_score: identification.known_score,
            alternatives: identification.alternatives,
            category: identification.category,
            receipt: Receipt {
                model: self.identifier.model_name().to_owned(),
                model_version: self.identifier.model_version().to_owned(),
                model_sha256: self.identifier.model_sha256().to_owned(),
                provider: self.identifier.provider().to_owned(),
                thresholds: in_force.thresholds,
                feedback_temperature: in_force.feedback_temperature,
                timings_ms: identification.timings_ms,
                photo_left_machine: self.judging.has_left_machine(&judging),
                vehicle_doubts: identification.vehicle_doubts,
                candidate_set: identification.candidate_set,
                photos: evidence.findings,
                lacks_taught_parts: evidence.lacks_taught_parts,
                // Saved with the scan, because any server may be asked for its text.
                leaves_text_unread: reading.is_none() && (asker.is_of_batch || files.is_empty()),
                judging,
            },
            scanned_at: self.clock.now(),
            has_thumbnail: photos.iter().any(|photo| photo.size == PhotoSize::Thumbnail),
            has_whole_photo: photos.iter().any(|photo| photo.size == PhotoSize::Full),
            feedback: None,
        };
        let usage = usage_of(&scan, request.source);
        let is_counted = limit != UNLIMITED_SCANS || !user.is_paid_by_company();
        Ok(MadeScan { scan, photos, limit, is_counted, usage, features, regions, reading, files })
    }

    /// Saves a scan with its further rows. Runs to the end even if the client disconnects: nobody would repeat a scan
    /// that is counted but lacks its regions or reading.
    async fn save_to_the_end(
        &self,
        user: &User,
        asker: &Asker,
        made: MadeScan,
        call: Option<&IdempotentCall>,
    ) -> Result<Scan> {
        let (scanning, user, asker) = (self.clone(), user.clone(), asker.clone());
        let call = call.cloned();
        let work = async move {
            let made = scanning.save(&user, made, call).await?;
            made.refund(&asker);
            let MadeScan { scan, regions, reading, files, .. } = made;
            scanning.keep_regions(&user, &scan, regions).await;
            scanning.keep_reading(&user, &scan, reading, files).await;
            scanning.count_answer(&scan);
            // Not of the photographs of a batch, which would fill the log.
            tracing::info!(
                scan.id = %scan.id,
                scan.verdict = scan.verdict.as_str(),
                scan.photos = scan.n_photos(),
                duration_ms = scan.receipt.timings_ms.total,
                "answered a scan"
            );
            Ok(scan)
        };
        self.tasks.run(work.in_current_span()).await
    }

    /// Checks that a user may make and store one more scan; returns how many scans their plan allows in total.
    pub(super) async fn room_for_scan(&self, user: &User) -> Result<u32> {
        let limit = self.allowed_scans(user).await?;
        self.accounts.scan_room(user, 0).await?;
        Ok(limit)
    }

    async fn allowed_scans(&self, user: &User) -> Result<u32> {
        // Unlimited scans need not be counted.
        if self.accounts.has_unlimited_scans(user) {
            return Ok(UNLIMITED_SCANS);
        }
        let allowance = self.accounts.scan_allowance(user).await?;
        let is_allowed = allowance.allows_scan();
        is_allowed.then_some(allowance.limit).ok_or(Error::LimitReached { limit: allowance.limit })
    }

    /// When the text is read. If the judge is asked, the text is read first: the judge takes seconds anyway, and uses
    /// it.
    async fn when_to_read(&self, user: &User, wish: ReadText, identification: &Identification) -> ReadText {
        let is_for_judge = wish == ReadText::Later && self.judging.will_judge(user, identification).await;
        if is_for_judge { ReadText::First } else { wish }
    }

    /// The prior of a vehicle, with engine and facts from its VIN if nothing else states them.
    pub(super) fn prior_of(&self, vehicle: &NewVehicle) -> VehiclePrior {
        let engine = self.garage.engine_of(vehicle);
        let of_vin = || self.garage.variant_of_vin(vehicle);
        let (reference, catalog) = (&self.garage.vehicle_reference, Arc::clone(&self.catalog));
        VehiclePrior::new(reference, catalog, vehicle.name.clone(), engine.as_deref(), of_vin)
    }

    /// Counts a saved scan.
    pub(super) fn count_answer(&self, scan: &Scan) {
        let Receipt { timings_ms, judging, lacks_taught_parts, .. } = &scan.receipt;
        if *lacks_taught_parts {
            self.metrics.count_without_taught_parts();
        }
        self.metrics.count_scan(scan.n_photos(), scan.verdict, timings_ms, judging);
    }

    /// The pictures, or none if the quota is full: the answer matters more than its picture. `frees` are the bytes that are
    /// deleted when it is saved.
    async fn within_quota(&self, user: &User, photos: Vec<ScanPhoto>, frees: u64) -> Result<Vec<ScanPhoto>> {
        if self.accounts.scan_room(user, n_bytes(&photos).saturating_sub(frees)).await? {
            return Ok(photos);
        }
        tracing::warn!("the quota of pictures is used up: a scan is kept without its picture");
        Ok(Vec::new())
    }

    /// The part types that a user knows, with the details that answers need: the guides of the best guesses, and the
    /// newest parts of the shop of each candidate type.
    pub async fn part_types_of(&self, user: &User, scans: &[Scan]) -> Result<PartTypes> {
        let best = scans.iter().map(|scan| &scan.best.label);
        let mut types = self.judging.part_types_with_guides(user, best).await?;
        let sets = scans.iter().filter_map(|scan| scan.receipt.candidate_set.as_ref());
        let labels: BTreeSet<&PartLabel> =
            sets.flat_map(|set| &set.candidates).map(|candidate| &candidate.label).collect();
        let labels: Vec<PartLabel> = labels.into_iter().cloned().collect();
        types.shop_parts = self.parts.newest_texts(user.visible_tenants(), &labels).await?;
        Ok(types)
    }

    /// The newest scans, of one vehicle if given: at most `limit`, at most 100, at most 5 on Basic.
    pub async fn recent_scans(
        &self,
        user: &User,
        vehicle_id: Option<VehicleId>,
        limit: u32,
    ) -> Result<Vec<Scan>> {
        let filter =
            ScanFilter { vehicle_id, among_newest: self.shown_by_plan(user), ..ScanFilter::default() };
        Ok(self.store.list_scans(user.tenant_id, &filter, limit.min(MAX_RECENT)).await?)
    }

    /// Deletes the scan history, of one vehicle if given. The allowance does not increase.
    ///
    /// The whole history is out of sight at once, and is erased afterwards; that of a vehicle is erased at once. Scans
    /// that are made meanwhile stay. Continues if the browser disconnects.
    pub async fn clear_scans(&self, user: &User, vehicle_id: Option<VehicleId>) -> Result<()> {
        let (store, tenant_id) = (self.store.clone(), user.tenant_id);
        if let Some(id) = vehicle_id {
            // Up to now only: a deletion in slices takes seconds for a long history, in which others scan.
            let Some(until) = store.newest_scan_of_vehicle(tenant_id, id).await? else { return Ok(()) };
            let deleting = async move { Ok(store.delete_scans_of_vehicle(tenant_id, id, until).await?) };
            self.tasks.run(deleting).await?;
            return Ok(());
        }
        self.store.clear_history(tenant_id).await?;
        erase_soon(&self.tasks, async move { store.erase_cleared_history(tenant_id).await }).await;
        Ok(())
    }
}

/// The stored pictures of a scan: the thumbnail, and the original file, with this media type.
fn kept_photos(small: Option<Vec<u8>>, original: Option<Vec<u8>>, media_type: &str) -> Vec<ScanPhoto> {
    let kept = [
        small.map(|bytes| (PhotoSize::Thumbnail, "image/jpeg", bytes)),
        original.map(|bytes| (PhotoSize::Full, media_type, bytes)),
    ];
    kept.into_iter()
        .flatten()
        .map(|(size, media_type, bytes)| ScanPhoto { size, media_type: media_type.to_owned(), bytes })
        .collect()
}

pub(super) fn n_bytes(photos: &[ScanPhoto]) -> u64 {
    photos.iter().map(|photo| photo.bytes.len() as u64).sum()
}

/// How a scan from `source` counts in the usage.
fn usage_of(scan: &Scan, source: ScanSource) -> ScanUsage {
    let judging = &scan.receipt.judging;
    let path = match judging.verdict_path {
        VerdictPath::Local => UsagePath::Local,
        VerdictPath::Reused => UsagePath::Reused,
        VerdictPath::Llm => UsagePath::Llm,
    };
    ScanUsage { source, path, cost_micros: judging.cost_micro_dollars }
}

fn check_photos(request: &ScanRequest) -> Result<(), InvalidInput> {
    match request.photos.len() {
        0 => Err(InvalidInput::new("image", messages::SCAN_PHOTO_MISSING)),
        1..=MAX_SCAN_PHOTOS => Ok(()),
        _ => Err(InvalidInput::new("image", messages::TOO_MANY_SCAN_PHOTOS)),
    }?;
    if request.several && request.photos.len() > 1 {
        return Err(InvalidInput::new("image", messages::REGIONS_OF_ONE_PHOTO));
    }
    Ok(())
}

impl Scanning {
    /// As [`scan`](Self::scan), and also counts scans without an answer in the usage, except those refused before
    /// their photograph was processed, for example because the allowance is used up.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub async fn scan_and_count(
        &self,
        user: &User,
        request: ScanRequest,
        call: Option<&IdempotentCall>,
    ) -> Result<Scan> {
        let source = request.source;
        let result = self.scan(user, request, call).await;
        self.count_unanswered(user, source, &result).await;
        result
    }

    /// Counts a scan without an answer in the usage.
    async fn count_unanswered(&self, user: &User, source: ScanSource, result: &Result<Scan>) {
        // An answer is counted in the transaction that saves it.
        let path = result.as_ref().err().and_then(unanswered);
        if let Some(path) = path {
            let usage = ScanUsage { source, path, cost_micros: 0 };
            let (store, user_id, now) = (self.store.clone(), user.id, self.clock.now());
            // Detached from the request, because it counts the scans of others as well.
            let counted = self.tasks.run(async move { Ok(store.count_scan(user_id, &usage, now).await?) });
            if let Err(error) = counted.await {
                // The caller must get the original error.
                tracing::warn!(%error, "a scan without an answer could not be counted");
            }
        }
    }
}

/// How a scan without an answer counts; `None` if it was refused before its photograph was processed.
pub(super) fn unanswered(error: &Error) -> Option<UsagePath> {
    match error {
        Error::NotIdentified | Error::NotIdentifiedAmongLearnt => Some(UsagePath::NotAPart),
        Error::LimitReached { .. }
        | Error::QuotaReached { .. }
        | Error::Invalid(_)
        | Error::NotFound { .. }
        | Error::CallRunning
        // A client that waits and retries would otherwise count many scans for one.
        | Error::Busy
        | Error::Overloaded { .. }
        | Error::PhotoWorkUsedUp { .. } => None,
        _ => Some(UsagePath::Error),
    }
}

/// The error for a scan that shows no part, or none among those that could be searched.
fn not_identified(lacks_taught_parts: bool) -> Error {
    if lacks_taught_parts { Error::NotIdentifiedAmongLearnt } else { Error::NotIdentified }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_sent_again_later_counts_once() {
        let retry_after = Duration::from_secs(1);
        let waits = [
            Error::Busy,
            Error::Overloaded { retry_after },
            Error::PhotoWorkUsedUp { retry_after: jiff::SignedDuration::from_secs(1) },
        ];
        for error in waits {
            assert_eq!(unanswered(&error), None, "{error}");
        }
        assert_eq!(unanswered(&Error::NotIdentified), Some(UsagePath::NotAPart));
        assert_eq!(unanswered(&Error::TooLong), Some(UsagePath::Error));
        let quarantined = Error::PhotoQuarantined { number: 1, n_photos: 1 };
        assert_eq!(unanswered(&quarantined), Some(UsagePath::Error));
    }
}
