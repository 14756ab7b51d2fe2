//! Reading NHTSA's database of VIN patterns, a file of somebody else's.

use std::fs;

use partsight_store::{Error, VpicRows, read_vpic};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

/// The tables that are read, with a row or two in each.
const TABLES: &str = "
    CREATE TABLE BodyStyle (Id INTEGER, Name TEXT); INSERT INTO BodyStyle VALUES (13, 'Sedan/Saloon');
    CREATE TABLE DriveType (Id INTEGER, Name TEXT);
    CREATE TABLE FuelType (Id INTEGER, Name TEXT); INSERT INTO FuelType VALUES (4, 'Gasoline');
    CREATE TABLE Transmission (Id INTEGER, Name TEXT);
    CREATE TABLE EngineConfiguration (Id INTEGER, Name TEXT);
    CREATE TABLE Country (Id INTEGER, Name TEXT);
    CREATE TABLE ElectrificationLevel (Id INTEGER, Name TEXT);
    CREATE TABLE Turbo (Id INTEGER, Name TEXT);
    CREATE TABLE Make (Id INTEGER, Name TEXT); INSERT INTO Make VALUES (474, 'Honda'), (475, 'Acura');
    CREATE TABLE Model (Id INTEGER, Name TEXT); INSERT INTO Model VALUES (1861, 'Accord'), (1, 'Both');
    CREATE TABLE Make_Model (MakeId INTEGER, ModelId INTEGER);
    INSERT INTO Make_Model VALUES (474, 1861), (474, 1), (475, 1);
    CREATE TABLE Manufacturer (Id INTEGER, Name TEXT); INSERT INTO Manufacturer VALUES (988, 'HONDA');
    CREATE TABLE Wmi (Id INTEGER, Wmi TEXT, ManufacturerId INTEGER, VehicleTypeId INTEGER, TruckTypeId INTEGER);
    INSERT INTO Wmi VALUES (2094, '1HG', 988, 2, NULL), (2095, 'JHM', NULL, 3, 1);
    CREATE TABLE Wmi_Make (WmiId INTEGER, MakeId INTEGER);
    INSERT INTO Wmi_Make VALUES (2094, 474), (2095, 474), (2095, 475);
    CREATE TABLE Wmi_VinSchema (WmiId INTEGER, VinSchemaId INTEGER, YearFrom INTEGER, YearTo INTEGER);
    INSERT INTO Wmi_VinSchema VALUES (2094, 9774, 2003, 2004), (2095, 9774, 2010, NULL);
    CREATE TABLE EngineModel (Id INTEGER, Name TEXT); INSERT INTO EngineModel VALUES (1, 'J30A4');
    CREATE TABLE EngineModelPattern (EngineModelId INTEGER, ElementId INTEGER, AttributeId TEXT);
    INSERT INTO EngineModelPattern VALUES (1, 9, '6');
    CREATE TABLE Pattern (Id INTEGER, VinSchemaId INTEGER, Keys TEXT, ElementId INTEGER, AttributeId TEXT,
        CreatedOn TEXT, UpdatedOn TEXT);
    INSERT INTO Pattern VALUES (1, 9774, 'CM82', 28, '1861', '2015-01-01', NULL),
        (2, 9774, 'CM82', 5, '13', '2015-01-01', '2019-01-01'), (3, 9774, 'CM', 9, '6', NULL, NULL);";

#[derive(Default)]
struct Seen(Vec<String>);

impl VpicRows for Seen {
    fn lookup(&mut self, element: i64, id: i64, name: &str) {
        self.0.push(format!("lookup {element} {id} {name}"));
    }

    fn model(&mut self, id: i64, name: &str, make: Option<&str>) {
        self.0.push(format!("model {id} {name} {make:?}"));
    }

    fn manufacturer(
        &mut self,
        id: i64,
        code: &str,
        name: Option<&str>,
        make: Option<&str>,
        vehicle_and_truck_type: (Option<i64>, Option<i64>),
    ) {
        self.0.push(format!("manufacturer {id} {code} {name:?} {make:?} {vehicle_and_truck_type:?}"));
    }

    fn link(&mut self, manufacturer: i64, schema: i64, first_year: i64, last_year: Option<i64>) {
        self.0.push(format!("link {manufacturer} {schema} {first_year} {last_year:?}"));
    }

    fn engine(&mut self, code: &str, element: i64, attribute: &str) {
        self.0.push(format!("engine {code} {element} {attribute}"));
    }

    fn pattern(&mut self, schema: i64, key: &str, element: i64, attribute: &str, changed: &str) {
        self.0.push(format!("pattern {schema} {key} {element} {attribute} {changed}"));
    }
}

#[tokio::test]
async fn all_tables_are_handed_over_and_the_file_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vpic.db");
    let options = SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let mut database = options.connect().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(TABLES.to_owned())).execute(&mut database).await.unwrap();
    database.close().await.unwrap();
    let before = fs::read(&file).unwrap();
    let mut seen = Seen::default();
    read_vpic(&file, &mut seen).await.unwrap();
    assert_eq!(
        seen.0,
        [
            "lookup 5 13 Sedan/Saloon",
            "lookup 24 4 Gasoline",
            "lookup 66 4 Gasoline",
            "model 1861 Accord Some(\"Honda\")",
            "model 1 Both None",
            "manufacturer 2094 1HG Some(\"HONDA\") Some(\"Honda\") (Some(2), None)",
            "manufacturer 2095 JHM None None (Some(3), Some(1))",
            "link 2094 9774 2003 Some(2004)",
            "link 2095 9774 2010 None",
            "engine J30A4 9 6",
            "pattern 9774 CM82 28 1861 2015-01-01",
            "pattern 9774 CM82 5 13 2019-01-01",
            "pattern 9774 CM 9 6 ",
        ]
    );
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is made beside it");
}

#[tokio::test]
async fn another_file_is_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.db");
    for contents in [&b"no database at all, but long enough for the header of one, which has 100 bytes ......................"[..], b""] {
        fs::write(&file, contents).unwrap();
        let error = read_vpic(&file, &mut Seen::default()).await.unwrap_err();
        assert!(matches!(error, Error::ReadVpic { .. }), "{error:?}");
        assert!(error.to_string().contains("other.db"), "{error}");
    }
    let missing = read_vpic(&folder.path().join("none.db"), &mut Seen::default()).await;
    assert!(matches!(missing, Err(Error::ReadVpic { .. })));
}
