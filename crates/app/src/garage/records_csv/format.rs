//! The column format of a file, and the positions of its columns.

use partsight_domain::{InvalidInput, named};

use super::CsvKind;
use crate::csv_file::table::Table;

named! {
    /// Programs whose files are known.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum CsvFormat {
        /// Ours, or any with the same columns.
        #[default]
        Partsight = "partsight",
        /// `LubeLogger`'s service, repair, upgrade and odometer records (github.com/hargata/lubelog).
        LubeLogger = "lubelogger",
        /// Fuelly's export of fuel-ups (fuelly.com).
        Fuelly = "fuelly",
    }
}

impl CsvFormat {
    /// The format of this name on the wire.
    ///
    /// # Errors
    /// Names the existing formats, under the field `format`.
    pub fn asked_for(name: &str) -> Result<Self, InvalidInput> {
        Self::from_name(name).ok_or_else(|| {
            InvalidInput::new(
                "format",
                "There is no such format; there are partsight, lubelogger and fuelly.",
            )
        })
    }
}

/// The position of each column, from 0; `None` if the file does not have it.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    pub(super) format: CsvFormat,
    /// Whether readings are in kilometres, as in the files of Fuelly's metric accounts.
    pub(super) is_metric: bool,
    pub(super) vehicle: Option<usize>,
    pub(super) vin: Option<usize>,
    pub(super) date: Option<usize>,
    pub(super) mileage: Option<usize>,
    pub(super) oil_type: Option<usize>,
    pub(super) oil_brand: Option<usize>,
    pub(super) filter_brand: Option<usize>,
    pub(super) part: Option<usize>,
    pub(super) part_label: Option<usize>,
    pub(super) part_number: Option<usize>,
    pub(super) part_brand: Option<usize>,
    pub(super) cost: Option<usize>,
    pub(super) notes: Option<usize>,
    pub(super) year: Option<usize>,
    pub(super) make: Option<usize>,
    pub(super) model: Option<usize>,
    pub(super) engine: Option<usize>,
    pub(super) transmission: Option<usize>,
    pub(super) license_plate: Option<usize>,
    pub(super) default: Option<usize>,
    pub(super) maintenance_item: Option<usize>,
}

impl Columns {
    /// Finds the columns of a file of this kind by its header, whatever their order, case and separators.
    ///
    /// # Errors
    /// Names the missing columns, under the field `body`.
    pub(super) fn recognise(headers: &[String], kind: CsvKind) -> Result<Self, InvalidInput> {
        let plain = Table::plain_headers(headers);
        // In the order of the names and not of the columns, so that the more specific name is used.
        let at =
            |names: &[&str]| names.iter().find_map(|name| plain.iter().position(|header| header == name));
        let is_fuelly = at(&["carname"]).is_some() && at(&["fuelupdate"]).is_some();
        let format = if is_fuelly {
            CsvFormat::Fuelly
        } else if at(&["vehicle"]).is_none()
            && at(&["date"]).is_some()
            && at(&["odometer"]).is_some()
            && (at(&["description"]).is_some() || kind == CsvKind::Odometer)
        {
            // Files of LubeLogger are about one vehicle, so they have no column for it.
            CsvFormat::LubeLogger
        } else {
            CsvFormat::Partsight
        };
        let columns = Self {
            format,
            is_metric: is_fuelly && at(&["l/100km", "km", "km/l"]).is_some(),
            vehicle: at(&["vehicle", "carname"]),
            vin: at(&["vin", "vinnumber"]),
            date: at(&["date", "changedate", "repairdate", "fuelupdate"]),
            mileage: at(&["mileage", "odometer"]),
            oil_type: at(&["oiltype", "extrafieldoiltype"]),
            oil_brand: at(&["oilbrand", "extrafieldoilbrand"]),
            filter_brand: at(&["filterbrand", "extrafieldfilterbrand"]),
            part: at(&["partreplaced", "part", "description"]),
            part_label: at(&["parttype", "partlabel", "extrafieldparttype"]),
            part_number: at(&["partnumber", "extrafieldpartnumber"]),
            part_brand: at(&["partbrand", "extrafieldpartbrand"]),
            cost: at(&["cost", "totalcost"]),
            notes: at(&["notes", "note"]),
            year: at(&["year"]),
            make: at(&["make"]),
            model: at(&["model"]),
            engine: at(&["engine"]),
            transmission: at(&["transmission"]),
            license_plate: at(&["licenseplate", "plate"]),
            default: at(&["default"]),
            maintenance_item: at(&["maintenanceitem", "extrafieldmaintenanceitem"]),
        };
        columns.check(kind)?;
        Ok(columns)
    }

