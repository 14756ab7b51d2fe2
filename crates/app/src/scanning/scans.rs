use std::collections::BTreeSet;
use std::sync::Arc;

use partsight_domain::{
    InvalidInput, MAX_SCAN_PHOTOS, NewVehicle, PartLabel, PhotoKeeping, PhotoSize, Receipt, Scan, ScanId,
    ScanPhoto, ScanSource, ScanUsage, TenantId, UNLIMITED_SCANS, UsagePath, User, Vehicle, VehicleId,
    Verdict, VerdictPath, messages,
};
use partsight_inference::Photo;
use partsight_store::{IdempotentCall, NewScan, ScanFeatures, ScanFilter};
use tokio::time::{Duration, Instant};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::judging::asking::{Evident, Patience, SharedPhoto};
use crate::judging::cascade::{ALTERNATIVES, leave_look_alikes_open};
use crate::metrics::Stage;
use crate::recognition::photo_budget::Asker;
use crate::recognition::thumbnails::{media_type, thumbnail};
use crate::recognition::vehicle_prior::VehiclePrior;
use crate::scanning::Scanning;
use crate::scanning::conditions::Ground;
use crate::scanning::readings::{FirstReading, ReadText};
use crate::scanning::regions::AnsweredRegion;
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
    /// For which vehicle; unless given the default one in a browser, and none for a program.
    pub vehicle_id: Option<VehicleId>,
    /// Where it was asked for.
    pub source: ScanSource,
    /// Whether, and when, the text on the photographs is read.
    pub read: ReadText,
    /// Whether the photograph, of which there is one then, shows several parts to be found.
    pub several: bool,
}

/// For what a photograph waits rather than being answered without it.
pub(crate) struct Waits<'w> {
    /// Is told whether taught parts are missing, and tells whether it waits for them.
    pub(crate) taught_parts: &'w (dyn Fn(bool) -> bool + Sync),
    /// For the judge.
    pub(crate) judge: Option<&'w dyn Patience>,
}

impl Waits<'static> {
    /// A person waits for the answer, and gets what there is; the receipt says what is missing.
    const FOR_NOTHING: Self = Self { taught_parts: &|_| false, judge: None };
}

/// An answer with all that is kept of it.
pub(super) struct MadeScan {
    pub(super) scan: Scan,
    pub(super) photos: Vec<ScanPhoto>,
    /// Scans that the plan allows.
    pub(super) limit: u32,
    pub(super) usage: ScanUsage,
    pub(super) features: ScanFeatures,
    regions: Option<Vec<AnsweredRegion>>,
    pub(super) reading: Option<FirstReading>,
    /// What is to be read later.
    files: Vec<SharedPhoto>,
}

impl Scanning {
    /// The vehicle that the photographs are of.
    async fn scanned_vehicle(&self, user: &User, request: &ScanRequest) -> Result<Option<Vehicle>> {
        match (request.vehicle_id, request.source) {
            (Some(id), _) => Ok(Some(self.garage.vehicle(user, id).await?)),
            // The default is for what is seen on a screen: a program may scan parts of any vehicle.
            (None, ScanSource::Key(_)) => Ok(None),
            (None, ScanSource::Web) => {
                let default = self.garage.default_vehicle(user).await?;
                Ok(Some(default.ok_or_else(|| InvalidInput::new("vehicleId", messages::SELECT_VEHICLE))?))
            }
        }
    }

