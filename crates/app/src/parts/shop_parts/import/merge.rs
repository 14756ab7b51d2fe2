//! Merges the rows of a file with each other and with the saved parts.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use partsight_domain::{
    Fitment, FitmentSource, InvalidInput, NewShopPart, PartFitment, PartLabel, PartPrice, ShopPart,
    ShopPartForm, ShopPartId, User,
};
use uuid::Uuid;

use super::{OWN, PartRow, PartRowStatus, PartialLists, RowFault};
use crate::parts::part_types::PartTypes;

/// A part that the file is about.
struct Draft {
    part: ShopPart,
    is_new: bool,
    is_changed: bool,
    /// The values that earlier rows have set.
    said: Said,
    /// Indices of the fitments for the same vehicles: a file may list hundreds, and comparing each with all would
    /// take quadratic time.
    by_vehicles: HashMap<Fitment, Vec<usize>>,
}

#[derive(Default)]
struct Said {
    name: Option<String>,
    price: Option<String>,
    notes: Option<String>,
}

/// Merges the rows of a file with each other and with the saved parts.
pub(super) struct Merger {
    user: User,
    types: PartTypes,
    /// Labels by names in lower case, without signs.
    labels: HashMap<String, PartLabel>,
    label: Option<PartLabel>,
    existing: HashMap<String, ShopPart>,
    drafts: Vec<Draft>,
    by_key: HashMap<String, usize>,
    /// The types that rows have assigned to parts.
    chosen: BTreeSet<PartLabel>,
    partial: PartialLists,
    now: Timestamp,
}

impl Merger {
    /// `existing` are the parts of the user's shop; `label` is the type for rows that name none.
    pub(super) fn new(
        user: &User,
        types: PartTypes,
        label: Option<PartLabel>,
        existing: Vec<ShopPart>,
        partial: PartialLists,
        now: Timestamp,
    ) -> Self {
        let existing = existing.into_iter().map(|part| (part.details.key(), part)).collect();
        let labels = types.by_name();
        let user = user.clone();
        Self {
            user,
            types,
            labels,
            label,
            existing,
            drafts: Vec::new(),
            by_key: HashMap::new(),
            chosen: BTreeSet::new(),
            partial,
            now,
        }
    }

