//! Parts from and to files: our own CSV, ACES and PIES. An import is all or nothing, with a word on each row.

mod aces_pies;
mod csv;
mod xml;
mod xml_files;

use std::collections::HashMap;

use jiff::tz::TimeZone;
use partsight_domain::{
    FitmentSource, InvalidInput, MAX_SHOP_PARTS, NewShopPart, PartFitment, PartFitmentForm, PartLabel,
    PartPrice, ShopPart, ShopPartForm, ShopPartId, User,
};
use uuid::Uuid;

use crate::parts::PartTypes;
use crate::teaching::shop_to_change;
use crate::{App, Entity, Error, MAX_IMPORT_ROWS, Result};

/// Faulty rows that a refusal names; the dry run names them all.
const NAMED_FAULTS: usize = 5;

/// Formats of files with parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartFormat {
    /// Ours.
    Csv,
    /// Applications of the Auto Care Association.
    Aces,
    /// Product information of the Auto Care Association.
    Pies,
}

impl PartFormat {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Aces => "aces",
            Self::Pies => "pies",
        }
    }
}

/// A file to be imported.
#[derive(Debug, Clone, Copy)]
pub struct PartImport<'a> {
    /// The file.
    pub body: &'a [u8],
    /// Whether it is XML.
    pub is_xml: bool,
    /// The type of the parts whose rows do not say it.
    pub label: Option<&'a PartLabel>,
    /// Whether nothing is to be saved.
    pub is_dry_run: bool,
}

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartRowStatus {
    /// It brings a part that is new.
    New,
    /// It adds to, or changes, a part that is there already or stands further up.
    Changed,
    /// It says what is known already.
    Unchanged,
    /// It cannot be imported, and the rest can.
    Skipped,
    /// It breaks a rule; the whole file is refused.
    Error,
}

/// In the column `owner` of an export: the user's own part.
const OWN: &str = "you";
/// In the column `owner` of an export: a part of the user's company.
const OF_COMPANY: &str = "company";

/// What becomes of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRowReport {
    /// Of CSV as a spreadsheet counts, where the header is row 1; of XML which record, from 1.
    pub row: usize,
    /// What becomes of it.
    pub status: PartRowStatus,
    /// Why; blank for a row without a word to say.
    pub message: String,
}

/// What an import did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartImportReport {
    /// Of the file.
    pub format: PartFormat,
    /// Whether it was saved.
    pub is_saved: bool,
    /// Columns that were not read.
    pub ignored_columns: Vec<String>,
    /// Row by row.
    pub rows: Vec<PartRowReport>,
}

impl PartImportReport {
    /// How many rows have this status.
    pub fn count(&self, status: PartRowStatus) -> usize {
        self.rows.iter().filter(|row| row.status == status).count()
    }
}

/// What one row says, as typed.
#[derive(Debug, Default)]
struct PartRow {
    /// The part type: its label, its name, or what the part is called.
    type_name: Option<String>,
    /// Whether that names a type and nothing else, so that one which is unknown is a fault.
    is_type_given: bool,
    number: Option<String>,
    brand: Option<String>,
    name: Option<String>,
    price: Option<String>,
    currency: Option<String>,
    notes: Option<String>,
    fitment: Option<(PartFitmentForm, FitmentSource)>,
    /// Whose part it is, as an export says it.
    owner: Option<String>,
}

/// Why a row brings nothing.
#[derive(Debug)]
enum RowFault {
    /// It cannot be read here; the rest of the file can.
    Skip(String),
    /// It breaks a rule.
    Fault(String),
}

impl From<InvalidInput> for RowFault {
    fn from(error: InvalidInput) -> Self {
        Self::Fault(error.message)
    }
}

