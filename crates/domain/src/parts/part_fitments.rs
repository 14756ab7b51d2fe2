//! The fitments of a part, prepared for comparing a vehicle with those of many parts.

use crate::garage::VehicleName;
use crate::parts::{Fit, FitVerdict, Fitment, FitmentSource, PartFitment};

/// A vehicle prepared for comparison with fitments: make and model without case and surrounding spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VehicleKey {
    make: String,
    model: String,
    year: u16,
}

impl VehicleKey {
    /// The make, in lower case.
    pub fn make(&self) -> &str {
        &self.make
    }

    /// The model, in lower case.
    pub fn model(&self) -> &str {
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
            model: Fitment::normalised(&vehicle.model),
            year: vehicle.year.get(),
        }
    }
}

/// All fitments of one part, prepared for comparison; [`Fit::of_fitments`] also returns reasons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartFitments {
    listed: Vec<Fitment>,
    excluded: Vec<Fitment>,
    is_complete: bool,
}

impl PartFitments {
    /// Prepares the fitments of a part; a part without any may fit every vehicle.
    pub fn new(fitments: &[PartFitment]) -> Self {
        let of = |fits: bool| {
            let chosen = fitments.iter().filter(move |fitment| fitment.fits == fits);
            chosen.map(|fitment| Fitment {
                // Normalised once, because a search compares one vehicle with thousands of fitments.
                make: Fitment::normalised(&fitment.make),
                model: fitment.model.as_deref().map(Fitment::normalised),
                first_year: fitment.first_year,
                last_year: fitment.last_year,
            })
        };
        let listed: Vec<Fitment> = of(true).collect();
        Self {
            // Without a listed vehicle, a complete list would mean that the part fits nothing.
            is_complete: !listed.is_empty()
                && fitments.iter().all(|fitment| fitment.source == FitmentSource::Aces),
            // Separate, because an exclusion overrides every listed fitment.
            excluded: of(false).collect(),
            listed,
        }
    }

    /// The vehicles that it fits; makes and models in lower case.
    pub fn listed(&self) -> &[Fitment] {
        &self.listed
    }

    /// The vehicles that it does not fit; makes and models in lower case.
    pub fn excluded(&self) -> &[Fitment] {
        &self.excluded
    }

    /// Whether [`PartFitments::listed`] names every vehicle that it fits, as fitment data does.
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the vehicle is not excluded: [`Fit::of_fitments`] does not return [`FitVerdict::DoesNotFit`].
    pub fn may_fit(&self, vehicle: &VehicleKey) -> bool {
        if self.excluded.iter().any(|fitment| covers(fitment, vehicle)) {
            return false;
        }
        self.listed.iter().any(|fitment| covers(fitment, vehicle))
            || !(self.is_complete || self.listed.iter().any(|fitment| names_model(fitment, vehicle)))
    }
}

impl Fit {
    /// Whether the fitments of a part include the vehicle or leave it open.
    pub fn may_fit(fitments: &[PartFitment], vehicle: &VehicleName) -> bool {
        Self::of_fitments(fitments, vehicle).is_none_or(|fit| fit.verdict != FitVerdict::DoesNotFit)
    }
}

fn names_model(fitment: &Fitment, vehicle: &VehicleKey) -> bool {
    fitment.make == vehicle.make && fitment.model.as_ref().is_none_or(|model| *model == vehicle.model)
}

fn covers(fitment: &Fitment, vehicle: &VehicleKey) -> bool {
    names_model(fitment, vehicle)
        && fitment.first_year.is_none_or(|first| first <= vehicle.year)
        && fitment.last_year.is_none_or(|last| vehicle.year <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every fitment of one of two models or all, of some years or all, listed or excluded, of each source.
    fn fitments() -> Vec<PartFitment> {
        let mut all = Vec::new();
        for model in [None, Some("Civic"), Some(" ACCORD")] {
            for (first_year, last_year) in [(None, None), (Some(2012), Some(2015)), (Some(2016), None)] {
                for fits in [true, false] {
                    for source in [FitmentSource::Shop, FitmentSource::Aces] {
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
        let vehicles = ["2015 HONDA civic", "2020 Honda Civic", "2011 honda Accord", "2015 Ford Focus"];
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