    /// Merges a row.
    pub(super) fn take(&mut self, row: PartRow) -> Result<PartRowStatus, RowFault> {
        if self.user.company.is_some() && row.owner.as_deref() == Some(OWN) {
            return Err(RowFault::Skip("It is a part of your own, and not the company's.".to_owned()));
        }
        let mut fitment = match &row.fitment {
            Some((form, source)) => Some(PartFitment::from_form(form, *source)?),
            None => None,
        };
        let label = self.label_of(&row)?;
        let is_type_said = row.is_type_given && row.type_name.is_some();
        let has_currency = row.currency.is_some();
        let form = ShopPartForm {
            // For an existing part, the row need not state the type.
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
        if let Some(fitment) = fitment.as_mut().filter(|_| self.partial.has(&key)) {
            make_partial(fitment);
        }
        let at = match self.by_key.get(&key) {
            Some(at) => *at,
            None => self.begin(key, &new, label.is_some())?,
        };
        let draft =
            self.drafts.get_mut(at).expect("BUG: a draft of this key was there or was just put there");
        let is_first_of_new = draft.is_new && !draft.is_changed;
        draft.said.keep("name", &mut |said| &mut said.name, row.name)?;
        draft.said.keep("price", &mut |said| &mut said.price, row.price)?;
        draft.said.keep("notes", &mut |said| &mut said.notes, row.notes)?;
        let details = &mut draft.part.details;
        let mut is_changed = false;
        // A type that was chosen for the whole file, or guessed from a description, applies only to new parts.
        if let Some(label) = label.filter(|label| is_type_said && *label != details.label) {
            self.chosen.insert(label.clone());
            details.label = label;
            // Photographs show the old type, and not the new one.
            details.photos.clear();
            is_changed = true;
        }
        is_changed |= replace(&mut details.name, new.name);
        let price = in_currency_of(new.price, details.price.as_ref(), has_currency)?;
        is_changed |= replace(&mut details.price, price);
        is_changed |= replace(&mut details.notes, new.notes);
        if let Some(fitment) = fitment {
            is_changed |= draft.add(fitment)?;
        }
        // A new part counts as changed with its first row, so that the next row is not its first, and `finish`
        // returns it.
        draft.is_changed |= is_changed || is_first_of_new;
        Ok(match (is_first_of_new, is_changed) {
            (true, _) => PartRowStatus::New,
            (false, true) => PartRowStatus::Changed,
            (false, false) => PartRowStatus::Unchanged,
        })
    }

    /// The new parts, the changed parts, and the types that were assigned to any of them.
    pub(super) fn finish(mut self) -> (Vec<ShopPart>, Vec<ShopPart>, BTreeSet<PartLabel>) {
        self.mark_partial();
        let touched = self.drafts.into_iter().filter(|draft| draft.is_changed);
        let (added, changed): (Vec<Draft>, Vec<Draft>) = touched.partition(|draft| draft.is_new);
        let part = |draft: Draft| ShopPart { updated_at: self.now, ..draft.part };
        (added.into_iter().map(part).collect(), changed.into_iter().map(part).collect(), self.chosen)
    }

    /// Marks the fitments that earlier files listed of parts with an application that was skipped: their list is not
    /// known to be complete any more.
    fn mark_partial(&mut self) {
        let keys = &self.partial.keys;
        // Of these parts all applications were skipped, so that no row has begun a draft.
        let unmentioned: Vec<ShopPart> = keys.iter().filter_map(|key| self.existing.remove(key)).collect();
        self.drafts.extend(unmentioned.into_iter().map(|part| Draft::new(part, false)));
        for draft in &mut self.drafts {
            if keys.contains(&draft.part.details.key()) {
                for fitment in &mut draft.part.details.fitments {
                    draft.is_changed |= make_partial(fitment);
                }
            }
        }
    }

    /// Starts a draft for a part that no row has mentioned, and returns its index.
    fn begin(&mut self, key: String, new: &NewShopPart, has_label: bool) -> Result<usize, RowFault> {
        // Removed: from now on the draft represents the part.
        let existing = self.existing.remove(&key);
        if existing.is_none() && !has_label {
            return Err(RowFault::Fault(
                "It does not say the type of the part. Please choose the type for such rows.".to_owned(),
            ));
        }
        let is_new = existing.is_none();
        if is_new {
            self.chosen.insert(new.label.clone());
        }
        let part = existing.unwrap_or_else(|| ShopPart {
            id: ShopPartId(Uuid::now_v7()),
            tenant_id: self.user.shop_tenant(),
            details: new.clone(),
            created_at: self.now,
            updated_at: self.now,
            revision: 1,
        });
        let at = self.drafts.len();
        self.drafts.push(Draft::new(part, is_new));
        self.by_key.insert(key, at);
        Ok(at)
    }

    /// The type that a row names, else the one that was chosen for the file.
    fn label_of(&self, row: &PartRow) -> Result<Option<PartLabel>, RowFault> {
        let named = row.type_name.as_deref().and_then(|name| {
            let label = PartLabel::new(name.trim()).ok().filter(|label| self.types.has(label));
            label.or_else(|| self.labels.get(&PartTypes::plain_name(name)).cloned())
        });
        match (&row.type_name, named) {
            (_, Some(label)) => Ok(Some(label)),
            (Some(name), None) if row.is_type_given => {
                let name: String = name.chars().take(40).collect();
                Err(RowFault::Fault(format!("There is no part type \"{name}\" in the catalogue.")))
            }
            _ => Ok(self.label.clone()),
        }
    }
}

impl Draft {
    fn new(part: ShopPart, is_new: bool) -> Self {
        let mut by_vehicles: HashMap<Fitment, Vec<usize>> = HashMap::new();
        for (at, fitment) in part.details.fitments.iter().enumerate() {
            by_vehicles.entry(fitment.vehicles_key()).or_default().push(at);
        }
        Self { part, is_new, is_changed: false, said: Said::default(), by_vehicles }
    }

    /// Adds a fitment, or what it says to the one of the same vehicles; returns whether that changed anything.
    fn add(&mut self, fitment: PartFitment) -> Result<bool, InvalidInput> {
        let details = &mut self.part.details;
        let same = self.by_vehicles.entry(fitment.vehicles_key()).or_default();
        let known = same.iter().copied().find(|at| {
            let known = details.fitments.get(*at);
            // A row without a note matches any fitment of these vehicles, one with a note only the fitment with the
            // same note.
            known.is_some_and(|known| fitment.note.is_none() || known.note == fitment.note)
        });
        if let Some(known) = known.and_then(|at| details.fitments.get_mut(at)) {
            let mut is_changed = known.fits != fitment.fits;
            known.fits = fitment.fits;
            // A file that lists every vehicle completes the list of one that did not.
            if known.source == FitmentSource::AcesPartial && fitment.source == FitmentSource::Aces {
                known.source = fitment.source;
                is_changed = true;
            }
            return Ok(is_changed);
        }
        details.check_room_for_fitment()?;
        same.push(details.fitments.len());
        details.fitments.push(fitment);
        Ok(true)
    }
}

impl Said {
    /// Records the value of a field; two rows of one part must not set different values.
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

/// Notes of a fitment that its file does not list every vehicle; returns whether that is new.
fn make_partial(fitment: &mut PartFitment) -> bool {
    let is_new = fitment.source == FitmentSource::Aces;
    if is_new {
        fitment.source = FitmentSource::AcesPartial;
    }
    is_new
}

/// A new price in the currency of the old one, if the file states none.
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

/// Puts what is new in the place of the old; returns whether that changed anything.
fn replace<T: PartialEq>(old: &mut Option<T>, new: Option<T>) -> bool {
    let is_changed = new.is_some() && *old != new;
    if is_changed {
        *old = new;
    }
    is_changed
}
