use std::collections::HashMap;

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use partsight_domain::{
    Alert, Interval, InvalidInput, ItemId, LastDone, MaintenanceForm, Mileage, NewMaintenance, NewOilChange,
    NewRepair, OIL_CHANGE, OdometerReading, OdometerTrend, OilChangeForm, OilChangeId, OwnerOil, Reminder,
    RepairForm, RepairId, ScheduledItem, User, Vehicle, VehicleId, VehicleName, alerts, caller_today,
    messages, record_date, reminders, snooze_day, vehicle_names,
};
use partsight_store::DoneRecord;
use partsight_vehicle_data::schedule::{ServiceProfile, all_items, default_schedule};
use uuid::Uuid;

use crate::garage::Garage;
use crate::garage::day::Day;
use crate::limits::heavy_work::Deadline;
use crate::{Entity, Error, Result};

/// Months of odometer readings that are used: the trend needs 12, but the newest reading may be older.
const READING_MONTHS: i32 = 60;

/// One vehicle with its reminders.
#[derive(Debug, Clone, PartialEq)]
pub struct VehicleMaintenance {
    /// The vehicle.
    pub vehicle: Vehicle,
    /// Its name; among all vehicles, as [`vehicle_names`] tells them apart.
    pub name: String,
    /// Where its odometer stands; `None` before the first record.
    pub odometer: Option<OdometerTrend>,
    /// The items of its schedule and the owner's own.
    pub reminders: Vec<Reminder>,
}

/// The record of a completed item.
#[derive(Debug, Clone, Default)]
pub struct DoneForm {
    /// Required.
    pub mileage: Option<String>,
    /// Today if absent.
    pub date: Option<String>,
    /// US dollars.
    pub cost: Option<String>,
    /// Free text of several lines.
    pub notes: Option<String>,
}

impl Garage {
    /// The caller's local day from `text`, or the day by UTC.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a date that is not today in any time zone.
    pub fn today(&self, text: Option<&str>) -> Result<Date> {
        Ok(caller_today(text, self.clock.now())?)
    }

    pub(crate) fn utc_today(&self) -> Date {
        self.clock.now().to_zoned(TimeZone::UTC).date()
    }

