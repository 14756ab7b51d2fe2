//! Import and export of vehicles and their records as CSV.
//!
//! An import parses the whole file, checks each row, and reports what it would do with it. Unless a row has an error
//! or it is a dry run, all new rows are saved in one transaction.

mod convert;
mod days;
mod format;
mod vehicles;
pub(crate) mod write;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::civil::Date;
use partsight_domain::{InvalidInput, Mileage, OdometerReading, User, Vehicle, VehicleId, messages, named};
use partsight_store::{ImportRecords, RecordBatch};

use crate::csv_file::reader::Row;
use crate::csv_file::table::{Table, refuse_faults};
use crate::garage::Garage;
use crate::limits::heavy_work::Deadline;
use crate::{Entity, Error, Result};
use convert::{Converter, Record, RowOutcome};
use format::Columns;
use vehicles::KnownVehicles;

pub use days::DateOrder;
pub use format::CsvFormat;

/// Most rows of one import, without the header.
pub const MAX_IMPORT_ROWS: usize = 10_000;
/// How often an import is retried because records of its kind were added or deleted meanwhile.
const IMPORT_TRIES: usize = 5;

named! {
    /// What a file contains.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CsvKind {
        /// Saved vehicles.
        Vehicles = "vehicles",
        /// Oil changes.
        OilChanges = "oil-changes",
        /// Repairs.
        Repairs = "repairs",
        /// Odometer readings, including those of oil changes and repairs.
        Odometer = "odometer",
    }
}

/// Which file to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvExport {
    /// What it contains.
    pub kind: CsvKind,
    /// Its column format.
    pub format: CsvFormat,
    /// Only the records of this vehicle.
    pub vehicle_id: Option<VehicleId>,
}

impl CsvExport {
    fn check(&self) -> Result<(), InvalidInput> {
        let refuse = |field, text: &str| Err(InvalidInput::new(field, text));
        match (self.format, self.kind) {
            (CsvFormat::Partsight, _) | (CsvFormat::Fuelly, CsvKind::Odometer) => Ok(()),
            (_, CsvKind::Vehicles) => refuse(
                "format",
                "Neither LubeLogger nor Fuelly has a file of vehicles. Please leave the format out.",
            ),
            (CsvFormat::Fuelly, _) => refuse(
                "format",
                "Fuelly has a fuel log, and no oil changes or repairs. Its columns are for odometer readings.",
            ),
            (CsvFormat::LubeLogger, _) if self.vehicle_id.is_none() => {
                refuse("vehicleId", "A file of LubeLogger is about one vehicle. Please say which.")
            }
            (CsvFormat::LubeLogger, _) => Ok(()),
        }
    }
}

/// A file to be imported.
#[derive(Debug, Clone)]
pub struct CsvImport {
    /// What it contains.
    pub kind: CsvKind,
    /// The file.
    pub body: Arc<[u8]>,
    /// The vehicle of its records, for rows that name none.
    pub vehicle_id: Option<VehicleId>,
    /// How its dates with slashes are read; by default in the order that is valid for all of them, month first if both
    /// are.
    pub date_order: Option<DateOrder>,
    /// Whether nothing is to be saved.
    pub is_dry_run: bool,
}

/// The result for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowStatus {
    /// It is new and valid.
    New,
    /// The same record is already saved, or is further up in the file.
    Duplicate,
    /// It is of another kind, or has nothing to save.
    Skipped,
    /// It breaks a rule; the whole file is refused.
    Error,
}

/// The result for one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowReport {
    /// Row number as in a spreadsheet: the header is row 1.
    pub row: usize,
    /// The result.
    pub status: RowStatus,
    /// The reason, or a warning; empty if there is neither.
    pub message: String,
}

/// The result of an import or dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportReport {
    /// The column format of the file.
    pub format: CsvFormat,
    /// Whether the new rows were saved.
    pub is_saved: bool,
    /// Columns that were not read.
    pub ignored_columns: Vec<String>,
    /// How ambiguous dates were read; `None` if there are none.
    pub open_date_order: Option<DateOrder>,
    /// What was assumed about the file.
    pub notes: Vec<String>,
    /// The results of all rows.
    pub rows: Vec<RowReport>,
}

