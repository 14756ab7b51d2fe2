use std::fmt::Write;

use crate::names::slug;

/// What drives the wheels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Propulsion {
    /// A combustion engine only.
    Combustion,
    /// An engine with a starter-generator that assists it.
    MildHybrid,
    /// An engine and an electric motor.
    Hybrid,
    /// A hybrid that can be charged from the mains.
    PlugInHybrid,
    /// An electric motor and a battery.
    Electric,
    /// An electric motor and a hydrogen fuel cell.
    FuelCell,
}

impl Propulsion {
    pub(crate) const ALL: [Self; 6] = [
        Self::Combustion,
        Self::MildHybrid,
        Self::Hybrid,
        Self::PlugInHybrid,
        Self::Electric,
        Self::FuelCell,
    ];

    /// Whether it has a combustion engine.
    pub const fn has_engine(self) -> bool {
        !matches!(self, Self::Electric | Self::FuelCell)
    }
}

/// The facts that distinguish engines. Engines with the same spec are one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EngineSpec {
    /// Tenths of a litre.
    pub(crate) displacement_tenths: Option<u16>,
    pub(crate) cylinders: Option<u8>,
    pub(crate) turbocharged: bool,
    pub(crate) supercharged: bool,
    pub(crate) propulsion: Propulsion,
    /// Index into the fuels.
    pub(crate) fuel: u8,
    pub(crate) power_hp: Option<u16>,
}

impl EngineSpec {
    /// The usual name, such as `2.0L 4-cyl Turbo`. Different engines may share it.
    pub(crate) fn name(&self, fuel: &str) -> String {
        match self.propulsion {
            Propulsion::Electric => return "Electric".to_owned(),
            Propulsion::FuelCell => return "Hydrogen fuel cell".to_owned(),
            _ => {}
        }
        let mut name = String::new();
        if let Some(tenths) = self.displacement_tenths {
            let _ = write!(name, "{}.{}L ", tenths / 10, tenths % 10);
        }
        if let Some(cylinders) = self.cylinders {
            let _ = write!(name, "{cylinders}-cyl ");
        }
        if name.is_empty() {
            name.push_str("Engine ");
        }
        let words = [
            (self.supercharged, "Supercharged "),
            (self.turbocharged, "Turbo "),
            (fuel == "Diesel", "Diesel "),
            (fuel == "Natural gas", "Natural Gas "),
            (fuel.ends_with("or E85"), "Flex Fuel "),
            (fuel.ends_with("or natural gas") || fuel.ends_with("or propane"), "Bi-fuel "),
            (self.propulsion == Propulsion::MildHybrid, "Mild Hybrid "),
            (self.propulsion == Propulsion::Hybrid, "Hybrid "),
            (self.propulsion == Propulsion::PlugInHybrid, "Plug-in Hybrid "),
        ];
        name.extend(words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word));
        name.truncate(name.trim_end().len());
        name
    }

    /// The id of the engine, different for engines that differ in fuel or power. It is stable while the facts are.
    pub(crate) fn id(&self, fuel: &str) -> String {
        let mut id = slug(&self.name(fuel));
        let fuel = slug(fuel);
        // Engines with the same name may differ only in fuel.
        if self.propulsion.has_engine() && !id.ends_with(&fuel) {
            id.push('-');
            id.push_str(&fuel);
        }
        if let Some(power) = self.power_hp {
            let _ = write!(id, "-{power}hp");
        }
        id
    }
}

/// An engine with which a model was sold in a year, and its transmissions and drives.
#[derive(Debug, Clone, PartialEq)]
pub struct Engine {
    /// Kebab case; unique among the engines of the model and year.
    pub id: String,
    /// Such as `2.0L 4-cyl Turbo`; unique among the engines of the model and year.
    pub name: String,
    /// Tenths of a litre: 20 for 2.0 L. `None` for electric motors, and if EPA does not state it.
    pub displacement_tenths: Option<u16>,
    /// `None` for electric motors, and if EPA does not state it.
    pub cylinders: Option<u8>,
    /// Such as `Premium gasoline`.
    pub fuel: String,
    /// With a turbocharger.
    pub turbocharged: bool,
    /// With a mechanical supercharger.
    pub supercharged: bool,
    /// What drives the wheels.
    pub propulsion: Propulsion,
    /// Rated power in SAE horsepower, if all test cars of this engine have the same. Only for model years 2004 to
    /// 2023, and not for hybrids, whose rating is that of the engine alone.
    pub power_hp: Option<u16>,
    /// Such as `Automatic 8-spd`.
    pub transmissions: Vec<String>,
    /// Such as `Front-Wheel Drive`; empty if EPA does not state it.
    pub drives: Vec<String>,
    /// EPA's names of the models that had this engine, such as `Civic 5Dr`.
    pub listed_as: Vec<String>,
}

impl Engine {
    /// Displacement in litres.
    pub fn displacement_l(&self) -> Option<f64> {
        self.displacement_tenths.map(|tenths| f64::from(tenths) / 10.0)
    }
}

/// Makes the names of one list unique: by fuel if that differs, then by power.
pub(crate) fn tell_apart(engines: &mut [Engine]) {
    // The original names: names changed below must still count as equal.
    let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
    for index in 0..engines.len() {
        let alike: Vec<usize> = (0..names.len()).filter(|other| names[*other] == names[index]).collect();
        // A unique name needs no suffix.
        if alike.len() == 1 {
            continue;
        }
        let fuels_differ = alike.iter().any(|other| engines[*other].fuel != engines[index].fuel);
        // The power is added only if the fuel does not distinguish them.
        let same_fuel = alike.iter().filter(|other| engines[**other].fuel == engines[index].fuel).count();
        let mut marks = Vec::new();
        if fuels_differ {
            marks.push(engines[index].fuel.to_lowercase());
        }
        if same_fuel > 1
            && let Some(power) = engines[index].power_hp
        {
            marks.push(format!("{power} hp"));
        }
        if !marks.is_empty() {
            engines[index].name = format!("{} ({})", names[index], marks.join(", "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> EngineSpec {
        EngineSpec {
            displacement_tenths: Some(20),
            cylinders: Some(4),
            turbocharged: true,
            supercharged: false,
            propulsion: Propulsion::Combustion,
            fuel: 0,
            power_hp: Some(306),
        }
    }

    #[test]
    fn an_engine_is_named_as_people_say_it() {
        let cases = [
            (spec(), "Premium gasoline", "2.0L 4-cyl Turbo", "2-0l-4-cyl-turbo-premium-gasoline-306hp"),
            (
                EngineSpec { power_hp: None, ..spec() },
                "Diesel",
                "2.0L 4-cyl Turbo Diesel",
                "2-0l-4-cyl-turbo-diesel",
            ),
            (
                EngineSpec {
                    turbocharged: false,
                    propulsion: Propulsion::PlugInHybrid,
                    power_hp: None,
                    ..spec()
                },
                "Regular gasoline and electricity",
                "2.0L 4-cyl Plug-in Hybrid",
                "2-0l-4-cyl-plug-in-hybrid-regular-gasoline-and-electricity",
            ),
            (
                EngineSpec { propulsion: Propulsion::Electric, power_hp: None, ..spec() },
                "Electricity",
                "Electric",
                "electric",
            ),
            (
                EngineSpec { displacement_tenths: None, cylinders: None, power_hp: None, ..spec() },
                "Regular gasoline",
                "Engine Turbo",
                "engine-turbo-regular-gasoline",
            ),
        ];
        for (spec, fuel, name, id) in cases {
            assert_eq!(spec.name(fuel), name);
            assert_eq!(spec.id(fuel), id);
        }
    }
}