    /// The maintenance of one vehicle.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn maintenance(&self, user: &User, id: VehicleId, today: Date) -> Result<VehicleMaintenance> {
        let vehicle = self.vehicle(user, id).await?;
        let since = today.saturating_sub(READING_MONTHS.months());
        let own = self.store.list_maintenance_items(user.tenant_id, id).await?;
        let readings = self.store.list_odometer_readings(user.tenant_id, id, since).await?;
        let logged = by_vehicle(self.last_logged(user, today).await?).remove(&id).unwrap_or_default();
        let odometer = OdometerTrend::new(&readings, today);
        let reminders = reminders(&self.schedule_of(&vehicle), &own, &logged, odometer, today);
        let name = vehicle.details.name.to_string();
        Ok(VehicleMaintenance { vehicle, name, odometer, reminders })
    }

    /// Applies `of_due` to the maintenance of all vehicles, on other than the async threads: a fleet has thousands.
    pub(super) async fn with_all_maintenance<T: Send + 'static>(
        &self,
        user: &User,
        day: Day,
        of_due: impl FnOnce(Vec<VehicleMaintenance>) -> T + Send + 'static,
    ) -> Result<T> {
        let today = day.today;
        let since = today.saturating_sub(READING_MONTHS.months());
        let vehicles = self.store.list_vehicles(user.tenant_id).await?;
        let own = self.store.list_all_maintenance_items(user.tenant_id).await?;
        let readings = self.store.list_all_odometer_readings(user.tenant_id, since).await?;
        let logged = self.last_logged(user, day.until).await?;
        let garage = self.clone();
        let work = move |_: &Deadline| {
            // Grouped once, so that each vehicle takes its rows without a search.
            let (mut own, mut readings) = (by_vehicle(own), by_vehicle(readings));
            let (mut logged, mut names) = (by_vehicle(logged), vehicle_names(&vehicles));
            let of_vehicle = |vehicle: Vehicle| {
                let own = own.remove(&vehicle.id).unwrap_or_default();
                let readings = readings.remove(&vehicle.id).unwrap_or_default();
                let logged = logged.remove(&vehicle.id).unwrap_or_default();
                let odometer = OdometerTrend::new(&readings, today);
                let reminders = reminders(&garage.schedule_of(&vehicle), &own, &logged, odometer, today);
                let name = names.remove(&vehicle.id).unwrap_or_default();
                VehicleMaintenance { vehicle, name, odometer, reminders }
            };
            Ok(of_due(vehicles.into_iter().map(of_vehicle).collect()))
        };
        self.heavy.run(user.into(), work).await
    }

    /// The latest record of each item of each vehicle, up to the day `until`.
    async fn last_logged(&self, user: &User, until: Date) -> Result<Vec<(VehicleId, (ItemId, LastDone))>> {
        let mut logged = self.store.latest_repairs_of_items(user.tenant_id, until).await?;
        if let Ok(oil) = OIL_CHANGE.parse::<ItemId>() {
            let changes = self.store.latest_oil_changes(user.tenant_id, until).await?;
            logged.extend(changes.into_iter().map(|(vehicle_id, last)| (vehicle_id, (oil.clone(), last))));
        }
        Ok(logged)
    }

    /// The maintenance of all vehicles, or one item of each, in the order of the vehicles.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an item that is neither on a vehicle nor in the default schedule.
    pub async fn all_maintenance(
        &self,
        user: &User,
        today: Date,
        item: Option<ItemId>,
    ) -> Result<Vec<VehicleMaintenance>> {
        let of_item = move |mut due: Vec<VehicleMaintenance>| {
            if let Some(item) = item {
                for vehicle in &mut due {
                    vehicle.reminders.retain(|reminder| reminder.item == item);
                }
                // The schedule of another vehicle may have it.
                let is_of_schedule = all_items().iter().any(|scheduled| scheduled.id == item.as_str());
                if !is_of_schedule && due.iter().all(|vehicle| vehicle.reminders.is_empty()) {
                    return Err(InvalidInput::new("item", messages::MAINTENANCE_ITEM_UNKNOWN));
                }
            }
            Ok(due)
        };
        Ok(self.with_all_maintenance(user, Day::of_reader(today), of_item).await??)
    }

    /// What is overdue, due today or due soon on any vehicle, the most urgent first.
    pub async fn alerts(&self, user: &User, today: Date) -> Result<Vec<Alert>> {
        self.alerts_on(user, Day::of_reader(today)).await
    }

    pub(super) async fn alerts_on(&self, user: &User, day: Day) -> Result<Vec<Alert>> {
        let today = day.today;
        let alerts = move |due: Vec<VehicleMaintenance>| {
            let of_vehicle =
                |due: &VehicleMaintenance| alerts(due.vehicle.id, &due.name, &due.reminders, today);
            let mut all: Vec<Alert> = due.iter().flat_map(of_vehicle).collect();
            all.sort_by_key(|alert| alert.due);
            all
        };
        self.with_all_maintenance(user, day, alerts).await
    }

    /// Saves the settings of an item of a vehicle: its interval, the last time it was done, and whether it reminds.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else, [`Error::Invalid`] for a field that breaks a rule.
    pub async fn set_maintenance_item(
        &self,
        user: &User,
        id: VehicleId,
        item: &ItemId,
        form: &MaintenanceForm,
        today: Date,
    ) -> Result<Reminder> {
        let vehicle = self.vehicle(user, id).await?;
        let is_scheduled = self.schedule_of(&vehicle).iter().any(|scheduled| scheduled.id == *item);
        let mut new = NewMaintenance::from_form(form, is_scheduled || item.is_oil_change(), today)?;
        let logged = by_vehicle(self.last_logged(user, today).await?).remove(&id).unwrap_or_default();
        // A form returns the last record that it displayed. Saved as a setting, it would remain when that record is
        // corrected or deleted.
        new.last_done = new.last_done.filter(|last| !logged.contains(&(item.clone(), *last)));
        let plan = self.accounts.effective_plan(user);
        if !self.store.save_maintenance_item(user.tenant_id, id, item, &new, plan).await? {
            return Err(Error::NotFound { entity: Entity::Vehicle });
        }
        self.maintenance_item(user, id, item, today).await
    }

    /// Deletes the settings of an item; an item of the owner's own is deleted.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else, or an item without settings.
    pub async fn reset_maintenance_item(&self, user: &User, id: VehicleId, item: &ItemId) -> Result<()> {
        self.vehicle(user, id).await?;
        let is_deleted = self.store.delete_maintenance_item(user.tenant_id, id, item).await?;
        is_deleted.then_some(()).ok_or(Error::NotFound { entity: Entity::MaintenanceItem })
    }

    /// Snoozes an item until a day, or ends its snooze.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else or an item that it does not have, [`Error::Invalid`]
    /// for a day that is not ahead, [`Error::QuotaReached`].
    pub async fn snooze_maintenance_item(
        &self,
        user: &User,
        id: VehicleId,
        item: &ItemId,
        until: Option<&str>,
        today: Date,
    ) -> Result<Reminder> {
        self.maintenance_item(user, id, item, today).await?;
        let until = until.map(|until| snooze_day(until, today)).transpose()?;
        let plan = self.accounts.effective_plan(user);
        if !self.store.snooze_maintenance_item(user.tenant_id, id, item, until, plan).await? {
            return Err(Error::NotFound { entity: Entity::Vehicle });
        }
        self.maintenance_item(user, id, item, today).await
    }

    /// Records that an item was done: an oil change for that item, a repair for any other.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else or an item that it does not have, [`Error::Invalid`]
    /// for what breaks a rule of the record.
    pub async fn maintenance_done(
        &self,
        user: &User,
        id: VehicleId,
        item: &ItemId,
        form: &DoneForm,
        today: Date,
    ) -> Result<crate::Logged<Reminder>> {
        let name = self.maintenance_item(user, id, item, today).await?.name;
        let form = form.clone();
        let day = form.date.unwrap_or_else(|| today.to_string());
        // Checked here too, because the records have other names for this field.
        if record_date("date", &day, today)? > today.saturating_add(1.day()) {
            return Err(InvalidInput::new("date", messages::DAY_NOT_COME).into());
        }
        let (record, reading) = if item.is_oil_change() {
            let form = OilChangeForm {
                vehicle_id: Some(id),
                mileage: form.mileage,
                notes: form.notes,
                cost: form.cost,
                change_date: Some(day),
                ..OilChangeForm::default()
            };
            let new = NewOilChange::from_form(&form, today)?;
            let reading = OdometerReading { on: new.change_date, mileage: new.mileage };
            (DoneRecord::OilChange(OilChangeId(Uuid::now_v7()), new), reading)
        } else {
            let form = RepairForm {
                vehicle_id: Some(id),
                mileage: form.mileage,
                part_replaced: Some(name),
                notes: form.notes,
                cost: form.cost,
                repair_date: Some(day),
                ..RepairForm::default()
            };
            let mut new = NewRepair::from_form(&form, today)?;
            new.maintenance_item = Some(item.clone());
            let reading = OdometerReading { on: new.repair_date, mileage: new.mileage };
            (DoneRecord::Repair(RepairId(Uuid::now_v7()), new), reading)
        };
        let warnings = self.warnings(user, id, reading, None).await?;
        let (plan, now) = (self.accounts.effective_plan(user), self.clock.now());
        // One transaction saves the record and ends the snooze, so that an item is never half done.
        if !self.store.record_maintenance_done(user.tenant_id, id, item, &record, plan, now).await? {
            return Err(Error::NotFound { entity: Entity::Vehicle });
        }
        // If the caller states no day, it may be tomorrow there already, and a record of today must count.
        let record = self.maintenance_item(user, id, item, today.max(reading.on)).await?;
        Ok(crate::Logged { record, warnings })
    }

    /// The state of one item of one vehicle.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else or an item that it does not have.
    pub async fn maintenance_item(
        &self,
        user: &User,
        id: VehicleId,
        item: &ItemId,
        today: Date,
    ) -> Result<Reminder> {
        let due = self.maintenance(user, id, today).await?;
        due.reminders
            .into_iter()
            .find(|reminder| reminder.item == *item)
            .ok_or(Error::NotFound { entity: Entity::MaintenanceItem })
    }

    /// Saves an odometer reading of a vehicle on a day.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else, [`Error::Invalid`] for a malformed mileage or day.
    pub async fn add_odometer_reading(
        &self,
        user: &User,
        id: VehicleId,
        mileage: &str,
        date: Option<&str>,
        today: Date,
    ) -> Result<crate::Logged<OdometerReading>> {
        let on = date.map_or(Ok(today), |text| record_date("date", text, today))?;
        let reading = OdometerReading { on, mileage: Mileage::reading("mileage", mileage)? };
        let warnings = self.warnings(user, id, reading, None).await?;
        let plan = self.accounts.effective_plan(user);
        if !self.store.add_odometer_reading(user.tenant_id, id, reading, plan).await? {
            return Err(Error::NotFound { entity: Entity::Vehicle });
        }
        Ok(crate::Logged { record: reading, warnings })
    }

    /// The odometer readings of a vehicle that belong to no other record, the newest first.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn odometer_readings(&self, user: &User, id: VehicleId) -> Result<Vec<OdometerReading>> {
        self.vehicle(user, id).await?;
        Ok(self.store.list_noted_readings(user.tenant_id, id).await?)
    }

    /// Deletes an odometer reading, such as a mistyped one.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else, and for a reading that does not exist.
    pub async fn delete_odometer_reading(
        &self,
        user: &User,
        id: VehicleId,
        date: &str,
        mileage: u32,
    ) -> Result<()> {
        self.vehicle(user, id).await?;
        let missing = || Error::NotFound { entity: Entity::OdometerReading };
        let on = date.parse().map_err(|_| missing())?;
        let mileage = Mileage::new(mileage.into()).ok_or_else(missing)?;
        let reading = OdometerReading { on, mileage };
        let is_deleted = self.store.delete_odometer_reading(user.tenant_id, id, reading).await?;
        is_deleted.then_some(()).ok_or_else(missing)
    }

    /// The owner's own oil values of a vehicle, if there are any.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn vehicle_oil(&self, user: &User, id: VehicleId) -> Result<Option<OwnerOil>> {
        self.vehicle(user, id).await?;
        Ok(self.store.find_vehicle_oil(user.tenant_id, id).await?)
    }

    /// The own oil values of the user's vehicle of this name, if there are any.
    pub async fn owner_oil(&self, user: &User, vehicle: &VehicleName) -> Result<Option<OwnerOil>> {
        Ok(self.store.find_owner_oil(user.tenant_id, vehicle).await?)
    }

    /// Sets the owner's own oil values of a vehicle.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn set_vehicle_oil(&self, user: &User, id: VehicleId, oil: &OwnerOil) -> Result<()> {
        let is_saved = self.store.save_vehicle_oil(user.tenant_id, id, oil).await?;
        is_saved.then_some(()).ok_or(Error::NotFound { entity: Entity::Vehicle })
    }

    /// Deletes the owner's own oil values of a vehicle. It is no error if there are none.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn delete_vehicle_oil(&self, user: &User, id: VehicleId) -> Result<()> {
        self.vehicle(user, id).await?;
        self.store.delete_vehicle_oil(user.tenant_id, id).await?;
        Ok(())
    }

    /// The default schedule, for the known facts about a vehicle.
    fn schedule_of(&self, vehicle: &Vehicle) -> Vec<ScheduledItem> {
        let details = &vehicle.details;
        let VehicleName { year, make, model } = &details.name;
        let engine = self.engine_of(details);
        let engines = self.vehicle_reference.engines(make, model, year.get());
        let known = engines.iter().map(|engine| (engine.name.as_str(), engine.transmissions.as_slice()));
        let profile =
            ServiceProfile::read(make, model, year.get(), engine.as_deref(), details.transmission.as_deref())
                .with_known_engines(known);
        let item = |item: &partsight_vehicle_data::schedule::ScheduleItem| {
            let months = item.interval_months.map(i64::from);
            let interval = Interval::new(months, item.interval_miles.map(i64::from)).ok().flatten()?;
            Some(ScheduledItem {
                id: item.id.parse().ok()?,
                name: item.name.clone(),
                interval,
                basis: item.basis.clone(),
            })
        };
        default_schedule(&profile).into_iter().filter_map(item).collect()
    }
}

/// The rows of each vehicle, in their order.
fn by_vehicle<T>(rows: Vec<(VehicleId, T)>) -> HashMap<VehicleId, Vec<T>> {
    let mut of_vehicle: HashMap<VehicleId, Vec<T>> = HashMap::new();
    for (id, row) in rows {
        of_vehicle.entry(id).or_default().push(row);
    }
    of_vehicle
}

#[cfg(test)]
mod tests {
    use partsight_domain::{ItemId, OIL_CHANGE};
    use partsight_vehicle_data::schedule::all_items;

    use super::*;

    #[test]
    fn every_item_of_the_schedule_fits_the_rules_of_an_item() {
        for item in all_items() {
            assert!(item.id.parse::<ItemId>().is_ok(), "{}", item.id);
            let months = item.interval_months.map(i64::from);
            let interval = Interval::new(months, item.interval_miles.map(i64::from)).unwrap();
            assert!(interval.is_some(), "{}", item.id);
        }
        assert!(all_items().iter().any(|item| item.id == OIL_CHANGE));
    }
}
