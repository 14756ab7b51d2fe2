use jiff::SignedDuration;
use partsight_domain::{
    Category, Feature, InvalidInput, PartLabel, PhotoKeeping, PhotoSize, Scan, ScanId, ScanPhoto,
    ScanPosition, TenantId, User, VehicleId, VehicleName, Verdict,
};
use partsight_store::{ScanFilter, Store};

use crate::csv_file::file;
use crate::limits::heavy_work::Deadline;
use crate::scanning::Scanning;
use crate::scanning::scans::{BASIC_HISTORY, MAX_RECENT};
use crate::{Entity, Error, PartFacts, PartTypes, Result};

/// Default number of scans in a page.
const DEFAULT_PAGE: u32 = 20;
/// Longest text to search for, in characters, and most words in it.
const SEARCH_MAX_CHARS: usize = 100;
const SEARCH_MAX_WORDS: usize = 8;
/// Most scans that one call can name.
const MAX_NAMED: usize = 500;
/// Time in which a changed or mistaken `keep_photos` can be put right before pictures are deleted.
const UNKEPT_FOR: SignedDuration = SignedDuration::from_hours(24);
/// Scans in one query of an export.
const EXPORT_PAGE: u32 = 500;

const CSV_COLUMNS: [&str; 14] = [
    "scanned_at",
    "part",
    "label",
    "category",
    "verdict",
    "confidence",
    "year",
    "make",
    "model",
    "identified_by",
    "model_version",
    "feedback",
    "right_label",
    "photos",
];

/// A query of the history.
#[derive(Debug, Clone, Default)]
pub struct HistoryQuery {
    /// Only scans of this vehicle.
    pub vehicle_id: Option<VehicleId>,
    /// Only scans whose part or vehicle contains each of these words, ignoring case.
    pub search: Option<String>,
    /// Only scans of parts of this category.
    pub category: Option<Category>,
    /// Only scans whose answer has this verdict.
    pub verdict: Option<Verdict>,
    /// Only scans with feedback, or only the others.
    pub has_feedback: Option<bool>,
    /// Only discarded scans, or only the others.
    pub is_discarded: Option<bool>,
    /// Only scans after this position; the newest come first.
    pub before: Option<ScanPosition>,
    /// Page size, 1 to 100; 20 by default.
    pub limit: Option<u32>,
}

/// A page of the history.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryPage {
    /// The newest first.
    pub scans: Vec<Scan>,
    /// Where the next page begins, if there is one.
    pub next: Option<ScanPosition>,
    /// Number of scans that the plan does not show.
    pub n_hidden: u64,
}

impl Scanning {
    /// A page of the user's scans, of which Basic shows the last five.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a limit or search text out of range, [`Error::NotFound`] for a vehicle of
    /// somebody else.
    pub async fn scan_history(&self, user: &User, query: &HistoryQuery) -> Result<HistoryPage> {
        let limit = query.limit.unwrap_or(DEFAULT_PAGE);
        if !(1..=MAX_RECENT).contains(&limit) {
            return Err(InvalidInput::new("limit", "Please ask for 1 to 100 scans at a time.").into());
        }
        let filter = self.history_filter(user, query).await?;
        // One more than requested shows whether there is a next page.
        let mut scans = self.store.list_scans(user.tenant_id, &filter, limit + 1).await?;
        let has_more = scans.len() > limit as usize;
        scans.truncate(limit as usize);
        let next = if has_more { scans.last().map(Scan::position) } else { None };
        Ok(HistoryPage { scans, next, n_hidden: self.n_hidden_scans(user).await? })
    }

    /// All scans that the history shows, the newest first, as a table in CSV.
    ///
    /// # Errors
    /// [`Error::Busy`] while another history of theirs, or too many of others, are being written, and those of the
    /// store.
    pub async fn scans_csv(&self, user: &User) -> Result<String> {
        let _room = self.parts.heavy.room_for_history(user.into())?;
        // Only what the plan shows, like the list; the account export has the rest.
        let filter = self.history_filter(user, &HistoryQuery::default()).await?;
        let scans = all_scans(&self.store, user.tenant_id, filter).await?;
        let types = self.parts.part_types(user).await?;
        let write =
            move |_: &Deadline| Ok(file(&CSV_COLUMNS, scans.iter().map(|scan| csv_row(&types, scan))));
        self.parts.heavy.run(user.into(), write).await
    }

