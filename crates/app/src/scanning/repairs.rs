//! Repairs that name a part: filled in from a scan, and checked against the part types that the user knows.

use jiff::tz::TimeZone;
use partsight_domain::{
    InvalidInput, NewRepair, NumberSays, OdometerReading, PartLabel, ReadLine, Repair, RepairForm, RepairId,
    ScanId, User,
};
use uuid::Uuid;

use crate::scanning::Scanning;
use crate::{Entity, Error, Logged, Result};

impl Scanning {
    /// Saves a repair. Fields that the form leaves out are taken from the scan, if one is named.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a field that breaks a rule, [`Error::NotFound`] for a vehicle or scan of somebody else.
    pub async fn create_repair(
        &self,
        user: &User,
        mut form: RepairForm,
        scan_id: Option<ScanId>,
    ) -> Result<Logged<Repair>> {
        if let Some(id) = scan_id {
            self.fill_from_scan(user, id, &mut form).await?;
        }
        let new = NewRepair::from_form(&form, self.garage.utc_today())?;
        self.check_part_label(user, new.part_label.as_ref()).await?;
        let warnings = self.garage.warnings(user, new.vehicle_id, reading(&new), None).await?;
        let (id, plan) = (RepairId(Uuid::now_v7()), self.accounts.effective_plan(user));
        let record = self.store.create_repair(user.tenant_id, id, &new, plan, self.clock.now()).await?;
        Ok(Logged { record: record.ok_or(Error::NotFound { entity: Entity::Vehicle })?, warnings })
    }

    /// Replaces the details of a repair.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a field that breaks a rule, [`Error::NotFound`] for a repair or vehicle of somebody else.
    pub async fn update_repair(
        &self,
        user: &User,
        id: RepairId,
        form: &RepairForm,
    ) -> Result<Logged<Repair>> {
        let missing = Error::NotFound { entity: Entity::Repair };
        let Some(old) = self.store.find_repair(user.tenant_id, id).await? else { return Err(missing) };
        let new = NewRepair::from_form(form, self.garage.utc_today())?;
        self.garage.vehicle(user, new.vehicle_id).await?;
        // A type that is no longer in the catalogue may stay.
        if new.part_label != old.details.part_label {
            self.check_part_label(user, new.part_label.as_ref()).await?;
        }
        let warnings =
            self.garage.warnings(user, new.vehicle_id, reading(&new), Some(reading(&old.details))).await?;
        let record = self.store.update_repair(user.tenant_id, id, &new).await?;
        Ok(Logged { record: record.ok_or(missing)?, warnings })
    }

    /// Fills in the missing fields of a form: vehicle, part and day of the scan, and part number and brand if known.
    /// Their source is the part that its number identifies, else the only part of the shop that fits, else the number
    /// that the judge read, else the number that was read here. A field that is present and blank was left blank on
    /// purpose.
    async fn fill_from_scan(&self, user: &User, id: ScanId, form: &mut RepairForm) -> Result<()> {
        let scan = self.scan_of(user, id).await?;
        let is_blank = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
        form.vehicle_id = form.vehicle_id.or(scan.vehicle_id);
        if is_blank(&form.repair_date) {
            form.repair_date = Some(scan.scanned_at.to_zoned(TimeZone::UTC).date().to_string());
        }
        // A corrected answer is right; for "not a part" there is nothing to fill in.
        let label = match &scan.feedback {
            Some(feedback) => feedback.label.as_ref(),
            None => Some(&scan.best.label),
        };
        let Some(label) = label else { return Ok(()) };
        let names_other_part = form
            .part_label
            .as_deref()
            .map(str::trim)
            .is_some_and(|own| !own.is_empty() && own != label.as_str());
        // The form is about another part than the answer, so its number would be wrong.
        if names_other_part {
            return Ok(());
        }
        if form.part_label.as_deref().is_some_and(|own| own.trim().is_empty()) {
            return Ok(());
        }
        form.part_label = Some(label.to_string());
        if is_blank(&form.part_replaced) {
            form.part_replaced = Some(self.parts.part_types(user).await?.name(label));
        }
        if form.part_number.is_some() {
            return Ok(());
        }
        let reading = self.store.find_reading(user.tenant_id, id).await?;
        let named =
            reading.iter().flat_map(|reading| &reading.parts).find(|part| part.says == NumberSays::Named);
        if let Some(part) = named {
            form.part_number = Some(part.number.clone());
            if form.part_brand.is_none() {
                form.part_brand.clone_from(&part.brand);
            }
            return Ok(());
        }
        let own = self.parts.shop_parts_for(user, label, scan.vehicle.as_ref()).await?;
        if let [part] = own.as_slice() {
            form.part_number = Some(part.details.number.clone());
            if form.part_brand.is_none() {
                form.part_brand.clone_from(&part.details.brand);
            }
        } else if let Some(judgement) = &scan.receipt.judging.judgement {
            form.part_number = judgement.part_numbers.first().cloned();
        }
        if form.part_number.is_none() {
            let mut lines = reading.iter().flat_map(|reading| &reading.lines);
            form.part_number = lines.find_map(ReadLine::number);
        }
        Ok(())
    }

    async fn check_part_label(&self, user: &User, label: Option<&PartLabel>) -> Result<()> {
        let Some(label) = label else { return Ok(()) };
        if self.parts.part_types(user).await?.has(label) {
            return Ok(());
        }
        let text = format!("There is no part type `{label}`. Please choose one of the catalogue, or none.");
        Err(InvalidInput::new("partLabel", text).into())
    }
}

fn reading(repair: &NewRepair) -> OdometerReading {
    OdometerReading { on: repair.repair_date, mileage: repair.mileage }
}