impl ImportReport {
    /// The number of rows with this status.
    pub fn count(&self, status: RowStatus) -> usize {
        self.rows.iter().filter(|row| row.status == status).count()
    }

    fn faults(&self) -> impl Iterator<Item = (usize, &str)> {
        let faults = self.rows.iter().filter(|row| row.status == RowStatus::Error);
        faults.map(|row| (row.row, row.message.as_str()))
    }
}

impl Garage {
    /// Vehicles, oil changes, repairs or odometer readings of the user as CSV: UTF-8 with a byte order mark, which
    /// spreadsheets need, and CRLF. An import of the file, in any of the formats, gives the same records.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a format that has no file of this kind, or that needs a vehicle if none is given;
    /// [`Error::NotFound`] for a vehicle of somebody else.
    pub async fn export_csv(&self, user: &User, export: CsvExport) -> Result<String> {
        export.check()?;
        if let Some(id) = export.vehicle_id {
            self.vehicle(user, id).await?;
        }
        let is_meant = move |id| export.vehicle_id.is_none_or(|only| only == id);
        let vehicles = self.store.list_vehicles(user.tenant_id).await?;
        match export.kind {
            CsvKind::Vehicles => {
                let meant: Vec<_> = vehicles.into_iter().filter(|vehicle| is_meant(vehicle.id)).collect();
                self.heavy.run(user.into(), move |_| Ok(write::vehicles(&meant))).await
            }
            CsvKind::OilChanges => {
                let mut changes = self.store.export_oil_changes(user.tenant_id).await?;
                let write = move |_: &Deadline| {
                    changes.retain(|change| is_meant(change.details.vehicle_id));
                    Ok(write::oil_changes(&changes, &vehicles, export.format))
                };
                self.heavy.run(user.into(), write).await
            }
            CsvKind::Repairs => {
                let mut repairs = self.store.export_repairs(user.tenant_id).await?;
                let write = move |_: &Deadline| {
                    repairs.retain(|repair| is_meant(repair.details.vehicle_id));
                    Ok(write::repairs(&repairs, &vehicles, export.format))
                };
                self.heavy.run(user.into(), write).await
            }
            CsvKind::Odometer => {
                let mut readings = self.store.list_all_odometer_readings(user.tenant_id, Date::ZERO).await?;
                let write = move |_: &Deadline| {
                    readings.retain(|(id, _)| is_meant(*id));
                    readings.sort_unstable();
                    // Two records of one day may have the same reading.
                    readings.dedup();
                    Ok(write::readings(&readings, &vehicles, export.format))
                };
                self.heavy.run(user.into(), write).await
            }
        }
    }

    /// Imports a CSV file, or reports what an import would do.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file that cannot be read, and, unless it is a dry run, for a file with a row that
    /// breaks a rule: nothing is saved then. [`Error::NotFound`] for a vehicle of somebody else. [`Error::Conflict`] if
    /// records of this kind were changed during each attempt; [`Error::TooLong`] for a file that takes too much work.
    pub async fn import_csv(&self, user: &User, import: CsvImport) -> Result<ImportReport> {
        let chosen = match import.vehicle_id {
            Some(id) => Some(self.vehicle(user, id).await?.id),
            None => None,
        };
        // Parsed before any records are read, so that an unreadable file costs little.
        let body = import.body;
        let read = move |_: &Deadline| {
            let table = Table::read(&body, MAX_IMPORT_ROWS)?;
            let columns = Columns::recognise(&table.headers, import.kind)?;
            Ok(Arc::new(CsvFile { kind: import.kind, table, columns, chosen, order: import.date_order }))
        };
        let file = self.heavy.run(user.into(), read).await?;
        // Nothing is locked while thousands of rows are compared; if the records changed meanwhile, the comparison is
        // repeated.
        for _ in 0..IMPORT_TRIES {
            if let Some(report) = self.try_import_csv(user, Arc::clone(&file), import.is_dry_run).await? {
                return Ok(report);
            }
        }
        Err(Error::Conflict { field: "body", message: messages::IMPORT_CHANGED })
    }