impl App {
    /// All parts of the user as a file, the oldest first. CSV has all but the photographs, and in a company the company's
    /// parts as well, with a column that says whose each is. ACES has the parts with the vehicles that they fit, and PIES
    /// the parts without their vehicles; they have no place for whose a part is, so that in a company they are of the
    /// company's alone.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more fitments than a file of ACES may have here.
    pub async fn export_shop_parts(&self, user: &User, format: PartFormat) -> Result<String> {
        let types = self.part_types(user).await?;
        let mut parts = self.all_shop_parts(user, None).await?;
        parts.reverse();
        if format != PartFormat::Csv {
            parts.retain(|part| part.tenant_id == user.shop_tenant());
        }
        let date = self.now().to_zoned(TimeZone::UTC).date();
        Ok(match format {
            PartFormat::Csv => {
                let owner = |part: &ShopPart| if part.tenant_id == user.tenant_id { OWN } else { OF_COMPANY };
                let is_of_two = user.company.is_some();
                let owner = is_of_two.then_some(&owner as &dyn Fn(&ShopPart) -> &'static str);
                csv::write(&parts, &types, owner)
            }
            PartFormat::Aces => xml_files::aces(&parts, &types, date)?,
            PartFormat::Pies => xml_files::pies(&parts, &types, date),
        })
    }

    /// Imports parts from a file, or says what that would do.
    ///
    /// A part that is there already, of the same number and brand, is changed: what the file says takes the place of
    /// what is saved, what it leaves blank stays, and fitments are added. In a company, rows of an export that are the
    /// user's own are left out: what is imported is the company's.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file that cannot be read, and unless it is a dry run for one with a row that breaks
    /// a rule: nothing is saved then. [`Error::Conflict`] for a shop that is full, or whose parts were changed
    /// meanwhile; [`Error::Forbidden`] for a member of a company who is no manager; [`Error::NotFound`] for a
    /// `label` that is not known.
    pub async fn import_shop_parts(&self, user: &User, import: PartImport<'_>) -> Result<PartImportReport> {
        let tenant_id = shop_to_change(user)?;
        let types = self.part_types(user).await?;
        if import.label.is_some_and(|label| types.category(label).is_none()) {
            return Err(Error::NotFound { entity: Entity::Part });
        }
        let (format, ignored_columns, rows) = if import.is_xml {
            let (format, rows) = aces_pies::rows(import.body, MAX_IMPORT_ROWS)?;
            (format, Vec::new(), (1..).zip(rows).collect())
        } else {
            let csv::Rows { rows, ignored_columns } = csv::rows(import.body, MAX_IMPORT_ROWS)?;
            (PartFormat::Csv, ignored_columns, rows)
        };
        let existing = self.store.list_shop_parts(tenant_id, None, None, MAX_SHOP_PARTS).await?;
        let mut merger = Merger::new(self, user, types, import.label, existing);
        let mut reports = Vec::with_capacity(rows.len());
        for (row, said) in rows {
            let outcome = said.and_then(|said| merger.take(said));
            let (status, message) = match outcome {
                Ok(status) => (status, String::new()),
                Err(RowFault::Skip(why)) => (PartRowStatus::Skipped, why),
                Err(RowFault::Fault(why)) => (PartRowStatus::Error, why),
            };
            reports.push(PartRowReport { row, status, message });
        }
        let mut report = PartImportReport { format, is_saved: false, ignored_columns, rows: reports };
        if !import.is_dry_run {
            refuse_faults(&report)?;
            let (added, changed) = merger.finish();
            self.save_shop_parts(user, tenant_id, &added, &changed).await?;
            report.is_saved = true;
            tracing::info!(
                import.format = format.as_str(),
                import.rows = report.rows.len(),
                import.parts = added.len() + changed.len(),
                "imported parts"
            );
        }
        Ok(report)
    }
}

/// A part that a file is about.
struct Draft {
    part: ShopPart,
    is_new: bool,
    is_changed: bool,
    /// What rows further up have said of it.
    said: Said,
}

#[derive(Default)]
struct Said {
    name: Option<String>,
    price: Option<String>,
    notes: Option<String>,
}

/// Joins the rows of a file with each other and with what is saved.
struct Merger<'a> {
    app: &'a App,
    user: &'a User,
    types: PartTypes,
    /// Labels by names in lower case, without signs.
    labels: HashMap<String, PartLabel>,
    label: Option<&'a PartLabel>,
    existing: HashMap<String, ShopPart>,
    drafts: Vec<Draft>,
    by_key: HashMap<String, usize>,
}

