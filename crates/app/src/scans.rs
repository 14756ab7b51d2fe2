use std::sync::Arc;

use partsight_domain::{
    InvalidInput, MAX_SCAN_PHOTOS, PhotoKeeping, PhotoSize, Receipt, Scan, ScanAllowance, ScanId, ScanPhoto,
    ScanSource, ScanUsage, UsagePath, User, Vehicle, VehicleId, Verdict, VerdictPath, messages,
};
use partsight_inference::{Photo, PhotoFormat};
use partsight_store::{IdempotentCall, NewScan, ScanFilter};
use uuid::Uuid;

use crate::thumbnails::thumbnail;
use crate::vehicle_prior::VehiclePrior;
use crate::{App, Error, Identifier, Result};

/// The next best candidates that a scan keeps beside the first.
pub(crate) const ALTERNATIVES: usize = 4;
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
}

impl App {
    /// The vehicle that the photographs are of.
    async fn scanned_vehicle(&self, user: &User, request: &ScanRequest) -> Result<Option<Vehicle>> {
        match (request.vehicle_id, request.source) {
            (Some(id), _) => Ok(Some(self.vehicle(user, id).await?)),
            // The default is for what is seen on a screen: a program may scan parts of any vehicle.
            (None, ScanSource::Key(_)) => Ok(None),
            (None, ScanSource::Web) => {
                let default = self.default_vehicle(user).await?;
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
    /// [`Error::LimitReached`], [`Error::Invalid`] without a vehicle, without a photograph or with too many,
    /// [`Error::NotFound`] for a vehicle of somebody else, [`Error::Photo`], [`Error::PhotoAmong`],
    /// [`Error::NotIdentified`], [`Error::Busy`]; [`Error::CallRunning`] where another run of `call` came first.
    pub async fn scan(
        &self,
        user: &User,
        request: ScanRequest,
        call: Option<&IdempotentCall>,
    ) -> Result<Scan> {
        check_photos(&request)?;
        let allowance = self.scan_allowance(user).await?;
        if !allowance.allows_scan() {
            return Err(Error::LimitReached { limit: allowance.limit });
        }
        let vehicle = self.scanned_vehicle(user, &request).await?;
        let keep = self.keep_photos;
        let picture = move |photo: &Photo| {
            let small = if keep == PhotoKeeping::None { None } else { thumbnail(photo) };
            (small, media_type(photo.format()))
        };
        // Held on to only where the lead is needed once more, so that memory is free for others.
        let holds = keep == PhotoKeeping::Full || self.cascade.has_judge();
        let mut evidence = self.look_at(user, request.photos, holds, picture).await?;
        let held = evidence.held.take();
        let original =
            held.as_ref().filter(|_| keep == PhotoKeeping::Full).map(|photo| photo.as_ref().to_vec());
        let for_judge = held.filter(|_| self.cascade.has_judge());
        let fused = evidence.pool.scores.clone();
        let features = self.features(evidence.lead(), &fused);
        let temperature = self.feedback_temperature(user.shop_tenant()).await?;
        let mut fused = match temperature {
            Some(temperature) => fused.with_temperature(temperature),
            None => fused,
        };
        let prior = vehicle.as_ref().map(|vehicle| {
            let details = &vehicle.details;
            let engine = details.engine.as_deref();
            VehiclePrior::new(&self.reference, Arc::clone(&self.catalog), details.name.clone(), engine)
        });
        let sunk = prior.as_ref().map(|prior| prior.sink(&mut fused)).unwrap_or_default();
        let thresholds = self.thresholds_of(user).await?;
        let mut identification =
            Identifier::answer_with(evidence.lead(), 1 + ALTERNATIVES, &fused, &thresholds)?;
        identification.timings_ms = evidence.timings();
        if identification.verdict == Verdict::NotAPart {
            self.metrics.count_not_a_part();
            return Err(Error::NotIdentified);
        }
        let name = vehicle.as_ref().map(|vehicle| &vehicle.details.name);
        let id = ScanId(Uuid::now_v7());
        let judging =
            self.judge_identification(id, user, &mut identification, &thresholds, name, for_judge).await;
        if let Some(prior) = prior.filter(|_| !sunk.is_empty()) {
            let types = self.part_types(user).await?;
            identification.vehicle_doubts = prior.doubts(sunk, |label| types.name(label));
        }
        // A picture that cannot be made is no reason to lose the answer.
        let (small, media_type) = evidence.made.unwrap_or((None, "application/octet-stream"));
        let photos = kept_photos(small, original, media_type);
        let scan = Scan {
            id,
            vehicle_id: vehicle.as_ref().map(|vehicle| vehicle.id),
            vehicle: vehicle.map(|vehicle| vehicle.details.name),
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
                thresholds,
                feedback_temperature: temperature,
                timings_ms: identification.timings_ms,
                photo_left_machine: self.has_left_machine(&judging),
                vehicle_doubts: identification.vehicle_doubts,
                photos: evidence.findings,
                judging,
            },
            scanned_at: self.now(),
            has_thumbnail: photos.iter().any(|photo| photo.size == PhotoSize::Thumbnail),
            feedback: None,
        };
        let usage = ScanUsage {
            source: request.source,
            path: match scan.receipt.judging.verdict_path {
                VerdictPath::Local => UsagePath::Local,
                VerdictPath::Reused => UsagePath::Reused,
                VerdictPath::Llm => UsagePath::Llm,
            },
            cost_micros: scan.receipt.judging.cost_micro_dollars,
        };
        let limit = allowance.limit;
        let new = NewScan { scan: &scan, photos: &photos, limit, usage: &usage, call };
        self.store.save_scan(user.tenant_id, user.id, &new).await?;
        self.keep_features(user.tenant_id, id, &features).await;
        let Receipt { timings_ms, judging, .. } = &scan.receipt;
        self.metrics.count_scan(scan.n_photos(), scan.verdict, timings_ms, judging);
        tracing::info!(
            scan.id = %scan.id,
            scan.verdict = scan.verdict.as_str(),
            scan.photos = scan.n_photos(),
            duration_ms = identification.timings_ms.total,
            "identified a part"
        );
        Ok(scan)
    }

    /// What the user may scan and has scanned.
    pub async fn scan_allowance(&self, user: &User) -> Result<ScanAllowance> {
        let n_scans = self.store.scans_used(user.id).await?;
        Ok(ScanAllowance::new(self.effective_plan(user), n_scans))
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

fn check_photos(request: &ScanRequest) -> Result<(), InvalidInput> {
    match request.photos.len() {
        0 => Err(InvalidInput::new("image", messages::SCAN_PHOTO_MISSING)),
        1..=MAX_SCAN_PHOTOS => Ok(()),
        _ => Err(InvalidInput::new("image", messages::TOO_MANY_SCAN_PHOTOS)),
    }
}

/// The media type of a file of this format.
pub(crate) const fn media_type(format: PhotoFormat) -> &'static str {
    match format {
        PhotoFormat::Jpeg => "image/jpeg",
        PhotoFormat::Png => "image/png",
        PhotoFormat::WebP => "image/webp",
        PhotoFormat::Gif => "image/gif",
        PhotoFormat::Bmp => "image/bmp",
        PhotoFormat::Tiff => "image/tiff",
        PhotoFormat::Heic => "image/heic",
        // One that a later version of the decoder reads.
        _ => "application/octet-stream",
    }
}
