//! Whether a part fits a vehicle, by the vehicle's equipment and by fitments.

use serde::{Deserialize, Serialize};

use crate::garage::VehicleName;
use crate::parts::{FitmentSource, PartFitment};

/// What a vehicle must have for a part type to be on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VehicleNeed {
    /// A combustion engine.
    Engine,
    /// A spark-ignition engine.
    SparkIgnition,
    /// A diesel engine.
    Diesel,
    /// A manual or automated transmission with a dry clutch.
    Clutch,
    /// An automatic transmission with a torque converter, or a continuously variable one.
    AutomaticTransmission,
    /// Driven rear wheels.
    DrivenRearWheels,
    /// Driven front and rear wheels.
    AllWheelDrive,
}

impl VehicleNeed {
    /// Its absence, as part of a sentence: `no engine that burns fuel`.
    pub const fn lack(self) -> &'static str {
        match self {
            Self::Engine => "no engine that burns fuel",
            Self::SparkIgnition => "no engine with spark ignition",
            Self::Diesel => "no diesel engine",
            Self::Clutch => "no clutch",
            Self::AutomaticTransmission => "no automatic transmission",
            Self::DrivenRearWheels => "no driven rear wheels",
            Self::AllWheelDrive => "no all-wheel drive",
        }
    }
}

/// A variant in which a vehicle was sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VehicleVariant {
    /// Whether it has a combustion engine.
    pub has_engine: bool,
    /// Such as `Premium gasoline`; without a combustion engine, its other source of energy.
    pub fuel: String,
    /// Such as `Automatic 6-spd`, `Manual 5-spd`, `CVT`; empty when unknown.
    pub transmissions: Vec<String>,
    /// Such as `Front-Wheel Drive`; empty when unknown.
    pub drives: Vec<String>,
}

impl VehicleVariant {
    /// Whether it meets a need; `None` if unknown.
    fn has(&self, need: VehicleNeed) -> Option<bool> {
        let is_diesel = self.fuel.eq_ignore_ascii_case("diesel");
        let any = |names: &[String], wanted: &[&str]| {
            let is_wanted = |name: &String| wanted.iter().any(|start| name.starts_with(start));
            (!names.is_empty()).then(|| names.iter().any(is_wanted))
        };
        match need {
            VehicleNeed::Engine => Some(self.has_engine),
            VehicleNeed::SparkIgnition => Some(self.has_engine && !is_diesel),
            VehicleNeed::Diesel => Some(self.has_engine && is_diesel),
            VehicleNeed::Clutch | VehicleNeed::AutomaticTransmission if !self.has_engine => Some(false),
            VehicleNeed::Clutch => any(&self.transmissions, &["Manual", "Automated manual"]),
            VehicleNeed::AutomaticTransmission => any(&self.transmissions, &["Automatic", "CVT"]),
            // "2-Wheel" does not state which wheels are driven, and must not exclude the rear ones.
            VehicleNeed::DrivenRearWheels => {
                any(&self.drives, &["Rear", "All", "4-Wheel", "Part-time", "2-Wheel", "Four"])
            }
            VehicleNeed::AllWheelDrive => any(&self.drives, &["All", "4-Wheel", "Part-time", "Four"]),
        }
    }
}

/// The variants in which a vehicle was sold; empty if unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VehicleFacts {
    /// All variants, or one for a vehicle whose engine is known.
    pub variants: Vec<VehicleVariant>,
}

impl VehicleFacts {
    /// Whether the vehicle certainly does not meet a need: no variant does.
    pub fn lacks(&self, need: VehicleNeed) -> bool {
        // A variant for which it is unknown keeps the part possible.
        !self.variants.is_empty() && self.variants.iter().all(|variant| variant.has(need) == Some(false))
    }
}

named! {
    /// Whether a part fits.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FitVerdict {
        /// It does.
        Fits = "fits",
        /// It does not.
        DoesNotFit = "does-not-fit",
        /// It is not known.
        Unknown = "unknown",
    }
}

named! {
    /// Source of a verdict on fit.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FitSource {
        /// The shop's own fitments.
        Shop = "shop",
        /// Imported fitment data.
        FitmentData = "fitment-data",
        /// The vehicle's fuel, transmission or drive.
        Vehicle = "vehicle",
    }
}

