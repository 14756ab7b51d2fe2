//! Reads NHTSA's database of VIN patterns (vPIC), an SQLite file, as public packages contain it.

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqliteConnection};

use crate::Error;

/// Patterns that are read at once.
const PATTERNS_AT_ONCE: i64 = 50_000;

/// The lookup tables of vPIC whose names are used, each with the element that it belongs to.
const LOOKUPS: [(i64, &str); 9] = [
    (5, "SELECT Id, Name FROM BodyStyle"),
    (15, "SELECT Id, Name FROM DriveType"),
    (24, "SELECT Id, Name FROM FuelType"),
    (66, "SELECT Id, Name FROM FuelType"),
    (37, "SELECT Id, Name FROM Transmission"),
    (64, "SELECT Id, Name FROM EngineConfiguration"),
    (75, "SELECT Id, Name FROM Country"),
    (126, "SELECT Id, Name FROM ElectrificationLevel"),
    (135, "SELECT Id, Name FROM Turbo"),
];

/// Models, each with its make if it has only one.
const MODELS: &str = "SELECT model.Id, model.Name, makes.Name FROM Model model LEFT JOIN \
    (SELECT link.ModelId AS ModelId, MIN(make.Name) AS Name FROM Make_Model link JOIN Make make ON make.Id = link.MakeId \
     GROUP BY link.ModelId HAVING COUNT(*) = 1) makes ON makes.ModelId = model.Id";

/// World manufacturer identifiers, each with its make if it has only one.
const MANUFACTURERS: &str = "SELECT wmi.Id, wmi.Wmi, names.Name, makes.Name, wmi.VehicleTypeId, wmi.TruckTypeId \
    FROM Wmi wmi LEFT JOIN (SELECT Id, MIN(Name) AS Name FROM Manufacturer GROUP BY Id) names \
    ON names.Id = wmi.ManufacturerId LEFT JOIN \
    (SELECT link.WmiId AS WmiId, MIN(make.Name) AS Name FROM Wmi_Make link JOIN Make make ON make.Id = link.MakeId \
     GROUP BY link.WmiId HAVING COUNT(*) = 1) makes ON makes.WmiId = wmi.Id";

/// A row of [`MANUFACTURERS`].
type ManufacturerRow = (i64, String, Option<String>, Option<String>, Option<i64>, Option<i64>);

/// Receives the rows of vPIC's tables, table by table in this order.
pub trait VpicRows {
    /// A name of the lookup table of `element`.
    fn lookup(&mut self, element: i64, id: i64, name: &str);
    /// A model, and its make if it has only one.
    fn model(&mut self, id: i64, name: &str, make: Option<&str>);
    /// A world manufacturer identifier with its name, its make if it has only one, and its types of vehicle and truck.
    fn manufacturer(
        &mut self,
        id: i64,
        code: &str,
        name: Option<&str>,
        make: Option<&str>,
        vehicle_and_truck_type: (Option<i64>, Option<i64>),
    );
    /// That a schema applies to a manufacturer in a range of model years.
    fn link(&mut self, manufacturer: i64, schema: i64, first_year: i64, last_year: Option<i64>);
    /// A value that an engine code means.
    fn engine(&mut self, code: &str, element: i64, attribute: &str);
    /// A pattern of a schema, with the time of its last change.
    fn pattern(&mut self, schema: i64, key: &str, element: i64, attribute: &str, changed: &str);
}

/// Reads the database in `file`, without changing it, and passes its rows to `rows`.
///
/// # Errors
/// [`Error::ReadVpic`] for a file that is no such database.
pub async fn read_vpic(file: &Path, rows: &mut (dyn VpicRows + Send)) -> Result<(), Error> {
    let read = async {
        // Immutable: SQLite looks for no journal, and creates no file beside it.
        let options = SqliteConnectOptions::new().filename(file).read_only(true).immutable(true);
        let mut connection = options.connect().await?;
        read_tables(&mut connection, rows).await
    };
    read.await.map_err(|source| Error::ReadVpic { path: file.to_owned(), source })
}

async fn read_tables(db: &mut SqliteConnection, rows: &mut (dyn VpicRows + Send)) -> Result<(), sqlx::Error> {
    for (element, query) in LOOKUPS {
        for (id, name) in sqlx::query_as::<_, (i64, String)>(query).fetch_all(&mut *db).await? {
            rows.lookup(element, id, &name);
        }
    }
    let models: Vec<(i64, String, Option<String>)> = sqlx::query_as(MODELS).fetch_all(&mut *db).await?;
    for (id, name, make) in models {
        rows.model(id, &name, make.as_deref());
    }
    let manufacturers: Vec<ManufacturerRow> = sqlx::query_as(MANUFACTURERS).fetch_all(&mut *db).await?;
    for (id, code, name, make, vehicle, truck) in manufacturers {
        rows.manufacturer(id, &code, name.as_deref(), make.as_deref(), (vehicle, truck));
    }
    let links: Vec<(i64, i64, i64, Option<i64>)> =
        sqlx::query_as("SELECT WmiId, VinSchemaId, YearFrom, YearTo FROM Wmi_VinSchema")
            .fetch_all(&mut *db)
            .await?;
    for (manufacturer, schema, first, last) in links {
        rows.link(manufacturer, schema, first, last);
    }
    let engines: Vec<(String, i64, String)> = sqlx::query_as(
        "SELECT model.Name, pattern.ElementId, pattern.AttributeId FROM EngineModelPattern pattern \
         JOIN EngineModel model ON model.Id = pattern.EngineModelId",
    )
    .fetch_all(&mut *db)
    .await?;
    for (code, element, attribute) in engines {
        rows.engine(&code, element, &attribute);
    }
    // Patterns are by far the largest table, so they are read in pages; everything else fits in memory. Paged by
    // rowid, because an offset would scan all rows before it each time.
    let mut last = i64::MIN;
    loop {
        let patterns: Vec<(i64, i64, String, i64, String, String)> = sqlx::query_as(
            "SELECT rowid, VinSchemaId, Keys, ElementId, AttributeId, COALESCE(UpdatedOn, CreatedOn, '') \
             FROM Pattern WHERE rowid > $1 ORDER BY rowid LIMIT $2",
        )
        .bind(last)
        .bind(PATTERNS_AT_ONCE)
        .fetch_all(&mut *db)
        .await?;
        let Some((rowid, ..)) = patterns.last() else { return Ok(()) };
        last = *rowid;
        for (_, schema, key, element, attribute, changed) in &patterns {
            rows.pattern(*schema, key, *element, attribute, changed);
        }
    }
}
