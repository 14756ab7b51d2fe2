use partsight_domain::{
    InvalidInput, PhotoKeeping, PhotoSize, Receipt, Scan, ScanAllowance, ScanId, ScanPhoto, ScanSource,
    ScanUsage, UNFIT_PRIOR, UsagePath, User, Vehicle, VehicleId, Verdict, VerdictPath, messages,
};
use partsight_inference::{Photo, PhotoFormat};
use uuid::Uuid;

use crate::cascade::SharedPhoto;
use crate::thumbnails::thumbnail;
use crate::{App, Error, Identifier, Result};

/// The next best candidates that a scan keeps beside the first.
pub(crate) const ALTERNATIVES: usize = 4;
/// From this probability on, a type that cannot be on the vehicle is worth a word.
const NOTED_DOUBT: f32 = 0.05;
/// Scans that a free account sees in its history (specification 2, section 9).
pub(crate) const BASIC_HISTORY: u32 = 5;
/// Most scans in one answer.
pub(crate) const MAX_RECENT: u32 = 100;

/// A photograph to identify for a user.
#[derive(Debug)]
pub struct ScanRequest {
    /// The file as it was uploaded.
    pub photo: Vec<u8>,
    /// For which vehicle; unless given the default one in a browser, and none for a program.
    pub vehicle_id: Option<VehicleId>,
    /// Where it was asked for.
    pub source: ScanSource,
}

impl App {
    /// The vehicle that a photograph is of.
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

    /// Identifies a photograph, saves the answer and counts it.
    ///
    /// The allowance is asked before the photograph is decoded, so that a refusal costs nothing, and again
    /// in the transaction that saves the scan. Dropping the future before that transaction uses no allowance.
    ///
    /// # Errors
    /// [`Error::LimitReached`], [`Error::Invalid`] without a vehicle, [`Error::NotFound`] for a vehicle of
    /// somebody else, [`Error::Photo`], [`Error::NotIdentified`], [`Error::Busy`].
    pub async fn scan(&self, user: &User, request: ScanRequest) -> Result<Scan> {
        let allowance = self.scan_allowance(user).await?;
        if !allowance.allows_scan() {
            return Err(Error::LimitReached { limit: allowance.limit });
        }
        let vehicle = self.scanned_vehicle(user, &request).await?;
        let keep = self.keep_photos;
        let original = (keep == PhotoKeeping::Full).then(|| request.photo.clone());
        let picture = move |photo: &Photo| {
            let small = if keep == PhotoKeeping::None { None } else { thumbnail(photo) };
            (small, media_type(photo.format()))
        };
        let photo = SharedPhoto::new(request.photo);
        let for_judge = self.cascade.has_judge().then(|| photo.clone());
        let (predicted, picture) = self.identifier.predict_with(photo, picture).await?;
        let near = self.near_references(user, predicted.embedding()).await;
        let fused = self.identifier.fuse(predicted.logits(), predicted.known(), &near);
        let features = self.features(&predicted, &fused);
        let temperature = self.feedback_temperature(user.tenant_id).await?;
        let mut fused = match temperature {
            Some(temperature) => fused.with_temperature(temperature),
            None => fused,
        };
        let facts = vehicle.as_ref().map(|vehicle| self.vehicle_facts(vehicle)).unwrap_or_default();
        let sunk = fused.sink(|label| self.is_unfit(label, &facts), UNFIT_PRIOR, NOTED_DOUBT);
        let thresholds = self.thresholds_of(user).await?;
        let mut identification = Identifier::answer_with(&predicted, 1 + ALTERNATIVES, &fused, &thresholds)?;
        if identification.verdict == Verdict::NotAPart {
            self.metrics.count_not_a_part();
            return Err(Error::NotIdentified);
        }
        let name = vehicle.as_ref().map(|vehicle| &vehicle.details.name);
        let id = ScanId(Uuid::now_v7());
        let judging =
            self.judge_identification(id, user, &mut identification, &thresholds, name, for_judge).await;
        let vehicle_doubts = match name {
            Some(name) if !sunk.is_empty() => {
                self.vehicle_doubts(&self.part_types(user).await?, sunk, name, &facts)
            }
            _ => Vec::new(),
        };
        // A picture that cannot be made is no reason to lose the answer.
        let (small, media_type) = picture.unwrap_or((None, "application/octet-stream"));
        let photos: Vec<ScanPhoto> = [
            small.map(|bytes| (PhotoSize::Thumbnail, "image/jpeg", bytes)),
            original.map(|bytes| (PhotoSize::Full, media_type, bytes)),
        ]
        .into_iter()
        .flatten()
        .map(|(size, media_type, bytes)| ScanPhoto { size, media_type: media_type.to_owned(), bytes })
        .collect();
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
                vehicle_doubts,
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
        self.store.save_scan(user.tenant_id, user.id, &scan, &photos, allowance.limit, &usage).await?;
        self.keep_features(user.tenant_id, id, &features).await;
        self.metrics.count_scan(scan.verdict, &scan.receipt.timings_ms, &scan.receipt.judging);
        tracing::info!(
            scan.id = %scan.id,
            scan.verdict = scan.verdict.as_str(),
            duration_ms = identification.timings_ms.total,
            "identified a photograph"
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
        let most = if self.has_short_history(user) { BASIC_HISTORY } else { MAX_RECENT };
        Ok(self.store.list_recent_scans(user.tenant_id, vehicle_id, limit.min(most)).await?)
    }

    /// Clears the scan history, of one vehicle where given. Gives no allowance back.
    pub async fn clear_scans(&self, user: &User, vehicle_id: Option<VehicleId>) -> Result<u64> {
        Ok(self.store.delete_scans(user.tenant_id, vehicle_id).await?)
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
