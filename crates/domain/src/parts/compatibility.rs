//! Whether a part can be on a vehicle, and who says so.

use serde::{Deserialize, Serialize};

use crate::garage::VehicleName;
use crate::parts::{FitmentSource, PartFitment};

/// What a vehicle must have for a part type to be on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VehicleNeed {
    /// An engine that burns something.
    Engine,
    /// An engine whose fuel is lit by a spark.
    SparkIgnition,
    /// An engine that burns diesel.
    Diesel,
    /// A gearbox whose gears a driver or a machine changes with a dry clutch.
    Clutch,
    /// An automatic transmission with a torque converter, or a continuously variable one.
    AutomaticTransmission,
    /// Driven rear wheels.
    DrivenRearWheels,
    /// Driven front and rear wheels.
    AllWheelDrive,
}

impl VehicleNeed {
    /// What a vehicle without it lacks, for a sentence: `no engine that burns fuel`.
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

/// One way in which a vehicle was sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VehicleVariant {
    /// Whether something is burnt in it.
    pub has_engine: bool,
    /// Such as `Premium gasoline`; of a vehicle without an engine, what it is charged or filled with.
    pub fuel: String,
    /// Such as `Automatic 6-spd`, `Manual 5-spd`, `CVT`; empty when unknown.
    pub transmissions: Vec<String>,
    /// Such as `Front-Wheel Drive`; empty when unknown.
    pub drives: Vec<String>,
}

impl VehicleVariant {
    /// Whether it has what is needed; `None` when that is unknown.
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
            // "2-Wheel" leaves open which wheels are driven, and so must not rule the rear ones out.
            VehicleNeed::DrivenRearWheels => {
                any(&self.drives, &["Rear", "All", "4-Wheel", "Part-time", "2-Wheel", "Four"])
            }
            VehicleNeed::AllWheelDrive => any(&self.drives, &["All", "4-Wheel", "Part-time", "Four"]),
        }
    }
}

/// What is known of a vehicle beside its name: the ways in which it was sold. Empty when nothing is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VehicleFacts {
    /// All of them; one for a vehicle whose engine is known.
    pub variants: Vec<VehicleVariant>,
}

impl VehicleFacts {
    /// Whether the vehicle surely lacks what is needed: no way in which it was sold has it.
    pub fn lacks(&self, need: VehicleNeed) -> bool {
        // Unknown is not lacking: one variant of which nothing is known keeps the part possible.
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
        /// Nothing that is known says so or otherwise.
        Unknown = "unknown",
    }
}

named! {
    /// Who says whether a part fits.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FitSource {
        /// The shop's own word.
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
            FitmentSource::Aces => Self::FitmentData,
        }
    }
}

/// The answer to "does it fit".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// Whether.
    pub verdict: FitVerdict,
    /// Who says so; `None` for [`FitVerdict::Unknown`].
    pub source: Option<FitSource>,
    /// A sentence for people.
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

    /// What the fitments of one part say of a vehicle; `None` where they say nothing.
    ///
    /// One that excludes the vehicle wins over one that covers it. Where all are from fitment data, which lists every
    /// application, a vehicle that is not listed is not fitted; what a shop wrote by hand may be incomplete, so there
    /// only other years of the same model say that it does not fit.
    pub fn of_fitments(fitments: &[PartFitment], vehicle: &VehicleName) -> Option<Self> {
        let note = |fitment: &PartFitment| {
            fitment.note.as_ref().map(|note| format!(" Note: {note}")).unwrap_or_default()
        };
        let says = |fitment: &PartFitment, verdict, reason| {
            Some(Self { verdict, source: Some(fitment.source.into()), reason })
        };
        let covering =
            |fits: bool| fitments.iter().find(|fitment| fitment.fits == fits && fitment.covers(vehicle));
        // An exclusion comes first: somebody has seen that it does not fit.
        if let Some(fitment) = covering(false) {
            let reason = format!("It is noted not to fit {}.{}", fitment.vehicles_text(), note(fitment));
            return says(fitment, FitVerdict::DoesNotFit, reason);
        }
        if let Some(fitment) = covering(true) {
            let reason = format!("It is listed for {}.{}", fitment.vehicles_text(), note(fitment));
            return says(fitment, FitVerdict::Fits, reason);
        }
        let mut listed = fitments.iter().filter(|fitment| fitment.fits);
        // Whoever lists some years of a model has thought of the others.
        if let Some(fitment) = listed.clone().find(|fitment| fitment.names_model_of(vehicle)) {
            let reason = format!("It is listed for {} and not for {vehicle}.", fitment.vehicles_text());
            return says(fitment, FitVerdict::DoesNotFit, reason);
        }
        // Without any listing, silence says nothing, complete or not.
        let first = listed.next()?;
        let is_complete = fitments.iter().all(|fitment| fitment.source == FitmentSource::Aces);
        if !is_complete {
            return None;
        }
        let reason = format!("Its fitment data does not list {vehicle}.");
        says(first, FitVerdict::DoesNotFit, reason)
    }

    /// Nobody knows.
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
    }
}