impl From<FitmentSource> for FitSource {
    fn from(source: FitmentSource) -> Self {
        match source {
            FitmentSource::Shop => Self::Shop,
            FitmentSource::Aces | FitmentSource::AcesPartial => Self::FitmentData,
        }
    }
}

/// Whether a part fits, with source and reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// The verdict.
    pub verdict: FitVerdict,
    /// Its source; `None` for [`FitVerdict::Unknown`].
    pub source: Option<FitSource>,
    /// The reason, as a sentence.
    pub reason: String,
}

impl Fit {
    /// Why a part type cannot be on a vehicle, if it cannot.
    pub fn of_type(
        name: &str,
        need: Option<VehicleNeed>,
        vehicle: &VehicleName,
        facts: &VehicleFacts,
    ) -> Option<Self> {
        let need = need.filter(|need| facts.lacks(*need))?;
        Some(Self {
            verdict: FitVerdict::DoesNotFit,
            source: Some(FitSource::Vehicle),
            reason: format!("A {vehicle} has {}, so {name} cannot be on it.", need.lack()),
        })
    }

    /// The verdict of the fitments of a part for a vehicle; `None` if they are inconclusive.
    ///
    /// An exclusion overrides a fitment that covers the vehicle. Full fitment data lists every application, so if all
    /// fitments are from it, the part does not fit a vehicle that is not listed. A shop's own fitments and partial data
    /// may be incomplete, so with them a vehicle is only excluded if other years of its model are listed. Neither holds
    /// for a vehicle whose model is listed with more or fewer words: it may be the one that is listed.
    pub fn of_fitments(fitments: &[PartFitment], vehicle: &VehicleName) -> Option<Self> {
        let note = |fitment: &PartFitment| {
            fitment.note.as_ref().map(|note| format!(" Note: {note}")).unwrap_or_default()
        };
        let says = |fitment: &PartFitment, verdict, reason| {
            Some(Self { verdict, source: Some(fitment.source.into()), reason })
        };
        let covering =
            |fits: bool| fitments.iter().find(|fitment| fitment.fits == fits && fitment.covers(vehicle));
        // Exclusions first, because they were entered deliberately.
        if let Some(fitment) = covering(false) {
            let reason = format!("It is noted not to fit {}.{}", fitment.vehicles_text(), note(fitment));
            return says(fitment, FitVerdict::DoesNotFit, reason);
        }
        if let Some(fitment) = covering(true) {
            let reason = format!("It is listed for {}.{}", fitment.vehicles_text(), note(fitment));
            return says(fitment, FitVerdict::Fits, reason);
        }
        let mut listed = fitments.iter().filter(|fitment| fitment.fits);
        if listed.clone().any(|fitment| fitment.may_cover(vehicle)) {
            return None;
        }
        // If some years of a model are listed, the others are excluded on purpose.
        if let Some(fitment) = listed.clone().find(|fitment| fitment.names_model_of(vehicle)) {
            let reason = format!("It is listed for {} and not for {vehicle}.", fitment.vehicles_text());
            return says(fitment, FitVerdict::DoesNotFit, reason);
        }
        // Without any listed vehicle there is no conclusion.
        let first = listed.next()?;
        let is_complete = fitments.iter().all(|fitment| fitment.source == FitmentSource::Aces);
        if !is_complete {
            return None;
        }
        let reason = format!("Its fitment data does not list {vehicle}.");
        says(first, FitVerdict::DoesNotFit, reason)
    }