    /// `None` if records of this kind were added or deleted during the comparison.
    async fn try_import_csv(
        &self,
        user: &User,
        file: Arc<CsvFile>,
        is_dry_run: bool,
    ) -> Result<Option<ImportReport>> {
        let kind = file.kind;
        // The mark is taken before anything is read: a later change is noticed when the import is saved.
        let seen = self.store.mark_records(user.tenant_id, convert::empty_batch(kind).kind()).await?;
        let vehicles = self.store.list_vehicles(user.tenant_id).await?;
        let records = self.saved_records(user, kind, &vehicles).await?;
        let logged = self.store.list_all_odometer_readings(user.tenant_id, Date::ZERO).await?;
        let garage = Saved { vehicles, records, logged, today: self.utc_today() };
        let compare = move |deadline: &Deadline| file.compare(garage, deadline);
        let (mut report, batch) = self.heavy.run(user.into(), compare).await?;
        if !is_dry_run {
            // A dry run reports faults row by row instead.
            refuse_faults(report.faults())?;
            let (plan, now) = (self.accounts.effective_plan(user), self.clock.now());
            match self.store.import_records(user.tenant_id, &batch, &seen, plan, now).await? {
                ImportRecords::Saved => {}
                ImportRecords::Changed => return Ok(None),
                ImportRecords::VehicleGone => return Err(Error::NotFound { entity: Entity::Vehicle }),
            }
            report.is_saved = true;
            tracing::info!(
                import.kind = kind.as_str(),
                import.format = report.format.as_str(),
                import.rows = report.count(RowStatus::New),
                "imported a file"
            );
        }
        Ok(Some(report))
    }

    /// The saved records of this kind.
    async fn saved_records(&self, user: &User, kind: CsvKind, vehicles: &[Vehicle]) -> Result<Vec<Record>> {
        Ok(match kind {
            CsvKind::Vehicles => {
                vehicles.iter().map(|vehicle| Record::Vehicle(vehicle.details.clone())).collect()
            }
            CsvKind::OilChanges => {
                let changes = self.store.export_oil_changes(user.tenant_id).await?;
                changes.into_iter().map(|change| Record::OilChange(change.details)).collect()
            }
            CsvKind::Repairs => {
                let repairs = self.store.export_repairs(user.tenant_id).await?;
                repairs.into_iter().map(|repair| Record::Repair(repair.details)).collect()
            }
            CsvKind::Odometer => {
                let readings = self.store.list_all_odometer_readings(user.tenant_id, Date::ZERO).await?;
                readings.into_iter().map(|(id, reading)| Record::Reading(id, reading)).collect()
            }
        })
    }
}

/// A parsed file.
struct CsvFile {
    kind: CsvKind,
    table: Table,
    columns: Columns,
    /// The vehicle of rows that name none.
    chosen: Option<VehicleId>,
    order: Option<DateOrder>,
}

/// What a file is compared with.
struct Saved {
    vehicles: Vec<Vehicle>,
    /// The saved records of the file's kind.
    records: Vec<Record>,
    logged: Vec<(VehicleId, OdometerReading)>,
    today: Date,
}

impl CsvFile {
    /// The result for each row, and the records to save.
    fn compare(&self, saved: Saved, deadline: &Deadline) -> Result<(ImportReport, RecordBatch)> {
        let garage = KnownVehicles::new(&saved.vehicles, self.chosen);
        let converter =
            Converter::new(self.kind, &self.columns, &self.table, &garage, saved.today, self.order);
        let mut rows: Vec<RowReport> = Vec::with_capacity(self.table.rows.len());
        let mut records: Vec<(usize, Record)> = Vec::new();
        for row in &self.table.rows {
            deadline.check()?;
            let (status, message) = match converter.convert(row) {
                RowOutcome::Fault(message) => (RowStatus::Error, message),
                RowOutcome::Skip(message) => (RowStatus::Skipped, message),
                RowOutcome::Record(record) => {
                    records.push((rows.len(), record));
                    (RowStatus::New, String::new())
                }
            };
            rows.push(RowReport { row: row.number as usize, status, message });
        }
        let mut batch = convert::empty_batch(self.kind);
        let mut readings: Vec<(VehicleId, OdometerReading, usize)> = Vec::new();
        let mut default = None;
        for (at, record) in only_new(records, saved.records, &mut rows, deadline)? {
            readings.extend(record.reading().map(|(id, reading)| (id, reading, at)));
            if default.is_none() && self.is_marked_as_default(&self.table.rows[at]) {
                default = Some(batch.len());
            }
            record.push_to(&mut batch);
        }
        if let (RecordBatch::Vehicles(vehicles), Some(default)) = (&mut batch, default) {
            // The first vehicle of an account becomes its default; an account that has a default keeps it. The ids, and
            // therefore the order of the list, stay as in the file.
            vehicles[..=default].rotate_right(1);
        }
        note_mileages_that_go_back(&saved.logged, readings, &mut rows);
        let report = ImportReport {
            format: self.columns.format,
            is_saved: false,
            ignored_columns: self.columns.ignored(&self.table.headers, self.kind),
            open_date_order: converter.open_order(),
            notes: converter.notes(),
            rows,
        };
        Ok((report, batch))
    }

