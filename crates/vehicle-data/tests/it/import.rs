//! Builds the table from EPA's files.

use partsight_vehicle_data::{Propulsion, Reference, Sources, import};

use crate::sources::{import_error, import_vehicles, vehicles};

/// Lines in EPA's format: two transmissions of one engine, two engines that share a test group, a hybrid.
const VEHICLES: [&str; 9] = [
    "1,Honda,Civic 4Dr,Civic,2018,2.0,4,Manual 6-spd,Front-Wheel Drive,Regular,Compact Cars,,,,,28",
    "2,Honda,Civic 4Dr,Civic,2018,2.0,4,Automatic (variable gear ratios),Front-Wheel Drive,Regular,Compact Cars,,,,,30",
    "3,Honda,Civic 5Dr - Type R,Civic,2018,2.0,4,Manual 6-spd,Front-Wheel Drive,Premium,Large Cars,,T,,,22",
    "4,Honda,Accord Hybrid,Accord,2018,2.0,4,Automatic (variable gear ratios),Front-Wheel Drive,Regular,Midsize Cars,,,,Hybrid,47",
    "5,Mini,Cooper,Cooper,2012,1.6,4,Manual 6-spd,Front-Wheel Drive,Premium,Minicompact Cars,,,S,,27",
    "6,MINI,Cooper,Cooper,2013,1.6,4,Manual 6-spd,Front-Wheel Drive,Premium,Minicompact Cars,,,,,27",
    "7,MINI,Cooper S,Cooper,2013,1.6,4,Automatic (S6),,Premium,Minicompact Cars,,T,,,27",
    "8,Mitsubishi,i-MiEV,i-MiEV,2016,0.0,,Automatic (A1),Rear-Wheel Drive,Electricity,Subcompact Cars,,,,EV,126",
    "9,Ford,F150 Pickup 4WD,F150,2018,3.5,6,Automatic (S10),4-Wheel Drive,Regular,Standard Pickup Trucks 4WD,,T,,,17",
];

fn sample() -> Reference {
    import_vehicles(&vehicles(&VEHICLES)).unwrap().0
}

#[test]
fn lines_that_differ_in_transmission_are_one_engine() {
    let engines = sample().engines("honda", "civic", 2018);
    let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
    assert_eq!(names, ["2.0L 4-cyl", "2.0L 4-cyl Turbo"]);
    assert_eq!(engines[0].transmissions, ["Manual 6-spd", "CVT"]);
    assert_eq!(engines[0].listed_as, ["Civic 4Dr"]);
    assert_eq!(engines[0].power_hp, None, "nothing states it");
}

#[test]
fn spellings_of_a_make_are_one_make() {
    let table = sample();
    assert_eq!(table.makes("mini", None).len(), 1);
    let mini = table.make("Mini").unwrap();
    assert_eq!((mini.name.as_str(), mini.country.as_deref()), ("MINI", Some("United Kingdom")));
    assert_eq!(table.model_years("mini", "cooper"), [2013, 2012]);
    assert_eq!(table.engines("mini", "cooper", 2012)[0].name, "1.6L 4-cyl Supercharged");
}

#[test]
fn a_displacement_of_nothing_is_an_electric_car() {
    let engines = sample().engines("mitsubishi", "i-miev", 2016);
    assert_eq!(engines.len(), 1);
    let motor = &engines[0];
    assert_eq!((motor.id.as_str(), motor.name.as_str()), ("electric", "Electric"));
    assert_eq!((motor.displacement_tenths, motor.cylinders), (None, None));
    assert_eq!(motor.propulsion, Propulsion::Electric);
}

#[test]
fn what_epa_leaves_blank_stays_blank() {
    let engines = sample().engines("mini", "cooper s", 2013);
    assert_eq!(engines.len(), 1);
    assert!(engines[0].drives.is_empty());
    assert_eq!(sample().models("honda", Some(2018))[0].body, None, "a size class is no body");
    assert_eq!(sample().models("ford", Some(2018))[0].body, Some("Pickup"));
}

#[test]
fn power_is_given_only_where_all_tests_agree() {
    let emissions = "efid,id\nG1,1\nG1,2\nG2,3\nG3,4\nG4,5\nG5,6\nG5,7\n";
    let ratings = "year,make,model,displacement_l,cylinders,rated_hp,test_group\n\
                   2018,HONDA,CIVIC,1.996,4,158.0,G1\n\
                   2018,HONDA,CIVIC TYPE R,2.0,4,306,G2\n\
                   2018,HONDA,ACCORD HYBRID,2.0,4,143,G3\n\
                   2018,HONDA,OTHER,2.4,4,185,G1\n\
                   2013,BMW,COOPER,1.6,,121,G5\n\
                   2013,BMW,COOPER S,1.6,,181,G5\n";
    let csv = vehicles(&VEHICLES);
    let (table, report) = import(Sources {
        vehicles: Some(Box::new(csv.as_bytes())),
        emissions: Some(Box::new(emissions.as_bytes())),
        horsepower: Some(Box::new(ratings.as_bytes())),
        ..Sources::default()
    })
    .unwrap();
    let powers = |make: &str, model: &str, year| -> Vec<Option<u16>> {
        table.engines(make, model, year).iter().map(|engine| engine.power_hp).collect()
    };
    assert_eq!(powers("honda", "civic", 2018), [Some(158), Some(306)]);
    assert_eq!(powers("honda", "accord", 2018), [None], "a hybrid's rating is its engine's alone");
    assert_eq!(powers("mini", "cooper", 2013), [None, None], "two ratings in one group");
    assert_eq!(report.with_power, 3);
}