impl<'a> Merger<'a> {
    fn new(
        app: &'a App,
        user: &'a User,
        types: PartTypes,
        label: Option<&'a PartLabel>,
        existing: Vec<ShopPart>,
    ) -> Self {
        let existing = existing.into_iter().map(|part| (part.details.key(), part)).collect();
        let labels = types.by_name();
        Self { app, user, types, labels, label, existing, drafts: Vec::new(), by_key: HashMap::new() }
    }

    /// Takes over what a row says.
    fn take(&mut self, row: PartRow) -> Result<PartRowStatus, RowFault> {
        if self.user.company.is_some() && row.owner.as_deref() == Some(OWN) {
            return Err(RowFault::Skip("It is a part of your own, and not the company's.".to_owned()));
        }
        let fitment = match &row.fitment {
            Some((form, source)) => Some(PartFitment::from_form(form, *source)?),
            None => None,
        };
        let label = self.label_of(&row)?;
        let is_type_said = row.is_type_given && row.type_name.is_some();
        let has_currency = row.currency.is_some();
        let form = ShopPartForm {
            // Of a part that is there already, the row need not say the type.
            label: label.as_ref().map_or_else(|| Some("unknown".to_owned()), |label| Some(label.to_string())),
            name: row.name.clone(),
            number: row.number,
            brand: row.brand,
            price: row.price.clone(),
            currency: row.currency,
            notes: row.notes.clone(),
            ..ShopPartForm::default()
        };
        let new = NewShopPart::from_form(&form)?;
        let key = new.key();
        if !self.by_key.contains_key(&key) {
            let draft = match self.existing.remove(&key) {
                Some(part) => Draft { part, is_new: false, is_changed: false, said: Said::default() },
                None if label.is_none() => {
                    return Err(RowFault::Fault(
                        "It does not say the type of the part. Please choose the type for such rows."
                            .to_owned(),
                    ));
                }
                None => self.new_draft(&new),
            };
            self.by_key.insert(key.clone(), self.drafts.len());
            self.drafts.push(draft);
        }
        let draft = self.by_key.get(&key).and_then(|at| self.drafts.get_mut(*at));
        let draft = draft.expect("BUG: a draft of this key was there or was just put there");
        let is_first_of_new = draft.is_new && !draft.is_changed;
        draft.said.keep("name", &mut |said| &mut said.name, row.name)?;
        draft.said.keep("price", &mut |said| &mut said.price, row.price)?;
        draft.said.keep("notes", &mut |said| &mut said.notes, row.notes)?;
        let before = draft.part.details.clone();
        let details = &mut draft.part.details;
        // The type that was chosen for all, or guessed of a description, is for new parts alone.
        if let Some(label) = label.filter(|_| is_type_said) {
            details.label = label;
        }
        replace(&mut details.name, new.name);
        let price = in_currency_of(new.price, details.price.as_ref(), has_currency)?;
        replace(&mut details.price, price);
        replace(&mut details.notes, new.notes);
        if let Some(fitment) = fitment {
            let is_same = |known: &&mut PartFitment| {
                known.is_of_same_vehicles(&fitment) && (fitment.note.is_none() || known.note == fitment.note)
            };
            match details.fitments.iter_mut().find(is_same) {
                Some(known) => known.fits = fitment.fits,
                None => details.fitments.push(fitment),
            }
        }
        // A photograph shows a type; of another one it says nothing.
        if details.label != before.label {
            details.photos.clear();
        }
        details.check_counts()?;
        let is_changed = *details != before;
        draft.is_changed |= is_changed || is_first_of_new;
        Ok(match (is_first_of_new, is_changed) {
            (true, _) => PartRowStatus::New,
            (false, true) => PartRowStatus::Changed,
            (false, false) => PartRowStatus::Unchanged,
        })
    }