    fn is_marked_as_default(&self, row: &Row) -> bool {
        matches!(row.cell(self.columns.default).to_lowercase().as_str(), "yes" | "true" | "1")
    }
}

/// Those records of a file, each with the place of its row, that are not saved yet. The rows of the others are reported
/// as duplicates.
///
/// A row is a duplicate of a saved record that is equal, or else of one with the same key that somebody has edited; each
/// saved record accounts for one row, so that two repairs of a day that differ in their costs are both restored.
fn only_new(
    records: Vec<(usize, Record)>,
    saved: Vec<Record>,
    rows: &mut [RowReport],
    deadline: &Deadline,
) -> Result<Vec<(usize, Record)>> {
    let mut by_key: HashMap<String, Vec<Record>> = HashMap::new();
    for record in saved {
        by_key.entry(record.key()).or_default().push(record);
    }
    let mut is_duplicate = |at: usize, message: &str| {
        rows[at].status = RowStatus::Duplicate;
        message.clone_into(&mut rows[at].message);
    };
    let mut of_file: HashMap<String, Vec<Record>> = HashMap::new();
    let mut unequal = Vec::new();
    for (at, record) in records {
        deadline.check()?;
        let key = record.key();
        let same = by_key.entry(key.clone()).or_default();
        if let Some(found) = same.iter().position(|saved| *saved == record) {
            same.swap_remove(found);
            of_file.entry(key).or_default().push(record);
            is_duplicate(at, "The same is there already.");
        } else {
            unequal.push((at, key, record));
        }
    }
    let mut new = Vec::new();
    for (at, key, record) in unequal {
        deadline.check()?;
        let earlier = of_file.entry(key.clone()).or_default();
        if earlier.iter().any(|earlier| record.repeats(earlier)) {
            is_duplicate(at, "The same is there already.");
        } else if by_key.get_mut(&key).and_then(Vec::pop).is_some() {
            is_duplicate(at, "The same is there already, with other details.");
            earlier.push(record);
        } else {
            earlier.push(record.clone());
            new.push((at, record));
        }
    }
    Ok(new)
}

/// Adds a warning to each new row whose mileage is lower than on an earlier day.
fn note_mileages_that_go_back(
    logged: &[(VehicleId, OdometerReading)],
    new: Vec<(VehicleId, OdometerReading, usize)>,
    rows: &mut [RowReport],
) {
    let mut by_vehicle: BTreeMap<VehicleId, Vec<(OdometerReading, Option<usize>)>> = BTreeMap::new();
    for (id, reading) in logged {
        by_vehicle.entry(*id).or_default().push((*reading, None));
    }
    for (id, reading, at) in new {
        by_vehicle.entry(id).or_default().push((reading, Some(at)));
    }
    for readings in by_vehicle.values_mut() {
        // A reading below the maximum of all earlier days gets a warning.
        readings.sort_by_key(|(reading, _)| *reading);
        let mut highest: Option<(Mileage, Date)> = None;
        // Readings of one day are not compared with each other: a record has no time of day.
        for day in readings.chunk_by(|(one, _), (other, _)| one.on == other.on) {
            for (reading, at) in day {
                let Some(((mileage, on), row)) = highest.zip(at.and_then(|at| rows.get_mut(at))) else {
                    continue;
                };
                if reading.mileage < mileage {
                    row.message = format!("The mileage is lower than the {mileage} miles of {on}.");
                }
            }
            let day_max = day.iter().map(|(reading, _)| (reading.mileage, reading.on)).max();
            highest = highest.max(day_max);
        }
    }
}