    /// Identifies the part in one or several photographs of it, saves the answer and counts it once.
    ///
    /// Of several photographs the one that shows the answer best stands for the scan: its picture is kept, the judge
    /// sees it, and feedback teaches it.
    ///
    /// `call` is what the client names it, where it may be sent twice.
    ///
    /// The allowance is asked before a photograph is decoded, so that a refusal costs nothing, and again
    /// in the transaction that saves the scan. Dropping the future before that transaction uses no allowance.
    ///
    /// # Errors
    /// [`Error::LimitReached`], [`Error::QuotaReached`] for a full history, [`Error::Invalid`] without a vehicle,
    /// without a photograph or with too many, [`Error::NotFound`] for a vehicle of somebody else, [`Error::Photo`],
    /// [`Error::PhotoAmong`], [`Error::NotIdentified`], [`Error::Busy`], [`Error::PhotoWorkUsedUp`];
    /// [`Error::CallRunning`] where another run of `call` came first.
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
        // Made while the pixels are there, so that no photograph is decoded again for its small picture.
        let picture = move |photo: &Photo| {
            let small = if keep == PhotoKeeping::None { None } else { thumbnail(photo) };
            (small, media_type(photo.format()))
        };
        // Held on to only where the lead is needed once more, so that memory is free for others.
        let wish = request.read;
        let several = request.several;
        let holds = several || keep == PhotoKeeping::Full || self.judging.has_judge() || self.will_read(wish);
        let mut evidence = self.gather_evidence(user, asker, request.photos, holds, picture).await?;
        // Before anything is spent on an answer that would not be kept.
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
        // All that decides is in the domain, for scans, trials and evaluation alike. See
        // docs/decisions/0101-one-scoring-path.md.
        let decision = Identifier::decide(&evidence.pool, &conditions)?;
        let unfit = decision.unfit.clone();
        let whole = (Identifier::identification(evidence.lead(), decision), features);
        let (spoken, regions) = self.spoken_for(user, asker, for_regions, &conditions, whole).await?;
        let (mut identification, features) = spoken;
        identification.timings_ms = evidence.timings();
        // Nothing is saved and no allowance is used; the pixels stay charged to the account.
        if identification.verdict == Verdict::NotAPart {
            self.metrics.count_not_a_part();
            return Err(not_identified(evidence.lacks_taught_parts));
        }
        let when = self.when_to_read(user, wish, &identification).await;
        let reading = self.read_first(user, asker, when, &files, &mut identification).await;
        let name = vehicle.as_ref().map(|vehicle| &vehicle.details.name);
        // Drawn before the judge is asked, because its judgement bears the id.
        let id = ScanId(Uuid::now_v7());
        let read_text = reading.as_ref().map(FirstReading::for_judge).unwrap_or_default();
        let evident = Evident { vehicle: name, read_text, photo: for_judge, patience: waits.judge };
        let judge =
            self.judging.judge_identification(id, user, &mut identification, &in_force.thresholds, evident);
        let judging = judge.instrument(tracing::debug_span!("judge")).await;
        leave_look_alikes_open(&mut identification, &in_force.look_alikes);
        // The last word is the number's: neither the judge nor the mark of look-alikes has seen it.
        if let Some(reading) = &reading {
            reading.settle(&mut identification);
        }
        if let Some(prior) = in_force.prior.as_ref().filter(|_| !unfit.is_empty()) {
            let types = self.parts.part_types(user).await?;
            identification.vehicle_doubts = prior.doubts(unfit, |label| types.name(label));
        }
        // A picture that cannot be made is no reason to lose the answer.
        let (small, media_type) = evidence.made.unwrap_or((None, "application/octet-stream"));
        let photos = self.within_quota(user, kept_photos(small, original, media_type)).await?;
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
                // Kept with the scan, since any server is asked for its text.
                leaves_text_unread: reading.is_none() && (asker.is_of_batch || files.is_empty()),
                judging,
            },
            scanned_at: self.clock.now(),
            has_thumbnail: photos.iter().any(|photo| photo.size == PhotoSize::Thumbnail),
            feedback: None,
        };
        let usage = usage_of(&scan, request.source);
        Ok(MadeScan { scan, photos, limit, usage, features, regions, reading, files })
    }

    /// Saves a scan with what is kept beside it. Once begun it goes on when whoever asked goes away: a scan that is
    /// counted and lacks its regions or what was read could not be made whole, and nobody would send it again.
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
            let MadeScan { scan, photos, limit, usage, features, regions, reading, files } = made;
            let (features, call) = (Some(&features), call.as_ref());
            let new = NewScan { scan: &scan, photos: &photos, features, limit, usage: &usage, call };
            scanning.save(&user, &new).await?;
            // Only now: the allowance has paid for the answer, and its pixels no longer count against the
            // account.
            asker.give_back();
            scanning.keep_regions(&user, &scan, regions).await;
            scanning.keep_reading(&user, &scan, reading, files).await;
            scanning.count_answer(&scan);
            Ok(scan)
        };
        self.tasks.run(work.in_current_span()).await
    }

    /// How many scans the plan of a user allows in all who may scan once more and keep the answer.
    pub(super) async fn room_for_scan(&self, user: &User) -> Result<u32> {
        let limit = self.allowed_scans(user).await?;
        self.accounts.scan_room(user, 0).await?;
        Ok(limit)
    }

    async fn allowed_scans(&self, user: &User) -> Result<u32> {
        // Those who may make any number need not be counted.
        if self.accounts.has_unlimited_scans(user) {
            return Ok(UNLIMITED_SCANS);
        }
        let allowance = self.accounts.scan_allowance(user).await?;
        let is_allowed = allowance.allows_scan();
        is_allowed.then_some(allowance.limit).ok_or(Error::LimitReached { limit: allowance.limit })
    }

    /// When the text is read. The judge takes seconds, and is told what was read: then it is not left for later.
    async fn when_to_read(&self, user: &User, wish: ReadText, identification: &Identification) -> ReadText {
        let is_for_judge = wish == ReadText::Later && self.judging.will_judge(user, identification).await;
        if is_for_judge { ReadText::First } else { wish }
    }

    /// The prior of a vehicle, with the engine and the facts that its number says where nothing else does.
    pub(super) fn prior_of(&self, vehicle: &NewVehicle) -> VehiclePrior {
        let engine = self.garage.engine_of(vehicle);
        let of_vin = || self.garage.variant_of_vin(vehicle);
        let (reference, catalog) = (&self.garage.vehicle_reference, Arc::clone(&self.catalog));
        VehiclePrior::new(reference, catalog, vehicle.name.clone(), engine.as_deref(), of_vin)
    }

    /// Counts and logs a scan that was saved.
    pub(super) fn count_answer(&self, scan: &Scan) {
        let Receipt { timings_ms, judging, lacks_taught_parts, .. } = &scan.receipt;
        if *lacks_taught_parts {
            self.metrics.count_without_taught_parts();
        }
        self.metrics.count_scan(scan.n_photos(), scan.verdict, timings_ms, judging);
        tracing::info!(
            scan.id = %scan.id,
            scan.verdict = scan.verdict.as_str(),
            scan.photos = scan.n_photos(),
            duration_ms = timings_ms.total,
            "answered a scan"
        );
    }

    /// The pictures, or none where the account may keep no more: the answer is worth more than its picture.
    async fn within_quota(&self, user: &User, photos: Vec<ScanPhoto>) -> Result<Vec<ScanPhoto>> {
        if self.accounts.scan_room(user, n_bytes(&photos)).await? {
            return Ok(photos);
        }
        tracing::warn!("the quota of pictures is used up: a scan is kept without its picture");
        Ok(Vec::new())
    }

    async fn save(&self, user: &User, new: &NewScan<'_>) -> Result<()> {
        let start = Instant::now();
        let saved = self.store.save_scan(user.tenant_id, user.id, new);
        let span = tracing::debug_span!("store", otel.kind = "client", db.operation.name = "save_scan");
        saved.instrument(span).await?;
        self.note_saved(user.tenant_id, new.photos, start.elapsed());
        Ok(())
    }

    /// Notes that a scan was saved with its pictures, and how long that took.
    pub(super) fn note_saved(&self, tenant_id: TenantId, photos: &[ScanPhoto], took: Duration) {
        self.accounts.kept_scans.add(tenant_id, n_bytes(photos));
        self.metrics.observe_stage(Stage::Store, took);
    }

    /// The part types that a user knows, with what is said of those in the answers to some scans: the guides of the best
    /// guesses, and the newest parts of the shop of each type that an answer may be one of.
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

    /// The newest scans, of one vehicle where given: at most `limit`, at most 100, at most 5 on Basic.
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

    /// Clears the scan history, of one vehicle where given. Gives no allowance back.
    pub async fn clear_scans(&self, user: &User, vehicle_id: Option<VehicleId>) -> Result<u64> {
        Ok(self.store.delete_scans(user.tenant_id, vehicle_id).await?)
    }
}