    fn check(&self, kind: CsvKind) -> Result<(), InvalidInput> {
        if self.format == CsvFormat::Fuelly && matches!(kind, CsvKind::OilChanges | CsvKind::Repairs) {
            return Err(InvalidInput::new(
                "body",
                "This is a fuel log of Fuelly, which has no oil changes or repairs. It can be imported as odometer \
                 readings.",
            ));
        }
        let needed: &[(&str, Option<usize>)] = match kind {
            CsvKind::Vehicles if self.format == CsvFormat::Fuelly => &[],
            CsvKind::Vehicles => &[("year", self.year), ("make", self.make), ("model", self.model)],
            CsvKind::OilChanges | CsvKind::Odometer => &[("date", self.date), ("mileage", self.mileage)],
            CsvKind::Repairs => {
                &[("date", self.date), ("mileage", self.mileage), ("part_replaced", self.part)]
            }
        };
        let missing: Vec<String> =
            needed.iter().filter(|(_, at)| at.is_none()).map(|(name, _)| format!("`{name}`")).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let columns = if missing.len() == 1 { "column" } else { "columns" };
        Err(InvalidInput::new(
            "body",
            format!("The file has no {columns} {}. Its first row must name the columns.", missing.join(", ")),
        ))
    }

    /// The headers of the columns that are not read, as written.
    pub(super) fn ignored(&self, headers: &[String], kind: CsvKind) -> Vec<String> {
        let read = self.read(kind);
        let is_ignored = |(at, header): &(usize, &String)| !header.is_empty() && !read.contains(&Some(*at));
        headers.iter().enumerate().filter(is_ignored).map(|(_, header)| header.clone()).collect()
    }

    /// Whether a description, or the replaced part, tells which rows are oil changes: in files of `LubeLogger`, and in
    /// those without a column about the oil, such as our own file of repairs.
    pub(super) fn tells_oil_changes_by_part(&self) -> bool {
        let has_oil = [self.oil_type, self.oil_brand, self.filter_brand].iter().any(Option::is_some);
        self.part.is_some() && (self.format == CsvFormat::LubeLogger || !has_oil)
    }

    fn read(&self, kind: CsvKind) -> Vec<Option<usize>> {
        let Self { vehicle, vin, date, mileage, part, cost, notes, year, make, model, .. } = *self;
        let plate = self.license_plate;
        match (kind, self.format) {
            (CsvKind::Vehicles, CsvFormat::Fuelly) => vec![vehicle, model],
            (CsvKind::Vehicles, _) => {
                vec![year, make, model, self.engine, self.transmission, vin, plate, self.default]
            }
            (CsvKind::OilChanges, _) => {
                let part = part.filter(|_| self.tells_oil_changes_by_part());
                let own = [self.oil_type, self.oil_brand, self.filter_brand];
                [vehicle, vin, date, mileage, part, cost, notes, plate].into_iter().chain(own).collect()
            }
            (CsvKind::Repairs, _) => {
                let fitted = [self.part_label, self.part_number, self.part_brand, self.maintenance_item];
                [vehicle, vin, date, mileage, part, cost, notes, plate].into_iter().chain(fitted).collect()
            }
            (CsvKind::Odometer, CsvFormat::Fuelly) => vec![vehicle, model, date, mileage],
            (CsvKind::Odometer, _) => vec![vehicle, vin, date, mileage, plate],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(line: &str) -> Vec<String> {
        line.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn a_format_is_known_by_its_header() {
        let fuelly = "car_name,model,mpg,odometer,miles,gallons,price,city_percentage,fuelup_date,date_added";
        let metric = "car_name,model,l/100km,odometer,km,litres,price,city_percentage,fuelup_date,date_added";
        for (line, kind, format, is_metric) in [
            ("vehicle,vin,date,mileage,part_replaced", CsvKind::Repairs, CsvFormat::Partsight, false),
            ("Date,Odometer,Description,Notes,Cost", CsvKind::Repairs, CsvFormat::LubeLogger, false),
            ("date,odometer,description,cost,notes,tags", CsvKind::OilChanges, CsvFormat::LubeLogger, false),
            ("Date,Odometer,Notes", CsvKind::Odometer, CsvFormat::LubeLogger, false),
            ("Date,Mileage,Oil Type", CsvKind::OilChanges, CsvFormat::Partsight, false),
            (fuelly, CsvKind::Odometer, CsvFormat::Fuelly, false),
            (metric, CsvKind::Odometer, CsvFormat::Fuelly, true),
        ] {
            let columns = Columns::recognise(&headers(line), kind).unwrap();
            assert_eq!((columns.format, columns.is_metric), (format, is_metric), "{line}");
        }
        let refused = Columns::recognise(&headers(fuelly), CsvKind::Repairs).unwrap_err();
        assert!(refused.message.contains("odometer readings"), "{}", refused.message);
    }

    #[test]
    fn missing_columns_are_named_and_spare_ones_listed() {
        let missing = Columns::recognise(&headers("date,notes"), CsvKind::Repairs).unwrap_err();
        assert_eq!(
            missing.message,
            "The file has no columns `mileage`, `part_replaced`. Its first row must name the columns."
        );
        let line = headers("Date,Odometer,Description,Cost,Tags,");
        let columns = Columns::recognise(&line, CsvKind::Repairs).unwrap();
        assert_eq!(columns.ignored(&line, CsvKind::Repairs), ["Tags"]);
    }
}
