use partsight_vehicle_data::{Reference, Sources, VinPatterns, decode_vin, import};

/// Where the table's payload begins, and what stands before it: the magic, the version and the checksum.
const MAGIC: &[u8] = b"PSVD\x01";
/// The same of VIN patterns, and a number that is decoded with them.
const PATTERNS_MAGIC: &[u8] = b"PSVP\x01";
const VIN: &str = "1HGCM82633A004352";
/// The other files beside the one that the input is.
const VEHICLES: &[u8] = b"id,make,model,baseModel,year,displ,cylinders,trany,drive,fuelType,VClass,eng_dscr,tCharger,\
    sCharger,atvType,city08\n1,Honda,Civic 4Dr,Civic,2018,2.0,4,Manual 6-spd,Front-Wheel Drive,Regular,Compact Cars,,,,,28\n";
const EMISSIONS: &[u8] = b"id,efid\n1,G1\n";
const HORSEPOWER: &[u8] = b"year,displacement_l,cylinders,rated_hp,test_group\n2018,2.0,4,158,G1\n";

/// Vehicle facts: by the first byte a table or VIN patterns with a checksum that holds, or one of the files that a table is made of.
pub(crate) fn vehicle_facts(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    if choice == b'T' {
        let bytes = [MAGIC, &checksum(rest).to_le_bytes(), rest].concat();
        if let Ok(table) = Reference::from_bytes(&bytes) {
            check(&table);
        }
        return;
    }
    if choice == b'P' {
        let bytes = [PATTERNS_MAGIC, &checksum(rest).to_le_bytes(), rest].concat();
        if let Ok(patterns) = VinPatterns::from_bytes(&bytes) {
            decode_vin(VIN, 2028, &patterns).expect("the number can be decoded with any patterns");
            let again = VinPatterns::from_bytes(&patterns.to_bytes()).expect("what was written can be read");
            assert!(again == patterns, "the patterns change when they are written again");
        }
        return;
    }
    let mut sources = Sources { vehicles: Some(Box::new(VEHICLES)), ..Sources::default() };
    match choice {
        b'E' => {
            sources.emissions = Some(Box::new(rest));
            sources.horsepower = Some(Box::new(HORSEPOWER));
        }
        b'H' => {
            sources.emissions = Some(Box::new(EMISSIONS));
            sources.horsepower = Some(Box::new(rest));
        }
        b'B' => sources.body_styles.push(Box::new(rest)),
        _ => sources.vehicles = Some(Box::new(rest)),
    }
    if let Ok((table, _)) = import(sources) {
        check(&table);
    }
}

/// What was read is written so that it is read as the same.
fn check(table: &Reference) {
    let bytes = table.to_bytes();
    let again = Reference::from_bytes(&bytes).expect("what was written can be read");
    assert_eq!(again.counts(), table.counts());
    assert!(again.to_bytes() == bytes, "the table changes when it is written again");
}

/// FNV-1a, 64 bits. Source: Fowler, Noll and Vo, draft-eastlake-fnv.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
