//! The fitments of a part, prepared for comparing a vehicle with those of many parts.

use crate::garage::VehicleName;
use crate::parts::{Fit, FitVerdict, Fitment, FitmentSource, ModelKey, PartFitment};

/// A vehicle prepared for comparison with fitments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VehicleKey {
    make: String,
    model: ModelKey,
    year: u16,
}

impl VehicleKey {
    /// The make, as [`Fitment::normalised`] writes it.
    pub fn make(&self) -> &str {
        &self.make
    }

    /// The model.
    pub const fn model(&self) -> &ModelKey {
        &self.model
    }

    /// The model year.
    pub const fn year(&self) -> u16 {
        self.year
    }
}

impl From<&VehicleName> for VehicleKey {
    fn from(vehicle: &VehicleName) -> Self {
        Self {
            make: Fitment::normalised(&vehicle.make),
            model: ModelKey::new(&vehicle.model),
            year: vehicle.year.get(),
        }
    }
}

/// A fitment prepared for comparison with a vehicle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FitmentKey {
    /// As [`Fitment::normalised`] writes it.
    pub make: String,
    /// One model; `None` for all of the make.
    pub model: Option<ModelKey>,
    /// First model year, inclusive; `None` for no limit.
    pub first_year: Option<u16>,
    /// Last model year, inclusive; `None` for no limit.
    pub last_year: Option<u16>,
}

impl From<&PartFitment> for FitmentKey {
    fn from(fitment: &PartFitment) -> Self {
        Self {
            make: Fitment::normalised(&fitment.make),
            model: fitment.model.as_deref().map(ModelKey::new),
            first_year: fitment.first_year,
            last_year: fitment.last_year,
        }
    }
}

impl FitmentKey {
    fn names_model(&self, vehicle: &VehicleKey) -> bool {
        self.make == vehicle.make && self.model.as_ref().is_none_or(|model| *model == vehicle.model)
    }

    fn is_of_year(&self, vehicle: &VehicleKey) -> bool {
        self.first_year.is_none_or(|first| first <= vehicle.year)
            && self.last_year.is_none_or(|last| vehicle.year <= last)
    }

    fn covers(&self, vehicle: &VehicleKey) -> bool {
        self.names_model(vehicle) && self.is_of_year(vehicle)
    }

    /// As [`Fitment::may_fit`].
    fn may_cover(&self, vehicle: &VehicleKey) -> bool {
        self.make == vehicle.make
            && self.model.as_ref().is_none_or(|model| model.is_longer_or_shorter(&vehicle.model))
            && self.is_of_year(vehicle)
    }
}

/// All fitments of one part, prepared for comparison; [`Fit::of_fitments`] also returns reasons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartFitments {
    listed: Vec<FitmentKey>,
    excluded: Vec<FitmentKey>,
    is_complete: bool,
}

impl PartFitments {
    /// Prepares the fitments of a part; a part without any may fit every vehicle.
    pub fn new(fitments: &[PartFitment]) -> Self {
        // Normalised once, because a search compares one vehicle with thousands of fitments.
        let of =
            |fits: bool| fitments.iter().filter(move |fitment| fitment.fits == fits).map(FitmentKey::from);
        let listed: Vec<FitmentKey> = of(true).collect();
        Self {
            // Without a listed vehicle, a complete list would mean that the part fits nothing.
            is_complete: !listed.is_empty()
                && fitments.iter().all(|fitment| fitment.source == FitmentSource::Aces),
            // Separate, because an exclusion overrides every listed fitment.
            excluded: of(false).collect(),
            listed,
        }
    }

    /// The vehicles that it fits.
    pub fn listed(&self) -> &[FitmentKey] {
        &self.listed
    }

    /// The vehicles that it does not fit.
    pub fn excluded(&self) -> &[FitmentKey] {
        &self.excluded
    }

    /// Whether [`PartFitments::listed`] names every vehicle that it fits, as fitment data does.
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the vehicle is not excluded: [`Fit::of_fitments`] does not return [`FitVerdict::DoesNotFit`].
    pub fn may_fit(&self, vehicle: &VehicleKey) -> bool {
        if self.excluded.iter().any(|fitment| fitment.covers(vehicle)) {
            return false;
        }
        self.listed.iter().any(|fitment| fitment.may_cover(vehicle))
            || !(self.is_complete || self.listed.iter().any(|fitment| fitment.names_model(vehicle)))
    }
}

impl Fit {
    /// Whether the fitments of a part include the vehicle or leave it open.
    pub fn may_fit(fitments: &[PartFitment], vehicle: &VehicleName) -> bool {
        Self::of_fitments(fitments, vehicle).is_none_or(|fit| fit.verdict != FitVerdict::DoesNotFit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every fitment of one of three models or all, of some years or all, listed or excluded, of each source.
    fn fitments() -> Vec<PartFitment> {
        let mut all = Vec::new();
        for model in [None, Some("Civic"), Some(" ACCORD"), Some("Civic Si")] {
            for (first_year, last_year) in [(None, None), (Some(2012), Some(2015)), (Some(2016), None)] {
                for fits in [true, false] {
                    for source in FitmentSource::ALL {
                        all.push(PartFitment {
                            make: "Honda ".to_owned(),
                            model: model.map(str::to_owned),
                            first_year,
                            last_year,
                            note: None,
                            fits,
                            source,
                        });
                    }
                }
            }
        }
        all
    }

    #[test]
    fn the_short_form_says_of_every_vehicle_what_the_long_one_says() {
        let all = fitments();
        let vehicles = [
            "2015 HONDA civic",
            "2020 Honda Civic",
            "2011 honda Accord",
            "2015 Honda Civic-SI",
            "2015 Ford Focus",
        ];
        let vehicles: Vec<VehicleName> = vehicles.iter().map(|text| text.parse().unwrap()).collect();
        let mut n_open = 0;
        for one in 0..=all.len() {
            for other in 0..=one {
                let some: Vec<PartFitment> =
                    all.get(one).into_iter().chain(all.get(other)).cloned().collect();
                let short = PartFitments::new(&some);
                for vehicle in &vehicles {
                    let may_fit = Fit::may_fit(&some, vehicle);
                    assert_eq!(short.may_fit(&vehicle.into()), may_fit, "{vehicle}: {some:?}");
                    n_open += usize::from(may_fit);
                }
            }
        }
        assert!(n_open > 100, "{n_open}");
    }
}