/// The pictures of a scan that are kept: the small one, and the photograph as it was sent, of this media type.
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
    /// As [`scan`](Self::scan), and counts in the usage what has no answer, too. A scan that was refused before the
    /// photograph was looked at, such as one beyond the allowance, does not count.
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

    /// Counts in the usage what has no answer.
    async fn count_unanswered(&self, user: &User, source: ScanSource, result: &Result<Scan>) {
        // An answer is counted in the transaction that saves it.
        let path = result.as_ref().err().and_then(unanswered);
        if let Some(path) = path {
            let usage = ScanUsage { source, path, cost_micros: 0 };
            if let Err(error) = self.store.count_scan(user.id, &usage, self.clock.now()).await {
                // What the caller has to hear is why there is no answer.
                tracing::warn!(%error, "a scan without an answer could not be counted");
            }
        }
    }
}

/// How a scan without an answer counts; `None` for one that was refused before its photograph was looked at.
pub(super) fn unanswered(error: &Error) -> Option<UsagePath> {
    match error {
        Error::NotIdentified | Error::NotIdentifiedAmongLearnt => Some(UsagePath::NotAPart),
        Error::LimitReached { .. }
        | Error::QuotaReached { .. }
        | Error::Invalid(_)
        | Error::NotFound { .. }
        | Error::CallRunning
        // A client that waits and tries again would else count as many scans as it had to wait for one.
        | Error::Busy
        | Error::Overloaded { .. }
        | Error::PhotoWorkUsedUp { .. } => None,
        _ => Some(UsagePath::Error),
    }
}

/// The answer to what shows no part, or none among those that could be searched.
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
