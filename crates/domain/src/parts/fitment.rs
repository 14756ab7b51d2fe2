use crate::garage::VehicleName;
use crate::part_number::composed;

/// A range of vehicles that a part fits: a make, one of its models or all, and model years.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fitment {
    /// Manufacturer's brand.
    pub make: String,
    /// One model; `None` for all of the make.
    pub model: Option<String>,
    /// First model year, inclusive; `None` for no limit.
    pub first_year: Option<u16>,
    /// Last model year, inclusive; `None` for no limit.
    pub last_year: Option<u16>,
}

impl Fitment {
    /// A make or model in the form in which it is compared: without case and surrounding spaces, and in Unicode's
    /// normalization form C.
    pub fn normalised(name: &str) -> String {
        composed(name.trim()).to_lowercase()
    }

    /// Whether a part of this fitment fits `vehicle`.
    pub fn fits(&self, vehicle: &VehicleName) -> bool {
        // By names as typed, because shops need not use a fixed list of makes.
        let same = |a: &str, b: &str| Self::normalised(a) == Self::normalised(b);
        let year = vehicle.year.get();
        same(&self.make, &vehicle.make)
            && self.model.as_deref().is_none_or(|model| same(model, &vehicle.model))
            && self.first_year.is_none_or(|first| first <= year)
            && self.last_year.is_none_or(|last| year <= last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_combining_mark_is_that_with_the_letter() {
        assert_eq!(Fitment::normalised(" CITROE\u{308}N"), Fitment::normalised("Citro\u{eb}n "));
    }

    #[test]
    fn a_fitment_holds_for_its_make_its_models_and_its_years() {
        let fitment = |model: Option<&str>, first_year, last_year| Fitment {
            make: "Honda".to_owned(),
            model: model.map(str::to_owned),
            first_year,
            last_year,
        };
        let civic: VehicleName = "2015 HONDA civic".parse().unwrap();
        let cases = [
            (fitment(None, None, None), true),
            (fitment(Some(" Civic "), None, None), true),
            (fitment(Some("Accord"), None, None), false),
            (fitment(Some("Civic"), Some(2015), Some(2015)), true),
            (fitment(Some("Civic"), Some(2016), None), false),
            (fitment(None, None, Some(2014)), false),
            (Fitment { make: "Acura".to_owned(), ..fitment(None, None, None) }, false),
        ];
        for (fitment, fits) in cases {
            assert_eq!(fitment.fits(&civic), fits, "{fitment:?}");
        }
    }
}
