use partsight_app::{CsvExport, CsvFormat, CsvImport, CsvKind, Error, MAX_IMPORT_ROWS, RowStatus};
use partsight_domain::{NewVehicle, User, VehicleId, VehicleName};

use crate::shop::{Shop, in_shop};

/// Files with more new rows than this are only tried, not saved.
const MAX_SAVED: usize = 200;

/// A file of vehicles or records; its kind is the first byte. What can be saved is saved, and its export, imported
/// again, must bring nothing new.
pub(crate) fn records_csv(data: &[u8]) {
    let Some((&choice, body)) = data.split_first() else { return };
    let kind = match choice & 3 {
        0 => CsvKind::Vehicles,
        1 => CsvKind::OilChanges,
        2 => CsvKind::Repairs,
        _ => CsvKind::Odometer,
    };
    in_shop(async |shop| {
        let user = shop.user().await;
        // Records need a vehicle, which most files do not name.
        let vehicle_id = match kind {
            CsvKind::Vehicles => None,
            _ => Some(vehicle(shop, &user).await),
        };
        let import = CsvImport { kind, body: body.into(), vehicle_id, date_order: None, is_dry_run: true };
        let Some(tried) = outcome(shop.app.garage.import_csv(&user, import.clone()).await) else { return };
        assert!(tried.rows.len() <= MAX_IMPORT_ROWS && !tried.is_saved);
        let n_new = tried.count(RowStatus::New);
        if tried.count(RowStatus::Error) > 0 || n_new == 0 || n_new > MAX_SAVED {
            return;
        }
        shop.spoil();
        let saved = shop.app.garage.import_csv(&user, CsvImport { is_dry_run: false, ..import }).await;
        let saved = saved.expect("what a dry run takes is taken");
        assert!(saved.is_saved && saved.count(RowStatus::New) == n_new, "{tried:?} became {saved:?}");
        for format in [CsvFormat::Partsight, CsvFormat::LubeLogger, CsvFormat::Fuelly] {
            let export = CsvExport { kind, format, vehicle_id };
            // Not every format has a file of every kind.
            let Some(file) = outcome(shop.app.garage.export_csv(&user, export).await) else { continue };
            let again = CsvImport {
                kind,
                body: file.as_bytes().into(),
                vehicle_id,
                date_order: None,
                is_dry_run: true,
            };
            let again = shop.app.garage.import_csv(&user, again).await.expect("our own export is read");
            let (n_new, n_errors) = (again.count(RowStatus::New), again.count(RowStatus::Error));
            assert!(n_new == 0 && n_errors == 0, "{format:?} comes back as {again:?}\n{file}");
        }
    });
}

async fn vehicle(shop: &Shop, user: &User) -> VehicleId {
    if let Some(vehicle) = shop.app.garage.default_vehicle(user).await.expect("the database answers") {
        return vehicle.id;
    }
    let name = VehicleName::new(2015, "Honda", "Civic").expect("the vehicle is one");
    let new = NewVehicle::new(name, None, None, None, None).expect("nothing else is said");
    shop.app.garage.create_vehicle(user, &new).await.expect("the vehicle is saved").id
}

/// What came of it; nothing for a file that is refused, and a finding for any other failure.
pub(super) fn outcome<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Invalid { .. }) => None,
        Err(other) => panic!("{other:?}"),
    }
}