#[test]
fn one_line_without_rating_leaves_the_engine_without() {
    let emissions = "id,efid\n1,G1\n";
    let ratings = "year,displacement_l,cylinders,rated_hp,test_group\n2018,2.0,4,158,G1\n";
    let csv = vehicles(&VEHICLES);
    let (table, _) = import(Sources {
        vehicles: Some(Box::new(csv.as_bytes())),
        emissions: Some(Box::new(emissions.as_bytes())),
        horsepower: Some(Box::new(ratings.as_bytes())),
        ..Sources::default()
    })
    .unwrap();
    assert_eq!(table.engines("honda", "civic 4dr", 2018)[0].power_hp, None);
}

#[test]
fn body_styles_join_by_the_words_of_the_name() {
    let styles = "year,make,model,body_styles\n\
                  2018,Honda,Civic,\"[\"\"Coupe\"\", \"\"Sedan\"\"]\"\n\
                  2018,Honda,Civic Type R,\"[\"\"Hatchback\"\"]\"\n\
                  2018,Honda,Civics,\"[\"\"Wagon\"\"]\"\n\
                  2018,Honda,Accord,\"[\"\"Sedan\"\"\"\n\
                  2017,Honda,Accord,\"[\"\"Coupe\"\"]\"\n";
    let csv = vehicles(&VEHICLES);
    let (table, report) = import(Sources {
        vehicles: Some(Box::new(csv.as_bytes())),
        body_styles: vec![Box::new(styles.as_bytes())],
        ..Sources::default()
    })
    .unwrap();
    assert_eq!(table.model("honda", "civic").unwrap().body, Some("Sedan, Coupe, Hatchback"));
    assert_eq!(
        table.model("honda", "accord").unwrap().body,
        None,
        "a broken line and another year say nothing"
    );
    assert_eq!((report.with_body_styles, report.unreadable_body_styles), (1, 1));
    assert!(table.source().contains("CC BY 4.0"), "{}", table.source());
}

#[test]
fn columns_may_stand_in_any_order_after_a_byte_order_mark() {
    let csv = "\u{feff}year,make,model,baseModel,displ,cylinders,trany,drive,fuelType,VClass,eng_dscr,tCharger,\
               sCharger,atvType,id\n2018,Honda,Fit,,1.5,4,,,Regular,,,,,,1\n";
    let (table, _) = import_vehicles(csv).unwrap();
    assert_eq!(
        table.engines("honda", "fit", 2018)[0].name,
        "1.5L 4-cyl",
        "the model stands for its base model"
    );
}

#[test]
fn a_wrong_value_is_named_with_line_and_column() {
    let with = |column: usize, value: &str| {
        let mut fields: Vec<&str> = VEHICLES[0].split(',').collect();
        fields[column] = value;
        import_error(&vehicles(&[VEHICLES[1], &fields.join(",")]))
    };
    for (column, value, parts) in [
        (4, "20l8", ["`20l8` in line 3", "column `year`", "a year from 1886 to 2100"]),
        (4, "99999", ["`99999` in line 3", "column `year`", "a year from"]),
        (5, "two", ["`two` in line 3", "column `displ`", "a displacement in litres"]),
        (5, "-2.0", ["`-2.0` in line 3", "column `displ`", "a displacement in litres"]),
        (5, "NaN", ["`NaN` in line 3", "column `displ`", "a displacement in litres"]),
        (6, "4.5", ["`4.5` in line 3", "column `cylinders`", "a number of cylinders"]),
        (1, "", ["`` in line 3", "column `make`", "a name of at most 120 characters"]),
        (1, "\u{1b}[31mHonda", ["`\\u{1b}[31mHonda` in line 3", "column `make`", "a name"]),
        (2, "!?", ["`!?` in line 3", "column `model`", "a name"]),
    ] {
        let error = with(column, value);
        assert!(parts.iter().all(|part| error.contains(part)), "{value}: {error}");
    }
    let endless = "x".repeat(10_000);
    assert!(with(2, &endless).len() < 300, "an error repeats no endless value");
}

#[test]
fn a_file_that_is_no_list_of_vehicles_is_refused() {
    assert_eq!(import_error(""), "the list of vehicles has no column `id`");
    assert_eq!(import_error("id,make\n1,Honda\n"), "the list of vehicles has no column `model`");
    assert_eq!(import_error(&vehicles(&[])), "the list of vehicles is empty");
    let short = import_error(&vehicles(&[VEHICLES[0], "2,Honda"]));
    assert!(
        short.starts_with("cannot read the list of vehicles as CSV") && short.contains("line: 3"),
        "{short}"
    );
    let mut bytes = vehicles(&VEHICLES).into_bytes();
    let position = bytes.windows(5).position(|text| text == b"Civic").unwrap();
    bytes[position] = 0xff;
    let error =
        import(Sources { vehicles: Some(Box::new(bytes.as_slice())), ..Sources::default() }).unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("UTF-8"), "{cause}");
    let none = import(Sources::default()).unwrap_err();
    assert_eq!(none.to_string(), "the list of vehicles is empty");
}

#[test]
fn names_of_any_script_are_kept() {
    let csv = vehicles(&[
        "1,מכונית,دويتشه 4,דגם,2020,2.0,4,,,Regular,,,,,,1",
        "2,Škoda,Enyaq 🚗,Enyaq 🚗,2021,,,,,Electricity,,,,,EV,1",
    ]);
    let (table, _) = import_vehicles(&csv).unwrap();
    assert_eq!(table.models("מכונית", None)[0].name, "דגם");
    assert_eq!(table.model("škoda", "enyaq").unwrap().name, "Enyaq 🚗");
    let again = Reference::from_bytes(&table.to_bytes()).unwrap();
    assert_eq!(again.engines("Škoda", "Enyaq 🚗", 2021).len(), 1);
}