    /// One scan of the user, even if the plan does not list it.
    ///
    /// A plan sells the list and its search. The id of a scan comes from its own answer, a repair record or the
    /// account export, and gives access to the user's own scan on every plan.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist or belongs to somebody else.
    pub async fn scan_of(&self, user: &User, id: ScanId) -> Result<Scan> {
        let scan = self.store.find_scan(user.tenant_id, id).await?;
        scan.ok_or(Error::NotFound { entity: Entity::Scan })
    }

    /// Discards scans from the list of past scans, or restores them; they stay in the history. Returns how many
    /// changed.
    ///
    /// # Errors
    /// [`Error::Invalid`] for none or too many.
    pub async fn discard_scans(&self, user: &User, ids: &[ScanId], is_discarded: bool) -> Result<u64> {
        if !(1..=MAX_NAMED).contains(&ids.len()) {
            let message = format!("Please name 1 to {MAX_NAMED} scans at a time.");
            return Err(InvalidInput::new("scans", message).into());
        }
        Ok(self.store.discard_scans(user.tenant_id, ids, is_discarded).await?)
    }

    /// Deletes one scan with its pictures. The allowance does not increase.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist or belongs to somebody else.
    pub async fn delete_scan(&self, user: &User, id: ScanId) -> Result<()> {
        let existed = self.store.delete_scan(user.tenant_id, id).await?;
        if existed { Ok(()) } else { Err(Error::NotFound { entity: Entity::Scan }) }
    }

    /// A stored picture of a scan.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a picture that is not stored, or belongs to somebody else; [`Error::PhotoStorageAway`].
    pub async fn scan_photo(&self, user: &User, id: ScanId, size: PhotoSize) -> Result<ScanPhoto> {
        let photo = self.kept_photo(user.tenant_id, id, size).await?;
        photo.ok_or(Error::NotFound { entity: Entity::ScanPhoto })
    }

    /// Deletes the pictures that the settings no longer keep; returns how many.
    ///
    /// Pictures of a size that the settings do not keep at all are deleted after a day, unless another server
    /// keeps them: one that was started with a wrong setting must not delete what all others have stored.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn delete_old_photos(&self) -> Result<u64> {
        let now = self.clock.now();
        let mut n_deleted = 0;
        for size in [PhotoSize::Thumbnail, PhotoSize::Full] {
            let is_kept = match self.keep_photos {
                PhotoKeeping::None => false,
                PhotoKeeping::Thumbnail => size == PhotoSize::Thumbnail,
                PhotoKeeping::Full => true,
            };
            let before = if is_kept {
                if self.store.keep_picture_size(size).await? {
                    tracing::warn!(
                        size = size.as_str(),
                        "this server keeps pictures that another one, or an earlier one, does not keep"
                    );
                }
                match self.keep_photos_days {
                    0 => continue,
                    days => now - SignedDuration::from_hours(24 * i64::from(days)),
                }
            } else {
                let due = self.store.stop_keeping_picture_size(size, now).await? + UNKEPT_FOR;
                if now < due {
                    if self.store.has_scan_photos(size).await? {
                        tracing::warn!(
                            size = size.as_str(),
                            at = %due,
                            "`keep_photos` no longer keeps pictures that are stored: they will be deleted"
                        );
                    }
                    continue;
                }
                now
            };
            n_deleted += self.store.delete_scan_photos(size, before).await?;
        }
        Ok(n_deleted)
    }

    async fn history_filter(&self, user: &User, query: &HistoryQuery) -> Result<ScanFilter> {
        if let Some(id) = query.vehicle_id {
            self.garage.vehicle(user, id).await?;
        }
        let words = search_words(query.search.as_deref().unwrap_or_default())?;
        let vehicles = if words.is_empty() {
            Vec::new()
        } else {
            self.store.list_scanned_vehicles(user.tenant_id).await?
        };
        let types = self.parts.part_types(user).await?;
        // Names are searched here, because the database has only labels, whose names change with the catalogue.
        let words = words.iter().map(|word| parts_and_vehicles(&types, word, &vehicles)).collect();
        Ok(ScanFilter {
            ids: None,
            vehicle_id: query.vehicle_id,
            verdict: query.verdict,
            has_feedback: query.has_feedback,
            is_discarded: query.is_discarded,
            labels: query.category.map(|category| {
                types.all_ever().filter(|label| types.category(label) == Some(category)).collect()
            }),
            words,
            before: query.before,
            among_newest: self.shown_by_plan(user),
        })
    }

    /// How many of the newest scans the plan shows; `None` if all.
    pub(crate) fn shown_by_plan(&self, user: &User) -> Option<u32> {
        (!self.accounts.effective_plan(user).includes(Feature::FullHistory)).then_some(BASIC_HISTORY)
    }

    async fn n_hidden_scans(&self, user: &User) -> Result<u64> {
        let Some(n_shown) = self.shown_by_plan(user) else { return Ok(0) };
        let n_scans = self.store.count_scans(user.tenant_id, &ScanFilter::default()).await?;
        Ok(n_scans.saturating_sub(n_shown.into()))
    }
}

