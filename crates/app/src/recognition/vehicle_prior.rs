//! The vehicle as a prior on what a photograph shows.

use std::sync::Arc;

use partsight_catalog::Catalog;
use partsight_domain::{Candidate, Fit, PartLabel, VehicleDoubt, VehicleFacts, VehicleName, VehicleVariant};
use partsight_vehicle_data::Reference;

use crate::vehicle_facts::vehicle_facts;

/// Which parts can be on a vehicle, as a prior.
#[derive(Debug)]
pub struct VehiclePrior {
    name: VehicleName,
    facts: VehicleFacts,
    catalog: Arc<Catalog>,
}

impl VehiclePrior {
    /// The prior of a vehicle by its name, for all engines with which it was sold.
    ///
    /// The name was split word by word, with the first word as the make; it is corrected if `reference` has a make
    /// with more words, such as `Land Rover`.
    pub fn of_name(reference: &Reference, catalog: Arc<Catalog>, name: VehicleName) -> Self {
        let name = with_whole_make(reference, &name).unwrap_or(name);
        Self::new(reference, catalog, name, None, || None)
    }

    pub(crate) fn new(
        reference: &Reference,
        catalog: Arc<Catalog>,
        name: VehicleName,
        engine: Option<&str>,
        of_vin: impl FnOnce() -> Option<VehicleVariant>,
    ) -> Self {
        let facts = vehicle_facts(reference, &name, engine, of_vin);
        Self { name, facts, catalog }
    }

    /// The vehicle.
    pub fn name(&self) -> &VehicleName {
        &self.name
    }

    /// Whether the vehicle is in the reference; nothing is ruled out for others.
    pub fn is_known(&self) -> bool {
        !self.facts.variants.is_empty()
    }

    /// Whether a part type cannot be on the vehicle.
    pub(crate) fn rules_out(&self, label: &PartLabel) -> bool {
        self.catalog.vehicle_need(label).is_some_and(|need| self.facts.lacks(need))
    }

    /// As [`doubts`](Self::doubts), with the names of the catalogue.
    pub(crate) fn doubts_by_catalog(&self, unfit: Vec<Candidate>) -> Vec<VehicleDoubt> {
        self.doubts(unfit, |label| {
            self.catalog.get(label).map_or_else(|| label.to_string(), |part_type| part_type.name.clone())
        })
    }

    /// Sentences about the candidates that the vehicle rules out, each with its probability without the vehicle.
    pub(crate) fn doubts(
        &self,
        unfit: Vec<Candidate>,
        type_name: impl Fn(&PartLabel) -> String,
    ) -> Vec<VehicleDoubt> {
        let doubt = |candidate: Candidate| {
            let need = self.catalog.vehicle_need(&candidate.label);
            let fit = Fit::of_type(&type_name(&candidate.label), need, &self.name, &self.facts)?;
            Some(VehicleDoubt {
                label: candidate.label,
                confidence_without_vehicle: candidate.confidence,
                reason: fit.reason,
            })
        };
        unfit.into_iter().filter_map(doubt).collect()
    }
}

/// The same vehicle with a longer make, if that is a known one.
fn with_whole_make(reference: &Reference, name: &VehicleName) -> Option<VehicleName> {
    let words: Vec<&str> = name.make.split(' ').chain(name.model.split(' ')).collect();
    // The longest make first, so that `Land Rover` is not taken for a make `Land`.
    (1..words.len()).rev().find_map(|n_words| {
        let (make, model) = words.split_at(n_words);
        let (make, model) = (make.join(" "), model.join(" "));
        let is_known = !reference.engines(&make, &model, name.year.get()).is_empty();
        is_known.then_some(VehicleName { year: name.year, make, model })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prior(name: &str) -> VehiclePrior {
        let catalog = Arc::new(Catalog::embedded().unwrap());
        VehiclePrior::of_name(&Reference::embedded().unwrap(), catalog, name.parse().unwrap())
    }

    fn split(name: &str) -> (String, String, bool) {
        let prior = prior(name);
        (prior.name().make.clone(), prior.name().model.clone(), prior.is_known())
    }

    fn label(name: &str) -> PartLabel {
        PartLabel::new(name).unwrap()
    }

    #[test]
    fn a_make_of_several_words_is_known_as_one() {
        let own = |make: &str, model: &str, is_known| (make.to_owned(), model.to_owned(), is_known);
        assert_eq!(split("2015 Honda Civic"), own("Honda", "Civic", true));
        assert_eq!(split("2015 Land Rover LR4"), own("Land Rover", "LR4", true));
        assert_eq!(split("2015 Honta Civic"), own("Honta", "Civic", false));
    }

    #[test]
    fn what_cannot_be_on_the_vehicle_is_ruled_out_and_says_why() {
        let electric = prior("2021 Tesla Model 3");
        assert!(electric.rules_out(&label("spark-plug")) && !electric.rules_out(&label("brake-rotor")));
        let unfit = vec![Candidate { label: label("spark-plug"), confidence: 0.8 }];
        let doubts = electric.doubts(unfit, ToString::to_string);
        assert_eq!(doubts.len(), 1);
        assert!((doubts[0].confidence_without_vehicle - 0.8).abs() < 1e-6);
        assert!(doubts[0].reason.starts_with("A 2021 Tesla Model 3 has no engine"), "{}", doubts[0].reason);
    }

    #[test]
    fn a_vehicle_that_nothing_is_known_of_rules_nothing_out() {
        let unknown = prior("2015 Honta Civic");
        assert!(!unknown.rules_out(&label("spark-plug")));
    }
}
