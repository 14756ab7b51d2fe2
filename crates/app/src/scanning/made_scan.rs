use partsight_domain::{Scan, ScanPhoto, ScanUsage, UNLIMITED_SCANS};
use partsight_store::{IdempotentCall, NewScan, ScanFeatures};

use crate::judging::asking::SharedPhoto;
use crate::recognition::photo_budget::Asker;
use crate::scanning::readings::FirstReading;
use crate::scanning::regions::AnsweredRegions;

/// A complete answer, before it is saved.
pub(super) struct MadeScan {
    pub(super) scan: Scan,
    pub(super) photos: Vec<ScanPhoto>,
    /// Scans that the plan allows.
    pub(super) limit: u32,
    /// Whether it counts against the user's own allowance.
    pub(super) is_counted: bool,
    pub(super) usage: ScanUsage,
    pub(super) features: ScanFeatures,
    pub(super) regions: Option<AnsweredRegions>,
    pub(super) reading: Option<FirstReading>,
    /// The files to be read later.
    pub(super) files: Vec<SharedPhoto>,
}

impl MadeScan {
    /// Refunds its pixels, once it is saved, if the plan pays for it: a guess that uses no allowance could otherwise be
    /// asked for without end.
    pub(super) fn refund(&self, asker: &Asker) {
        if self.limit == UNLIMITED_SCANS || self.scan.uses_allowance() {
            asker.give_back();
        }
    }

    /// As the store saves it, as the answer to an idempotent call if there is one.
    pub(super) fn as_new<'a>(&'a self, call: Option<&'a IdempotentCall>) -> NewScan<'a> {
        let Self { scan, photos, limit, is_counted, usage, features, .. } = self;
        let (features, limit, is_counted) = (Some(features), *limit, *is_counted);
        NewScan { scan, photos, features, limit, is_counted, usage, call }
    }
}