/// All scans of a tenant that pass `filter`, the newest first, read page by page: converting a whole history at once
/// would delay other requests.
///
/// # Errors
/// Those of the store.
pub(crate) async fn all_scans(
    store: &Store,
    tenant_id: TenantId,
    mut filter: ScanFilter,
) -> Result<Vec<Scan>> {
    let mut scans = Vec::new();
    loop {
        let page = store.list_scans(tenant_id, &filter, EXPORT_PAGE).await?;
        let Some(last) = page.last() else { return Ok(scans) };
        filter.before = Some(last.position());
        scans.extend(page);
    }
}

fn csv_row(types: &PartTypes, scan: &Scan) -> Vec<String> {
    let label = &scan.best.label;
    let vehicle = scan.vehicle.as_ref();
    let feedback = scan.feedback.as_ref();
    vec![
        format!("{:.3}", scan.scanned_at),
        types.name(label),
        label.to_string(),
        types.category(label).map(|category| category.title().to_owned()).unwrap_or_default(),
        scan.verdict.as_str().to_owned(),
        format!("{:.3}", scan.best.confidence),
        vehicle.map(|vehicle| vehicle.year.get().to_string()).unwrap_or_default(),
        vehicle.map(|vehicle| vehicle.make.clone()).unwrap_or_default(),
        vehicle.map(|vehicle| vehicle.model.clone()).unwrap_or_default(),
        scan.receipt.model.clone(),
        scan.receipt.model_version.clone(),
        feedback.map(|feedback| feedback.kind.as_str().to_owned()).unwrap_or_default(),
        feedback.and_then(|feedback| feedback.label.as_ref()).map(ToString::to_string).unwrap_or_default(),
        scan.n_photos().to_string(),
    ]
}

/// The parts and vehicles whose name contains a word.
fn parts_and_vehicles(
    types: &PartTypes,
    word: &str,
    vehicles: &[VehicleName],
) -> (Vec<PartLabel>, Vec<VehicleName>) {
    let has_word = |label: &PartLabel| {
        let names = match types.get(label) {
            Some(PartFacts::Shipped(part)) => part.also_known_as.as_slice(),
            _ => &[],
        };
        let category = types.category(label).map(Category::title);
        contains(label.as_str(), word)
            || contains(&types.name(label), word)
            || category.is_some_and(|title| contains(title, word))
            || names.iter().any(|name| contains(name, word))
    };
    let vehicles = vehicles.iter().filter(|vehicle| contains(&vehicle.to_string(), word)).cloned().collect();
    (types.all_ever().filter(has_word).collect(), vehicles)
}

fn contains(text: &str, lower_case_word: &str) -> bool {
    text.to_lowercase().contains(lower_case_word)
}

/// The words of a search text in lower case.
fn search_words(text: &str) -> Result<Vec<String>, InvalidInput> {
    let length = text.chars().count();
    if length > SEARCH_MAX_CHARS {
        return Err(InvalidInput::new(
            "q",
            format!("The search text has {length} characters; please use at most {SEARCH_MAX_CHARS}."),
        ));
    }
    let words: Vec<String> = text.to_lowercase().split_whitespace().map(str::to_owned).collect();
    if words.len() > SEARCH_MAX_WORDS {
        return Err(InvalidInput::new(
            "q",
            format!("The search text has {} words; please use at most {SEARCH_MAX_WORDS}.", words.len()),
        ));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_text_is_words_in_lower_case_within_limits() {
        assert_eq!(search_words("  Škoda\tBRAKE ").unwrap(), ["škoda", "brake"]);
        assert_eq!(search_words("").unwrap(), [""; 0]);
        let cases = [("x".repeat(101), "101 characters"), ("a ".repeat(9), "9 words")];
        for (text, expected) in cases {
            let error = search_words(&text).unwrap_err();
            assert_eq!(error.field, "q");
            assert!(error.message.contains(expected), "{}", error.message);
        }
    }
}