    /// The unknown verdict.
    pub fn unknown(reason: &str) -> Self {
        Self { verdict: FitVerdict::Unknown, source: None, reason: reason.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(has_engine: bool, fuel: &str, transmission: &str, drive: &str) -> VehicleVariant {
        VehicleVariant {
            has_engine,
            fuel: fuel.to_owned(),
            transmissions: vec![transmission.to_owned()],
            drives: vec![drive.to_owned()],
        }
    }

    fn facts(variants: &[VehicleVariant]) -> VehicleFacts {
        VehicleFacts { variants: variants.to_vec() }
    }

    #[test]
    fn a_vehicle_lacks_what_no_variant_has() {
        use VehicleNeed::{
            AllWheelDrive, AutomaticTransmission, Clutch, Diesel, DrivenRearWheels, Engine, SparkIgnition,
        };
        let electric = variant(false, "Electricity", "Automatic 1-spd", "Rear-Wheel Drive");
        let petrol = variant(true, "Regular gasoline", "Manual 5-spd", "Front-Wheel Drive");
        let diesel = variant(true, "Diesel", "Automatic 6-spd", "All-Wheel Drive");
        for (variants, lacked) in [
            (
                vec![electric.clone()],
                vec![Engine, SparkIgnition, Diesel, Clutch, AutomaticTransmission, AllWheelDrive],
            ),
            (vec![petrol.clone()], vec![Diesel, AutomaticTransmission, DrivenRearWheels, AllWheelDrive]),
            (vec![diesel.clone()], vec![SparkIgnition, Clutch]),
            (vec![electric, petrol, diesel], vec![]),
            (vec![], vec![]),
        ] {
            let facts = facts(&variants);
            let all = [
                Engine,
                SparkIgnition,
                Diesel,
                Clutch,
                AutomaticTransmission,
                DrivenRearWheels,
                AllWheelDrive,
            ];
            let found: Vec<VehicleNeed> = all.into_iter().filter(|need| facts.lacks(*need)).collect();
            assert_eq!(found, lacked, "{variants:?}");
        }
        let unknown =
            VehicleVariant { transmissions: vec![], drives: vec![], ..variant(true, "Diesel", "", "") };
        assert!(!facts(std::slice::from_ref(&unknown)).lacks(Clutch));
        assert!(!facts(&[unknown]).lacks(DrivenRearWheels));
    }

    fn fitment(model: &str, first: u16, last: u16, fits: bool, source: FitmentSource) -> PartFitment {
        PartFitment {
            make: "Honda".to_owned(),
            model: Some(model.to_owned()),
            first_year: Some(first),
            last_year: Some(last),
            note: None,
            fits,
            source,
        }
    }

    #[test]
    fn fitments_say_whether_a_part_fits() {
        use FitmentSource::{Aces, Shop};
        let civic = VehicleName::new(2015, "Honda", "Civic").unwrap();
        let says = |fitments: &[PartFitment]| {
            Fit::of_fitments(fitments, &civic).map(|fit| (fit.verdict.as_str(), fit.source.unwrap().as_str()))
        };
        let fits = fitment("Civic", 2012, 2015, true, Shop);
        assert_eq!(says(std::slice::from_ref(&fits)), Some(("fits", "shop")));
        assert_eq!(says(&[fits, fitment("Civic", 2015, 2015, false, Shop)]), Some(("does-not-fit", "shop")));
        assert_eq!(says(&[fitment("Civic", 2016, 2018, true, Shop)]), Some(("does-not-fit", "shop")));
        assert_eq!(says(&[fitment("Accord", 2012, 2015, true, Shop)]), None);
        assert_eq!(
            says(&[fitment("Accord", 2012, 2015, true, Aces)]),
            Some(("does-not-fit", "fitment-data"))
        );
        assert_eq!(
            says(&[fitment("Accord", 2012, 2015, true, Aces), fitment("Fit", 2012, 2015, true, Shop)]),
            None
        );
        assert_eq!(says(&[fitment("Civic", 2014, 2015, true, Aces)]), Some(("fits", "fitment-data")));
        assert_eq!(says(&[fitment("Accord", 2012, 2015, false, Aces)]), None);
        assert_eq!(says(&[]), None);
        let partial = fitment("Accord", 2012, 2015, true, FitmentSource::AcesPartial);
        assert_eq!(says(std::slice::from_ref(&partial)), None);
        assert_eq!(says(&[fitment("Fit", 2012, 2015, true, Aces), partial]), None);
        // The vehicle may be a Civic Si.
        assert_eq!(says(&[fitment("Civic Si", 2012, 2015, true, Aces)]), None);
        assert_eq!(
            says(&[fitment("Civic", 2016, 2018, true, Shop), fitment("Civic Si", 2012, 2015, true, Shop)]),
            None
        );
        assert_eq!(
            says(&[fitment("Civic Si", 2016, 2018, true, Aces)]),
            Some(("does-not-fit", "fitment-data"))
        );
    }

    #[test]
    fn a_model_is_known_by_any_spelling() {
        let truck = VehicleName::new(2015, "Ford", "F150").unwrap();
        let listed = PartFitment {
            make: "FORD".to_owned(),
            ..fitment("F-150", 2012, 2015, true, FitmentSource::Aces)
        };
        assert_eq!(Fit::of_fitments(&[listed], &truck).unwrap().verdict, FitVerdict::Fits);
    }
}