    fn new_draft(&self, new: &NewShopPart) -> Draft {
        let now = self.app.now();
        let part = ShopPart {
            id: ShopPartId(Uuid::now_v7()),
            tenant_id: self.user.shop_tenant(),
            details: new.clone(),
            created_at: now,
            updated_at: now,
            revision: 1,
        };
        Draft { part, is_new: true, is_changed: false, said: Said::default() }
    }

    /// The type that a row names, else the one that was chosen for all.
    fn label_of(&self, row: &PartRow) -> Result<Option<PartLabel>, RowFault> {
        let named = row.type_name.as_deref().and_then(|name| {
            let label = PartLabel::new(name.trim()).ok().filter(|label| self.types.category(label).is_some());
            label.or_else(|| self.labels.get(&PartTypes::plain_name(name)).cloned())
        });
        match (&row.type_name, named) {
            (_, Some(label)) => Ok(Some(label)),
            (Some(name), None) if row.is_type_given => {
                let name: String = name.chars().take(40).collect();
                Err(RowFault::Fault(format!("There is no part type \"{name}\" in the catalogue.")))
            }
            _ => Ok(self.label.cloned()),
        }
    }

    /// The parts that are new, and those that changed.
    fn finish(self) -> (Vec<ShopPart>, Vec<ShopPart>) {
        let now = self.app.now();
        let touched = self.drafts.into_iter().filter(|draft| draft.is_changed);
        let (added, changed): (Vec<Draft>, Vec<Draft>) = touched.partition(|draft| draft.is_new);
        let part = |draft: Draft| ShopPart { updated_at: now, ..draft.part };
        (added.into_iter().map(part).collect(), changed.into_iter().map(part).collect())
    }
}

impl Said {
    /// Notes what a row says of a field; two rows of one part must not say two things.
    fn keep(
        &mut self,
        name: &str,
        field: &mut dyn FnMut(&mut Self) -> &mut Option<String>,
        said: Option<String>,
    ) -> Result<(), RowFault> {
        let Some(said) = said else { return Ok(()) };
        let before = field(self);
        if before.as_ref().is_some_and(|before| *before != said) {
            return Err(RowFault::Fault(format!("A row further up says another {name} of this part.")));
        }
        *before = Some(said);
        Ok(())
    }
}

/// A new price in the currency of the old one, where the file names none.
fn in_currency_of(
    new: Option<PartPrice>,
    old: Option<&PartPrice>,
    has_currency: bool,
) -> Result<Option<PartPrice>, InvalidInput> {
    match (new, old) {
        (Some(new), Some(old)) if !has_currency => PartPrice::new(new.cents(), old.currency()).map(Some),
        (new, _) => Ok(new),
    }
}

fn replace<T>(old: &mut Option<T>, new: Option<T>) {
    if new.is_some() {
        *old = new;
    }
}

fn refuse_faults(report: &PartImportReport) -> Result<()> {
    let faults: Vec<&PartRowReport> =
        report.rows.iter().filter(|row| row.status == PartRowStatus::Error).collect();
    if faults.is_empty() {
        return Ok(());
    }
    let named = faults.iter().take(NAMED_FAULTS).map(|fault| format!("Row {}: {}", fault.row, fault.message));
    let more = match faults.len().saturating_sub(NAMED_FAULTS) {
        0 => String::new(),
        more => format!(" And {more} more; a dry run names them all."),
    };
    let message = format!("Nothing was imported. {}{more}", named.collect::<Vec<_>>().join(" "));
    Err(InvalidInput::new("body", message).into())
}
